"""Metrics: one number a head, each with its meaning and with what even attention would give."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mha_viz.arrays import FloatArray
from mha_viz.metrics import measures
from mha_viz.metrics.measures import Measure
from mha_viz.metrics.places import places_of
from mha_viz.metrics.rows import Rows, rows_of
from mha_viz.trace import Reading

Unit = Literal["nats", "share", "tokens"]
Group = Literal["spread", "where", "kind", "weight"]
#: What the metrics tell, in the order in which they are shown; in the table of words "metrics.group.NAME".
GROUPS: tuple[Group, ...] = ("spread", "weight", "where", "kind")
#: W_O of every layer, (d_model, d_model) each.
OutputMatrices = Sequence[FloatArray]


@dataclass(frozen=True)
class Metric:
    """One number a head.

    Attributes:
        name: its name in METRICS; in the table of words "metric.NAME" is its title, "metric.NAME.meaning" what it means
            and "metric.NAME.denominator" over which rows the mean is taken and of what the share is.
        group: what it tells of: how spread a row is, where it lies, on what kind of token, or how much comes of it.
        unit: "nats", "share" (0 to 1) or "tokens".
        low, high: its bounds; None where it grows with the sentence.
        of_rows: Rows to (head,), or to (1,) where all heads have the same.
    """

    name: str
    group: Group
    unit: Unit
    low: float | None
    high: float | None
    of_rows: Measure

    def compute(self, trace: Reading, W_O: OutputMatrices | None = None) -> FloatArray:
        """float64 (layer, head); NaN where no row means anything, or nothing is there to compute it from."""
        return _of_layers((self,), layers_of(trace, W_O))[self.name]

    def even(self, trace: Reading, W_O: OutputMatrices | None = None) -> FloatArray:
        """float64 (layer, head): what the metric would be if every query attended evenly to its allowed keys."""
        return _even((self,), trace, layers_of(trace, W_O))[self.name]

    def of(self, rows: Rows) -> FloatArray:
        """float64 (head,) for the rows of one layer."""
        return np.broadcast_to(self.of_rows(rows), (rows.n_heads,))


def _share(name: str, group: Group, of_rows: Measure) -> Metric:
    return Metric(name, group, "share", 0.0, 1.0, of_rows)


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("entropy", "spread", "nats", 0.0, None, measures.entropy),
        _share("entropy_share", "spread", measures.entropy_share),
        Metric("effective", "spread", "tokens", 1.0, None, measures.effective),
        Metric("distance", "where", "tokens", 0.0, None, measures.distance),
        Metric("offset", "where", "tokens", None, None, measures.offset),
        Metric("distance_plain", "where", "tokens", 0.0, None, measures.distance_plain),
        _share("self", "where", measures.at_offset(0)),
        _share("previous", "where", measures.at_offset(-1)),
        _share("next", "where", measures.at_offset(1)),
        _share("first", "kind", measures.first),
        _share("special", "kind", measures.on_kind("special")),
        _share("cls", "kind", measures.on_kind("cls")),
        _share("sep", "kind", measures.on_kind("sep")),
        _share("punctuation", "kind", measures.on_kind("punctuation")),
        _share("same_word", "kind", measures.same_word),
        _share("confidence", "spread", measures.confidence),
        _share("sink", "weight", measures.sink),
        _share("output_share", "weight", measures.output_share),
    )
}


def layers_of(trace: Reading, W_O: OutputMatrices | None = None) -> tuple[Rows, ...]:
    """The rows of every layer; what is summed over them is kept, so that ``measured`` and the types of heads share it.

    Args:
        trace: a run, or a reading of one.
        W_O: (d_model, d_model) of every layer, for the share of the output; None leaves it NaN.

    Raises:
        RecordError: W_O has not one matrix a layer, or a matrix of another shape.
    """
    places = places_of(trace)
    return tuple(rows_of(trace, layer, W_O, places=places) for layer in range(trace.spec.n_layers))


def measured(
    trace: Reading, W_O: OutputMatrices | None = None, *, rows: Sequence[Rows] | None = None
) -> dict[str, FloatArray]:
    """All of METRICS for all heads: name to float64 (layer, head). What several need is summed once.

    Args:
        trace, W_O: as of ``layers_of``.
        rows: what ``layers_of`` gave, where something else is made of it too.
    """
    return _of_layers(METRICS.values(), layers_of(trace, W_O) if rows is None else rows)


def even_values(
    trace: Reading, W_O: OutputMatrices | None = None, *, rows: Sequence[Rows] | None = None
) -> dict[str, FloatArray]:
    """What they would be if every query attended evenly to its allowed keys: name to float64 (layer, head).

    Arguments as of ``measured``.
    """
    return _even(METRICS.values(), trace, layers_of(trace, W_O) if rows is None else rows)


def _even(metrics: Iterable[Metric], trace: Reading, rows: Sequence[Rows]) -> dict[str, FloatArray]:
    """Computed once where all layers may look at the same keys."""
    alike = trace.visible.strides[0] == 0
    values = _of_layers(metrics, [layer.even for layer in (rows[:1] if alike else rows)])
    return {name: np.repeat(value, len(rows), axis=0) if alike else value for name, value in values.items()}


def _of_layers(metrics: Iterable[Metric], rows: Iterable[Rows]) -> dict[str, FloatArray]:
    by_layer = [[metric.of(layer) for metric in metrics] for layer in rows]
    return {metric.name: np.stack([layer[i] for layer in by_layer]) for i, metric in enumerate(metrics)}
