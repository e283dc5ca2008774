"""Whole layers, from X to the output, computed in float32 by the plain NumPy layer: for tests that need no model."""

from __future__ import annotations

import numpy as np

from mha_viz.controls import Controls
from mha_viz.spec import ModelSpec
from mha_viz.splitting import walk
from mha_viz.trace import LayerTrace
from tests.unit.build import sequence


def layer_run(
    n_tokens: int = 5,
    n_heads: int = 2,
    d_k: int = 4,
    *,
    visible: np.ndarray | None = None,
    controls: Controls | None = None,
    biases: bool = True,
    known: bool = True,
    seed: int = 0,
) -> LayerTrace:
    """A layer with seeded normal numbers.

    Args:
        n_tokens, n_heads, d_k: sizes.
        visible: bool (head, query, key); all if None.
        controls: of the record; only the temperature acts.
        biases: whether it has them.
        known: whether x and the matrices are in the record.
        seed: of the numbers.
    """
    random, d_model = np.random.default_rng(seed), n_heads * d_k
    controls = controls or Controls()
    x = random.standard_normal((n_tokens, d_model)).astype(np.float32)
    matrices = [(random.standard_normal((d_model, d_model)) / np.sqrt(d_model)).astype(np.float32) for _ in range(4)]
    offsets = [random.standard_normal(d_model).astype(np.float32) for _ in range(4)] if biases else [np.float32(0)] * 4
    if visible is None:
        visible = np.ones((n_heads, n_tokens, n_tokens), dtype=bool)
    made = walk(x, *matrices, *offsets, n_heads=n_heads, temperature=controls.temperature, visible=visible)
    given = {}
    if known:
        given = {"x": x, **{f"W_{letter}": matrix for letter, matrix in zip("QKVO", matrices, strict=True)}}
        if biases:
            given |= {f"b_{letter}": offset for letter, offset in zip("QKVO", offsets, strict=True)}
    tokens = sequence(n_tokens)
    computed = {
        name: getattr(made, name).astype(np.float32)
        for name in ("query", "key", "value", "scores", "weights", "head_output", "output")
    }
    return LayerTrace(
        spec=ModelSpec("test", 1, n_heads, d_model, 10_000),
        query_tokens=tokens,
        key_tokens=tokens,
        controls=controls,
        layer=0,
        visible=visible,
        **computed,
        **given,
    )
