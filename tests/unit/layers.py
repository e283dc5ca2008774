"""Layers of a run with chosen scores, for tests that need no model."""

from __future__ import annotations

import numpy as np

from mha_viz import Controls, LayerTrace, ModelSpec, TokenSequence
from mha_viz.controls import visible_in


def words(texts: list[str] | int) -> TokenSequence:
    """A sequence of these words, or of so many different ones; no special tokens."""
    tokens = tuple(f"w{i}" for i in range(texts)) if isinstance(texts, int) else tuple(texts)
    n = len(tokens)
    no = (False,) * n
    return TokenSequence(
        text=" ".join(tokens),
        tokens=tokens,
        ids=tuple(range(n)),
        segment_ids=(0,) * n,
        special=no,
        unknown=no,
        word_ids=tuple(range(n)),
        surfaces=tokens,
        padding=no,
    )


def layer_of(
    scores: np.ndarray,
    controls: Controls | None = None,
    *,
    d_k: int = 4,
    layer: int = 0,
    n_layers: int = 1,
    tokens: TokenSequence | None = None,
) -> LayerTrace:
    """One layer whose raw scores are ``scores``, (head, query, key), with weights at temperature 1 that keep to the mask."""
    controls = controls or Controls()
    scores = np.asarray(scores, dtype=np.float32)
    n_heads, n_tokens, _ = scores.shape
    tokens = tokens or words(n_tokens)
    spec = ModelSpec("test", n_layers, n_heads, d_k * n_heads, 10_000)
    visible = visible_in(spec, tokens, controls)[layer]
    odds = np.where(visible, np.exp(scores.astype(np.float64) / np.sqrt(d_k)), 0.0)
    sums = odds.sum(axis=-1, keepdims=True)
    weights = np.divide(odds, sums, out=np.zeros_like(odds), where=sums > 0).astype(np.float32)
    vectors = np.zeros((n_heads, n_tokens, d_k), dtype=np.float32)
    output = np.zeros((n_tokens, spec.d_model), dtype=np.float32)
    return LayerTrace(
        spec=spec,
        query_tokens=tokens,
        key_tokens=tokens,
        controls=controls,
        layer=layer,
        query=vectors,
        key=vectors,
        value=vectors,
        scores=scores,
        weights=weights,
        visible=visible,
        head_output=vectors,
        output=output,
    )


def random_layer(n_tokens: int, n_heads: int = 2, controls: Controls | None = None, seed: int = 0) -> LayerTrace:
    """A layer with seeded normal scores."""
    scores = 6 * np.random.default_rng(seed).standard_normal((n_heads, n_tokens, n_tokens))
    return layer_of(scores, controls)
