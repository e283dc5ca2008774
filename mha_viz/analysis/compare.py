"""Two runs of one model compared, cell by cell and head by head: B less A.

A cell is compared where both runs have the query and the key, both let the query attend to the key, and the query is no
padding. Everything else is not comparable, and NaN, never 0. How much a head changed is the Jensen-Shannon distance of its rows:
the square root of JS (``analysis.distances``), in nats, 0 for equal rows and sqrt(ln 2) = 0.833 for rows that share no key.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mha_viz.analysis.align import Alignment, align
from mha_viz.analysis.work import Work, finished
from mha_viz.arrays import BoolArray, FloatArray, IntArray, ReadOnlyArrays
from mha_viz.controls import HeadId
from mha_viz.errors import InputError
from mha_viz.metrics import measured
from mha_viz.metrics.base import OutputMatrices
from mha_viz.metrics.rows import TINY
from mha_viz.trace import Reading
from mha_viz.words import say

#: The largest distance there is, in the square root of nats.
FARTHEST = float(np.sqrt(np.log(2)))
_SMALLEST = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False)
class HeadDifference(ReadOnlyArrays):
    """One head in two runs. Rows and columns are the pairs of the alignment.

    Attributes:
        head: which.
        alignment: what stands at the rows and columns.
        a, b: float32 (pair, pair), the weights of each run; NaN where it has no such token, hides the key or only pads.
        change: float32 (pair, pair), b - a; NaN where either is.
    """

    head: HeadId
    alignment: Alignment
    a: FloatArray
    b: FloatArray
    change: FloatArray

    def __post_init__(self) -> None:
        self.freeze_arrays()

    @property
    def largest(self) -> float:
        """The change farthest from 0, as a positive number; 0 if nothing can be compared."""
        return float(np.abs(np.nan_to_num(self.change)).max(initial=0.0))


@dataclass(frozen=True, eq=False)
class HeadChanges(ReadOnlyArrays):
    """How much every head changed from one run to the other.

    Attributes:
        alignment: of the two runs' tokens.
        distance: float64 (layer, head), 0 to 0.833: mean over the rows of the Jensen-Shannon distance between the two rows, each
            taken over the keys that both runs have and let the query see, and scaled so that what is left of it sums to 1.
            NaN for a head without such a row.
        cells: float64 (layer, head), mean |B - A| over all comparable cells; weights as they are, not scaled.
        elsewhere: float64 (layer, head), share of a row's weight on keys that are left out, a mean over rows and both runs.
        n_rows: int (layer, head), rows that the distance is a mean of: queries of both runs, the same word or one put in its
            place, that have some weight left in both.
        order: int (layer * head,), flat numbers of the heads, layer * n_heads + head, from the largest distance to the
            smallest; equal ones in the order of their numbers, those without a distance last.
    """

    alignment: Alignment
    distance: FloatArray
    cells: FloatArray
    elsewhere: FloatArray
    n_rows: IntArray
    order: IntArray

    def __post_init__(self) -> None:
        self.freeze_arrays()

    @property
    def most_changed(self) -> HeadId | None:
        """The head that changed most; None if none has a distance."""
        first = HeadId(*divmod(int(self.order[0]), self.distance.shape[1]))
        return None if np.isnan(self.distance[first]) else first

    @property
    def sentence(self) -> str:
        """Which head changed most, and how much, in words; ``measure_sentence`` says how it is measured."""
        head = self.most_changed
        if head is None:
            return say("changes.nothing")
        if self.distance[head] == 0 and not np.nan_to_num(self.cells).any():
            return say("changes.none")
        values = {"distance": f"{self.distance[head]:.3f}", "rows": int(self.n_rows[head])}
        return say("changes.most", head=head, elsewhere=f"{100 * self.elsewhere[head]:.0f} %", **values)


def measure_sentence() -> str:
    """How the change of a head is measured, in words."""
    return say("changes.measure", farthest=f"{FARTHEST:.3f}")


class MetricDifference(NamedTuple):
    """One of METRICS in two runs: float64 (layer, head) each; ``change`` is b - a, NaN where either is."""

    a: FloatArray
    b: FloatArray
    change: FloatArray


def head_difference(
    a: Reading, b: Reading, layer: int, head: int, *, alignment: Alignment | None = None
) -> HeadDifference:
    """The weights of one head in two runs of one model, and B less A.

    Args:
        a, b: runs, or readings of them at the same level.
        layer, head: from 0.
        alignment: of their tokens; ``align`` makes it if None.

    Raises:
        InputError: the runs are of different models; no such layer or head.
    """
    expect_same_model(a, b)
    spec = a.spec
    if not (0 <= layer < spec.n_layers and 0 <= head < spec.n_heads):
        last = {"layers": spec.n_layers - 1, "heads": spec.n_heads - 1}
        raise InputError("error.no_such_head", got=HeadId(layer, head), name=spec.name, **last)
    alignment = alignment or align(a.query_tokens, b.query_tokens)
    of_a, of_b = (
        _of_layer(run, layer, at, slice(head, head + 1)) for run, at in zip((a, b), alignment.places, strict=True)
    )
    cells_a, cells_b = (np.where(of.there, of.weights, np.float32(np.nan))[0].astype(np.float32) for of in (of_a, of_b))
    return HeadDifference(HeadId(layer, head), alignment, cells_a, cells_b, cells_b - cells_a)


def head_changes(a: Reading, b: Reading, *, alignment: Alignment | None = None) -> Work[HeadChanges]:
    """How much every head changed from A to B, head by head.

    Arguments and errors as of ``head_difference``; what is wrong is raised when the work begins.
    """
    expect_same_model(a, b)
    alignment = alignment or align(a.query_tokens, b.query_tokens)
    spec, heads = a.spec, []
    for done, of_head in enumerate(_changes(a, b, alignment), start=1):
        heads.append(of_head)
        yield done / (spec.n_layers * spec.n_heads)
    shape = (spec.n_layers, spec.n_heads)
    distance, cells, elsewhere, n_rows = (np.concatenate(parts).reshape(shape) for parts in zip(*heads, strict=True))
    order = np.argsort(np.where(np.isnan(distance), np.inf, -distance).ravel(), kind="stable")
    return HeadChanges(alignment, distance, cells, elsewhere, n_rows, order)


def changes_of(a: Reading, b: Reading, *, alignment: Alignment | None = None) -> HeadChanges:
    """``head_changes`` in one go."""
    return finished(head_changes(a, b, alignment=alignment))


def metric_differences(a: Reading, b: Reading, W_O: OutputMatrices | None = None) -> dict[str, MetricDifference]:
    """All of METRICS for all heads in two runs of one model, each over all tokens of its own run.

    Args:
        a, b: runs.
        W_O: (d_model, d_model) of every layer, for the share of the output; None leaves it NaN.

    Raises:
        InputError: the runs are of different models.
        RecordError: W_O has not one matrix a layer.
    """
    expect_same_model(a, b)
    of_a, of_b = measured(a, W_O), measured(b, W_O)
    return {name: MetricDifference(of_a[name], of_b[name], of_b[name] - of_a[name]) for name in of_a}


def expect_same_model(a: Reading, b: Reading) -> None:
    """Raises InputError if two runs are of different models: head 7 of one has nothing to do with head 7 of the other."""
    if a.spec != b.spec:
        named = {
            which: f"{spec.name} ({spec.n_layers} × {spec.n_heads})" for which, spec in (("a", a.spec), ("b", b.spec))
        }
        raise InputError("error.models_differ", **named)


class _Layer(NamedTuple):
    """Some heads of one layer at the places of an alignment.

    Attributes:
        weights: (head, pair, pair).
        there: bool (head or 1, pair, pair): whether the run has such a cell, visible and not in a row of padding.
        all_visible: (head, pair), the sum of the whole row, tokens that only this run has included.
    """

    weights: FloatArray
    there: BoolArray
    all_visible: FloatArray


def _of_layer(run: Reading, layer: int, places: IntArray, heads: slice) -> _Layer:
    has = places >= 0
    at = np.maximum(places, 0)
    rows = run.weights[layer, heads][:, at]
    there = run.visible[layer, heads][:, at][:, :, at] & has & (has & ~run.padding[at])[:, None]
    return _Layer(rows[:, :, at], there, rows.sum(axis=-1, dtype=np.float64))


def _changes(a: Reading, b: Reading, alignment: Alignment) -> Iterator[tuple[FloatArray, ...]]:
    """Distance, cells, elsewhere and number of rows, (1,) each, head by head; only tokens of both are looked at.

    One head at a time: its cells stay in the processor's cache.
    """
    places_a, places_b = alignment.places
    common = (places_a >= 0) & (places_b >= 0)
    for layer, head in np.ndindex(a.spec.n_layers, a.spec.n_heads):
        of_a = _of_layer(a, layer, places_a[common], slice(head, head + 1))
        of_b = _of_layer(b, layer, places_b[common], slice(head, head + 1))
        both = of_a.there & of_b.there
        p, q = (np.where(both, of.weights, 0.0).astype(np.float64) for of in (of_a, of_b))
        left_p, left_q = p.sum(axis=-1), q.sum(axis=-1)
        counts = (left_p > TINY) & (left_q > TINY)
        distance = np.sqrt(jensen_shannon(_scaled(p, left_p), _scaled(q, left_q)))
        any_key = both.any(axis=-1)
        gone = (of_a.all_visible - left_p + of_b.all_visible - left_q) / 2
        yield (
            _mean(distance, counts),
            _mean(np.abs(q - p), both),
            _mean(np.maximum(gone, 0.0), np.broadcast_to(any_key, gone.shape)),
            counts.sum(axis=-1),
        )


def _scaled(rows: FloatArray, left: FloatArray) -> FloatArray:
    return rows / np.where(left > TINY, left, 1.0)[..., None]


def jensen_shannon(p: FloatArray, q: FloatArray) -> FloatArray:
    """JS of two rows in nats, (..., key) to (...): (KL(p, m) + KL(q, m)) / 2 with m = (p + q) / 2; exactly 0 for equal rows.

    In float64, and not as a difference of entropies: near 0 the root of it makes much of what is rounded away.
    """
    middle = np.maximum((p + q) / 2, _SMALLEST)
    of_p, of_q = (_weighted_logs(rows, middle) for rows in (p, q))
    return np.clip((of_p + of_q) / 2, 0.0, np.log(2))


def _weighted_logs(rows: FloatArray, middle: FloatArray) -> FloatArray:
    """sum p ln(p / m), (..., key) to (...). The smallest number stands for 0, whose product with its logarithm is 0 too."""
    ratio = np.maximum(rows, _SMALLEST)
    ratio /= middle
    return np.einsum("...k,...k->...", rows, np.log(ratio, out=ratio))


def _mean(values: FloatArray, which: BoolArray) -> FloatArray:
    """(head, ...) to (head,): mean of the values where ``which``; NaN where there is none."""
    axes = tuple(range(1, values.ndim))
    which = np.broadcast_to(which, values.shape)
    n = which.sum(axis=axes)
    total = np.where(which, values, 0.0).sum(axis=axes)
    return np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0)
