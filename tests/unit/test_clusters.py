"""Clusters of heads: distances with a known answer, and average linkage told apart from single and complete."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import squareform

from mha_viz.analysis.clusters import by_cluster, clusters, pairs_of, table_of


def between(*points: float) -> np.ndarray:
    """Distances of points on a line."""
    at = np.array(points)
    return np.abs(at[:, None] - at)


def test_heads_beside_one_another_are_one_cluster() -> None:
    """0, 0.1 and 0.2 lie together, so do 5 and 5.1; 9 is alone. The largest cluster is number 0."""
    assert clusters(between(5, 0, 9, 0.1, 5.1, 0.2), 1.0) == (1, 0, 2, 0, 1, 0)


@pytest.mark.parametrize(("cut", "found"), [(0.9, 3), (1.8, 2), (1.95, 1)])
def test_the_linkage_is_the_mean_of_all_pairs(cut: float, found: int) -> None:
    """0 and 1 join at 1; they and 2.4 at (2.4 + 1.4) / 2 = 1.9. Single linkage would join at 1.4, complete at 2.4."""
    assert len(set(clusters(between(0, 1, 2.4), cut))) == found


def test_of_clusters_as_large_the_first_heads_come_first() -> None:
    assert clusters(between(7, 0, 7.1, 0.1), 1.0) == (0, 1, 0, 1)


def test_heads_that_cannot_be_compared_are_far_apart() -> None:
    table = between(0, 0.1, 0.2, 6)
    table[0, 1] = table[1, 0] = np.nan
    assert clusters(table, 1.0)[3] != clusters(table, 1.0)[2]
    assert len(set(clusters(table, 1.0))) == 3


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_heads_are_no_question(n: int) -> None:
    assert clusters(np.zeros((n, n)), 0.5) == (0,) * n


def test_equal_heads_are_one_cluster_at_any_cut() -> None:
    assert clusters(np.zeros((4, 4)), 0.0) == (0, 0, 0, 0)


def test_heads_of_one_cluster_stand_beside_one_another() -> None:
    assert by_cluster((1, 0, 2, 0, 1, 0)) == [1, 3, 5, 0, 4, 2]


def test_pairs_stand_as_in_scipys_condensed_form() -> None:
    table = between(3, 1, 4, 1.5, 9)
    np.testing.assert_array_equal(pairs_of(table), squareform(table))
    np.testing.assert_array_equal(table_of(pairs_of(table), 5), table)
