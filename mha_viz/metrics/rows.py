"""The rows of one layer, and what is summed over them once for all metrics.

Everything stays in float32 and in as few passes over the weights as there are kinds of sums: at 512 tokens the weights of
12 heads are 12 MB a layer, and reading them is what costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mha_viz.arrays import BoolArray, FloatArray, IntArray, expect_shape
from mha_viz.errors import RecordError
from mha_viz.metrics.places import Places, places_of
from mha_viz.trace import AttentionTrace, Reading

#: Numbers that the logarithm is taken of at a time, so that they stay in the processor's cache.
_AT_A_TIME = 2**17
#: A sum of weights that is not above this is nothing.
TINY = np.finfo(np.float32).tiny


@dataclass(frozen=True, eq=False)
class Rows:
    """All rows of one layer, and which of them count.

    Attributes:
        weights: float32 (head, query, key).
        allowed: bool (head, query, key).
        counts: bool (head, query); rows that mean something: with a key, and no padding.
        places: what stands where.
        n_heads: heads of the layer; ``even`` has a single one where all heads may look at the same keys.
        contributions: float64 (head, query), each head's share of the layer's output at that token; NaN where the output is
            0; None where W_O or the heads' outputs are not known.
    """

    weights: FloatArray
    allowed: BoolArray
    counts: BoolArray
    places: Places
    n_heads: int
    contributions: FloatArray | None = None

    @cached_property
    def distinct(self) -> BoolArray:
        """bool (head or 1, query, key): ``allowed``, once if it is the same for all heads."""
        first = self.allowed[:1]
        alike = self.allowed.strides[0] == 0 or np.array_equal(np.broadcast_to(first, self.allowed.shape), self.allowed)
        return first if alike else self.allowed

    @cached_property
    def n_allowed(self) -> IntArray:
        """(head or 1, query): keys that a query may attend to."""
        return np.count_nonzero(self.distinct, axis=-1)

    @cached_property
    def even(self) -> Rows:
        """The same rows with even weights over the allowed keys; one head where that is the same for all."""
        allowed = self.distinct
        share = np.float32(1) / np.maximum(self.n_allowed, 1).astype(np.float32)
        even = None if self.contributions is None else np.where(np.isnan(self.contributions), np.nan, 1 / self.n_heads)
        n = len(allowed)
        weights = allowed * share[..., None]
        return Rows(weights, allowed, self.counts[:n], self.places, self.n_heads, None if even is None else even[:n])

    @cached_property
    def entropies(self) -> FloatArray:
        """float64 (head, query), in nats."""
        return row_entropy(self.weights)

    @cached_property
    def _sums(self) -> FloatArray:
        """float32 (sum, head, query): one product for all of ``Places.SUMS``."""
        heads, n_query, n_key = self.weights.shape
        sums = self.weights.reshape(-1, n_key) @ self.places.columns
        return np.ascontiguousarray(sums.T).reshape(-1, heads, n_query)

    def on(self, kind: str) -> FloatArray:
        """float32 (head, query): weight on keys of a kind, one of ``Places.SUMS``."""
        return self._sums[Places.SUMS.index(kind)]

    @cached_property
    def distances(self) -> FloatArray:
        """float32 (head, query): tokens between query and key, weighed."""
        return np.einsum("hqk,qk->hq", self.weights, self.places.distance)

    @cached_property
    def plain_distances(self) -> FloatArray:
        """float32 (head, query): the part of ``distances`` that keys which are neither special nor padding give."""
        if self.places.key.plain.all():
            return self.distances
        return np.einsum("hqk,qk->hq", self.weights, self.places.plain_distance)

    @cached_property
    def on_same_word(self) -> FloatArray:
        """float32 (head, query): weight on other words with the same text."""
        return np.einsum("hqk,qk->hq", self.weights, self.places.same_word.astype(np.float32))

    @cached_property
    def has_same_word(self) -> BoolArray:
        """bool (head or 1, query): whether such a key is allowed."""
        there: BoolArray = self.distinct & self.places.same_word
        return np.asarray(there.any(axis=-1))

    @cached_property
    def largest(self) -> FloatArray:
        """float32 (head, query): each row's largest weight."""
        return self.weights.max(axis=-1)

    @cached_property
    def received(self) -> FloatArray:
        """float64 (head, key): what each key gets, a mean over the rows that count."""
        return self.received_from(self.counts)

    def received_from(self, which: BoolArray) -> FloatArray:
        """float64 (head, key): what each key gets, a mean over the rows in ``which``, bool (head, query); NaN without any."""
        chosen = which.astype(np.float32)[:, None]
        totals = np.matmul(chosen, self.weights)[:, 0].astype(np.float64)
        n_rows = which.sum(axis=-1)[:, None]
        return np.divide(totals, n_rows, out=np.full(totals.shape, np.nan), where=n_rows > 0)

    def at_offset(self, offset: int) -> FloatArray:
        """float64 (head, query): weight on the key ``offset`` tokens after the query; 0 where there is none."""
        return _at_offset(self.weights, offset)

    def has_offset(self, offset: int) -> BoolArray:
        """bool (head or 1, query): whether that key exists and is allowed."""
        return _at_offset(self.distinct, offset) > 0


