"""Plain charts of measurements: lines on linear or logarithmic axes, and small heatmaps side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from mha_viz.arrays import FloatArray
from mha_viz.figures import theme
from mha_viz.figures.hidden import hidden_areas
from mha_viz.figures.labels import markup
from mha_viz.figures.square import labelled_axes_drawn
from mha_viz.figures.trials import HEIGHT
from mha_viz.words import say

_DASHES = ("solid", "dash", "dot", "dashdot")
#: Between two maps, in shares of one; above them room for a title in pixels.
_GAP, _ABOVE = 0.16, 30
#: Cells of a map that have room for their numbers.
_MOST_WRITTEN = 8
_FONT = {"size": theme.FONT_SIZE}


class Line(NamedTuple):
    """One series.

    Attributes:
        name: in the legend.
        at: (point,) along the horizontal axis.
        values: (point,); None where there is none.
        halves: (point,) of the confidence intervals; None where none is known.
        formula: drawn without points and dashed: what theory says, or a claim.
        colour: which of ``theme.HEADS``; -1 for the grey of lines that help to read; its place among the series if None.
    """

    name: str
    at: Sequence[float]
    values: Sequence[float | None]
    halves: Sequence[float | None] | None = None
    formula: bool = False
    colour: int | None = None


def lines(
    series: Sequence[Line],
    x_title: str,
    y_title: str,
    *,
    log_x: bool = False,
    log_y: bool = False,
    span: tuple[float, float] | None = None,
    level: float | None = None,
    height: int = HEIGHT,
) -> go.Figure:
    """Values against a number.

    Args:
        series: eight at most.
        x_title, y_title: of the axes.
        log_x, log_y: axes in powers; values of 0 and less are left out there. Along x exactly the measured numbers are written.
        span: lowest and highest value of the vertical axis.
        level: a height to compare with.
        height: in pixels.

    Returns:
        A figure of fixed height with one trace a series.
    """
    figure = theme.figure(height=height, margin={"l": 76, "r": 16, "t": 44, "b": 56}, showlegend=True)
    figure.update_layout(legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "font": _FONT})
    for place, line in enumerate(series):
        figure.add_trace(_line(line, place))
    if level is not None:
        figure.add_hline(y=level, line={"color": theme.GUIDE, "width": 3, "dash": "dash"})
    figure.update_xaxes(title={"text": x_title, "font": _FONT}, **theme.READING_LINES)
    figure.update_yaxes(title={"text": y_title, "font": _FONT}, nticks=7, **theme.READING_LINES)
    if log_x:
        at = sorted({x for line in series for x in line.at})
        figure.update_xaxes(type="log", tickmode="array", tickvals=at, ticktext=[f"{x:,g}" for x in at])
    if log_y:
        figure.update_yaxes(type="log", exponentformat="power", minexponent=4, dtick=None)
    if span is not None:
        figure.update_yaxes(range=[math.log10(end) for end in span] if log_y else list(span))
    return figure


def _line(line: Line, place: int) -> go.Scatter:
    number = place if line.colour is None else line.colour
    colour = theme.GUIDE if number < 0 else theme.HEADS[number % len(theme.HEADS)]
    halves = [half or 0.0 for half in line.halves] if line.halves is not None else []
    return go.Scatter(
        x=list(line.at),
        y=list(line.values),
        mode="lines" if line.formula else "lines+markers",
        name=line.name,
        line={"color": colour, "width": 3, "dash": "dash" if line.formula else _DASHES[place // len(theme.HEADS) % 4]},
        marker={"color": colour, "size": 9},
        error_y={"type": "data", "array": halves, "thickness": 2, "width": 6, "color": colour, "visible": any(halves)},
        hovertemplate=say("trials.hover", name=f"{markup(line.name)} · %{{x:,}}", value="%{y:.4~g}", more=""),
    )


class Map(NamedTuple):
    """One of several maps.

    Attributes:
        title: above it.
        values: (row, column); NaN where a cell is hidden. A row of NaN only has no number at all and is hatched red.
    """

    title: str
    values: FloatArray


def maps(
    shown: Sequence[Map],
    rows: Sequence[str],
    columns: Sequence[str],
    scale: str,
    *,
    low: float = 0.0,
    high: float | None = None,
    outlined: Sequence[Sequence[tuple[int, int]]] = (),
    height: int = HEIGHT,
    every: int = 1,
) -> go.Figure:
    """Maps of equal shape side by side, on one scale.

    Args:
        shown: four at most.
        rows, columns: what stands at the queries and keys, already safe or made safe here.
        scale, low, high: title and ends of the scale; it ends with the largest number if ``high`` is None.
        outlined: for each map, cells (row, column) to outline.
        height, every: in pixels; columns from one that is named to the next (hovering names them all).

    Returns:
        A figure of fixed height; trace i is map i. Numbers stand in the cells of small maps.
    """
    n_rows, n_columns = shown[0].values.shape
    boxes = [theme.Box(place * n_columns * (1 + _GAP), 0, n_columns, n_rows) for place in range(len(shown))]
    extent = theme.Box(0, 0, boxes[-1].x + n_columns, n_rows)
    numbers = np.concatenate([one.values[np.isfinite(one.values)] for one in shown])
    top = high if high is not None else float(numbers.max(initial=low + 1e-9))
    figure = theme.figure(height=height, **_map_axes(rows, columns, boxes, extent, every))
    for one, box in zip(shown, boxes, strict=True):
        figure.add_trace(_map(one, box, rows, columns))
        figure.add_annotation(_map_title(one.title, box, figure.layout.margin.t))
    figure.add_trace(labelled_axes_drawn())
    areas: dict[theme.Hatching, list[theme.Box]] = {}
    for one, box in zip(shown, boxes, strict=True):
        for kind, hatched in hidden_areas(~np.isnan(one.values), box.x, box.y).items():
            areas.setdefault(kind, []).extend(hatched)
    if areas:
        figure.add_layout_image(theme.hatched(areas, extent, side=1.6 * boxes[0].width))
    for cells, box in zip(outlined, boxes, strict=False):
        for row, column in cells:
            figure.add_shape(theme.outline(theme.Box(box.x + column, row, 1, 1)))
    return figure.update_layout(coloraxis=theme.colour_axis(top, scale) | {"cmin": low})


def _map(one: Map, box: theme.Box, rows: Sequence[str], columns: Sequence[str]) -> go.Heatmap:
    written = max(one.values.shape) <= _MOST_WRITTEN
    names = [[f"{markup(row)} → {markup(column)}" for column in columns] for row in rows]
    return go.Heatmap(
        z=one.values,
        x0=box.x + 0.5,
        dx=1,
        y0=0.5,
        dy=1,
        coloraxis="coloraxis",
        text=names,
        texttemplate="%{z:.2f}" if written else None,
        textfont=_FONT,
        hovertemplate="%{text}: <b>%{z:.4f}</b><extra></extra>",
        hoverongaps=False,
    )


def _map_title(text: str, box: theme.Box, top: float) -> dict[str, object]:
    return {
        "x": box.x + box.width / 2,
        "xref": "x",
        "y": 1,
        "yref": "paper",
        "yanchor": "bottom",
        "yshift": top - _ABOVE,
        "text": f"<b>{markup(text)}</b>",
        "showarrow": False,
        "font": _FONT,
    }


def _map_axes(
    rows: Sequence[str], columns: Sequence[str], boxes: list[theme.Box], extent: theme.Box, every: int
) -> dict[str, object]:
    reach = max(map(len, columns), default=0) * theme.CHARACTER_WIDTH
    slanted = max(map(len, columns), default=0) > 2
    named = [(place, text) for place, text in enumerate(columns) if place % every == 0]
    across = [(box.x + place + 0.5, markup(text)) for box in boxes for place, text in named]
    look = {"showticklabels": True, "tickmode": "array", "tickfont": _FONT, "automargin": False}
    left = 16 + max(map(len, rows), default=0) * theme.CHARACTER_WIDTH
    return {
        "xaxis": theme.bare_axis((0, extent.width), **look)
        | {"tickvals": [x for x, _ in across], "ticktext": [text for _, text in across]}
        | {"side": "top", "tickangle": -90 if slanted else 0},
        "yaxis": theme.bare_axis((extent.height, 0), **look)
        | {"tickvals": [place + 0.5 for place in range(len(rows))], "ticktext": [markup(row) for row in rows]},
        "margin": {"l": left, "t": _ABOVE + (reach if slanted else 18) + 6, "r": 90, "b": 8, "autoexpand": False},
    }
