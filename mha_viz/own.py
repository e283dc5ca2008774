"""Weights that no model of this project computed, as a trace that every figure and metric takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mha_viz.arrays import BoolArray, FloatArray
from mha_viz.checks import Conditions
from mha_viz.controls import Controls, has_key
from mha_viz.errors import InputError
from mha_viz.spec import ModelSpec
from mha_viz.tokens import TokenSequence
from mha_viz.trace import ROW_SUM_TOLERANCE, AttentionTrace
from mha_viz.words import say

#: Tokens on a side, and weights in all: 2 GB of them.
MOST_TOKENS, MOST_WEIGHTS = 4_096, 500_000_000
#: Where nothing is known.
_UNKNOWN = "-"
_AXES = ("layer", "head", "query", "key")


class _Given(NamedTuple):
    weights: FloatArray
    dtype: str


def trace_from_arrays(
    weights: Any,
    tokens: Sequence[str] | TokenSequence,
    *,
    key_tokens: Sequence[str] | TokenSequence | None = None,
    name: str = "",
    visible: npt.ArrayLike | None = None,
    special: Sequence[bool] | None = None,
    output: npt.ArrayLike | None = None,
) -> AttentionTrace:
    """A trace of weights that come from elsewhere.

    Args:
        weights: after the softmax, (layer, head, query, key), or less the first axes if they are 1. NumPy, PyTorch, lists, or
            one array a layer, as ``attentions`` of Hugging Face, with a batch of 1.
        tokens: one text for each query, or a sequence that a model's ``tokenize`` gave.
        key_tokens: of the keys; the same as ``tokens`` if None.
        name: what figures and files call the model; "own weights" if "".
        visible: bool, broadcast to the weights: where attending is allowed; everywhere if None. A row of 0 has no key anyway.
        special: for each of ``tokens`` whether it is special, as [CLS] is; none if None.
        output: (query, d_model), the last hidden state, if it is known; else d_model counts as one column a head.

    Returns:
        a trace of no controls, its rows within 1e-5 of 1, or 4e-3 for half precision.

    Raises:
        InputError: nothing given, shapes that do not fit, values that are no weights, a row that does not sum to 1, weight on
            a hidden cell, more than MOST_TOKENS tokens or MOST_WEIGHTS weights.
    """
    queries = _sequence(tokens, special)
    keys = queries if key_tokens is None else _sequence(key_tokens, None)
    given = _as_array(weights)
    _check_size(given.weights, queries, keys)
    _check_values(given.weights)
    cells = given.weights.astype(np.float32, copy=True)
    rows = _check_rows(cells, ROW_SUM_TOLERANCE[given.dtype])
    seen = _visible(visible, cells, rows)
    last = None if output is None else _output(output, queries.n_tokens, cells.shape[1])
    conditions = Conditions(_UNKNOWN, _UNKNOWN, given.dtype, training=False, seconds=0.0)
    no_key = np.logical_not(has_key(seen))
    spec = _spec(name, cells, last)
    return AttentionTrace(spec, queries, keys, Controls(), cells, seen, no_key, last, conditions)


def check_weights(weights: FloatArray, queries: TokenSequence, keys: TokenSequence, dtype: str) -> None:
    """What ``trace_from_arrays`` asks of weights, (layer, head, query, key), of a run in the precision ``dtype``.

    Raises:
        InputError: as ``trace_from_arrays``.
    """
    _check_size(weights, queries, keys)
    _check_values(weights)
    _check_rows(weights, ROW_SUM_TOLERANCE[dtype])


def _spec(name: str, weights: FloatArray, output: FloatArray | None) -> ModelSpec:
    n_layers, n_heads, *n_tokens = weights.shape
    d_model = n_heads if output is None else output.shape[1]
    return ModelSpec(name or say("own.name"), n_layers, n_heads, d_model, max(n_tokens))


def sequence_of(tokens: Sequence[str], special: Sequence[bool] | None = None) -> TokenSequence:
    """Texts as a sequence of which nothing else is known: each a word of its own.

    Raises:
        InputError: none, one that is no text, or ``special`` of another length.
    """
    if isinstance(tokens, str) or not all(isinstance(token, str) for token in tokens):
        raise InputError("error.own_tokens_kind", got=type(tokens).__name__)
    texts = tuple(str(token) for token in tokens)
    n_tokens = len(texts)
    if not n_tokens:
        raise InputError("error.own_no_tokens")
    marks = (False,) * n_tokens if special is None else tuple(bool(mark) for mark in special)
    if len(marks) != n_tokens:
        raise InputError("error.own_special", got=len(marks), expected=n_tokens)
    return TokenSequence(
        text=" ".join(texts),
        tokens=texts,
        ids=tuple(range(n_tokens)),
        segment_ids=(0,) * n_tokens,
        special=marks,
        unknown=(False,) * n_tokens,
        word_ids=tuple(None if mark else place for place, mark in enumerate(marks)),
        surfaces=tuple("" if mark else text for text, mark in zip(texts, marks, strict=True)),
        padding=(False,) * n_tokens,
    )


def _sequence(tokens: Sequence[str] | TokenSequence, special: Sequence[bool] | None) -> TokenSequence:
    if isinstance(tokens, TokenSequence):
        return tokens
    listed = tokens.tolist() if isinstance(tokens, np.ndarray) else tokens
    return sequence_of(listed, special)


def _as_array(weights: Any) -> _Given:
    """(layer, head, query, key), and the precision it was given in."""
    if isinstance(weights, list | tuple) and weights and all(hasattr(layer, "shape") for layer in weights):
        return _layers(weights)
    if isinstance(weights, list | tuple) and (not weights or any(layer is None for layer in weights)):
        raise InputError("error.own_no_weights")
    given = _plain(weights)
    array = given.weights
    if array.ndim == 5 and array.shape[1] == 1:
        array = array[:, 0]
    if not 2 <= array.ndim <= 4:
        raise InputError("error.own_axes", got=array.shape)
    return _Given(array.reshape((1,) * (4 - array.ndim) + array.shape), given.dtype)


def _layers(weights: Sequence[Any]) -> _Given:
    """One array a layer, each with or without a batch of 1."""
    layers = [_plain(layer) for layer in weights]
    shapes = {layer.weights.shape for layer in layers}
    if len(shapes) > 1:
        first, other = layers[0].weights.shape, next(iter(shapes - {layers[0].weights.shape}))
        raise InputError("error.own_layers_differ", first=first, other=other)
    shape = layers[0].weights.shape
    if len(shape) == 4 and shape[0] != 1:
        raise InputError("error.own_batch", got=shape[0])
    if len(shape) not in (3, 4):
        raise InputError("error.own_axes", got=(len(layers), *shape))
    return _Given(np.stack([layer.weights.reshape(shape[-3:]) for layer in layers]), layers[0].dtype)


def _plain(weights: Any) -> _Given:
    """An array of NumPy, with the precision that decides how far its rows may be from 1."""
    dtype = str(getattr(weights, "dtype", "float32")).removeprefix("torch.")
    if hasattr(weights, "detach"):  # PyTorch, which need not be imported for this
        weights = weights.detach().cpu().float() if dtype == "bfloat16" else weights.detach().cpu().numpy()
    try:
        array = np.asarray(weights)
        if array.dtype.kind not in "fiub":
            raise ValueError
    except (ValueError, TypeError):
        raise InputError("error.own_kind", got=type(weights).__name__) from None
    if not array.size:
        raise InputError("error.own_no_weights")
    return _Given(array, dtype if dtype in ("float16", "bfloat16") else "float32")


def _check_size(weights: FloatArray, queries: TokenSequence, keys: TokenSequence) -> None:
    for tokens in (queries, keys):
        if tokens.n_tokens > MOST_TOKENS:
            raise InputError("error.own_too_many", got=tokens.n_tokens, limit=MOST_TOKENS)
    if weights.size > MOST_WEIGHTS:
        raise InputError("error.own_too_large", got=weights.size, limit=MOST_WEIGHTS)
    if weights.shape[2:] != (queries.n_tokens, keys.n_tokens):
        n_query, n_key = weights.shape[2:]
        counts = {"queries": queries.n_tokens, "keys": keys.n_tokens}
        raise InputError("error.own_shape", shape=weights.shape, n_query=n_query, n_key=n_key, **counts)


def _place(flags: BoolArray, layer: int = 0) -> str:
    """Where the first True stands, in words of the axes; ``layer`` is the first one of ``flags``."""
    first, *others = (int(number) for number in np.unravel_index(int(flags.argmax()), flags.shape))
    return ", ".join(f"{axis} {number}" for axis, number in zip(_AXES, (first + layer, *others), strict=False))


def _check_values(weights: FloatArray) -> None:
    for layer, of_layer in enumerate(weights):
        for wrong, key in ((~np.isfinite(of_layer), "error.own_not_number"), (of_layer < 0, "error.own_negative")):
            if wrong.any():
                got = float(of_layer[wrong][0])
                raise InputError(key, count=int(wrong.sum()), where=_place(wrong[None], layer), got=got)


def _check_rows(weights: FloatArray, tolerance: float) -> BoolArray:
    """bool (layer, head, query), True for rows of nothing but 0; all others sum to 1."""
    sums = np.einsum("...k->...", weights)  # as the trace's own check adds them up
    empty: BoolArray = sums == 0
    apart = np.abs(sums - np.logical_not(empty))
    if not apart.max() <= tolerance:
        worst = apart == apart.max()
        got = float(sums[worst][0])
        counts = {"count": int((apart > tolerance).sum()), "rows": sums.size}
        apart_by = float(apart.max())
        raise InputError(
            "error.own_row_sum", where=_place(worst), got=got, apart=apart_by, tolerance=tolerance, **counts
        )
    return empty


def _visible(visible: npt.ArrayLike | None, weights: FloatArray, empty: BoolArray) -> BoolArray:
    """bool, as the weights; rows without a key see nothing."""
    seen: BoolArray = np.broadcast_to(np.True_, weights.shape)
    if visible is not None:
        told = np.asarray(visible)
        try:
            seen = np.broadcast_to(told.astype(bool), weights.shape)
        except ValueError:
            raise InputError("error.own_visible", got=told.shape, expected=weights.shape) from None
        hidden = np.logical_not(seen) & (weights > 0)
        if hidden.any():
            raise InputError("error.own_hidden_weight", where=_place(hidden), got=float(weights[hidden][0]))
    return seen & np.logical_not(empty)[..., None] if empty.any() else seen


def _output(output: npt.ArrayLike, n_tokens: int, n_heads: int) -> FloatArray:
    array = np.array(_plain(output).weights, dtype=np.float32)
    if array.ndim != 2 or len(array) != n_tokens or array.shape[1] % n_heads:
        raise InputError("error.own_output", got=array.shape, n_tokens=n_tokens, n_heads=n_heads)
    return array
