"""How alike heads are by what they write: linear CKA of their outputs (Kornblith et al. 2019).

CKA(X, Y) = ||X^T Y||_F^2 / (||X^T X||_F ||Y^T Y||_F) with the columns of X and Y, (token, d_k), centred: 1 if one output is the
other turned and scaled, 0 if they have nothing in common. Two heads that read alike can write quite different things.
"""

from __future__ import annotations

import numpy as np

from mha_viz.arrays import FloatArray
from mha_viz.trace import AttentionTrace

#: Tokens worked on at once.
_ROWS = 64


def output_similarity(*traces: AttentionTrace, drop_specials: bool = False) -> FloatArray:
    """Linear CKA between the outputs of all heads.

    Args:
        traces: one run, or several of one model, whose tokens are taken together; each with ``vectors``.
        drop_specials: leave out what is written for special tokens.

    Returns:
        float64 (heads of all layers, heads of all layers), 0 to 1; head ``h`` of layer ``l`` is number ``l * n_heads + h``.
        Queries that are padding are left out. NaN for a head that writes the same for every token, as a silenced one does.

    Few tokens inflate it, see ``few_tokens``.
    """
    return likeness(np.concatenate([_outputs(trace, drop_specials) for trace in traces], axis=1))


def likeness(outputs: FloatArray) -> FloatArray:
    """Linear CKA between outputs, (head, token, d_k), as ``output_similarity``; a token may be a case of any kind."""
    outputs = _unit(outputs)
    n_heads, n_tokens, _ = outputs.shape
    # ||X^T Y||_F^2 is the product, cell by cell, of X X^T and Y Y^T: made for some rows at a time.
    shared = np.zeros((n_heads, n_heads))
    for first in range(0, n_tokens, _ROWS):
        rows = outputs[:, first : first + _ROWS]
        products = (rows @ outputs.transpose(0, 2, 1)).reshape(n_heads, -1)
        shared += products @ products.T
    size = np.sqrt(np.diagonal(shared))
    both = size[:, None] * size
    return np.divide(shared, both, out=np.full(shared.shape, np.nan), where=both > 0)


def few_tokens(n_tokens: int, d_k: int) -> bool:
    """Whether there are too few tokens for CKA to tell heads of ``d_k`` columns apart: fewer than two a column."""
    return n_tokens < 2 * d_k


def _outputs(trace: AttentionTrace, drop_specials: bool) -> FloatArray:
    """(heads of all layers, token, d_k), without padding."""
    assert trace.vectors is not None  # of a run by a model
    left_out = trace.padding | (np.array(trace.query_tokens.special) & drop_specials)
    return np.concatenate(trace.vectors.head_output)[:, ~left_out]


def _unit(outputs: FloatArray) -> FloatArray:
    """Columns centred in double precision, and each head scaled to length 1, which changes no CKA and keeps float32 exact."""
    exact = outputs.astype(np.float64)
    size = np.linalg.norm(exact, axis=(1, 2), keepdims=True)
    centred = exact - exact.mean(axis=1, keepdims=True)
    length = np.linalg.norm(centred, axis=(1, 2), keepdims=True)
    # What is left of equal rows is rounding, not output.
    real = length > 1e-6 * size
    return np.divide(centred, length, out=np.zeros_like(centred), where=real).astype(np.float32)
