"""What stands in which column of the toy's token vectors. NumPy only.

column 0            1, the same for every token
columns 1 to 8      cos and sin of the position at four frequencies, 1, 1/4, 1/16 and 1/64 radians a token
columns 9 and on    the word: groups of four columns (the last group may be smaller), each a seeded random unit vector

Equal words have equal columns from 9 on, wherever they stand. Every token's vector has the same length.
"""

from __future__ import annotations

import functools

import numpy as np

from mha_viz.arrays import FloatArray
from mha_viz.tokens import TokenSequence

#: Radians a token. Geometric steps of 4 keep all distances up to a few hundred tokens apart.
FREQUENCIES = np.array([1.0, 1 / 4, 1 / 16, 1 / 64])
CONSTANT = 0
WORD = 1 + 2 * len(FREQUENCIES)
GROUP = 4


def cosine_column(frequency: int) -> int:
    """Column that holds the cosine of the position at FREQUENCIES[frequency]; the sine follows it."""
    return 1 + 2 * frequency


def word_groups(d_model: int) -> list[slice]:
    """The columns of each group of word columns."""
    return [slice(start, min(start + GROUP, d_model)) for start in range(WORD, d_model, GROUP)]


def token_vectors(tokens: TokenSequence, d_model: int, seed: int) -> FloatArray:
    """float64 (token, d_model): constant, position and word of each token."""
    angles = np.outer(np.arange(tokens.n_tokens), FREQUENCIES)  # (token, frequency)
    vectors = np.empty((tokens.n_tokens, d_model))
    vectors[:, CONSTANT] = 1.0
    vectors[:, 1:WORD:2] = np.cos(angles)
    vectors[:, 2:WORD:2] = np.sin(angles)
    vectors[:, WORD:] = [_word_vector(number, d_model, seed) for number in tokens.ids]
    return vectors


def vector_length(d_model: int) -> float:
    """Length of every token's vector: the constant, one for each frequency, one for each group of word columns."""
    return float(np.sqrt(1 + len(FREQUENCIES) + len(word_groups(d_model))))


@functools.lru_cache(maxsize=4096)
def _word_vector(number: int, d_model: int, seed: int) -> FloatArray:
    vector = np.random.default_rng([seed, number]).standard_normal(d_model - WORD)
    for group in word_groups(d_model):
        columns = slice(group.start - WORD, group.stop - WORD)
        vector[columns] /= np.linalg.norm(vector[columns])
    return vector
