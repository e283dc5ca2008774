"""Whether two ways of telling heads apart agree."""

from __future__ import annotations

import numpy as np

from mha_viz.arrays import FloatArray, expect_shape

#: Values that differ by less than this share are equal: weights are float32.
_ROUNDING = 1e-5


def rank_agreement(one: FloatArray, other: FloatArray) -> float:
    """Spearman's rank correlation of two arrays of one shape, over the entries that have a number in both.

    NaN where fewer than two can be compared, or one has no spread.

    Raises:
        RecordError: shapes differ.
    """
    from scipy.stats import spearmanr  # takes a second to import

    expect_shape("other", other, one.shape)
    told = np.isfinite(one) & np.isfinite(other)
    pair = one[told], other[told]
    if any(len(values) < 2 or np.ptp(values) <= _ROUNDING * np.abs(values).max() for values in pair):
        return float("nan")
    return float(spearmanr(*pair).statistic)


def pairs_agreement(one: FloatArray, other: FloatArray) -> float:
    """The same of two tables of distances, (head, head) each; every pair of heads counts once."""
    expect_shape("other", other, one.shape)
    pairs = np.triu_indices(len(one), k=1)
    return rank_agreement(one[pairs], other[pairs])
