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
    """All rows of one layer, and which of them count.

    Attributes:
        weights: float64 (head, query, key).
        allowed: bool (head, query, key).
        counts: bool (head, query); rows that mean something.
        special: bool (key,).
    """

    weights: FloatArray
    allowed: BoolArray
    counts: BoolArray
    special: BoolArray

    @property
    def even(self) -> Rows:
        """The same rows with even weights over the allowed keys."""
        n_allowed = np.maximum(self.allowed.sum(axis=-1, keepdims=True), 1)
        return Rows(self.allowed / n_allowed, self.allowed, self.counts, self.special)


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
        """float64 (layer, head): what the metric would be if every query attended evenly to its allowed keys."""
        return np.stack([self.of(rows_of(trace, layer).even) for layer in range(trace.spec.n_layers)])

    def of(self, rows: Rows) -> FloatArray:
        """float64 (head,) for the rows of one layer."""
        return self.of_rows(rows)


def rows_of(trace: AttentionTrace, layer: int) -> Rows:
    """The rows of one layer."""
    return Rows(
        weights=trace.weights[layer].astype(np.float64),
        allowed=trace.visible[layer],
        counts=np.logical_not(trace.no_key[layer] | trace.padding),
        special=np.array(trace.key_tokens.special),
    )


def row_entropy(weights: FloatArray) -> FloatArray:
    """-sum p ln p of each row, in nats: (..., key) to (...)."""
    logs = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    return np.maximum(-(weights * logs).sum(axis=-1), 0.0)


def _mean(per_row: FloatArray, counts: BoolArray) -> FloatArray:
    """Mean over the rows that count, (head, query) to (head,); NaN for a head without any."""
    n_rows = counts.sum(axis=-1)
    total = np.where(counts, per_row, 0.0).sum(axis=-1)
    return np.divide(total, n_rows, out=np.full(len(total), np.nan), where=n_rows > 0)


def _entropy(rows: Rows) -> FloatArray:
    return _mean(row_entropy(rows.weights), rows.counts)


def _entropy_share(rows: Rows) -> FloatArray:
    """A query with a single allowed key has no choice and is left out."""
    n_allowed = rows.allowed.sum(axis=-1)
    most = np.log(np.maximum(n_allowed, 2))
    return _mean(row_entropy(rows.weights) / most, rows.counts & (n_allowed > 1))


def _at_offset(offset: int) -> Callable[[Rows], FloatArray]:
    """Share of the weight on the key ``offset`` tokens after the query."""

    def share(rows: Rows) -> FloatArray:
        on_offset = np.zeros(rows.counts.shape)
        diagonal = np.diagonal(rows.weights, offset, axis1=-2, axis2=-1)  # (head, rows that have such a key)
        first = max(-offset, 0)
        on_offset[:, first : first + diagonal.shape[-1]] = diagonal
        return _mean(on_offset, rows.counts)

    return share


def _first(rows: Rows) -> FloatArray:
    return _mean(rows.weights[:, :, 0], rows.counts)


def _special(rows: Rows) -> FloatArray:
    return _mean(rows.weights[:, :, rows.special].sum(axis=-1), rows.counts)


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
