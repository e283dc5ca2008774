"""Two models of different size: what they share, and nothing cell by cell.

Head 7 of layer 3 here and there are different things. What both have are layers at some depth, heads that can be measured, and
words: so metrics are laid out by relative depth, and the heads of each are ranked for the same pair of words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mha_viz.analysis.align import Alignment
from mha_viz.analysis.find import Found, find_head
from mha_viz.arrays import FloatArray, IntArray, ReadOnlyArrays
from mha_viz.controls import HeadId
from mha_viz.errors import InputError
from mha_viz.metrics import METRICS
from mha_viz.metrics.base import OutputMatrices
from mha_viz.spec import ModelSpec
from mha_viz.trace import Reading

#: Shares of a layer's heads whose value is at most the quantile.
QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, eq=False)
class Depths(ReadOnlyArrays):
    """One metric over the depth of one model.

    Attributes:
        model: its name.
        metric: one of METRICS.
        depth: float64 (layer,), the middle of each layer, 0 at the bottom of the model and 1 at its top.
        values: float64 (layer, head).
        even: float64 (layer,), what even attention gives, a mean over heads.
        quantiles: float64 (quantile, layer), those of QUANTILES over the heads that have a value; NaN where none has.
    """

    model: str
    metric: str
    depth: FloatArray
    values: FloatArray
    even: FloatArray
    quantiles: FloatArray

    def __post_init__(self) -> None:
        self.freeze_arrays()


def relative_depth(n_layers: int) -> FloatArray:
    """(layer,) the middle of each of ``n_layers`` layers on a way from 0 to 1."""
    return (np.arange(n_layers) + 0.5) / n_layers


def by_depth(run: Reading, metric: str, W_O: OutputMatrices | None = None) -> Depths:
    """A metric of all heads of a run, by relative depth.

    Args:
        run: a run.
        metric: a name in METRICS.
        W_O: (d_model, d_model) of every layer, which the share of the output needs.

    Raises:
        InputError: there is no such metric.
    """
    if metric not in METRICS:
        raise InputError("error.no_such_metric", got=metric, allowed=", ".join(METRICS))
    values = METRICS[metric].compute(run, W_O)
    even = METRICS[metric].even(run, W_O)
    quantiles = np.full((len(QUANTILES), len(values)), np.nan)
    for layer, row in enumerate(values):
        known = row[np.isfinite(row)]
        if known.size:
            quantiles[:, layer] = np.quantile(known, QUANTILES)
    mean = np.array([row[np.isfinite(row)].mean() if np.isfinite(row).any() else np.nan for row in even])
    return Depths(run.spec.name, metric, relative_depth(run.spec.n_layers), values, mean, quantiles)


class RankedHead(NamedTuple):
    """A head in the order of the weights that one query gives to one key; ``depth`` is its layer's, 0 to 1."""

    head: HeadId
    depth: float
    weight: float
    times: float


@dataclass(frozen=True)
class WordPairRanking:
    """The heads of two models, each ranked for the same two words.

    Attributes:
        a, b: what ``analysis.find.find_head`` finds in each.
        spec_a, spec_b: the models.
    """

    a: Found
    b: Found
    spec_a: ModelSpec
    spec_b: ModelSpec

    def top(self, most: int) -> list[tuple[RankedHead | None, RankedHead | None]]:
        """The first heads of both side by side, at most ``most``; None where one model has no more."""
        of_a, of_b = (_ranked(found, spec) for found, spec in ((self.a, self.spec_a), (self.b, self.spec_b)))
        n = min(max(len(of_a), len(of_b)), max(most, 0))
        return [
            (of_a[place] if place < len(of_a) else None, of_b[place] if place < len(of_b) else None)
            for place in range(n)
        ]


def _ranked(found: Found, spec: ModelSpec) -> list[RankedHead]:
    """Heads that have a weight, in order."""
    depth, order = relative_depth(spec.n_layers), found.order.tolist()
    heads = [HeadId(*divmod(number, spec.n_heads)) for number in order]
    return [
        RankedHead(head, float(depth[head.layer]), float(found.weight[head]), float(found.times[head]))
        for head in heads
        if np.isfinite(found.weight[head])
    ]


def rank_heads(a: Reading, b: Reading, alignment: Alignment, query: int, key: int) -> WordPairRanking:
    """The heads of two models ranked for the weight from one word to another.

    Args:
        a, b, alignment: as ``analysis.align.align_runs`` gives them.
        query, key: positions in ``a``.

    Raises:
        InputError: there is no such position, or B has nothing that stands for it.
    """
    places_a, places_b = alignment.places
    for at in (query, key):
        if not 0 <= at < a.n_tokens:
            raise InputError("error.no_such_token", got=at, last=a.n_tokens - 1)
    query_b, key_b = (_counterpart(places_a, places_b, at, alignment) for at in (query, key))
    return WordPairRanking(find_head(a, query, key), find_head(b, query_b, key_b), a.spec, b.spec)


def _counterpart(places_a: IntArray, places_b: IntArray, at: int, alignment: Alignment) -> int:
    found = int(places_b[np.flatnonzero(places_a == at)[0]])
    if found < 0:
        raise InputError("error.no_counterpart", got=alignment.a.tokens[at], position=at)
    return found
