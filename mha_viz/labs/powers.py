"""With which power a cost grows: a straight line through the logarithms. Without torch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mha_viz.labs.results import Summary, summary_of


def upper_half(sizes: Sequence[float]) -> list[int]:
    """Places of the larger half of the sizes, at least two: small ones measure what every call costs, however little it does."""
    order = sorted(range(len(sizes)), key=lambda place: sizes[place])
    return order[-max(2, (len(order) + 1) // 2) :]


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Slope of the least-squares line through (log size, log value): p for values that grow with size**p.

    Args:
        sizes: at least two different ones, above 0.
        values: one each, above 0.
    """
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def fitted(sizes: Sequence[float], values: Sequence[Sequence[float]]) -> Summary | None:
    """The exponent over the upper half of the sizes, of every repeat, with its interval over the repeats.

    Args:
        sizes: different ones.
        values: (size, repeat), above 0; repeats that some size lacks are left out.

    Returns:
        None for fewer than two sizes.
    """
    if len(sizes) < 2:
        return None
    places = upper_half(sizes)
    chosen = [sizes[place] for place in places]
    repeats = zip(*(values[place] for place in places), strict=False)
    slopes = [exponent(chosen, repeat) for repeat in repeats]
    return summary_of("power", slopes) if slopes else None
