"""Linear CKA of heads' outputs: the formula written out, two tokens by hand, and what must not change it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ortho_group

from mha_viz.analysis.cka import few_tokens, likeness, output_similarity
from mha_viz.controls import Controls
from mha_viz.masks import Padding
from mha_viz.trace import AttentionTrace, HeadVectors
from tests.unit.build import sequence, trace


def writing(outputs: np.ndarray, **changes: Any) -> AttentionTrace:
    """A run whose heads, (layer, head, token, 4), wrote these."""
    n_layers, n_heads, n_tokens, _ = outputs.shape
    layers = tuple(outputs.astype(np.float32))
    vectors = HeadVectors(layers, layers, layers, layers)
    return trace(n_tokens, n_layers=n_layers, n_heads=n_heads, vectors=vectors, **changes)


def direct(x: np.ndarray, y: np.ndarray) -> float:
    x, y = (part - part.mean(axis=0) for part in (x.astype(np.float64), y.astype(np.float64)))
    return float((np.linalg.norm(x.T @ y) ** 2) / (np.linalg.norm(x.T @ x) * np.linalg.norm(y.T @ y)))


def outputs(seed: int, n_layers: int = 2, n_heads: int = 3, n_tokens: int = 9) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n_layers, n_heads, n_tokens, 4))


@given(st.integers(0, 999), st.integers(3, 80))
def test_it_is_the_formula(seed, n_tokens):
    made = outputs(seed, n_tokens=n_tokens)
    got = output_similarity(writing(made))
    heads = made.reshape(6, n_tokens, 4)
    expected = [[direct(x, y) for y in heads] for x in heads]
    np.testing.assert_allclose(got, expected, atol=1e-5)


def test_two_tokens_are_always_alike():
    """By hand: centred, two rows are v/2 and -v/2, so that each product is rank one and CKA is 1 whatever v is."""
    np.testing.assert_allclose(output_similarity(writing(outputs(3, n_tokens=2))), 1.0, atol=1e-6)


def test_three_tokens_worked_by_hand():
    """x = (1, 0, -1) and y = (1, -2, 1) have no product; with z = (2, -1, -1): x.z = 3, |x|^2 = 2, |z|^2 = 6, 9 / 12."""
    x, y, z = (np.outer(values, [1, 0, 0, 0]) for values in ([1, 0, -1], [1, -2, 1], [2, -1, -1]))
    got = output_similarity(writing(np.stack([x, y, z])[None]))
    np.testing.assert_allclose(got[0], [1, 0, 0.75], atol=1e-6)


@given(st.integers(0, 999), st.floats(1e-3, 1e3))
def test_turning_scaling_and_moving_change_nothing(seed, scale):
    made = outputs(seed)
    changed = made.copy()
    turn = ortho_group.rvs(4, random_state=seed)
    changed[0, 0] = scale * made[0, 0] @ turn + 5 * scale
    np.testing.assert_allclose(output_similarity(writing(changed)), output_similarity(writing(made)), atol=1e-4)


def test_several_runs_are_taken_together():
    one, other = outputs(1, n_tokens=5), outputs(2, n_tokens=80)
    together = output_similarity(writing(one), writing(other))
    np.testing.assert_allclose(together, output_similarity(writing(np.concatenate([one, other], axis=2))), atol=1e-6)


def test_a_head_that_writes_the_same_everywhere_has_no_similarity():
    made = outputs(1)
    made[0, 1] = 0
    made[1, 2] = 0.1
    got = output_similarity(writing(made))
    assert np.isnan(got[1]).all()
    assert np.isnan(got[:, 5]).all()
    assert np.isfinite(got[0, 2:5]).all()


def test_padding_is_left_out():
    made = outputs(1)
    got = output_similarity(writing(made, controls=Controls(mask=Padding(3))))
    np.testing.assert_allclose(got, output_similarity(writing(made[:, :, :6])), atol=1e-6)


@pytest.mark.parametrize(("n_tokens", "few"), [(16, True), (63, True), (64, False)])
def test_few_tokens_are_told(n_tokens, few):
    assert few_tokens(n_tokens, 32) is few


def test_few_tokens_do_inflate_it():
    """Unrelated outputs look alike with few tokens, and not with many."""
    few, many = (output_similarity(writing(outputs(0, n_tokens=n)))[0, 1:].mean() for n in (4, 400))
    assert few > 0.3
    assert many < 0.05


def test_special_tokens_can_be_left_out():
    made = outputs(6)
    special = tuple(place in (0, 8) for place in range(9))
    run = writing(made, query_tokens=sequence(9, special=special), key_tokens=sequence(9, special=special))
    got = output_similarity(run, drop_specials=True)
    np.testing.assert_allclose(got, output_similarity(writing(made[:, :, 1:8])), atol=1e-6)
    assert np.abs(got - output_similarity(run)).max() > 0.01


def test_outputs_without_a_run_give_the_same():
    made = outputs(7)
    np.testing.assert_array_equal(likeness(made.reshape(6, 9, 4).astype(np.float32)), output_similarity(writing(made)))
