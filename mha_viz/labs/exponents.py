"""How fast something grows: the exponent of a power, fitted by least squares. Without torch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def exponent(at: Sequence[float], values: Sequence[float]) -> float:
    """b of values = a * at^b: the slope of the straight line through the logarithms.

    Args:
        at, values: (point,), all above 0; two points at least, with two different places.
    """
    return float(np.polyfit(np.log(at), np.log(values), 1)[0])
