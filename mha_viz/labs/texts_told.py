"""What the rows of the lab on texts say: whether more heads are worth anything beyond the noise. Without torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mha_viz.labs.results import Row, half_interval, where


class Difference(NamedTuple):
    """How much more accurate the nets with most heads are than those with fewest, seed by seed.

    Attributes:
        low, high: fewest and most heads.
        n: seeds that both have.
        mean: of the differences, in shares.
        half: half of the mean's 95% confidence interval; None for one seed.
    """

    low: int
    high: int
    n: int
    mean: float
    half: float | None

    @property
    def differs(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.half is not None and abs(self.mean) > self.half


def difference(rows: Sequence[Row]) -> Difference | None:
    """Of the rows of one data set; None unless two numbers of heads have a seed in common."""
    nets = where(rows, kind="net")
    heads = sorted({row["heads"] for row in nets})
    if len(heads) < 2:
        return None
    low, high = heads[0], heads[-1]
    few = {row["seed"]: row["final"] for row in where(nets, heads=low)}
    more = {row["seed"]: row["final"] for row in where(nets, heads=high)}
    found = [more[seed] - few[seed] for seed in sorted(few) if seed in more]
    return Difference(low, high, len(found), float(np.mean(found)), half_interval(found)) if found else None


def mean_course(rows: Sequence[Row], name: str) -> list[float]:
    """The mean of nets, epoch by epoch, over as many epochs as all of them have."""
    n_epochs = min(len(row[name]) for row in rows)
    return [float(np.mean([row[name][epoch] for row in rows])) for epoch in range(n_epochs)]
