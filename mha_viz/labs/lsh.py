"""Locality-sensitive hashing as in Reformer (Kitaev et al. 2020): who shares a bucket, and what of the softmax that keeps.

Queries and keys are one vector, the key with its length taken out. A bucket is the largest of [x R; -x R] for a random
matrix R, one a round. A token does not look at itself unless it sees nothing else.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mha_viz.arrays import BoolArray, FloatArray

#: Rounds and buckets that can be chosen; buckets are even in number, since each direction has its opposite.
ROUNDS = (1, 2, 3, 4, 5, 6, 7, 8)
BUCKETS = (2, 4, 8, 16, 32)
#: Random unit vectors to compare with: how many, their width, the buckets, what the cosine is multiplied by, and draws.
N_RANDOM, D_RANDOM, B_RANDOM, SHARP, DRAWS = 256, 32, 16, 8.0, 5


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


def shared_weights(vectors: FloatArray, scale: float) -> FloatArray:
    """float64 (query, key): softmax of scale * x_i . x_j / |x_j| over j other than i; a lone token looks at itself."""
    rows = vectors.astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scores = scale * rows @ (rows / np.where(lengths > 0, lengths, 1.0)).T
    if len(rows) > 1:
        np.fill_diagonal(scores, -np.inf)
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def kept_by_rounds(vectors: FloatArray, scale: float, n_buckets: int, seed: int) -> list[Kept]:
    """What each number of ROUNDS keeps of these vectors, (token, d_k); a round more never keeps less."""
    weights, found = shared_weights(vectors, scale), buckets(vectors, n_buckets, max(ROUNDS), seed)
    counted = ~np.eye(len(vectors), dtype=bool) if len(vectors) > 1 else np.ones((1, 1), dtype=bool)
    kept = []
    for rounds in ROUNDS:
        pairs = together(found[:rounds]) & counted
        kept.append(Kept(rounds, float((weights * pairs).sum(axis=1).mean()), float(pairs.sum() / counted.sum())))
    return kept


@functools.cache
def random_kept() -> tuple[Kept, ...]:
    """The same of random unit vectors, mean of DRAWS: what hashing keeps where there is nothing to find."""
    draws = []
    for seed in range(DRAWS):
        vectors = np.random.default_rng(seed).standard_normal((N_RANDOM, D_RANDOM))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        draws.append(kept_by_rounds(vectors, SHARP, B_RANDOM, seed))
    return tuple(
        Kept(rounds, float(np.mean([kept.mass for kept in of])), float(np.mean([kept.pairs for kept in of])))
        for rounds, of in zip(ROUNDS, zip(*draws, strict=True), strict=True)
    )
