"""Distances of heads: the reference's numbers, rows worked by hand, bounds and symmetry, what is left out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from mha_viz.analysis.distances import all_distances, distances_from, distances_of_rows, matrix_of_distances
from mha_viz.controls import Controls
from mha_viz.masks import Causal, HideQuery, LocalWindow, Padding
from mha_viz.trace import AttentionTrace
from tests.refs import arrays, tokens
from tests.unit.build import sequence, trace

REFERENCE = arrays("d")


@pytest.fixture(scope="module")
def minilm() -> AttentionTrace:
    """The reference's own weights, as a trace."""
    words = tokens("d")["tokens"]
    special = tuple(word in ("[CLS]", "[SEP]") for word in words)
    return trace(sequence(words, special=special), weights=REFERENCE["attn"])


def direct(run: AttentionTrace, drop_specials: bool) -> np.ndarray:
    """The same by scipy's own function, row by row."""
    heads = run.weights.reshape(-1, run.n_tokens, run.n_tokens).astype(np.float64)
    counts = ~(run.no_key.reshape(len(heads), -1) | run.padding)
    if drop_specials:
        words = ~np.array(run.key_tokens.special)
        heads, counts = heads[:, words][:, :, words], counts[:, words]
        counts = counts & (heads.sum(axis=-1) > 0)
    result = np.full((len(heads), len(heads)), np.nan)
    for a, b in np.ndindex(*result.shape):
        rows = np.flatnonzero(counts[a] & counts[b])
        if len(rows):
            result[a, b] = np.mean([jensenshannon(heads[a, row], heads[b, row]) ** 2 for row in rows])
    return result


def test_it_equals_the_reference(minilm):
    js = matrix_of_distances(minilm, drop_specials=False)
    assert np.abs(js - REFERENCE["js_mean_nats"]).max() <= 1e-5
    assert (np.diagonal(js) == 0).all()


def test_published_figures_of_minilm(minilm):
    """Within a layer, across layers, the largest, and the nearest pair (science, head redundancy)."""
    js = matrix_of_distances(minilm, drop_specials=False)
    layer = np.repeat(np.arange(6), 12)
    within = layer[:, None] == layer
    apart = ~np.eye(72, dtype=bool)
    assert js[within & apart].mean() == pytest.approx(0.164, abs=5e-4)
    assert js[~within].mean() == pytest.approx(0.200, abs=5e-4)
    assert js.max() == pytest.approx(0.640, abs=5e-4)
    nearest = np.unravel_index(np.argmin(np.where(apart, js, 1.0)), js.shape)
    assert sorted(int(number) for number in nearest) == [2 * 12 + 7, 4 * 12 + 5]


def test_one_head_to_all_is_a_row_of_the_matrix(minilm):
    js = matrix_of_distances(minilm, drop_specials=True)
    assert np.abs(distances_from(minilm, 2, 7, drop_specials=True).ravel() - js[31]).max() <= 1e-12


def test_rows_worked_by_hand():
    """Rows that share no key are ln 2 apart; (1, 0) and (1/2, 1/2) are 3/4 ln 4/3 apart."""
    heads = np.array([[[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [0.5, 0.5]]])
    js = matrix_of_distances(trace(2, weights=heads[None]), drop_specials=False)
    assert js[0, 1] == pytest.approx((math.log(2) + 0.75 * math.log(4 / 3)) / 2, abs=1e-6)


def test_without_special_tokens_a_common_sink_is_gone():
    """Two heads that rest on the first token and differ only in the rest."""
    weights = np.array([[[[0.9, 0.1, 0.0]] * 3, [[0.9, 0.0, 0.1]] * 3]])
    run = trace(sequence(3, special=(True, False, False)), weights=weights)
    raw, words = (matrix_of_distances(run, drop)[0, 1] for drop in (False, True))
    assert raw == pytest.approx(0.1 * math.log(2), abs=1e-6)
    assert words == pytest.approx(math.log(2), abs=1e-6)


def test_heads_without_a_common_row_have_no_distance():
    weights = np.array([[[[1.0, 0.0], [1.0, 0.0]], [[0.5, 0.5], [0.5, 0.5]]]])
    run = trace(sequence(2, special=(True, False)), weights=weights)
    js = matrix_of_distances(run, drop_specials=True)
    assert math.isnan(js[0, 1])
    assert math.isnan(js[0, 0])
    assert js[1, 1] == 0


def test_a_sequence_of_special_tokens_alone_has_none():
    run = trace(sequence(2, special=(True, True)))
    assert np.isnan(matrix_of_distances(run, drop_specials=True)).all()


@pytest.mark.parametrize("mask", [Causal(), Padding(2), LocalWindow(1), HideQuery(1), Padding(5)], ids=repr)
@pytest.mark.parametrize("heads", [None, frozenset({0})])
@pytest.mark.parametrize("drop_specials", [False, True])
def test_masked_rows_are_left_out(mask, heads, drop_specials):
    controls = Controls(mask=mask, heads=heads)
    tokens = sequence(5, special=(True, False, False, False, True))
    run = trace(tokens, n_layers=2, n_heads=3, controls=controls)
    js = matrix_of_distances(run, drop_specials)
    np.testing.assert_allclose(js, direct(run, drop_specials), atol=2e-6)


@given(st.integers(1, 7), st.integers(1, 3), st.integers(1, 4), st.integers(0, 999), st.booleans())
def test_any_run_keeps_to_the_definition(n_tokens, n_layers, n_heads, seed, drop_specials):
    special = tuple(place % 3 == 0 for place in range(n_tokens))
    run = trace(sequence(n_tokens, special=special), n_layers=n_layers, n_heads=n_heads, seed=seed)
    js = matrix_of_distances(run, drop_specials)
    np.testing.assert_allclose(js, direct(run, drop_specials), atol=2e-6)
    np.testing.assert_array_equal(js, js.T)
    assert np.nanmax(js, initial=0.0) <= math.log(2) + 1e-6


def test_the_work_is_cut_into_slices_and_says_how_far_it_is():
    shares = list(all_distances(trace(300, n_layers=2, n_heads=3), drop_specials=False))
    assert len(shares) > 10
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.2
    assert shares[-1] == pytest.approx(1.0)


def test_long_sequences_are_no_different():
    """Of 300 tokens the queries are taken in several blocks."""
    run = trace(300, n_layers=1, n_heads=2)
    assert matrix_of_distances(run, False)[0, 1] == pytest.approx(direct(run, False)[0, 1], abs=1e-6)


def test_rows_without_a_run_give_the_same_as_a_run():
    run = trace(9, n_layers=1, n_heads=5)
    np.testing.assert_allclose(distances_of_rows(run.weights[0]), matrix_of_distances(run, False), atol=1e-7)
