"""Token sequences and traces with chosen contents, for tests that need no model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mha_viz.checks import Conditions
from mha_viz.controls import Controls, has_key, visible_in
from mha_viz.spec import ModelSpec
from mha_viz.tokens import TokenSequence
from mha_viz.trace import AttentionTrace, LayerTrace

CONDITIONS = Conditions(device="cpu", device_name="test", dtype="float32", training=False, seconds=0.0)


def sequence(words: int | Sequence[str], **changes: Any) -> TokenSequence:
    """A sequence of these words, or of so many different ones; no special tokens."""
    tokens = tuple(f"w{i}" for i in range(words)) if isinstance(words, int) else tuple(words)
    n = len(tokens)
    known: dict[str, Any] = {
        "text": " ".join(tokens),
        "tokens": tokens,
        "ids": tuple(range(n)),
        "segment_ids": (0,) * n,
        "special": (False,) * n,
        "unknown": (False,) * n,
        "word_ids": tuple(range(n)),
        "surfaces": tokens,
        "padding": (False,) * n,
    }
    return TokenSequence(**(known | changes))


def softmax(scores: np.ndarray, visible: np.ndarray) -> np.ndarray:
    """Rows of float32 weights over the visible keys; a row without one is 0."""
    scores = np.where(visible, scores, -np.inf)
    top = np.where(visible.any(axis=-1, keepdims=True), scores.max(axis=-1, keepdims=True), 0.0)
    odds = np.exp(scores - top)
    sums = odds.sum(axis=-1, keepdims=True)
    return np.divide(odds, sums, out=np.zeros_like(odds), where=sums > 0).astype(np.float32)


def trace(
    tokens: TokenSequence | int,
    *,
    weights: np.ndarray | None = None,
    n_layers: int = 1,
    n_heads: int = 2,
    controls: Controls | None = None,
    seed: int = 0,
    **changes: Any,
) -> AttentionTrace:
    """A trace with the given weights, (layer, head, query, key), or with seeded random ones that keep to the controls."""
    tokens = sequence(tokens) if isinstance(tokens, int) else tokens
    controls = controls or Controls()
    if weights is not None:
        n_layers, n_heads = weights.shape[:2]
    spec = ModelSpec("test", n_layers, n_heads, 4 * n_heads, 10_000)
    visible = visible_in(spec, tokens, controls)
    if weights is None:
        cells = (n_layers, n_heads, tokens.n_tokens, tokens.n_tokens)
        scores = 2 * np.random.default_rng(seed).standard_normal(cells)
        weights = softmax(scores, visible)
    parts: dict[str, Any] = {
        "spec": spec,
        "query_tokens": tokens,
        "key_tokens": tokens,
        "controls": controls,
        "weights": weights.astype(np.float32),
        "visible": visible,
        "no_key": ~has_key(visible),
        "output": np.zeros((tokens.n_tokens, spec.d_model), dtype=np.float32),
        "conditions": CONDITIONS,
    }
    return AttentionTrace(**(parts | changes))


def layer_trace(**changes: Any) -> LayerTrace:
    """A layer of two heads over three tokens, all of it 0 but the weights, which are even."""
    tokens, spec = sequence(3), ModelSpec("test", 1, 2, 8, 100)
    parts: dict[str, Any] = {
        "spec": spec,
        "query_tokens": tokens,
        "key_tokens": tokens,
        "controls": Controls(),
        "layer": 0,
        "query": np.zeros((2, 3, 4), dtype=np.float32),
        "key": np.zeros((2, 3, 4), dtype=np.float32),
        "value": np.zeros((2, 3, 4), dtype=np.float32),
        "scores": np.zeros((2, 3, 3), dtype=np.float32),
        "weights": np.full((2, 3, 3), 1 / 3, dtype=np.float32),
        "visible": np.ones((2, 3, 3), dtype=bool),
        "head_output": np.zeros((2, 3, 4), dtype=np.float32),
        "output": np.zeros((3, 8), dtype=np.float32),
    }
    return LayerTrace(**(parts | changes))
