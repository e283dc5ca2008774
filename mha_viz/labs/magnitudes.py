"""Values that differ by powers of ten over several seeds: their geometric mean and its interval. Without torch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mha_viz.labs.results import half_interval

#: Powers of ten that an interval reaches at most: beyond, there is nothing to be read off it.
_MOST = 30.0


class Magnitude(NamedTuple):
    """One value over several seeds.

    Attributes:
        mean: geometric.
        below, above: how far the 95% interval of the mean of the logarithms reaches; None for one seed.
    """

    mean: float
    below: float | None
    above: float | None


def magnitude(values: Sequence[float], least: float) -> Magnitude | None:
    """Of values that are not negative, one a seed; those below ``least``, 0 among them, count as ``least``. None without any."""
    if not values:
        return None
    powers = [math.log10(max(value, least)) for value in values]
    middle, half = float(np.mean(powers)), half_interval(powers)
    mean = 10**middle
    if half is None:
        return Magnitude(mean, None, None)
    half = min(half, _MOST)
    return Magnitude(mean, mean - 10 ** (middle - half), 10 ** (middle + half) - mean)
