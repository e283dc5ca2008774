"""Whether two ways of telling heads apart agree."""

from __future__ import annotations

import math

import numpy as np

from mha_viz.arrays import FloatArray


def rank_agreement(one: FloatArray, other: FloatArray) -> float:
    """Spearman's rank correlation of two tables of distances, (head, head) each; every pair of heads counts once.

    NaN where fewer than three pairs can be compared, or one table has no spread.
    """
    from scipy.stats import spearmanr  # takes a while to import

    pairs = np.triu_indices(len(one), k=1)
    first, second = one[pairs], other[pairs]
    known = np.isfinite(first) & np.isfinite(second)
    if known.sum() < 3 or np.ptp(first[known]) == 0 or np.ptp(second[known]) == 0:
        return math.nan
    return float(spearmanr(first[known], second[known]).statistic)
