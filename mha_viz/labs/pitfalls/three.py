"""The same attention by three who do not know of one another: plain NumPy (ours), the app's kernel, PyTorch."""

from __future__ import annotations

import math

import numpy as np
import torch

from mha_viz.arrays import BoolArray, FloatArray
from mha_viz.attention import attend
from mha_viz.labs.pitfalls.base import Answer


def three(
    query: FloatArray, key: FloatArray, value: FloatArray, visible: BoolArray | None = None, scale: float | None = None
) -> tuple[Answer, Answer, Answer]:
    """Attention of one sequence, in float64.

    Args:
        query: (head, query, d_k).
        key, value: (head, key, d_k).
        visible: bool, broadcasts to (head, query, key); None where every key is.
        scale: what the scores are multiplied by; 1 / sqrt(d_k) if None.

    Returns:
        NumPy, the kernel, PyTorch. A query without a key has weights and an output of 0 in all three.
    """
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    return (
        _by_numpy(query, key, value, visible, factor),
        _by_kernel(query, key, value, visible, factor),
        _by_torch(query, key, value, visible, factor),
    )


def _by_numpy(query: FloatArray, key: FloatArray, value: FloatArray, visible: BoolArray | None, scale: float) -> Answer:
    scores = query @ key.swapaxes(-2, -1) * scale  # (head, query, key)
    if visible is not None:
        scores = np.where(visible, scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    raised = np.exp(scores - np.where(np.isfinite(top), top, 0.0))  # 0 where hidden
    total = raised.sum(axis=-1, keepdims=True)
    weights = np.divide(raised, total, out=np.zeros_like(raised), where=total > 0)
    return Answer("numpy", weights, weights @ value)


def _by_kernel(
    query: FloatArray, key: FloatArray, value: FloatArray, visible: BoolArray | None, scale: float
) -> Answer:
    q, k, v = (torch.from_numpy(np.ascontiguousarray(array))[None] for array in (query, key, value))
    seen = None if visible is None else torch.from_numpy(np.ascontiguousarray(visible))
    done = attend(q, k, v, scale=scale, visible=seen)
    return Answer("kernel", done.weights[0].numpy(), done.head_output[0].numpy())


def _by_torch(query: FloatArray, key: FloatArray, value: FloatArray, visible: BoolArray | None, scale: float) -> Answer:
    """PyTorch's function gives no weights; with the unit matrix as values its outputs are the weights."""
    q, k, v = (torch.from_numpy(np.ascontiguousarray(array))[None] for array in (query, key, value))
    seen = None if visible is None else torch.from_numpy(np.ascontiguousarray(visible))
    unit = torch.eye(k.shape[-2], dtype=k.dtype).expand(*k.shape[:-1], -1)
    function = torch.nn.functional.scaled_dot_product_attention
    weights = function(q, k, unit, attn_mask=seen, scale=scale)
    return Answer("torch", weights[0].numpy(), function(q, k, v, attn_mask=seen, scale=scale)[0].numpy())
