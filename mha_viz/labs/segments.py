"""Segment recurrence (Transformer-XL, Dai et al. 2019) beside one masked attention over everything, in float64.

A segment's queries read the keys and values of its own segment and those kept of the segments before. Each token's vectors
are computed once: what is kept is not computed again, and no gradient flows into it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch.nn import functional

from mha_viz.arrays import BoolArray, FloatArray
from mha_viz.attention import attend


class Recurrence(NamedTuple):
    """What the ways give.

    Attributes:
        output: float64 (head, token, d_k), segment by segment with what was kept.
        kernel, sdpa: largest absolute difference to one masked attention over everything, by this app's kernel and by
            PyTorch's own.
        lost: float64 (token,), largest absolute difference to segments that keep nothing.
        most_keys: the most keys that were in memory at once.
    """

    output: FloatArray
    kernel: float
    sdpa: float
    lost: FloatArray
    most_keys: int


def recurrent(
    query: FloatArray, key: FloatArray, value: FloatArray, *, scale: float, size: int, memory: int
) -> tuple[FloatArray, int]:
    """Attention segment by segment in NumPy.

    Args:
        query, key, value: (head, token, d_k).
        scale: of the scores.
        size: tokens of a segment.
        memory: segments whose keys and values are kept.

    Returns:
        float64 (head, token, d_k), and the most keys that were in memory at once.
    """
    kept_keys = kept_values = np.zeros((key.shape[0], 0, key.shape[2]))
    outputs, most = [], 0
    for start in range(0, query.shape[1], size):
        now = slice(start, start + size)
        keys = np.concatenate([kept_keys, key[:, now].astype(np.float64)], axis=1)
        values = np.concatenate([kept_values, value[:, now].astype(np.float64)], axis=1)
        scores = scale * query[:, now].astype(np.float64) @ keys.transpose(0, 2, 1)
        before = kept_keys.shape[1]
        later = np.arange(keys.shape[1])[None, :] > before + np.arange(scores.shape[1])[:, None]
        scores[:, later] = -np.inf
        raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
        outputs.append(raised / raised.sum(axis=-1, keepdims=True) @ values)
        most = max(most, keys.shape[1])
        first = max(keys.shape[1] - memory * size, 0)
        kept_keys, kept_values = keys[:, first:], values[:, first:]
    return np.concatenate(outputs, axis=1), most


def compare(
    query: FloatArray, key: FloatArray, value: FloatArray, visible: BoolArray, *, scale: float, size: int, memory: int
) -> Recurrence:
    """The recurrence, the two masked attentions, and the recurrence that keeps nothing.

    Args:
        query, key, value: (head, token, d_k).
        visible: bool (query, key), the mask that says the same: ``masks.Segments(size, memory)``.
        scale, size, memory: as for ``recurrent``.
    """
    output, most = recurrent(query, key, value, scale=scale, size=size, memory=memory)
    alone, _ = recurrent(query, key, value, scale=scale, size=size, memory=0)
    queries, keys, values = (torch.tensor(array, dtype=torch.float64)[None] for array in (query, key, value))
    mask = torch.tensor(visible)
    with torch.inference_mode():
        by_kernel = attend(queries, keys, values, scale=scale, visible=mask).head_output[0].numpy()
        by_torch = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask, scale=scale)[
            0
        ].numpy()
    return Recurrence(
        output,
        float(np.abs(output - by_kernel).max()),
        float(np.abs(output - by_torch).max()),
        np.abs(output - alone).max(axis=(0, 2)),
        most,
    )
