"""What heads are worth: bars beside one another, and a number of every head with the largest ones ranked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from mha_viz.arrays import FloatArray
from mha_viz.controls import HeadId
from mha_viz.figures import theme
from mha_viz.figures.labels import markup
from mha_viz.figures.matrix import metric_matrix
from mha_viz.figures.trials import HEIGHT
from mha_viz.words import say

#: Heads that are ranked in a panel.
RANKED = 5
#: Heads from one that is named to the next, in a narrow panel.
_EVERY = 3


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
        sums = enumerate(sum(v or 0.0 for v in values) for values in zip(*(one.values for one in series), strict=True))
        figure.update_layout(annotations=[_sum(place, value) for place, value in sums])
    ticks = list(range(len(places))) if written is None else list(written)
    figure.update_xaxes(
        tickvals=ticks,
        ticktext=["<br>".join(map(markup, places[place])) for place in ticks],
        range=[-0.5, len(places) - 0.5],
        **theme.READING_LINES | {"showgrid": False},
    )
    if log_span is not None:
        ends = [math.log10(end) for end in log_span]
        figure.update_yaxes(type="log", range=ends, exponentformat="power", minexponent=4)
    return figure.update_yaxes(
        title={"text": y_title, "font": font}, rangemode="tozero", nticks=6, **theme.READING_LINES
    )


def _sum(place: int, value: float) -> dict[str, object]:
    """What a stack of bars comes to, above it."""
    font = {"size": theme.FONT_SIZE + 2}
    return {
        "x": place,
        "y": value,
        "yanchor": "bottom",
        "text": f"<b>{value:,.0f}</b>" if value >= 100 else f"<b>{value:.3g}</b>",
        "showarrow": False,
        "font": font,
    }


def _series(one: Bars, places: Sequence[Sequence[str]], colour: str) -> go.Bar:
    return go.Bar(
        x=list(range(len(places))),
        y=list(one.values),
        name=one.name,
        marker={"color": colour},
        customdata=[" ".join(map(markup, lines)) for lines in places],
        hovertemplate=say("trials.hover", name="%{customdata} · " + markup(one.name), value="%{y:.3g}", more=""),
    )


def ranked_panel(values: FloatArray, highest: float, palette: str = "viridis") -> go.Figure:
    """A number of every head as a colour; the RANKED largest ones carry their rank, unless all are equal.

    Args:
        values: (layer, head), >= 0, in percent of their sum.
        highest: the end of the scale, the same for all panels that stand side by side.
        palette: of the colours.

    Returns:
        As ``metric_matrix``, without a scale.
    """
    texts = [[""] * values.shape[1] for _ in values]
    if np.ptp(values) > 1e-3 * values.max():  # beyond what rounding makes different
        for rank, place in enumerate(np.argsort(-values.ravel(), kind="stable")[:RANKED], start=1):
            layer, head = divmod(int(place), values.shape[1])
            texts[layer][head] = f"<b>{rank}</b>"
    figure = metric_matrix(values, texts, "", low=0.0, high=highest, palette=palette)
    names = [[str(HeadId(layer, head)) for head in range(values.shape[1])] for layer in range(values.shape[0])]
    # Hovering would show an axis' texts, and most of those of the heads have no room.
    hover = say("figure.hover_head", head="%{hovertext}", value="%{customdata:.2f} %", note="")
    figure.update_traces(customdata=values, hovertext=names, hovertemplate=hover)
    heads = [f"H{head}" if head % _EVERY == 0 else "" for head in range(values.shape[1])]
    figure.update_xaxes(ticktext=heads, tickangle=0)
    return figure.update_layout(coloraxis={"showscale": False}, margin={"r": 8})
