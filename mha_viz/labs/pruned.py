"""Heads removed one after another, in several orders, and what that saves: parameters, bytes, time.

Silencing a head multiplies its output by 0 after everything was computed; what is removed is not computed. Both give the same
output, and their times are taken side by side.
"""

from __future__ import annotations

import statistics
from collections.abc import Generator, Sequence

from mha_viz.analysis.importance import order_of
from mha_viz.arrays import FloatArray
from mha_viz.controls import HeadId
from mha_viz.labs.nets import n_parameters
from mha_viz.labs.plans import PrunedOptions
from mha_viz.labs.pruning import BertSubject, NetSubject, Subject, n_bytes
from mha_viz.labs.results import Row, Step, Steps
from mha_viz.labs.steps import part_of, told
from mha_viz.labs.timing import timed
from mha_viz.labs.worth import (
    cases_to_measure,
    minilm_importance,
    net_importance,
    packaged_bert,
    subjects_of,
    trained,
)
from mha_viz.models.huggingface import HuggingFaceModel

#: The least important first, by each of these; and at random.
MEASURES = ("gradient", "zero")
#: Points of a curve at most, less the first; shares of the heads that are gone when speed is taken.
_POINTS, _SHARES = 18, (0.25, 0.5, 0.75)


def run(options: PrunedOptions) -> Steps:
    """Rows of kind "curve", one an order, and of kind "speed", one a number of heads and a batch."""
    wanted = subjects_of(options)
    for number, (name, seed) in enumerate(wanted):
        share = 1 / len(wanted)
        subject, values = yield from told(part_of(_subject(name, options, seed), number * share, share / 3))
        about: Row = {"model": name, "seed": seed}
        orders = [(measure, seed, order_of(values[measure], "least")) for measure in MEASURES]
        seeds = range(options.seeds) if name == "minilm" else (seed,)
        orders += [("random", one, order_of(values["gradient"], "random", one)) for one in seeds]
        begun = (number + 1 / 3) * share
        for turn, (order, own_seed, heads) in enumerate(orders):
            each = share / 3 / len(orders)
            row = yield from told(part_of(_curve(subject, heads), begun + turn * each, each))
            yield Step(begun + (turn + 1) * each, about | {"kind": "curve", "order": order, "seed": own_seed} | row)
        if seed == 0:
            yield from _speeds(subject, orders[0][2], options, about, begun + share / 3, share / 3)


def _subject(
    name: str, options: PrunedOptions, seed: int
) -> Generator[float, None, tuple[Subject, dict[str, FloatArray]]]:
    """What heads are removed from, and how important they are."""
    if name == "minilm":
        model = packaged_bert()
        assert isinstance(model, HuggingFaceModel)
        measured = yield from minilm_importance(model, MEASURES)
        return BertSubject(model), {measure: measured[measure].values for measure in MEASURES}
    training = yield from trained(name, options, seed)
    found = net_importance(training.net, cases_to_measure(name, options.cases))
    return NetSubject(training.net, training.held_out), {measure: found[measure].values for measure in MEASURES}


def _curve(subject: Subject, heads: Sequence[HeadId]) -> Generator[float, None, Row]:
    """Quality and parameters as heads go in this order, none comes back and nothing is trained."""
    counts = [*range(0, len(heads), -(-len(heads) // _POINTS)), len(heads)]
    scores, parameters = [], []
    for turn, count in enumerate(counts):
        scores.append(round(subject.quality(heads[:count]), 4))
        parameters.append(n_parameters(subject.network(heads[:count])))
        yield (turn + 1) / len(counts)
    best = [subject.best(len(heads) - count) for count in counts]
    return {"removed": counts, "scores": scores, "parameters": parameters, "best": best}


def _speeds(
    subject: Subject, heads: Sequence[HeadId], options: PrunedOptions, about: Row, begun: float, share: float
) -> Steps:
    """A row for each share of the heads and each batch."""
    counts = sorted({max(1, round(len(heads) * part)) for part in _SHARES})
    settings = [(count, batch) for count in counts for batch in options.batches]
    whole = subject.network(())
    full = {"full_parameters": n_parameters(whole), "full_bytes": n_bytes(whole)}
    for turn, (count, batch) in enumerate(settings):
        each = share / len(settings)
        smaller = subject.network(heads[:count])
        row: Row = {"kind": "speed", "removed": count, "heads": len(heads), "batch": batch, "tokens": subject.length}
        row |= full | {"parameters": n_parameters(smaller), "bytes": n_bytes(smaller)}
        work = _times(subject, heads[:count], batch, options.rounds)
        row |= yield from told(part_of(work, begun + turn * each, each))
        yield Step(min(begun + (turn + 1) * each, 1.0), about | row)


def _times(subject: Subject, heads: Sequence[HeadId], batch: int, rounds: int) -> Generator[float, None, Row]:
    """Milliseconds, medians of the rounds; ratios to the full pass of the same round; how far the two outputs lie apart."""
    passes = subject.passes(heads, batch)
    taken = yield from timed(passes, rounds)
    seconds = [[one.work for one in own] for own in taken]
    row: Row = {"rounds": len(seconds[0]), "apart": float((passes.silenced() - passes.pruned()).detach().abs().max())}
    for name, own in zip(passes._fields, seconds, strict=True):
        row[f"{name}_ms"] = float(f"{1000 * statistics.median(own):.4g}")
        ratios = [one / full for one, full in zip(own, seconds[0], strict=True)]
        row[f"{name}_ratio"] = round(statistics.median(ratios), 4)
    return row
