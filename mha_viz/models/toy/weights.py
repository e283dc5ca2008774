"""The toy's four matrices: set by hand, or random. NumPy only.

Row convention of torch.nn.Linear: q = W_Q x, and head h owns rows h * d_k to (h + 1) * d_k of W_Q, W_K and W_V. The kernel
multiplies by 1 / sqrt(d_k), so W_Q carries sqrt(d_k) and the gains below are differences of scaled scores.

Why a distance can be seen by a product of positions: with position p written as (cos wp, sin wp), the product of a query
that was turned by w * offset and a key is cos(w * (key - query - offset)), largest where key = query + offset.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mha_viz.arrays import FloatArray
from mha_viz.models.toy.jobs import Job, job_of
from mha_viz.models.toy.layout import CONSTANT, FREQUENCIES, cosine_column, vector_length, word_groups

#: Gain of the heads that look for one position. The neighbours of the promised key, one to each side, then score 3.7 less,
#: so that it gets 0.95 of the weight at temperature 1, whatever the sentence's length.
POSITION_GAIN = 7.5

#: Gains of the local average, a frequency each: the second makes a bell 1.4 tokens wide, the slower two keep its
#: repetitions 25 and 100 tokens away out.
LOCAL_GAINS = (0.0, 8.0, 6.0, 6.0)

#: Gains against itself and for the word of "same word elsewhere", by the number of word groups the head has room for. Few
#: columns leave different words close together, so that they need a larger gain to be told apart.
_SELF_GAIN = {0: POSITION_GAIN, 1: 26.0}
_WORD_GAIN = {0: 50.0, 1: 1_000_000.0, 2: 2_500.0, 3: 500.0}
_MANY_GROUPS = (POSITION_GAIN, 150.0)


class Matrices(NamedTuple):
    """float64 (d_model, d_model) each."""

    query: FloatArray
    key: FloatArray
    value: FloatArray
    output: FloatArray


def random_matrices(d_model: int, seed: int) -> Matrices:
    """Normal entries. W_Q and W_K are scaled by the length of a token's vector, so that scaled scores have a standard
    deviation of 1; W_V and W_O keep the size of what goes through them."""
    random = np.random.default_rng([seed, d_model])
    query, key, value, output = random.standard_normal((4, d_model, d_model))
    length = vector_length(d_model)
    return Matrices(query / length, key / length, value / np.sqrt(d_model), output / np.sqrt(d_model))


def designed_matrices(d_model: int, n_heads: int) -> Matrices:
    """Every head does its job; its value is its own slice of the token's vector, and W_O leaves all where it is."""
    d_k = d_model // n_heads
    query, key = np.zeros((2, d_model, d_model))
    for head in range(n_heads):
        rows = slice(head * d_k, (head + 1) * d_k)
        _design(job_of(head), query[rows], key[rows])
    return Matrices(query * np.sqrt(d_k), key, np.eye(d_model), np.eye(d_model))


def _design(job: Job, query: FloatArray, key: FloatArray) -> None:
    """Fills the (d_k, d_model) rows of one head."""
    room = min(len(query) // 2, len(FREQUENCIES))  # a frequency takes two columns
    if job.kind == "even":
        return  # all scores 0
    if job.kind == "same_word":
        _design_same_word(query, key)
    elif job.kind == "first":
        for frequency in range(room):
            query[2 * frequency, CONSTANT] = (
                POSITION_GAIN  # position 0 is (cos 0, sin 0) = (1, 0), asked for by everyone
            )
            _write_position(key, frequency, frequency)
    else:
        gains = LOCAL_GAINS if job.kind == "local" else (POSITION_GAIN,) * len(FREQUENCIES)
        for frequency in range(room):
            _look_at_offset(query, frequency, frequency, job.offset or 0, gains[frequency])
            _write_position(key, frequency, frequency)


def _write_position(rows: FloatArray, place: int, frequency: int) -> None:
    """Rows 2 * place and the next give the position's cosine and sine."""
    cosine = cosine_column(frequency)
    rows[2 * place, cosine] = rows[2 * place + 1, cosine + 1] = 1.0


def _look_at_offset(rows: FloatArray, place: int, frequency: int, offset: int, gain: float) -> None:
    """The same, turned ahead by ``offset`` tokens and multiplied by ``gain``."""
    cosine, angle = cosine_column(frequency), FREQUENCIES[frequency] * offset
    rows[2 * place, [cosine, cosine + 1]] = gain * np.cos(angle), -gain * np.sin(angle)
    rows[2 * place + 1, [cosine, cosine + 1]] = gain * np.sin(angle), gain * np.cos(angle)


def _design_same_word(query: FloatArray, key: FloatArray) -> None:
    """Score for an equal word, less a score for being at the same place. Half of the columns hold positions, the rest words."""
    d_k, d_model = query.shape
    frequencies = {1: [0], 2: [0, 2], 3: [0, 1, 2]}.get(d_k // 4, [0, 1, 2, 3] if d_k >= 16 else [])
    room = (d_k - 2 * len(frequencies)) // 4
    groups = [group for group in word_groups(d_model) if group.stop - group.start == 4][:room]
    columns = list(range(d_model))[word_groups(d_model)[0]][: d_k - 2 * len(frequencies)]
    if groups:
        columns = [column for group in groups for column in range(group.start, group.stop)]
    self_gain, word_gain = _MANY_GROUPS
    self_gain, word_gain = _SELF_GAIN.get(len(groups), self_gain), _WORD_GAIN.get(len(groups), word_gain)
    for place, frequency in enumerate(frequencies):
        _look_at_offset(query, place, frequency, 0, -self_gain)
        _write_position(key, place, frequency)
    for row, column in enumerate(columns, start=2 * len(frequencies)):
        query[row, column], key[row, column] = word_gain, 1.0
