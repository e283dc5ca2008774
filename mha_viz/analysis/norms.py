"""Norm-based weights: not how much a head attends to a token but how much it takes from it (Kobayashi et al. 2020).

A head writes c_h(i) = sum over j of alpha_h(i, j) f_h(j) with f_h(j) = value_h(j) @ W_O[h * d_k : (h + 1) * d_k], its value and
what W_O makes of it; the value's bias is in it, W_O's is not. Summed over the heads, plus b_O, that is the layer's output,
exactly. A small ||f|| undoes a large weight.

A silenced head writes nothing: its gate of 0 is part of f here, so that the sum is still the output. The residual connection is
in none of these.
"""

from __future__ import annotations

import math

import numpy as np

from mha_viz.arrays import BoolArray, FloatArray, expect_shape
from mha_viz.controls import HeadId
from mha_viz.trace import AttentionTrace

#: Keys worked on at once.
_KEYS = 64


def written(trace: AttentionTrace, W_O: FloatArray, layer: int) -> FloatArray:
    """f: what each head would write if it read one token alone.

    Args:
        trace: a run with ``vectors``.
        W_O: (d_model, d_model) of the layer, as ``AttentionModel.output_matrices`` gives it.
        layer: from 0.

    Returns:
        float32 (head, key, d_model); 0 for a silenced head.

    Raises:
        RecordError: W_O has another shape.
    """
    assert trace.vectors is not None  # of a run by a model
    gates = np.array(
        [HeadId(layer, head) not in trace.controls.silenced for head in range(trace.spec.n_heads)], np.float32
    )
    return gates[:, None, None] * (trace.vectors.value[layer] @ _by_head(trace, W_O))


def value_norms(trace: AttentionTrace, W_O: FloatArray, layer: int) -> FloatArray:
    """||f||, float64 (head, key); arguments and errors as ``written``."""
    return _norms(written(trace, W_O, layer))


def head_norms(trace: AttentionTrace, W_O: FloatArray, layer: int) -> FloatArray:
    """||alpha f|| = alpha ||f||, float64 (head, query, key); arguments and errors as ``written``."""
    return trace.weights[layer] * value_norms(trace, W_O, layer)[:, None, :]


def layer_norms(trace: AttentionTrace, W_O: FloatArray, layer: int) -> FloatArray:
    """||sum over the heads of alpha f||, float64 (query, key): what the layer takes from each token.

    The norm of a sum is not the sum of the norms: heads may cancel. For each key the heads' products f_g . f_h are made once,
    (head, head), so that no (query, key, d_model) array is needed. Arguments and errors as ``written``.
    """
    f = written(trace, W_O, layer).astype(np.float64).transpose(1, 0, 2)  # (key, head, d_model)
    weights = trace.weights[layer].transpose(2, 0, 1)  # (key, head, query)
    squares = np.empty((len(f), weights.shape[-1]))
    for first in range(0, len(f), _KEYS):
        part = slice(first, first + _KEYS)
        products = f[part] @ f[part].transpose(0, 2, 1)  # (key, head, head)
        alpha = weights[part].astype(np.float64)
        squares[part] = np.einsum("khq,khq->kq", products @ alpha, alpha)
    return np.sqrt(np.maximum(squares, 0.0)).T


def contributions(trace: AttentionTrace, W_O: FloatArray, layer: int) -> FloatArray:
    """||c||, float64 (head, query): how much each head adds to each token; arguments and errors as ``written``."""
    assert trace.vectors is not None  # of a run by a model
    return _norms(trace.vectors.head_output[layer] @ _by_head(trace, W_O))


def shares_by_key(values: FloatArray, counts: BoolArray) -> FloatArray:
    """(key,): the share of each row that lies on each key, averaged over the rows, as ``share_on`` tells it of some keys.

    Args:
        values: (query, key), not below 0.
        counts: (query,), the rows to look at; those whose sum is 0 are left out.

    Returns:
        0 to 1, 1 together; NaN if no row is left.
    """
    sums = values.sum(axis=-1, dtype=np.float64)
    kept = counts & (sums > 0)
    if not kept.any():
        return np.full(values.shape[-1], np.nan)
    return (values[kept] / sums[kept, None]).mean(axis=0)


def share_on(values: FloatArray, keys: BoolArray, counts: BoolArray) -> float:
    """What share of each row lies on some keys, averaged over the rows: comparable between weights and norms.

    Args:
        values: (..., query, key), not below 0.
        keys: (key,), the keys asked about.
        counts: (..., query), the rows to look at; those whose sum is 0 are left out.

    Returns:
        0 to 1; NaN if no row is left.
    """
    sums = values.sum(axis=-1, dtype=np.float64)
    kept = counts & (sums > 0)
    return (
        float((values[..., keys].sum(axis=-1, dtype=np.float64)[kept] / sums[kept]).mean()) if kept.any() else math.nan
    )


def _by_head(trace: AttentionTrace, W_O: FloatArray) -> FloatArray:
    """(head, d_k, d_model): each head's rows of W_O."""
    spec = trace.spec
    expect_shape("W_O", W_O, (spec.d_model, spec.d_model))
    return W_O.reshape(spec.n_heads, spec.d_k, spec.d_model)


def _norms(vectors: FloatArray) -> FloatArray:
    """Lengths along the last axis, squared in double precision."""
    return np.sqrt(np.einsum("...d,...d->...", vectors, vectors, dtype=np.float64))
