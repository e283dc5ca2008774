"""Heads that are alike, and regularisers that keep them apart: the look-up nets, and MiniLM.

A regulariser adds strength * penalty to the loss. The penalty is a mean over the cases and over all pairs of heads; a and b are
the weights of the two heads for one query, x and y what they write:

positions   sum over the keys of a * b, the weight that both put on the same token (Li et al. 2018, "attended positions").
maps        the cosine of a and b: the same without its way out, to make rows even (1 / N for two even rows of N keys).
outputs     the squared cosine of x and y. Li et al. 2018 ("outputs") take the cosine itself, whose least value is reached by
            heads that write opposite things; squared it is least where they write at right angles.

Heads have a basis each: W_V and W_O of one head can be turned against each other without any change of what the layer computes,
and so change the cosine of x and y. Linear CKA, by which diversity is measured here, does not depend on that.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch.nn import functional

from mha_viz.analysis.agreement import pairs_agreement
from mha_viz.analysis.cka import likeness, output_similarity
from mha_viz.analysis.clusters import clusters, pairs_of
from mha_viz.analysis.distances import distances_of_rows, matrix_of_distances
from mha_viz.analysis.sentences import SENTENCES
from mha_viz.arrays import FloatArray
from mha_viz.attention import Attended
from mha_viz.labs.lookups import Cases, LookupNet, Training, best_possible, make_net
from mha_viz.labs.plans import AlikeOptions
from mha_viz.labs.results import Row, Step, Steps
from mha_viz.models import open_model

#: Where the tree of clusters is cut: root of the mean JS (nats; .83 at most), and 1 - CKA (1 at most).
MAP_CUT, OUTPUT_CUT = 0.35, 0.5
#: Held-out cases that outputs are compared on: CKA takes time by their square, and needs a few hundred.
_COMPARED = 1_024


class Setting(NamedTuple):
    """One training."""

    seed: int
    task: str
    heads: int
    kind: str
    strength: float


class Apart(NamedTuple):
    """Distances between heads, (head, head): the root of the mean JS of their rows, and 1 - CKA of what they write."""

    maps: FloatArray
    outputs: FloatArray


def positions(attended: Attended) -> torch.Tensor:
    """Weight on the same tokens, 0 to 1."""
    rows = attended.weights.transpose(1, 2)  # (batch, query, head, key)
    return _mean_of_pairs(rows @ rows.mT)


def maps(attended: Attended) -> torch.Tensor:
    """Cosine of the weights, 0 to 1."""
    rows = functional.normalize(attended.weights.transpose(1, 2), dim=-1)
    return _mean_of_pairs(rows @ rows.mT)


def outputs(attended: Attended) -> torch.Tensor:
    """Squared cosine of what is written, 0 to 1."""
    written = functional.normalize(attended.head_output.transpose(1, 2), dim=-1)  # (batch, query, head, d_k)
    return _mean_of_pairs((written @ written.mT) ** 2)


#: By the names in ``plans.REGULARISERS``.
PENALTIES: dict[str, Callable[[Attended], torch.Tensor]] = {"positions": positions, "maps": maps, "outputs": outputs}


def _mean_of_pairs(products: torch.Tensor) -> torch.Tensor:
    """(batch, query, head, head) to one number, over all pairs of two different heads."""
    n_heads = products.shape[-1]
    between = products.sum(dim=(-2, -1)) - products.diagonal(dim1=-2, dim2=-1).sum(dim=-1)
    return between.mean() / (n_heads * (n_heads - 1))


class Regularised(Training):
    """A training that also keeps its heads apart; ``kind`` of ``PENALTIES``, or "none"."""

    def __init__(self, net: LookupNet, seed: int, steps: int, kind: str, strength: float) -> None:
        super().__init__(net, seed, steps)
        self.kind, self.strength = kind, strength

    def loss(self, said: torch.Tensor, attended: Attended, given: Cases) -> torch.Tensor:
        """That of the task and the penalty."""
        plain = super().loss(said, attended, given)
        return plain if self.kind == "none" else plain + self.strength * PENALTIES[self.kind](attended)

    def attended(self) -> Attended:
        """What the heads do on the held-out cases."""
        with torch.inference_mode():
            attended: Attended = self.net(self.held_out)[1]
        return attended

    def apart(self) -> Apart:
        """The heads' distances, over the held-out cases."""
        attended = self.attended()
        rows, written = (
            part[:, :, 0].transpose(0, 1).contiguous().numpy() for part in (attended.weights, attended.head_output)
        )
        return Apart(np.sqrt(distances_of_rows(rows)), 1.0 - likeness(written[:, :_COMPARED]))


