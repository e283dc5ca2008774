"""The map of heads keeps distances that a plane can keep, says how well it keeps others, and never flips."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform
from scipy.stats import ortho_group

from mha_viz.analysis.placing import placed, signs
from tests.refs import arrays


def apart(points: np.ndarray) -> np.ndarray:
    return squareform(pdist(points))


@given(st.integers(2, 20), st.integers(0, 999))
def test_points_of_a_plane_come_back(n, seed):
    points = np.random.default_rng(seed).standard_normal((n, 2))
    found = placed(apart(points))
    np.testing.assert_allclose(apart(found.points), apart(points), atol=2e-2)
    assert found.stress < 0.01


def test_a_right_triangle_lies_on_its_longest_side():
    """3, 4, 5: the first axis is the one of most spread, and the farthest point is on its positive side."""
    points = placed(np.array([[0, 3, 4], [3, 0, 5], [4, 5, 0]], dtype=float)).points
    np.testing.assert_allclose(apart(points), [[0, 3, 4], [3, 0, 5], [4, 5, 0]], atol=1e-2)
    assert points[:, 0].var() > points[:, 1].var()
    assert (points.max(axis=0) >= -points.min(axis=0) - 1e-6).all()


def test_the_same_heads_give_the_same_picture():
    distances = np.sqrt(arrays("d")["js_mean_nats"])
    first, second = placed(distances), placed(distances)
    np.testing.assert_array_equal(first.points, second.points)
    np.testing.assert_allclose(first.points.mean(axis=0), 0, atol=1e-9)
    assert 0.1 < first.stress < 0.35


def test_turned_points_give_the_same_picture():
    points = np.random.default_rng(1).standard_normal((9, 2)) * [3, 1]
    turned = points @ ortho_group.rvs(2, random_state=4)
    np.testing.assert_allclose(placed(apart(points)).points, placed(apart(turned)).points, atol=1e-3)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_heads_without_distance_lie_on_one_another(n):
    found = placed(np.zeros((n, n)))
    assert found.points.shape == (n, 2)
    assert not found.points.any()
    assert found.stress == 0


def test_what_cannot_be_compared_is_as_far_as_anything():
    distances = np.array([[0, 1, np.nan], [1, 0, 2], [np.nan, 2, 0]])
    filled = np.array([[0, 1, 2], [1, 0, 2], [2, 2, 0]], dtype=float)
    np.testing.assert_array_equal(placed(distances).points, placed(filled).points)
    assert not placed(np.full((3, 3), np.nan)).points.any()


def test_signs_are_decided_by_the_entry_farthest_from_0():
    np.testing.assert_array_equal(signs(np.array([[1.0, 2.0, -1.0], [-3.0, 1.0, 1.0]])), [-1, 1, -1])
