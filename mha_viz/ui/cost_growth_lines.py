"""The charts of growing costs."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

import streamlit as st

from mha_viz.figures.charts import Line, lines
from mha_viz.labs.cost_formula import COST_KINDS
from mha_viz.labs.results import Row, where
from mha_viz.ui import cost_growth_told as told
from mha_viz.ui import heatmaps
from mha_viz.words import say

#: "growth.quantity.NAME".
QUANTITIES = ("time", "memory", "times")
#: Ways whose multiples are drawn, so that the chart stays readable.
_FEW = COST_KINDS[:2]


def chart(rows: Sequence[Row], axis: str, quantity: str) -> None:
    """The rows of one axis and one kind of pass: time, memory, or multiples of the smallest size."""
    series = {"time": _time, "memory": _memory, "times": _times}[quantity](rows, axis)
    title = say(f"cost.axis.{axis}.title")
    figure = lines(series, title, say(f"growth.{quantity}"), log_x=True, log_y=True)
    name = say(f"growth.quantity.{quantity}")
    heatmaps.show(figure, "growth_chart", say("growth.alt", quantity=name, axis=title))
    fixed = told.fixed(rows[0], axis)
    rounds = max((len(row["ms"]) for row in rows if row["ms"]), default=0)
    points = say("growth.points", rounds=rounds) if rounds > 1 else say("growth.points.once")
    speed = f"{_best_speed(rows) / 1e9:.1f}"
    st.caption(say(f"growth.caption.{quantity}", fixed=fixed, points=points, speed=speed))


def _time(rows: Sequence[Row], axis: str) -> list[Line]:
    measured = [row for row in rows if row["ms"]]
    series = []
    for kind in told.kinds(measured):
        own = where(measured, kind=kind)
        series.append(_spread(told.kind_name(kind), own, axis, COST_KINDS.index(kind)))
    if measured:
        one = told.per_size(measured, axis)
        floor = [1_000 * row["operations"] / _best_speed(rows) for row in one]
        series.append(Line(say("growth.floor"), _at(one, axis), floor, formula=True, colour=-1))
    return series


def _spread(name: str, rows: Sequence[Row], axis: str, colour: int) -> Line:
    """The median of the repeats, with the quickest and the slowest."""
    medians = [told.milliseconds(row) for row in rows]
    above = [max(row["ms"]) - middle for row, middle in zip(rows, medians, strict=True)]
    below = [middle - min(row["ms"]) for row, middle in zip(rows, medians, strict=True)]
    return Line(name, _at(rows, axis), medians, above, colour=colour, below=below)


def _memory(rows: Sequence[Row], axis: str) -> list[Line]:
    series: list[Line] = []
    theory: list[Line] = []
    for kind in told.kinds(rows):
        own = where(rows, kind=kind)
        colour = COST_KINDS.index(kind)
        counted = [row for row in own if row["peak"] is not None]
        if not counted:
            continue
        megabytes = [row["peak"] / 1e6 for row in counted]
        series.append(Line(told.kind_name(kind), _at(counted, axis), megabytes, colour=colour))
        named = say("growth.formula", kind=told.kind_name(kind))
        theory.append(Line(named, _at(own, axis), [row["formula"] / 1e6 for row in own], formula=True, colour=colour))
    return [*series, *theory]


def _times(rows: Sequence[Row], axis: str) -> list[Line]:
    one = told.per_size(rows, axis)
    series = []
    for kind, colours in zip(_FEW, ((0, 2), (1, 4)), strict=True):
        own = [row for row in where(rows, kind=kind) if row["ms"]]
        if own:
            name = told.kind_name(kind)
            times = [told.milliseconds(row) for row in own]
            series.append(_multiples(say("growth.times.time", kind=name), own, axis, times, colours[0], drawn=True))
            peaks = [row["peak"] for row in own]
            series.append(_multiples(say("growth.times.memory", kind=name), own, axis, peaks, colours[1], drawn=True))
    return [  # formulas last, so that they are seen where a measured line lies on them
        *series,
        _multiples(say("growth.times.maps"), one, axis, [row["maps"] for row in one], 6),
        _multiples(say("growth.times.operations"), one, axis, [row["operations"] for row in one], None),
    ]


def _multiples(
    name: str, rows: Sequence[Row], axis: str, values: Sequence[float], colour: int | None, *, drawn: bool = False
) -> Line:
    """Values as multiples of the first."""
    shown = [value / values[0] for value in values]
    return Line(name, _at(rows, axis), shown, formula=not drawn, colour=-1 if colour is None else colour)


def _best_speed(rows: Iterable[Row]) -> float:
    """Multiply-adds a second of the point that reached most; 1 if nothing was measured."""
    speeds = [1_000 * row["operations"] / statistics.median(row["ms"]) for row in rows if row["ms"]]
    return max(speeds, default=1.0)


def _at(rows: Iterable[Row], axis: str) -> list[int]:
    return [row[axis] for row in rows]
