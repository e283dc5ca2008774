"""Bars, side by side or on top of one another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from mha_viz.figures import theme
from mha_viz.figures.labels import markup
from mha_viz.figures.trials import HEIGHT
from mha_viz.words import say


class Bars(NamedTuple):
    """One series.

    Attributes:
        name: what it is called.
        values: (place,); None where there is none.
    """

    name: str
    values: Sequence[float | None]


def bars(
    series: Sequence[Bars],
    places: Sequence[Sequence[str]],
    y_title: str,
    *,
    log_span: tuple[float, float] | None = None,
    level: float | None = None,
    colours: Sequence[int] = tuple(range(len(theme.HEADS))),
    stacked: bool = False,
    written: Sequence[int] | None = None,
) -> go.Figure:
    """Series of bars, those of one place side by side or one on top of another.

    Args:
        series: eight at most.
        places: what stands under each group of bars, in lines.
        y_title: of the vertical axis, which begins at 0.
        log_span: both ends of an axis in powers instead; bars below its lower end, and 0, are not seen there.
        level: a height to compare with, as a dashed line.
        colours: which of ``theme.HEADS`` each series has.
        stacked: the bars of a place stand on one another, their sum above.
        written: places whose text has room; all if None. Pointing tells the others.

    Returns:
        A figure of fixed height with one trace a series.
    """
    font = {"size": theme.FONT_SIZE}
    figure = theme.figure(height=HEIGHT, margin={"l": 70, "r": 16, "t": 44, "b": 56}, showlegend=True)
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "font": font}
    figure.update_layout(barmode="stack" if stacked else "group", bargap=0.25, legend=legend)
    for one, colour in zip(series, colours, strict=False):
        figure.add_trace(_series(one, places, theme.HEADS[colour]))
    if level is not None:
        figure.add_hline(y=level, line={"color": theme.GUIDE, "width": 3, "dash": "dash"})
    if stacked:
        figure.update_layout(annotations=_sums(series))
    figure.update_xaxes(_under(places, range(len(places)) if written is None else written))
    return figure.update_yaxes(_upright(log_span), title={"text": y_title, "font": font}, nticks=6)


def _upright(log_span: tuple[float, float] | None) -> dict[str, object]:
    """The vertical axis."""
    if log_span is None:
        return {"rangemode": "tozero", "tickformat": ","} | theme.READING_LINES
    ends = [math.log10(end) for end in log_span]
    return {"type": "log", "range": ends, "exponentformat": "power", "minexponent": 4} | theme.READING_LINES


def _under(places: Sequence[Sequence[str]], written: Sequence[int]) -> dict[str, object]:
    """The horizontal axis."""
    texts = ["<br>".join(map(markup, places[place])) for place in written]
    look = {"tickvals": list(written), "ticktext": texts, "range": [-0.5, len(places) - 0.5]}
    return look | theme.READING_LINES | {"showgrid": False}


def _sums(series: Sequence[Bars]) -> list[dict[str, object]]:
    """What each stack of bars comes to, above it."""
    look = {"yanchor": "bottom", "showarrow": False, "font": {"size": theme.FONT_SIZE + 2}}
    values = [sum(value or 0.0 for value in stack) for stack in zip(*(one.values for one in series), strict=True)]
    texts = [f"<b>{value:,.0f}</b>" if value >= 100 else f"<b>{value:.3g}</b>" for value in values]
    return [{"x": place, "y": values[place], "text": text} | look for place, text in enumerate(texts)]


def _series(one: Bars, places: Sequence[Sequence[str]], colour: str) -> go.Bar:
    return go.Bar(
        x=list(range(len(places))),
        y=list(one.values),
        name=one.name,
        marker={"color": colour},
        customdata=[" ".join(map(markup, lines)) for lines in places],
        hovertemplate=say("trials.hover", name="%{customdata} · " + markup(one.name), value="%{y:.3g}", more=""),
    )
