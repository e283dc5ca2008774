"""Heads that are alike, in clusters: average linkage on their distances, cut at one height."""

from __future__ import annotations

import numpy as np

from mha_viz.analysis.placing import filled
from mha_viz.arrays import FloatArray


def clusters(distances: FloatArray, cut: float) -> tuple[int, ...]:
    """Which cluster each head belongs to.

    Two clusters become one as long as the mean distance between their heads is ``cut`` at most (average linkage, UPGMA).

    Args:
        distances: (head, head), symmetrical, 0 on the diagonal; NaN, for two heads that cannot be compared, counts as the
            largest distance there is.
        cut: in the same unit.

    Returns:
        A number a head: 0 is the largest cluster, of equal ones that of the first head comes first.
    """
    from scipy.cluster.hierarchy import fcluster, linkage  # takes a second to import
    from scipy.spatial.distance import squareform

    if len(distances) < 2:
        return (0,) * len(distances)
    tree = linkage(squareform(filled(distances), checks=False), method="average")
    return _by_size([int(label) for label in fcluster(tree, cut, criterion="distance")])


def by_cluster(labels: tuple[int, ...]) -> list[int]:
    """All heads, those of one cluster beside one another, in the order of their clusters."""
    return sorted(range(len(labels)), key=lambda head: (labels[head], head))


def _by_size(labels: list[int]) -> tuple[int, ...]:
    order = sorted(set(labels), key=lambda label: (-labels.count(label), labels.index(label)))
    return tuple(order.index(label) for label in labels)


def pairs_of(distances: FloatArray) -> FloatArray:
    """Every pair of heads once: (head, head) to (pair,), row by row above the diagonal."""
    return distances[np.triu_indices(len(distances), k=1)]


def table_of(pairs: FloatArray, n_heads: int) -> FloatArray:
    """The inverse of ``pairs_of``."""
    table = np.zeros((n_heads, n_heads))
    table[np.triu_indices(n_heads, k=1)] = pairs
    return table + table.T
