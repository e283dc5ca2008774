"""What views of trainings on the look-ups have in common: their controls, their figures' parts, differences in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import streamlit as st

from mha_viz.figures.trials import Course, Points, courses
from mha_viz.labs.pairs import verdict
from mha_viz.labs.plans import TASKS
from mha_viz.labs.results import LabResult, Row, Summary, half_interval, where
from mha_viz.ui import heatmaps, views
from mha_viz.words import say

#: A chart of scores goes no lower; while a training goes astray its R^2 can be far below 0.
LOWEST = -0.25


def task(key: str, first: str = TASKS[0]) -> str:
    """Which look-ups."""
    return str(views.pick(key, say("lookup_parts.task"), TASKS, first, lambda name: say(f"lookups.task.{name}")))


def whole(key: str, title: str, options: Sequence[int], first: int) -> int:
    """One of a few whole numbers."""
    return int(views.pick(key, title, options, first, str))


def seeds(key: str) -> int:
    """How many trainings of each kind."""
    return views.number(key, say("lookup_parts.seeds"), (1, 20), 1, width=140)


def present(rows: Iterable[Row], name: str, wanted: Any) -> list[Row]:
    """The rows with this value; if there are none, those with the first value that there is, and that is told."""
    rows = list(rows)
    found = where(rows, **{name: wanted})
    if found or not rows:
        return found
    st.caption(say("lookup_parts.absent"))
    return where(rows, **{name: rows[0][name]})


def score_title(rows: Sequence[Row]) -> str:
    """What a score is on the look-ups of these rows."""
    return say(f"lookup_parts.score.{rows[0]['task']}")


def span(values: Iterable[float]) -> tuple[float, float]:
    """Lowest and highest value of a chart of scores: 0 to 1, and down to LOWEST where an R^2 is below 0."""
    return max(LOWEST, min(0.0, *(value - 0.05 for value in values), 0.0)), 1.05


def points(name: str, groups: Iterable[Sequence[Row]]) -> Points:
    """One series: the scores of each group of rows, a group for each place."""
    values = [tuple(row["score"] for row in rows) for rows in groups]
    return Points(name, values, [half_interval(seeds) for seeds in values])


def growing(result: LabResult, rows: Sequence[Row], name: Callable[[Row], str], key: str) -> None:
    """The courses of these rows and of what is at work.

    Args:
        result: its live row is drawn with them.
        rows: with "at" and "curve".
        name: of the group that a row belongs to.
        key: of the figure.
    """
    drawn = [*rows, *([result.live] if result.live is not None else [])]
    if not drawn:
        return
    runs = [Course(name(row), row["at"], row["curve"]) for row in drawn]
    figure = courses(
        runs, say("lookup_parts.steps"), score_title(drawn), span=span(low for run in runs for low in run.values)
    )
    heatmaps.show(figure, key, say("lookup_parts.courses_alt"))


def told(found: Summary) -> str:
    """A difference with its interval and what may be said of it."""
    half = "" if found.half is None else say("lookup_parts.half", half=f"{found.half:.3f}")
    result = say(f"lookup_parts.verdict.{verdict(found)}")
    return say("lookup_parts.difference", mean=signed(found.mean), half=half, verdict=result)


def signed(value: float) -> str:
    """A difference with its sign; none if it rounds to 0."""
    text = f"{value:+.3f}"
    return text[1:] if float(text) == 0 else text.replace("-", "\u2212")
