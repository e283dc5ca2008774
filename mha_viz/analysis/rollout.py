"""Attention followed through the layers: rollout, and plain averages of heads.

Abnar & Zuidema 2020: the heads of a layer are averaged, half of the residual connection is added, A = 0.5 W + 0.5 I, and each
layer is multiplied from the left onto those below it. What LayerNorm, W_V and the feed-forward layers do is not in it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mha_viz.arrays import BoolArray, FloatArray, compact
from mha_viz.controls import HeadId
from mha_viz.trace import Reading


def mixing(reading: Reading, layer: int, *, residual: bool = True) -> FloatArray:
    """What one layer mixes: A of Abnar & Zuidema.

    Args:
        reading: a run, or a reading of one.
        layer: from 0.
        residual: half of what a token gets is itself; if not, A is the mean of the heads.

    Returns:
        float64 (query, key); every row sums to 1. A query is averaged over the heads in which it has a key; one that has none
        in any of them keeps what it was: its row is that of the identity.
    """
    every = [HeadId(layer, head) for head in range(reading.spec.n_heads)]
    mean, has_key = _mean(reading, every)
    itself = np.eye(*mean.shape)
    mixed = 0.5 * mean + 0.5 * itself if residual else mean
    return np.where(has_key[:, None], mixed, itself)


def rollout(reading: Reading, *, residual: bool = True) -> FloatArray:
    """How much of each input token reaches each token, after every layer.

    Args:
        reading: a run, or a reading of one.
        residual: as in ``mixing``.

    Returns:
        float64 (layer, query, key): after layer l, A_l @ ... @ A_0; every row sums to 1. A row without a key keeps its
        identity, see ``mixing``.
    """
    after: list[FloatArray] = []
    for layer in range(reading.spec.n_layers):
        mixed = mixing(reading, layer, residual=residual)
        after.append(mixed @ after[-1] if after else mixed)
    return np.stack(after)


def reachable(reading: Reading) -> BoolArray:
    """Where anything at all can come from, whatever the weights are.

    Returns:
        bool (layer, query, key): whether a path of visible cells and residual connections leads from the query after this layer
        to the key of the input. Everything else is exactly 0 in ``rollout`` and in flow.
    """
    after: list[FloatArray] = []
    for layer in range(reading.spec.n_layers):
        step: BoolArray = compact(reading.visible[layer]).max(axis=0)
        opened = np.maximum(step, np.eye(*reading.weights.shape[-2:], dtype=np.float32))
        after.append(np.minimum(opened @ after[-1], 1.0) if after else opened)
    return np.stack(after) > 0


def average(reading: Reading, heads: Sequence[HeadId]) -> FloatArray:
    """The plain mean of any heads.

    Args:
        reading: a run, or a reading of one.
        heads: at least one, of any layers.

    Returns:
        float64 (query, key). A query is averaged over the heads in which it has a key; one that has none in any of them has a
        row of 0.
    """
    return _mean(reading, heads)[0]


def spread(rows: FloatArray, counts: BoolArray) -> float:
    """How different rows are: the standard deviation of each column, averaged over the columns; 0 if all rows are alike.

    Args:
        rows: (query, key).
        counts: (query,), the rows to look at.
    """
    return float(rows[counts].std(axis=0).mean()) if counts.any() else 0.0


def _mean(reading: Reading, heads: Sequence[HeadId]) -> tuple[FloatArray, BoolArray]:
    """The mean, (query, key), and which queries have a key in any of the heads."""
    total = np.zeros(reading.weights.shape[-2:])
    n_heads = np.zeros(reading.n_tokens)
    for layer, head in heads:
        total += reading.weights[layer, head]  # a row without a key is 0
        n_heads += ~reading.no_key[layer, head]
    return total / np.maximum(n_heads, 1)[:, None], n_heads > 0
