"""A net with many heads that teaches one with few, on the look-ups."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from mha_viz.figures.trials import Level, scores
from mha_viz.labs.pairs import difference
from mha_viz.labs.plans import AIMS, DistilOptions
from mha_viz.labs.results import LabResult, Row, half_interval, where
from mha_viz.ui import heatmaps, labs
from mha_viz.ui import lookup_parts as parts
from mha_viz.words import say

_HEADS = (1, 2, 4)


def render() -> None:
    """The options, and what the trainings gave."""
    with st.container(horizontal=True):
        task = parts.task("distil_task", "classes")
        n_heads = parts.whole("distil_heads", say("distil.heads"), _HEADS, 2)
        seeds = parts.seeds("distil_seeds")
    options = DistilOptions(tasks=(task,), heads=(n_heads,), seeds=seeds)
    labs.show("distil", options, lambda result: _draw(result, task, n_heads), say("distil.about", seconds=10 * seeds))


def _draw(result: LabResult, task: str, n_heads: int) -> None:
    of_task = parts.present(result.rows, "task", task)
    teachers = where(of_task, aim="teacher")
    students = parts.present([row for row in of_task if row["aim"] != "teacher"], "heads", n_heads)
    left, right = st.columns(2) if students else (st.container(), st.container())
    with left:
        _scores(teachers, students)
    with right:
        parts.growing(result, [*teachers, *students], _name, "distil_courses")
    if students:
        _sentences(teachers, students)
        _table(teachers, students)


def _name(row: Row) -> str:
    return say(f"distil.aim.{row['aim']}")


def _aims(students: Sequence[Row]) -> list[str]:
    return [aim for aim in AIMS if where(students, aim=aim)]


def _mean(rows: Sequence[Row]) -> float:
    return float(np.mean([row["score"] for row in rows]))


def _scores(teachers: Sequence[Row], students: Sequence[Row]) -> None:
    if not students:
        return
    aims, n_heads = _aims(students), students[0]["heads"]
    name = say("distil.student", heads=n_heads)
    series = [parts.points(name, [where(students, aim=aim) for aim in aims])]
    levels = [Level(say("distil.teacher", heads=teachers[0]["heads"]), _mean(teachers))] if teachers else []
    if students[0]["best"] is not None:
        levels.append(Level(say("distil.best", heads=n_heads), students[0]["best"]))
    places = [say(f"distil.place.{aim}") for aim in aims]
    figure = scores(
        series,
        places,
        say("distil.places"),
        parts.score_title(students),
        levels=levels,
        span=parts.span(row["score"] for row in students),
    )
    heatmaps.show(figure, "distil_scores", say("distil.alt", heads=n_heads))
    st.caption(say("distil.caption"))


def _sentences(teachers: Sequence[Row], students: Sequence[Row]) -> None:
    """What came out, computed from the rows."""
    for aim in _aims(students):
        change = difference(students, {"aim": aim}, {"aim": "truth"})
        if aim != "truth" and change is not None:
            st.markdown(say("distil.change", aim=say(f"distil.aim.{aim}"), change=parts.told(change)))
    best = students[0]["best"]
    if best is not None:
        st.markdown(say("distil.cannot", heads=students[0]["heads"], best=f"{best:g}"))
    elif teachers:
        gap = _mean(teachers) - _mean(where(students, aim=_aims(students)[0]))
        st.markdown(say("distil.gap", gap=f"{gap:.3f}", aim=say(f"distil.aim.{_aims(students)[0]}")))


def _table(teachers: Sequence[Row], students: Sequence[Row]) -> None:
    """The teacher and every kind of student."""
    lines = []
    for rows in (teachers, *(where(students, aim=aim) for aim in _aims(students))):
        if rows:
            reached = [row["score"] for row in rows]
            half = half_interval(reached)
            lines.append(
                {
                    say("distil.aim"): _name(rows[0]),
                    say("distil.n_heads"): rows[0]["heads"],
                    say("lookup_parts.parameters"): rows[0]["parameters"],
                    say("lookup_parts.n_seeds"): len(rows),
                    parts.score_title(rows): f"{np.mean(reached):.4f}" + ("" if half is None else f" ± {half:.4f}"),
                    say("distil.range"): f"{min(reached):.4f} … {max(reached):.4f}",
                }
            )
    st.dataframe({title: [line[title] for line in lines] for title in lines[0]}, hide_index=True, width="stretch")
