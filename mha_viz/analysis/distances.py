"""How far apart heads are, by where they read: the Jensen-Shannon divergence of their rows.

JS(P, Q) = H((P + Q) / 2) - (H(P) + H(Q)) / 2, in nats: 0 for equal rows, ln 2 for rows that share no key. The distance of two
heads is the mean over the queries that count in both. Its square root is a metric, which maps of heads need (Clark et al.
2019 place BERT's heads so); scipy's ``jensenshannon`` is that root already.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mha_viz.analysis.work import Work, finished
from mha_viz.arrays import BoolArray, FloatArray
from mha_viz.trace import Reading

#: Cells worked on at once: two arrays of so many float32 stay in a core's cache.
_CELLS = 32_768
_TINY = np.float32(np.finfo(np.float32).tiny)


class _Block(NamedTuple):
    """Some queries of all heads.

    Attributes:
        rows: float32 (head of all layers, query, key), each row that counts summing to 1.
        entropies: float32 (head of all layers, query).
        counts: bool (head of all layers, query).
        done: share of all queries up to here.
    """

    rows: FloatArray
    entropies: FloatArray
    counts: BoolArray
    done: float


def distances_from(reading: Reading, layer: int, head: int, *, drop_specials: bool = False) -> FloatArray:
    """The distances of one head to all heads.

    Args:
        reading: a run, or a reading of one.
        layer, head: from 0.
        drop_specials: as in ``all_distances``.

    Returns:
        float64 (layer, head), mean JS in nats, 0 to ln 2; 0 at the head itself. NaN for a head with no row in common.
    """
    spec = reading.spec
    own = layer * spec.n_heads + head
    sums, counted = np.zeros(spec.n_layers * spec.n_heads), np.zeros(spec.n_layers * spec.n_heads)
    for block in _blocks(reading, drop_specials):
        for others in _groups(0, block):
            more, rows = _compared(block, own, others)
            sums[others] += more
            counted[others] += rows
    return _mean(sums, counted).reshape(spec.n_layers, spec.n_heads)


def all_distances(reading: Reading, drop_specials: bool) -> Work[FloatArray]:
    """The distance of every head to every other.

    Args:
        reading: a run, or a reading of one.
        drop_specials: leave special tokens out, rows and columns, and let what is left of each row sum to 1 again. Most heads
            of a BERT rest on one special token much of the time, which makes all of them look alike.

    Returns:
        Work whose result is float64 (heads of all layers, heads of all layers), symmetrical: mean JS in nats; head ``h`` of
        layer ``l`` is number ``l * n_heads + h``. NaN where two heads have no row in common, as when all that a row attends
        to is left out.
    """
    n = reading.spec.n_layers * reading.spec.n_heads
    sums, counted = np.zeros((n, n)), np.zeros((n, n))
    before = 0.0
    for block in _blocks(reading, drop_specials):
        for head in range(n):
            for others in _groups(head, block):
                more, rows = _compared(block, head, others)
                sums[head, others] += more
                counted[head, others] += rows
                yield before + (block.done - before) * (1 - (1 - (head + 1) / n) ** 2)
        before = block.done
    upper = _mean(sums, counted)
    return np.where(np.tri(n, k=-1, dtype=bool), upper.T, upper)


def matrix_of_distances(reading: Reading, drop_specials: bool) -> FloatArray:
    """``all_distances`` in one go."""
    return finished(all_distances(reading, drop_specials))


def distances_of_rows(rows: FloatArray) -> FloatArray:
    """The same of any rows that sum to 1, all of which count.

    Args:
        rows: float32 (head, row, key).

    Returns:
        float64 (head, head), mean JS in nats.
    """
    block = _Block(rows, _entropies(rows), np.ones(rows.shape[:2], dtype=bool), 1.0)
    return np.stack([_mean(*_compared(block, head, slice(None))) for head in range(len(rows))])


def _blocks(reading: Reading, drop_specials: bool) -> Iterator[_Block]:
    """The queries that count, some at a time, so that one head's share of them stays in the cache."""
    rows_kept = np.flatnonzero(np.logical_not(reading.padding))
    keys_kept: BoolArray | slice = slice(None)
    if drop_specials:
        rows_kept = rows_kept[~np.array(reading.query_tokens.special)[rows_kept]]
        keys_kept = ~np.array(reading.key_tokens.special)
    at_once = max(_CELLS // max(reading.key_tokens.n_tokens, 1), 1)
    n = reading.spec.n_layers * reading.spec.n_heads
    for first in range(0, len(rows_kept), at_once):
        chosen = rows_kept[first : first + at_once]
        # Picking keys leaves the cells in another order in memory, which would cost more than it saves.
        rows = np.ascontiguousarray(reading.weights[:, :, chosen].reshape(n, len(chosen), -1)[:, :, keys_kept])
        counts = ~reading.no_key[:, :, chosen].reshape(n, len(chosen))
        if drop_specials:
            left = rows.sum(axis=-1)
            counts &= left > _TINY
            rows = rows / np.where(counts, left, 1.0).astype(np.float32)[:, :, None]
        yield _Block(rows, _entropies(rows), counts, min(first + at_once, len(rows_kept)) / len(rows_kept))


def _groups(first: int, block: _Block) -> Iterator[slice]:
    """All heads from ``first``, as many at once as stay in the cache."""
    n, n_rows, n_keys = block.rows.shape
    size = max(_CELLS // max(n_rows * n_keys, 1), 1)
    return (slice(start, min(start + size, n)) for start in range(first, n, size))


def _compared(block: _Block, head: int, others: slice) -> tuple[FloatArray, FloatArray]:
    """For each of the others: the sum of JS over the rows that count in both, and how many those are."""
    between = block.rows[others] + block.rows[head]
    between *= np.float32(0.5)
    both = block.counts[others] & block.counts[head]
    js = _entropies(between) - 0.5 * (block.entropies[others] + block.entropies[head])
    return np.where(both, np.maximum(js, 0.0), 0.0).sum(axis=-1, dtype=np.float64), both.sum(axis=-1)


def _entropies(rows: FloatArray) -> FloatArray:
    """-sum p ln p in nats, (..., key) to (...). The smallest float stands for 0, whose product with its logarithm is 0 too."""
    logs = np.maximum(rows, _TINY)
    return -np.einsum("...k,...k->...", rows, np.log(logs, out=logs))


def _mean(sums: FloatArray, counted: FloatArray) -> FloatArray:
    return np.divide(sums, counted, out=np.full(sums.shape, np.nan), where=counted > 0)
