"""Locality-sensitive hashing as in Reformer (Kitaev et al. 2020): who shares a bucket, and what of the softmax that keeps.

Queries and keys are one vector, the key with its length taken out. A bucket is the largest of [x R; -x R] for a random
matrix R, one a round. A token does not look at itself unless it sees nothing else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mha_viz.arrays import BoolArray, FloatArray
from mha_viz.stages import tempered_softmax

#: Rounds and buckets that can be chosen; buckets are even in number, since each direction has its opposite.
ROUNDS = (1, 2, 3, 4, 5, 6, 7, 8)
BUCKETS = (2, 4, 8, 16, 32)
#: Draws of random directions to compare with.
DRAWS = 5


class Kept(NamedTuple):
    """What a number of rounds keeps.

    Attributes:
        rounds: how many.
        mass: share of the full softmax on pairs that share a bucket in any round; mean of the queries.
        pairs: share of the pairs that do.
    """

    rounds: int
    mass: float
    pairs: float

    @property
    def gain(self) -> float | None:
        """Softmax kept for each pair that is computed: 1 if the pairs are no better than any others; None without pairs."""
        return self.mass / self.pairs if self.pairs else None


def buckets(vectors: FloatArray, n_buckets: int, rounds: int, seed: int) -> npt.NDArray[np.int64]:
    """int (round, token): the bucket of each vector, 0 to ``n_buckets`` - 1.

    Args:
        vectors: (token, d_k); their lengths do not matter.
        n_buckets: even.
        rounds: how many random matrices.
        seed: of their draw. A round's matrix does not depend on how many rounds there are.
    """
    random = np.random.default_rng(seed)
    turned = random.standard_normal((rounds, vectors.shape[1], n_buckets // 2))
    along = np.einsum("td,rdb->rtb", vectors.astype(np.float64), turned)
    return np.asarray(np.concatenate([along, -along], axis=-1).argmax(axis=-1))


def together(found: npt.NDArray[np.int64]) -> BoolArray:
    """bool (query, key): pairs that share a bucket in any round of ``found``, (round, token)."""
    return np.asarray((found[:, :, None] == found[:, None, :]).any(axis=0))


def shared_weights(vectors: FloatArray, scale: float, temperature: float = 1.0) -> FloatArray:
    """float64 (query, key): softmax of scale * x_i . x_j / |x_j| over j other than i; a lone token looks at itself.

    The temperature is that of ``Controls``: 0 puts all weight on the largest score.
    """
    rows = vectors.astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scores = scale * rows @ (rows / np.where(lengths > 0, lengths, 1.0)).T
    if len(rows) > 1:
        np.fill_diagonal(scores, -np.inf)
    return tempered_softmax(scores, temperature)


def kept_by_rounds(
    vectors: FloatArray, scale: float, n_buckets: int, seed: int, temperature: float = 1.0
) -> list[Kept]:
    """What each number of ROUNDS keeps of these vectors, (token, d_k); a round more never keeps less."""
    weights, found = shared_weights(vectors, scale, temperature), buckets(vectors, n_buckets, max(ROUNDS), seed)
    counted = ~np.eye(len(vectors), dtype=bool) if len(vectors) > 1 else np.ones((1, 1), dtype=bool)
    kept = []
    for rounds in ROUNDS:
        pairs = together(found[:rounds]) & counted
        kept.append(Kept(rounds, float((weights * pairs).sum(axis=1).mean()), float(pairs.sum() / counted.sum())))
    return kept


def random_kept(vectors: FloatArray, scale: float, n_buckets: int, temperature: float = 1.0) -> list[Kept]:
    """The same of as many vectors of the same lengths in random directions, mean of DRAWS: where there is nothing to find."""
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    draws = []
    for seed in range(DRAWS):
        turned = np.random.default_rng(seed).standard_normal(vectors.shape)
        turned *= lengths / np.linalg.norm(turned, axis=1, keepdims=True)
        draws.append(kept_by_rounds(turned, scale, n_buckets, seed, temperature))
    return [
        Kept(rounds, float(np.mean([kept.mass for kept in of])), float(np.mean([kept.pairs for kept in of])))
        for rounds, of in zip(ROUNDS, zip(*draws, strict=True), strict=True)
    ]


def mean_cosine(vectors: FloatArray) -> float | None:
    """Of two different vectors, over all pairs: 1 if all point the same way, about 0 for random ones; None for a lone one."""
    rows = vectors.astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = rows / np.where(lengths > 0, lengths, 1.0)
    n = len(rows)
    return float(((rows @ rows.T).sum() - (rows**2).sum()) / (n * (n - 1))) if n > 1 else None