def compared(apart: Apart) -> Row:
    """Distances, every pair of heads once, the clusters that they make, and the rank correlation of the two kinds."""
    return {
        "by_map": _plain(pairs_of(apart.maps)),
        "by_output": _plain(pairs_of(apart.outputs)),
        "map_clusters": list(clusters(apart.maps, MAP_CUT)),
        "output_clusters": list(clusters(apart.outputs, OUTPUT_CUT)),
        "map_cut": MAP_CUT,
        "output_cut": OUTPUT_CUT,
        "agreement": _agreement(apart),
    }


def _agreement(apart: Apart) -> float | None:
    found = pairs_agreement(apart.maps, apart.outputs)
    return round(found, 3) if np.isfinite(found) else None


def _plain(values: FloatArray) -> list[float | None]:
    return [round(value, 2) if np.isfinite(value) else None for value in values.tolist()]


def _mean(values: FloatArray) -> float:
    """Over all pairs that can be compared."""
    return round(float(np.nanmean(pairs_of(values))), 3)


def run(options: AlikeOptions) -> Steps:
    """A row for each training, and one for MiniLM, which comes last: it may not be there."""
    settings = _settings(options) if "lookups" in options.nets else []
    total = len(settings) + ("minilm" in options.nets)
    for number, setting in enumerate(settings):
        for step in _trained(setting, options.steps):
            yield step._replace(share=(number + step.share) / total)
    if "minilm" in options.nets:
        for step in _minilm():
            yield step._replace(share=(len(settings) + step.share) / total)


def _settings(options: AlikeOptions) -> list[Setting]:
    pressed = [("none", 0.0), *((kind, strength) for kind in options.kinds for strength in options.strengths)]
    groups = [(seed, task, heads) for seed in range(options.seeds) for task in options.tasks for heads in options.heads]
    return [Setting(*group, *one) for group in groups for one in pressed]


def _trained(setting: Setting, steps: int) -> Iterator[Step]:
    """One net; the first seed's row holds its heads too."""
    begun = time.monotonic()
    seed, task, heads, kind, strength = setting
    training = Regularised(make_net(task, heads, seed), seed, steps, kind, strength)
    row: Row = {"model": "lookups"} | setting._asdict()
    for share in training.run():
        yield Step(share, live=row | {"at": list(training.at), "curve": list(training.curve)})
    apart = training.apart()
    row |= {"score": round(training.curve[-1], 4), "best": best_possible(heads) if task == "values" else None}
    row |= {"map_diversity": _mean(apart.maps), "output_diversity": _mean(apart.outputs)}
    attended, punished = training.attended(), PENALTIES if kind == "none" else (kind,)
    row["penalties"] = {name: round(float(PENALTIES[name](attended)), 3) for name in punished}
    row["seconds"] = round(time.monotonic() - begun, 1)
    if seed == 0:
        row |= compared(apart)
        row["slots"] = [[round(weight, 2) for weight in head] for head in training.slot_weights().tolist()]
    yield Step(1.0, row)


def _minilm() -> Iterator[Step]:
    """All heads of MiniLM over the built-in sentences, special tokens left out of both distances."""
    begun = time.monotonic()
    model = open_model("minilm", device="cpu")
    traces, squares, alone = [], [], []
    for number, item in enumerate(SENTENCES):
        trace = model.run(model.tokenize(item.text, item.pair))
        traces.append(trace)
        squares.append(matrix_of_distances(trace, drop_specials=True))
        alone.append(_agreement(Apart(np.sqrt(squares[-1]), 1.0 - output_similarity(trace, drop_specials=True))))
        yield Step(0.9 * (number + 1) / len(SENTENCES))
    apart = Apart(np.sqrt(np.nanmean(squares, axis=0)), 1.0 - output_similarity(*traces, drop_specials=True))
    n_tokens = sum(trace.n_tokens - sum(trace.query_tokens.special) for trace in traces)
    row: Row = {"model": "minilm", "name": model.spec.name, "layers": model.spec.n_layers, "heads": model.spec.n_heads}
    row |= {"d_k": model.spec.d_k, "sentences": len(SENTENCES), "tokens": n_tokens, "alone": alone}
    row |= {"map_diversity": _mean(apart.maps), "output_diversity": _mean(apart.outputs)} | compared(apart)
    yield Step(1.0, row | {"seconds": round(time.monotonic() - begun, 2)})
