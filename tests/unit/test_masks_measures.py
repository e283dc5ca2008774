"""Density and reach: formulas, cases by hand, and counted the slow way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.masks import (
    BlockDiagonal,
    Causal,
    DilatedWindow,
    GlobalTokens,
    HideKey,
    LocalWindow,
    Padding,
    density,
    reach,
)
from tests.unit.any_masks import any_mask, squares
from tests.unit.build import sequence


@given(st.integers(1, 80), st.data())
def test_the_density_of_a_window_is_its_formula(n, data):
    radius = data.draw(st.integers(0, n - 1))
    expected = (n * (2 * radius + 1) - radius * (radius + 1)) / n**2
    assert density(LocalWindow(radius).visible(sequence(n))) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("mask", "n", "expected"),
    [
        (Causal(), 4, 10 / 16),
        (Causal(), 1, 1.0),
        (Padding(1), 4, 12 / 16),
        (Padding(9), 4, 0.0),
        (LocalWindow(1), 4, 10 / 16),
        (LocalWindow(99), 4, 1.0),
        (BlockDiagonal(2), 5, 9 / 25),
        (GlobalTokens(1), 5, 9 / 25),
    ],
    ids=repr,
)
def test_density_by_hand(mask, n, expected):
    assert density(mask.visible(sequence(n))) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("radius", [1, 2, 3])
@pytest.mark.parametrize("n_layers", [1, 2, 3, 6])
def test_a_window_reaches_2nw_plus_1_tokens_in_the_middle(radius, n_layers):
    n = 2 * n_layers * radius + 7
    reached = reach(LocalWindow(radius).visible(sequence(n)), n_layers)
    middle = n // 2
    assert reached[middle].sum() == 2 * n_layers * radius + 1
    assert reached[0].sum() == n_layers * radius + 1
    far = np.abs(np.arange(n)[:, None] - np.arange(n)[None, :])
    assert (reached == (far <= n_layers * radius)).all()


def test_a_dilated_window_reaches_farther_with_as_many_tokens():
    near, far = (reach(DilatedWindow(1, step).visible(sequence(41)), 3)[20] for step in (1, 3))
    assert near.sum() == far.sum() == 7
    assert np.flatnonzero(far).tolist() == [11, 14, 17, 20, 23, 26, 29]


def test_reach_by_hand():
    visible = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]], dtype=bool)
    assert reach(visible, 0).astype(int).tolist() == np.eye(4, dtype=int).tolist()
    assert reach(visible, 1)[0].astype(int).tolist() == [1, 1, 0, 0]
    assert reach(visible, 2)[0].astype(int).tolist() == [1, 1, 1, 0]
    assert reach(visible, 3)[0].astype(int).tolist() == [1, 1, 1, 1]
    assert reach(visible, 3)[3].astype(int).tolist() == [0, 0, 0, 1]


def test_reach_of_some_kinds():
    assert reach(GlobalTokens(1).visible(sequence(9)), 2).all()
    assert not reach(GlobalTokens(1).visible(sequence(9)), 1).all()
    assert (reach(Causal().visible(sequence(9)), 5) == np.tri(9, dtype=bool)).all()
    assert (reach(BlockDiagonal(3).visible(sequence(9)), 5) == BlockDiagonal(3).visible(sequence(9))).all()
    hidden_key = reach(HideKey(2).visible(sequence(5)), 4)
    assert np.flatnonzero(hidden_key[:, 2]).tolist() == [2]
    assert (reach(np.zeros((4, 4), dtype=bool), 6) == np.eye(4, dtype=bool)).all()


def _spread(visible: np.ndarray, n_layers: int) -> list[set[int]]:
    """Set by set: after a layer a token knows what the tokens it saw knew before, and what it knew itself."""
    known = [{token} for token in range(len(visible))]
    for _ in range(n_layers):
        known = [
            own.union(*(known[key] for key in np.flatnonzero(row))) for own, row in zip(known, visible, strict=True)
        ]
    return known


@given(squares(12), st.integers(0, 6))
def test_reach_is_what_spreads_from_layer_to_layer(visible, n_layers):
    assert [set(np.flatnonzero(row)) for row in reach(visible, n_layers)] == _spread(visible, n_layers)


@given(any_mask(), st.integers(1, 20), st.integers(0, 5))
def test_reach_only_grows_with_layers_and_changes_nothing_given(mask, n, n_layers):
    visible = mask.visible(sequence(n))
    before = visible.copy()
    fewer, more = reach(visible, n_layers), reach(visible, n_layers + 1)
    assert (fewer <= more).all()
    assert fewer.diagonal().all()
    assert (visible == before).all()
