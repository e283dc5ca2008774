"""Values that differ by powers of ten over several seeds: the middle one, and how far they reach. Without torch."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import NamedTuple


class Magnitude(NamedTuple):
    """One value over several seeds, each of them the value of a seed.

    A mean would be that of the largest alone, and one of the logarithms has no place for exact zeros.

    Attributes:
        middle: the median; the lower of the two in the middle where seeds are even.
        low, high: the lowest and the highest.
    """

    middle: float
    low: float
    high: float


def magnitude(values: Sequence[float | None]) -> Magnitude | None:
    """Of values, one a seed. None without any, and where a seed has no number any more."""
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    return Magnitude(statistics.median_low(known), min(known), max(known))
