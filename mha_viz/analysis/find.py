"""Find the head: which of them looks from this query at this key, and how exceptional that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mha_viz.arrays import FloatArray, IntArray, ReadOnlyArrays
from mha_viz.errors import InputError
from mha_viz.metrics import layers_of
from mha_viz.trace import Reading

#: A key is loud in a head if it gets this share of its weight, and this many times what even attention would give it.
_LOUD, _TIMES_EVEN = 0.5, 2.0
_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class Found(ReadOnlyArrays):
    """All heads, asked for the weight of one query on one key.

    A cell that is hidden, or in a row of padding, has no weight that means anything: NaN, rank 0, last in the order.

    Attributes:
        query, key: positions.
        weight: float64 (layer, head).
        chance: float64 (layer, head), 1 / number of the query's allowed keys.
        times: float64 (layer, head), weight / chance.
        rank_in_row: int (layer, head), 1 if it is the query's strongest key; equal weights share the better rank.
        larger: float64 (layer, head), share of the head's allowed cells whose weight is at least this one, this cell
            among them; rows of padding are left out. Small: exceptional for this head.
        order: int (layer * head,), flat numbers of the heads, layer * n_heads + head, from the largest weight to the
            smallest; equal ones in the order of their numbers.
    """

    query: int
    key: int
    weight: FloatArray
    chance: FloatArray
    times: FloatArray
    rank_in_row: IntArray
    larger: FloatArray
    order: IntArray

    def __post_init__(self) -> None:
        self.freeze_arrays()


def find_head(reading: Reading, query: int, key: int, n_keys: IntArray | None = None) -> Found:
    """What every head gives from one query to one key.

    Args:
        reading: a run, or a reading of one.
        query, key: positions, from 0.
        n_keys: (layer, head), how many keys the query chose from, where the reading leaves some of them out and does not make up
            for it; those of the reading if None.

    Raises:
        InputError: there is no token at such a position.
    """
    for position, tokens in ((query, reading.query_tokens), (key, reading.key_tokens)):
        if not 0 <= position < tokens.n_tokens:
            raise InputError("error.no_such_token", got=position, last=tokens.n_tokens - 1)
    row, allowed = reading.weights[:, :, query], reading.visible[:, :, query]
    told = allowed[..., key] & ~reading.padding[query]
    at = row[..., key]
    weight = np.where(told, at, np.nan).astype(np.float64)
    n_allowed = np.count_nonzero(allowed, axis=-1) if n_keys is None else n_keys
    chance = np.where(told, 1 / np.maximum(n_allowed, 1), np.nan)
    rank = 1 + ((row > at[..., None]) & allowed).sum(axis=-1)
    order = np.argsort(np.where(told, -weight, np.inf).ravel(), kind="stable")
    larger = np.where(told, _share_as_large(reading, at), np.nan)
    return Found(query, key, weight, chance, weight / chance, np.where(told, rank, 0), larger, order)


def _share_as_large(reading: Reading, at: FloatArray) -> FloatArray:
    """Share of each head's allowed cells that weigh at least ``at``, both (layer, head)."""
    counted = ~reading.padding
    share = np.empty(at.shape)
    for head in np.ndindex(at.shape):
        allowed = reading.visible[head] & counted[:, None]
        n_allowed = int(np.count_nonzero(allowed))
        share[head] = np.count_nonzero((reading.weights[head] >= at[head]) & allowed) / max(n_allowed, 1)
    return share


class Pair(NamedTuple):
    """One cell: who looks at whom, and how much."""

    query: int
    key: int
    weight: float


def strongest_pairs(reading: Reading, layer: int, head: int, most: int) -> list[Pair]:
    """The allowed cells of one head with the largest weights, largest first; equal ones row by row.

    Args:
        reading: a run, or a reading of one.
        layer, head: which head.
        most: how many at most. Rows of padding are left out.
    """
    allowed = reading.visible[layer, head] & ~reading.padding[:, None]
    cells = np.flatnonzero(allowed)
    weights = reading.weights[layer, head].ravel()[cells]
    if 0 < most < len(weights):  # sorting all of 512 x 512 cells would take the most time by far
        least = np.partition(weights, -most)[-most]
        cells, weights = cells[weights >= least], weights[weights >= least]
    best = np.argsort(-weights, kind="stable")[: max(most, 0)]
    n_keys = allowed.shape[1]
    return [Pair(int(cells[i] // n_keys), int(cells[i] % n_keys), float(weights[i])) for i in best]


class Loud(NamedTuple):
    """A key that most heads look at.

    Attributes:
        position: where it stands.
        n_heads: heads in which it gets at least half of the weight.
        share: what it gets, a mean over all heads.
    """

    position: int
    n_heads: int
    share: float


def loud_key(reading: Reading) -> Loud | None:
    """The key, if there is one, that gets at least half of the weight in more than half of all heads.

    It must get twice what even attention would give it, too: one of two tokens is no sink. Rows without a key and rows of
    padding are left out.
    """
    rows = layers_of(reading)
    received = np.concatenate([layer.received for layer in rows])  # (layer * head, key)
    even = np.concatenate([np.broadcast_to(layer.even.received, layer.received.shape) for layer in rows])
    loud = received >= np.maximum(_LOUD, _TIMES_EVEN * even) - _ROUNDING
    n_heads = loud.sum(axis=0)
    position = int(n_heads.argmax())
    if 2 * int(n_heads[position]) <= len(received):
        return None
    return Loud(position, int(n_heads[position]), float(np.nanmean(received[:, position])))
