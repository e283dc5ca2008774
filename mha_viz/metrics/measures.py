"""What each metric computes: Rows to one number a head, (head,); NaN where there is nothing to compute it from.

The same function is applied to even weights over the allowed keys for the number to compare with, so that the two can never
be defined differently. Rows that mean nothing are left out: queries without a key, and queries that are padding.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mha_viz.arrays import FloatArray
from mha_viz.metrics.rows import TINY, Rows, mean_over

Measure = Callable[[Rows], FloatArray]


def entropy(rows: Rows) -> FloatArray:
    """Mean entropy of a row, in nats."""
    return mean_over(rows.entropies, rows.counts)


def entropy_share(rows: Rows) -> FloatArray:
    """Entropy over the most it could be, ln(allowed keys); a query with a single one has no choice and is left out."""
    most = np.log(np.maximum(rows.n_allowed, 2))
    return mean_over(rows.entropies / most, rows.counts & (rows.n_allowed > 1))


def effective(rows: Rows) -> FloatArray:
    """Mean of exp(entropy): as many keys with equal weights would be as spread."""
    return mean_over(np.exp(rows.entropies), rows.counts)


def distance(rows: Rows) -> FloatArray:
    """Mean |key - query|, in tokens."""
    return mean_over(rows.distances, rows.counts)


def offset(rows: Rows) -> FloatArray:
    """Mean key - query, in tokens: below 0 where a head looks back."""
    positions = np.arange(rows.weights.shape[1]) - rows.places.middle
    return mean_over(rows.on("position") - positions * rows.on("all"), rows.counts)


def distance_plain(rows: Rows) -> FloatArray:
    """Mean |key - query| without special tokens: neither as query nor as key, what is left of each row renormalised."""
    rest = rows.on("plain")
    per_row = rows.plain_distances / np.maximum(rest, TINY)
    return mean_over(per_row, rows.counts & rows.places.query.plain & (rest > TINY))


def at_offset(offset: int) -> Measure:
    """Share on the key ``offset`` tokens after the query, over all rows: also over those that have no such key.

    That is Clark et al.'s denominator; a perfect head for the previous token reads (n - 1) / n.
    """

    def share(rows: Rows) -> FloatArray:
        return mean_over(rows.at_offset(offset), rows.counts)

    return share


def first(rows: Rows) -> FloatArray:
    """Share on the key at position 0."""
    return mean_over(rows.weights[:, :, 0], rows.counts)


def on_kind(kind: str) -> Measure:
    """Share on the keys that ``Marks`` calls ``kind``; NaN in a sequence without one."""

    def share(rows: Rows) -> FloatArray:
        there = getattr(rows.places.key, kind).any()
        return mean_over(rows.on(kind), rows.counts) if there else np.full(len(rows.weights), np.nan)

    return share


def same_word(rows: Rows) -> FloatArray:
    """Share on other words with the same text, over the rows that have such a key."""
    if not rows.places.same_word.any():
        return np.full(len(rows.weights), np.nan)
    return mean_over(rows.on_same_word, rows.counts & rows.has_same_word)


def confidence(rows: Rows) -> FloatArray:
    """Mean of each row's largest weight (Voita et al. 2019)."""
    return mean_over(rows.largest, rows.counts)


def sink(rows: Rows) -> FloatArray:
    """The largest share that one key gets: max over keys of the mean over rows."""
    return rows.received.max(axis=-1)


def output_share(rows: Rows) -> FloatArray:
    """Length of the head's part of the layer's output over the sum of all heads' lengths, a mean over tokens."""
    if rows.contributions is None:
        return np.full(len(rows.weights), np.nan)
    return mean_over(rows.contributions, rows.counts & ~np.isnan(rows.contributions))
