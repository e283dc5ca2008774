"""Multi-head attention in plain NumPy, one comment a step: the lines that are shown beside the kernel's own.

Every number equals the kernel's within rounding. Nothing else of the project computes with it: what is shown are the numbers
of the run.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mha_viz.arrays import BoolArray, FloatArray


class Walked(NamedTuple):
    """Every quantity on the way.

    Attributes:
        query, key, value: (head, token, d_k).
        scores: (head, query, key), raw.
        scaled: multiplied by 1 / sqrt(d_k).
        masked: divided by the temperature; -inf where hidden.
        weights: (head, query, key); a row without a key is 0.
        head_output: (head, token, d_k).
        joined, output: (token, d_model).
    """

    query: FloatArray
    key: FloatArray
    value: FloatArray
    scores: FloatArray
    scaled: FloatArray
    masked: FloatArray
    weights: FloatArray
    head_output: FloatArray
    joined: FloatArray
    output: FloatArray


def walk(
    x: FloatArray,
    W_Q: FloatArray,
    W_K: FloatArray,
    W_V: FloatArray,
    W_O: FloatArray,
    b_Q: Any = 0.0,
    b_K: Any = 0.0,
    b_V: Any = 0.0,
    b_O: Any = 0.0,
    *,
    n_heads: int,
    temperature: float = 1.0,
    visible: BoolArray | bool = True,
) -> Walked:
    """One layer, step by step; shapes as in LayerTrace. ``temperature`` is above 0 and finite, ``visible`` broadcasts."""
    # x: one row a token, d_model numbers each
    n_tokens, d_model = x.shape
    d_k = d_model // n_heads
    # project: every column of Q, K and V reads all columns of x
    Q = x @ W_Q + b_Q
    K = x @ W_K + b_K
    V = x @ W_V + b_V
    # split: the columns of Q, K and V, not those of x
    Q = Q.reshape(n_tokens, n_heads, d_k).transpose(1, 0, 2)
    K = K.reshape(n_tokens, n_heads, d_k).transpose(1, 0, 2)
    V = V.reshape(n_tokens, n_heads, d_k).transpose(1, 0, 2)
    # scores: each head its own
    scores = Q @ K.transpose(0, 2, 1)
    scaled = scores / np.sqrt(d_k)
    # mask: after dividing by the temperature
    masked = np.where(visible, scaled / temperature, -np.inf)
    # softmax: along each row
    top = masked.max(axis=-1, keepdims=True)
    odds = np.exp(masked - np.where(np.isfinite(top), top, 0.0))
    total = odds.sum(axis=-1, keepdims=True)
    weights = odds / np.where(total > 0, total, 1.0)
    # weigh: mix the values
    head_output = weights @ V
    # join: the heads side by side
    joined = head_output.transpose(1, 0, 2).reshape(n_tokens, d_model)
    # output: one last matrix
    output = joined @ W_O + b_O
    return Walked(Q, K, V, scores, scaled, masked, weights, head_output, joined, output)
