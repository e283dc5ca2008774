"""Two ways to train compared seed by seed, and what may be said of it. Without torch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from mha_viz.labs.results import Row, Summary, summary_of, where

#: A smaller difference of scores is called none, however sure it is.
LEAST = 0.005

Verdict = Literal["more", "less", "same", "few"]


def difference(rows: Iterable[Row], one: Mapping[str, Any], other: Mapping[str, Any]) -> Summary | None:
    """The score of the rows like ``one`` less that of the rows like ``other``, for each seed that both have.

    The same seed gives the same cases, so that much of the noise falls out. None if they have no seed in common.
    """
    rows = list(rows)
    scores, others = ({row["seed"]: row["score"] for row in where(rows, **wanted)} for wanted in (one, other))
    values = [scores[seed] - others[seed] for seed in sorted(scores) if seed in others]
    return summary_of(dict(one), values) if values else None


def verdict(found: Summary) -> Verdict:
    """Whether a difference is one: "few" seeds tell nothing; "same" if 0 is within its interval or it is below LEAST."""
    if found.half is None:
        return "few"
    if abs(found.mean) < LEAST or not found.differs:
        return "same"
    return "more" if found.mean > 0 else "less"
