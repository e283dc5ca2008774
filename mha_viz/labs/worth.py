"""What each head is worth, in four ways: its mean weight, the loss's slope in its gate, the head taken out, or evened out.

Measured on look-up nets that are trained for it and on MiniLM, on cases and sentences that no score is taken on.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

import numpy as np
import torch

from mha_viz.analysis.importance import HOWS, METHODS, HeadImportance, mean_weights
from mha_viz.analysis.sentences import SENTENCES
from mha_viz.labs.importance import ablation_importance, gradient_importance
from mha_viz.labs.lookups import Cases, LookupNet, Training, cases, loss_of, make_net
from mha_viz.labs.losses import samples_of
from mha_viz.labs.plans import WorthOptions
from mha_viz.labs.results import Row, Step, Steps
from mha_viz.labs.steps import part_of, told
from mha_viz.models.base import AttentionModel

#: The built-in pairs of sentences: MiniLM's heads are measured on how far apart it places the two. The others are for scores.
PAIRS = tuple(item for item in SENTENCES if item.pair)
#: The seed of the cases that heads of look-up nets are measured on: other ones than those of training and of the score.
_SEED = 77


def net_importance(net: LookupNet, given: Cases) -> dict[str, HeadImportance]:
    """A look-up net's heads by each of METHODS; a sample is a case, its loss that of its own answers.

    The slope in a gate of 1 is head_output . dL/dhead_output (Michel et al. 2019, section 4), for all cases in one pass: the
    loss of a case depends on no other.
    """
    n = len(given.asked)
    said, attended = net(given)
    slopes = torch.autograd.grad(loss_of(said, given) * n, attended.head_output)[0]
    gradient = (slopes * attended.head_output).sum(dim=(2, 3)).detach()  # (case, head)
    base = case_losses(said.detach(), given)
    found = {"gradient": HeadImportance("gradient", net.task, _layered(gradient), base)}
    for how in HOWS:
        without = [case_losses(_without(net, given, head, how), given) for head in range(net.attention.n_heads)]
        changes = np.stack(without, axis=1) - base[:, None]
        found[how] = HeadImportance(how, net.task, changes[:, None], base)
    weights = attended.weights.detach().double().mean(dim=(2, 3))  # over query and keys
    return found | {"weight": HeadImportance("weight", "", _layered(weights), np.zeros(n))}


def case_losses(said: torch.Tensor, given: Cases) -> np.ndarray:
    """float64 (case,): the loss of each case by itself."""
    each = [slice(at, at + 1) for at in range(len(said))]
    return np.array([float(loss_of(said[one], Cases(given.values[one], given.asked[one]))) for one in each])


def minilm_importance(
    model: AttentionModel, methods: Sequence[str] = METHODS
) -> Generator[float, None, dict[str, HeadImportance]]:
    """The heads of a model by some of METHODS, on PAIRS: work in slices."""
    samples = samples_of(model, PAIRS, "pair")
    found = {}
    for number, method in enumerate(methods):
        if method == "weight":
            found[method] = mean_weights([model.run(read) for sample in samples for read in sample.read])
            yield (number + 1) / len(methods)
            continue
        gradient = method == "gradient"
        work = gradient_importance(model, samples) if gradient else ablation_importance(model, samples, method)
        found[method] = yield from part_of(work, number / len(methods), 1 / len(methods))
    return found


def trained(task: str, options: WorthOptions, seed: int) -> Generator[float, None, Training]:
    """A look-up net, trained: work in slices."""
    training = Training(make_net(task, options.heads, seed), seed, options.steps)
    yield from training.run()
    return training


def cases_to_measure(task: str, n: int) -> Cases:
    """Cases that nothing was trained on and no score is taken on."""
    return cases(task, n, torch.Generator().manual_seed(_SEED))


def packaged_bert() -> AttentionModel:
    """MiniLM, on the CPU whatever else there is: what a core does is what is timed.

    Raises:
        ModelError: it is not there.
    """
    from mha_viz.models import open_model

    return open_model("minilm", device="cpu")


def subjects_of(options: WorthOptions) -> list[tuple[str, int]]:
    """(model, seed) of everything that is measured; MiniLM is there once."""
    return [(name, seed) for name in options.models for seed in range(1 if name == "minilm" else options.seeds)]


def run(options: WorthOptions) -> Steps:
    """Four rows for each net and for MiniLM: the values of every head by each of METHODS."""
    wanted = subjects_of(options)
    for number, (name, seed) in enumerate(wanted):
        begun, share = number / len(wanted), 1 / len(wanted)
        about: Row = {"model": name, "seed": seed}
        if name == "minilm":
            found = yield from told(part_of(minilm_importance(packaged_bert()), begun, share))
        else:
            training = yield from told(part_of(trained(name, options, seed), begun, share))
            found = net_importance(training.net, cases_to_measure(name, options.cases))
            about["score"] = training.curve[-1]
            about["slots"] = _plain(training.slot_weights().numpy())
        for method in METHODS:
            yield Step(min(begun + share, 1.0), row_of(found[method]) | about)


def row_of(found: HeadImportance) -> Row:
    """Its values by layer and head, and the mean change with its sign where it tells more."""
    row: Row = {"method": found.method, "loss": found.loss, "samples": found.n_samples, "values": _plain(found.values)}
    return row | {"signed": _plain(found.signed)} if found.method in HOWS else row


def _without(net: LookupNet, given: Cases, head: int, how: str) -> torch.Tensor:
    """What the net answers with one head taken out."""
    chosen = torch.arange(net.attention.n_heads) == head
    with torch.inference_mode():
        return net(given, (~chosen).float())[0] if how == "zero" else net(given, uniform=chosen)[0]


def _layered(by_head: torch.Tensor) -> np.ndarray:
    """(case, head) to float64 (case, layer, head), of one layer."""
    return by_head.double().numpy()[:, None]


def _plain(values: np.ndarray) -> list[list[float]]:
    """Four figures are enough for ranks and pictures."""
    return [[float(f"{value:.4g}") for value in row] for row in values]
