"""Metrics: one number a head, each with its meaning and with what even attention would give.

A metric is a function of the weights of one layer and of where each query may look. The same function is applied to even
weights over the allowed keys for the number to compare with, so that the two can never be defined differently.

Rows that mean nothing are left out: queries without a key, and queries that are padding. Shares are taken of all the
weight that is left, so that a perfect previous-token head reads (n - 1) / n: its first query has no previous token.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mha_viz.arrays import BoolArray, FloatArray
from mha_viz.trace import AttentionTrace

Unit = Literal["nats", "share"]


@dataclass(frozen=True)
class Rows:
    """The rows of one layer that mean something.

    Attributes:
        weights: float64 (head, row, key).
        allowed: bool (row, key).
        positions: (row,) position of each row's query.
        special: bool (key,).
    """

    weights: FloatArray
    allowed: BoolArray
    positions: np.ndarray
    special: BoolArray

    @property
    def even(self) -> Rows:
        """The same rows with even weights over the allowed keys, as a single head."""
        even = self.allowed / self.allowed.sum(axis=-1, keepdims=True)
        return Rows(even[None], self.allowed, self.positions, self.special)


@dataclass(frozen=True)
class Metric:
    """One number a head.

    Attributes:
        name: its name in METRICS; "metric.NAME" is its title and "metric.NAME.meaning" what it means, in the table of words.
        unit: "nats" or "share" (0 to 1).
        low, high: its bounds; high is None where it grows with the sentence.
        of_rows: Rows to (head,).
    """

    name: str
    unit: Unit
    low: float
    high: float | None
    of_rows: Callable[[Rows], FloatArray]

    def compute(self, trace: AttentionTrace) -> FloatArray:
        """float64 (layer, head); NaN where no row means anything."""
        return np.stack([self.of(rows_of(trace, layer)) for layer in range(trace.spec.n_layers)])

    def even(self, trace: AttentionTrace) -> FloatArray:
        """float64 (layer,): what the metric would be if every query attended evenly to its allowed keys."""
        return np.array([self.even_of(rows_of(trace, layer)) for layer in range(trace.spec.n_layers)])

    def of(self, rows: Rows) -> FloatArray:
        """float64 (head,) for the rows of one layer."""
        return self.of_rows(rows) if len(rows.positions) else np.full(len(rows.weights), np.nan)

    def even_of(self, rows: Rows) -> float:
        """What every head of the layer would have with even attention."""
        return float(self.of(rows.even)[0])


def rows_of(trace: AttentionTrace, layer: int) -> Rows:
    """The meaningful rows of one layer."""
    rows = np.flatnonzero(~trace.no_key[layer] & ~trace.padding)
    return Rows(
        weights=trace.weights[layer][:, rows].astype(np.float64),
        allowed=trace.visible[layer][rows],
        positions=rows,
        special=np.array(trace.key_tokens.special),
    )


def row_entropy(weights: FloatArray) -> FloatArray:
    """-sum p ln p of each row, in nats: (..., key) to (...)."""
    logs = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    return np.maximum(-(weights * logs).sum(axis=-1), 0.0)


def _entropy(rows: Rows) -> FloatArray:
    return row_entropy(rows.weights).mean(axis=-1)


def _entropy_share(rows: Rows) -> FloatArray:
    """A query with a single allowed key has no choice and is left out."""
    choice = rows.allowed.sum(axis=-1) > 1
    if not choice.any():
        return np.full(len(rows.weights), np.nan)
    most = np.log(rows.allowed[choice].sum(axis=-1))
    return (row_entropy(rows.weights[:, choice]) / most).mean(axis=-1)


def _at_offset(offset: int) -> Callable[[Rows], FloatArray]:
    """Share of the weight on the key ``offset`` tokens after the query."""

    def share(rows: Rows) -> FloatArray:
        keys = rows.positions + offset
        exists = np.flatnonzero((keys >= 0) & (keys < rows.allowed.shape[1]))
        return rows.weights[:, exists, keys[exists]].sum(axis=-1) / len(rows.positions)

    return share


def _first(rows: Rows) -> FloatArray:
    return rows.weights[:, :, 0].mean(axis=-1)


def _special(rows: Rows) -> FloatArray:
    return rows.weights[:, :, rows.special].sum(axis=-1).mean(axis=-1)


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("entropy", "nats", 0.0, None, _entropy),
        Metric("entropy_share", "share", 0.0, 1.0, _entropy_share),
        Metric("self", "share", 0.0, 1.0, _at_offset(0)),
        Metric("previous", "share", 0.0, 1.0, _at_offset(-1)),
        Metric("next", "share", 0.0, 1.0, _at_offset(1)),
        Metric("first", "share", 0.0, 1.0, _first),
        Metric("special", "share", 0.0, 1.0, _special),
    )
}
