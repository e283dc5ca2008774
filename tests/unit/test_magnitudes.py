"""Geometric means by hand and against SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from mha_viz.labs.magnitudes import magnitude


def test_mean_and_interval_are_those_of_the_logarithms() -> None:
    values = [1e-3, 1e-2, 3e-2, 2e-3]
    found = magnitude(values, 1e-10)
    assert found is not None
    assert found.mean == pytest.approx(stats.gmean(values))
    low, high = stats.t.interval(0.95, 3, np.mean(np.log10(values)), stats.sem(np.log10(values)))
    assert found.below is not None
    assert found.above is not None
    assert found.mean - found.below == pytest.approx(10**low, rel=1e-3)
    assert found.mean + found.above == pytest.approx(10**high, rel=1e-3)


def test_zeros_count_as_the_least_and_one_seed_has_no_interval() -> None:
    assert magnitude([0.0, 0.0], 1e-10) == pytest.approx((1e-10, 0.0, 0.0))
    alone = magnitude([5.0], 1e-10)
    assert alone is not None
    assert alone.mean == pytest.approx(5.0)
    assert alone.below is None
    assert alone.above is None
    assert magnitude([], 1e-10) is None
