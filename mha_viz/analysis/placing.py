"""A map of heads: points in the plane whose distances are those of the heads, as nearly as two dimensions allow."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mha_viz.arrays import FloatArray

_SEED = 0


class Placed(NamedTuple):
    """Points and how well they keep the distances.

    Attributes:
        points: float64 (n, 2), centred; the first axis is the one along which they spread most, and of each axis the point
            farthest from 0 is on the positive side.
        stress: Kruskal's normalised stress-1: 0 for distances kept exactly; below 0.1 is good, above 0.2 poor.
    """

    points: FloatArray
    stress: float


def placed(distances: FloatArray) -> Placed:
    """Metric multidimensional scaling (SMACOF, begun from classical scaling). The same distances give the same picture.

    Args:
        distances: (n, n), symmetrical, 0 on the diagonal; square roots of JS, or 1 - CKA. NaN, for two heads that cannot be
            compared, counts as the largest distance there is.

    Returns:
        n points; all at 0 if all distances are.
    """
    from sklearn.manifold import MDS  # takes a second to import

    known = filled(distances)
    if len(known) < 2 or not known.any():
        return Placed(np.zeros((len(known), 2)), 0.0)
    if len(known) == 2:  # too few for classical scaling in two dimensions
        apart = known[0, 1] / 2
        return Placed(np.array([[apart, 0.0], [-apart, 0.0]]), 0.0)
    scaling = MDS(
        n_components=2,
        metric_mds=True,
        metric="precomputed",
        init="classical_mds",
        n_init=1,
        max_iter=300,
        normalized_stress=True,
        random_state=_SEED,
    )
    points = scaling.fit_transform(known)
    return Placed(_upright(points), float(scaling.stress_))


def filled(distances: FloatArray) -> FloatArray:
    """Exactly symmetrical, 0 on the diagonal, and the largest distance there is where it is not known."""
    exact = np.array(distances, dtype=np.float64)
    exact[np.isnan(exact)] = np.nanmax(exact, initial=0.0) if not np.isnan(exact).all() else 0.0
    exact = (exact + exact.T) / 2
    np.fill_diagonal(exact, 0.0)
    return exact


def _upright(points: FloatArray) -> FloatArray:
    """Turned to its principal axes, with signs that do not depend on the way there."""
    centred = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    turned = centred @ axes.T
    return turned * signs(turned)


def signs(points: FloatArray) -> FloatArray:
    """(n, k) to (k,): -1 for a column whose entry farthest from 0 is negative, else 1; of equals the first decides."""
    sizes = np.abs(points)
    # Entries equal but for rounding must not take turns.
    farthest = (sizes >= sizes.max(axis=0, initial=0.0) * (1 - 1e-6)).argmax(axis=0)
    return np.where(points[farthest, np.arange(points.shape[1])] < 0, -1.0, 1.0)