def _at_offset(cells: FloatArray | BoolArray, offset: int) -> FloatArray:
    found = np.zeros(cells.shape[:-1])
    diagonal = np.diagonal(cells, offset, axis1=-2, axis2=-1)  # (head, rows that have such a key)
    first = max(-offset, 0)
    found[:, first : first + diagonal.shape[-1]] = diagonal
    return found


def row_entropy(weights: FloatArray) -> FloatArray:
    """-sum p ln p of each row, in nats: (..., key) to float64 (...)."""
    rows = weights.reshape(-1, weights.shape[-1])
    entropies = np.empty(len(rows))
    step = max(_AT_A_TIME // rows.shape[1], 1)
    logs = np.empty((min(step, len(rows)), rows.shape[1]), dtype=rows.dtype)
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        part = logs[: len(some)]
        np.log(np.add(some, TINY, out=part), out=part)  # 0 ln 0 is 0; to a larger weight so little adds nothing
        entropies[start : start + step] = np.vecdot(some, part)
    return np.maximum(-entropies, 0.0).reshape(weights.shape[:-1])


def mean_over(per_row: FloatArray, which: BoolArray) -> FloatArray:
    """Mean over the rows in ``which``, both (head or 1, query), to float64 (head,); NaN for a head without any."""
    totals = np.where(which, per_row, 0).sum(axis=-1, dtype=np.float64)
    n_rows = which.sum(axis=-1)
    return np.divide(totals, n_rows, out=np.full(totals.shape, np.nan), where=n_rows > 0)


def rows_of(
    trace: Reading, layer: int, W_O: Sequence[FloatArray] | None = None, *, places: Places | None = None
) -> Rows:
    """The rows of one layer.

    Args:
        trace: a run, or a reading of one.
        layer: which layer.
        W_O: (d_model, d_model) of every layer of the model, or None.
        places: of this run, if they are known already.

    Raises:
        RecordError: W_O has not one matrix a layer, or a matrix of another shape.
    """
    counts = ~(trace.no_key[layer] | trace.padding)
    contributions = None
    if W_O is not None and isinstance(trace, AttentionTrace) and trace.vectors is not None:
        if len(W_O) != trace.spec.n_layers:
            raise RecordError("error.lengths", what="W_O", got=len(W_O), expected=trace.spec.n_layers)
        expect_shape("W_O", W_O[layer], (trace.spec.d_model, trace.spec.d_model))
        contributions = _contributions(trace.vectors.head_output[layer], W_O[layer])
    places = places_of(trace) if places is None else places
    return Rows(trace.weights[layer], trace.visible[layer], counts, places, trace.spec.n_heads, contributions)


def _contributions(head_output: FloatArray, W_O: FloatArray) -> FloatArray:
    """float64 (head, token): length of each head's part of the layer's output, over the sum of all heads' lengths.

    The length of o @ W is the root of o (W W^T) o: (d_k, d_k) products in place of (d_k, d_model) ones.
    """
    heads, _, d_k = head_output.shape
    blocks = W_O.astype(np.float64).reshape(heads, d_k, -1)
    outputs = head_output.astype(np.float64)
    squares = np.einsum("htd,htd->ht", outputs @ (blocks @ blocks.transpose(0, 2, 1)), outputs)
    lengths = np.sqrt(np.maximum(squares, 0.0))
    total = lengths.sum(axis=0)
    return np.divide(lengths, total, out=np.full(lengths.shape, np.nan), where=total > 0)
