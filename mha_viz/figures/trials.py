"""What trainings gave: the mean of the seeds with its confidence interval and every seed beside it; and their courses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from mha_viz.figures import theme
from mha_viz.figures.labels import markup
from mha_viz.words import say

HEIGHT = 380
_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "star", "x", "pentagon")
_DASHES = ("solid", "dash", "dot", "dashdot")
#: How far seeds stand beside their mean, and series beside one another, in steps of the horizontal axis.
_BESIDE, _APART = 0.08, 0.14


class Points(NamedTuple):
    """One series: a mean at each place where it has values.

    Attributes:
        name: what it is called.
        values: (place, seed), the values at each place of the horizontal axis, none where it has none there.
        halves: (place,), half of the mean's confidence interval; None where it is not known.
    """

    name: str
    values: Sequence[Sequence[float]]
    halves: Sequence[float | None]


class Level(NamedTuple):
    """A line to compare with.

    Attributes:
        name: what it is called.
        values: (place,), or one number for all places; None where it says nothing.
    """

    name: str
    values: Sequence[float | None] | float


class Course(NamedTuple):
    """One training as it goes on.

    Attributes:
        name: of its group; the courses of one group have one colour and one entry in the legend.
        at: (point,), steps or epochs.
        values: (point,).
        dashed: a second kind of line in the same colour.
    """

    name: str
    at: Sequence[float]
    values: Sequence[float]
    dashed: bool = False


def scores(
    series: Sequence[Points],
    places: Sequence[str],
    x_title: str,
    y_title: str,
    *,
    levels: Sequence[Level] = (),
    span: tuple[float, float] | None = None,
    log_y: bool = False,
) -> go.Figure:
    """Means with confidence intervals, the seeds as small points beside them, and lines to compare with.

    Args:
        series: eight at most; each has its own colour and shape.
        places: what stands along the horizontal axis, in this order, evenly spaced.
        x_title, y_title: of the axes.
        levels: lines, four at most.
        span: lowest and highest value of the vertical axis; Plotly's own choice by default.
        log_y: a vertical axis in powers, without ``span``; an interval that holds 0 goes down to the axis.

    Returns:
        A figure of fixed height. Its traces: the levels, then for each series its seeds and its means.
    """
    figure = _plot(x_title, y_title, span)
    ticks = list(range(len(places)))
    for level, dash in zip(levels, _DASHES[1:] + _DASHES[:1], strict=False):
        values = [level.values] * len(places) if isinstance(level.values, int | float) else list(level.values)
        line = {"color": theme.GUIDE, "width": 3, "dash": dash}
        figure.add_trace(
            go.Scatter(x=ticks, y=values, mode="lines", name=level.name, line=line, hovertemplate=_hover(level.name))
        )
    for number, (one, colour, symbol) in enumerate(zip(series, theme.HEADS, _SYMBOLS, strict=False)):
        shift = (number - (len(series) - 1) / 2) * _APART
        figure.add_traces(_one_series(one, shift, colour, symbol))
    if log_y:
        figure.update_yaxes(type="log", exponentformat="power", minexponent=4, dtick=1)
    figure.update_xaxes(
        tickvals=ticks, ticktext=[markup(place) for place in places], range=[-0.5, len(places) - 0.5], showgrid=False
    )
    return figure


def courses(
    runs: Sequence[Course],
    x_title: str,
    y_title: str,
    span: tuple[float, float] | None = None,
    *,
    until: float | None = None,
) -> go.Figure:
    """How trainings go on.

    Args:
        runs: one a training; groups beyond the eighth take the colours again.
        x_title, y_title: of the axes.
        span: lowest and highest value of the vertical axis.
        until: where trainings will end, so that the axis stays while they go on; it ends with the longest if None.

    Returns:
        A figure of fixed height with one trace a course, in their order.
    """
    figure = _plot(x_title, y_title, span)
    names = list(dict.fromkeys(run.name for run in runs))
    told: set[str] = set()
    for run in runs:
        colour = theme.HEADS[names.index(run.name) % len(theme.HEADS)]
        line = {"color": colour, "width": 2.5, "dash": "dash" if run.dashed else "solid"}
        figure.add_trace(
            go.Scatter(
                x=list(run.at),
                y=list(run.values),
                mode="lines",
                name=run.name,
                legendgroup=run.name,
                showlegend=run.name not in told,
                line=line,
                hovertemplate=_hover(run.name, "%{x}"),
            )
        )
        told.add(run.name)
    return figure.update_xaxes(range=[0, until]) if until else figure.update_xaxes(rangemode="tozero")


def _one_series(one: Points, shift: float, colour: str, symbol: str) -> list[go.Scatter]:
    """The seeds, faint, and the means with their intervals."""
    held = [place for place, values in enumerate(one.values) if len(values)]
    seeds = [(place + shift + _BESIDE, value) for place in held for value in one.values[place]]
    means = [float(np.mean(one.values[place])) for place in held]
    halves = [one.halves[place] or 0.0 for place in held]
    bars = {"type": "data", "array": halves, "thickness": 2.5, "width": 8, "color": colour, "visible": any(halves)}
    return [
        go.Scatter(
            x=[x for x, _ in seeds],
            y=[y for _, y in seeds],
            mode="markers",
            marker={"color": colour, "size": 6, "opacity": 0.55, "symbol": symbol},
            showlegend=False,
            hovertemplate=_hover(say("trials.seed", name=one.name)),
        ),
        go.Scatter(
            x=[place + shift for place in held],
            y=means,
            mode="lines+markers",
            name=one.name,
            marker={"color": colour, "size": 12, "symbol": symbol},
            line={"color": colour, "width": 1.5},
            error_y=bars,
            customdata=[say("trials.half", half=half) if half else "" for half in halves],
            hovertemplate=_hover(one.name, more=" %{customdata}"),
        ),
    ]


def _plot(x_title: str, y_title: str, span: tuple[float, float] | None) -> go.Figure:
    font = {"size": theme.FONT_SIZE}
    figure = theme.figure(height=HEIGHT, margin={"l": 70, "r": 16, "t": 44, "b": 56}, showlegend=True)
    figure.update_layout(legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "font": font})
    figure.update_xaxes(title={"text": x_title, "font": font}, **theme.READING_LINES)
    figure.update_yaxes(title={"text": y_title, "font": font}, nticks=7, **theme.READING_LINES)
    return figure.update_yaxes(range=list(span)) if span else figure


def _hover(name: str, x: str = "", more: str = "") -> str:
    told = markup(name) + (f" · {x}" if x else "")
    return say("trials.hover", name=told, value="%{y:.4f}", more=more)
