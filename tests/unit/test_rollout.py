"""Rollout: the reference's numbers, the order of the layers, rows that sum to 1, and what a row without a key does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.analysis.rollout import average, mixing, rollout, spread
from mha_viz.controls import Controls, HeadId
from mha_viz.masks import Causal, HideQuery, LocalWindow, Padding
from tests.refs import arrays, tokens
from tests.unit.build import sequence, trace

REFERENCE = arrays("d")
ALL = np.ones(16, dtype=bool)


@pytest.fixture(scope="module")
def minilm():
    return trace(sequence(tokens("d")["tokens"]), weights=REFERENCE["attn"])


def test_it_equals_the_reference(minilm):
    assert np.abs(rollout(minilm) - REFERENCE["rollout_residual"]).max() <= 1e-6


def test_rollout_does_not_show_the_coreference_of_it(minilm):
    """Published here: [CLS] .575, [SEP] .086, "animal" .026; rows .0066 apart with the residual, .0001 without."""
    with_residual, without = (rollout(minilm, residual=residual)[-1] for residual in (True, False))
    assert with_residual[10, [0, 15, 2]] == pytest.approx([0.575, 0.086, 0.026], abs=5e-4)
    assert spread(with_residual, ALL) == pytest.approx(0.0066, abs=5e-5)
    assert spread(without, ALL) == pytest.approx(0.0001, abs=5e-5)


def test_later_layers_are_multiplied_from_the_left():
    """Two matrices that do not commute, worked by hand: token 1 reads 0 in layer 0, token 0 reads 1 in layer 1."""
    first = np.array([[1.0, 0.0], [1.0, 0.0]])
    second = np.array([[0.0, 1.0], [0.0, 1.0]])
    run = trace(2, weights=np.stack([first, second])[:, None])
    np.testing.assert_allclose(
        rollout(run, residual=False)[1], [[1, 0], [1, 0]]
    )  # the other way round: [[0, 1], [0, 1]]
    # A_0 = [[1, 0], [.5, .5]], A_1 = [[.5, .5], [0, 1]]: A_1 A_0 = [[.75, .25], [.5, .5]].
    np.testing.assert_allclose(rollout(run)[1], [[0.75, 0.25], [0.5, 0.5]])


@given(st.integers(1, 6), st.integers(1, 4), st.integers(1, 3), st.integers(0, 999), st.booleans())
def test_rows_sum_to_1_after_every_layer(n_tokens, n_layers, n_heads, seed, residual):
    run = trace(n_tokens, n_layers=n_layers, n_heads=n_heads, seed=seed)
    after = rollout(run, residual=residual)
    assert after.shape == (n_layers, n_tokens, n_tokens)
    np.testing.assert_allclose(after.sum(axis=-1), 1, atol=1e-6)
    assert (after >= 0).all()


@pytest.mark.parametrize("residual", [True, False])
def test_a_row_without_a_key_keeps_its_identity(residual):
    run = trace(4, n_layers=3, controls=Controls(mask=HideQuery(2)))
    after = rollout(run, residual=residual)
    np.testing.assert_array_equal(after[:, 2], np.tile([0, 0, 1, 0], (3, 1)))
    np.testing.assert_allclose(after.sum(axis=-1), 1, atol=1e-6)


def test_heads_without_a_key_for_a_query_are_left_out_of_its_mean():
    controls = Controls(mask=HideQuery(1), heads=frozenset({0}))
    run = trace(3, n_heads=3, controls=controls)
    mean = average(run, [HeadId(0, 0), HeadId(0, 1), HeadId(0, 2)])
    np.testing.assert_allclose(mean[1], run.weights[0, 1:, 1].mean(axis=0), atol=1e-7)
    np.testing.assert_allclose(mean[0], run.weights[0, :, 0].mean(axis=0), atol=1e-7)
    np.testing.assert_array_equal(average(run, [HeadId(0, 0)])[1], 0)


def test_a_causal_run_stays_causal():
    after = rollout(trace(6, n_layers=4, controls=Controls(mask=Causal())))
    assert (np.triu(after[-1], 1) == 0).all()


@pytest.mark.parametrize("mask", [LocalWindow(1), Padding(2), Causal() & Padding(1)], ids=repr)
def test_masked_runs_sum_to_1_too(mask):
    np.testing.assert_allclose(rollout(trace(5, n_layers=3, controls=Controls(mask=mask))).sum(axis=-1), 1, atol=1e-6)


def test_the_mean_of_chosen_heads_of_any_layers(minilm):
    chosen = [HeadId(0, 3), HeadId(4, 11)]
    expected = (REFERENCE["attn"][0, 3] + REFERENCE["attn"][4, 11]) / 2
    assert np.abs(average(minilm, chosen) - expected).max() <= 1e-7
    every = [HeadId(2, head) for head in range(12)]
    assert np.abs(0.5 * average(minilm, every) + 0.5 * np.eye(16) - mixing(minilm, 2)).max() <= 1e-12


def test_spread_is_0_for_equal_rows_and_worked_by_hand_for_others():
    assert spread(np.tile([0.25, 0.75], (3, 1)), np.ones(3, dtype=bool)) == 0
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [9.0, 9.0]])
    assert spread(rows, np.array([True, True, False])) == 0.5
    assert spread(rows, np.zeros(3, dtype=bool)) == 0
