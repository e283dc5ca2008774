"""The numbers that claims are held against, from runs read by words. NumPy only.

Chance is 1 / number of keys that the query may attend to, special tokens among them; several keys have several chances. Of
many heads the best one exceeds chance for almost any pair of words, so every best is also ranked among the bests of all other
pairs of words of the sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mha_viz.arrays import BoolArray, FloatArray, IntArray
from mha_viz.controls import HeadId
from mha_viz.metrics.places import places_of
from mha_viz.probes.records import ContextWord, Luck, Strength
from mha_viz.trace import AttentionTrace, Reading

#: Weights are float32: a number this much below another one has reached it.
ROUNDING = 1e-6


class PairNumbers(NamedTuple):
    """(layer, head) each: the weight of a query on some keys, its chance, weight / chance; NaN where the keys are hidden.

    ``rank`` is 1 where no other key gets more than the strongest of them, 0 where they are hidden.
    """

    weight: FloatArray
    chance: FloatArray
    times: FloatArray
    rank: IntArray

    @property
    def told(self) -> bool:
        """Whether any head may attend to them."""
        return bool(np.isfinite(self.weight).any())


def pair_numbers(reading: Reading, query: int, keys: Sequence[int]) -> PairNumbers:
    """What every head gives from one place to some others."""
    row, allowed = reading.weights[:, :, query].astype(np.float64), reading.visible[:, :, query]
    of_keys = allowed[..., list(keys)]
    told = of_keys.any(axis=-1) & ~reading.padding[query]
    weight = np.where(told, row[..., list(keys)].sum(axis=-1), np.nan)
    chance = np.where(told, of_keys.sum(axis=-1) / np.maximum(allowed.sum(axis=-1), 1), np.nan)
    strongest = row[..., list(keys)].max(axis=-1)
    rank = 1 + ((row > strongest[..., None]) & allowed).sum(axis=-1)
    return PairNumbers(weight, chance, weight / chance, np.where(told, rank, 0))


def ordered(values: FloatArray, times: FloatArray, by: FloatArray, rank: IntArray | None = None) -> list[Strength]:
    """All heads that have a number, from the largest of ``by``; all arrays are (layer, head)."""
    known = np.flatnonzero(np.isfinite(by).ravel())
    order = known[np.argsort(-by.ravel()[known], kind="stable")]
    heads = [HeadId(*divmod(int(number), values.shape[1])) for number in order]
    return [
        Strength(head, float(values[head]), float(times[head]), 0 if rank is None else int(rank[head]))
        for head in heads
    ]


def word_places(reading: Reading) -> BoolArray:
    """bool (place,): words proper; no special tokens, padding or punctuation."""
    query = places_of(reading).query
    return query.plain & ~query.punctuation


def best_times(reading: Reading, head: HeadId | None = None) -> FloatArray:
    """float64 (query, key): times chance in the best head, or in one; NaN where no head may attend, and for no words."""
    weights, allowed = reading.weights, reading.visible
    if head is not None:
        weights, allowed = weights[head][None, None], allowed[head][None, None]
    times = np.where(allowed, weights.astype(np.float64) * allowed.sum(axis=-1, keepdims=True), -np.inf).max(
        axis=(0, 1)
    )
    return np.where(np.isfinite(times) & _pairs(word_places(reading)), times, np.nan)


def _pairs(words: BoolArray) -> BoolArray:
    """bool (query, key): two different words."""
    return words[:, None] & words & ~np.eye(len(words), dtype=bool)


def luck_of(bests: FloatArray, own: float, query: int, keys: Sequence[int]) -> Luck:
    """Where a number stands among those of all other pairs of words.

    Args:
        bests: (query, key), NaN for what is no pair.
        own: of this query and these keys, which are left out of the others.
    """
    others = np.isfinite(bests)
    others[query, list(keys)] = False
    return Luck(1 + int((bests[others] > own + ROUNDING).sum()), 1 + int(others.sum()))


def luck_at_offset(bests: FloatArray, own: float, query: int, key: int) -> Luck:
    """As ``luck_of``, only among pairs whose key stands as far from the query, on the same side."""
    places = np.arange(len(bests))
    offset = places[None, :] - places[:, None]
    return luck_of(np.where(offset == key - query, bests, np.nan), own, query, (key,))


def is_top(reading: Reading, head: HeadId, query: int, keys: Sequence[int]) -> bool:
    """Whether a key gets more than any other word or sign, special tokens aside (Clark et al. 2019 count so)."""
    row = reading.weights[head][query]
    others = places_of(reading).query.plain.copy()
    others[list(keys)] = False
    return bool(row[list(keys)].max() > row[others].max(initial=-1.0))


def at_offset(trace: Reading, offset: int) -> FloatArray:
    """float64 (layer, head): share of the words whose strongest key stands at ``offset``, of those that have such a word.

    NaN where none has, or may attend to it.
    """
    plain = places_of(trace).query.plain
    queries = np.array(
        [at for at in np.flatnonzero(plain) if 0 <= at + offset < len(plain) and plain[at + offset]], int
    )
    keys = queries + offset
    counts = trace.visible[:, :, queries, keys]
    hits = (trace.weights[:, :, queries].argmax(axis=-1) == keys) & counts
    n = counts.sum(axis=-1)
    return np.divide(hits.sum(axis=-1), n, out=np.full(n.shape, np.nan), where=n > 0)


def cosine(a: FloatArray, b: FloatArray) -> float:
    """Of two vectors; NaN if one has no length."""
    lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / lengths if lengths > 0 else float("nan")


def word_output(trace: AttentionTrace, group: Sequence[int]) -> FloatArray:
    """float64 (d_model,): mean of the model's output over the tokens of a word; 0 in a trace that has none."""
    if trace.output is None:
        return np.zeros(trace.spec.d_model)
    return trace.output[list(group)].astype(np.float64).mean(axis=0)


def context_of(reading: Reading, place: int, most: int = 3) -> tuple[ContextWord, ...]:
    """The other words that one attends to most, by the mean over all heads."""
    mean = reading.weights[:, :, place].astype(np.float64).mean(axis=(0, 1))
    others = word_places(reading)
    others[place] = False
    order = [int(at) for at in np.argsort(-mean, kind="stable") if others[at]]
    return tuple(ContextWord(reading.key_tokens.tokens[at], float(mean[at])) for at in order[:most])
