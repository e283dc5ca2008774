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
#: Of an axis in powers: decades that are written at most, with how few 2 and 5 are written too, and powers written out.
_MOST_DECADES, _FEW_DECADES, _FACTORS, _PLAIN = 7, 2.5, (1, 2, 5), (-3, 5)
_FONT = {"size": theme.FONT_SIZE}


class Line(NamedTuple):
    """One series.

    Attributes:
        name: in the legend.
        at: (point,) along the horizontal axis.
        values: (point,); None where there is none.
        halves: (point,) of the confidence intervals; None where none is known.
        below: (point,) of their lower halves, where those are not the same.
        formula: drawn without points and dashed: what theory says, or a claim.
        colour: which of ``theme.HEADS``; -1 for the grey of lines that help to read; its place among the series if None.
    """

    name: str
    at: Sequence[float]
    values: Sequence[float | None]
    halves: Sequence[float | None] | None = None
    formula: bool = False
    colour: int | None = None
    below: Sequence[float | None] | None = None


def lines(
    series: Sequence[Line],
    x_title: str,
    y_title: str,
    *,
    log_x: bool = False,
    log_y: bool = False,
    span: tuple[float, float] | None = None,
    level: float | None = None,
    floor: float | None = None,
    ceiling: float = math.inf,
    height: int = HEIGHT,
) -> go.Figure:
    """Values against a number.

    Args:
        series: eight at most.
        x_title, y_title: of the axes.
        log_x, log_y: axes in powers; values of 0 and less are left out there. Along x exactly the measured numbers are written.
        span: lowest and highest value of the vertical axis.
        level: a height to compare with.
        floor: with ``log_y``, a power of ten where smaller values are drawn, 0 among them; the axis says so.
        ceiling: with ``floor``, the highest end that the axis may have; lines leave the picture there.
        height: in pixels.

    Returns:
        A figure of fixed height with one trace a series.
    """
    series = series if floor is None else [_lifted(line, floor) for line in series]
    figure = theme.figure(height=height, margin={"l": 76, "r": 16, "t": 44, "b": 56}, showlegend=True)
    figure.update_layout(legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "font": _FONT})
    figure.add_traces([_line(line, place) for place, line in enumerate(series)])
    if level is not None:
        figure.add_hline(y=level, line={"color": theme.GUIDE, "width": 3, "dash": "dash"})
    figure.update_xaxes(title={"text": x_title, "font": _FONT}, **theme.READING_LINES)
    figure.update_yaxes(title={"text": y_title, "font": _FONT}, nticks=7, **theme.READING_LINES)
    if log_x:
        at = sorted({x for line in series for x in line.at})
        figure.update_xaxes(type="log", tickmode="array", tickvals=at, ticktext=[f"{x:,g}" for x in at])
    if log_y:
        ticks = _round_numbers(series) if floor is None else _decades(series, floor, ceiling)
        figure.update_yaxes({"type": "log", "exponentformat": "power", "minexponent": 4} | ticks)
    ends = [math.log10(end) if log_y else end for end in span or ()]
    return figure.update_yaxes(range=ends or figure.layout.yaxis.range)


def _lifted(line: Line, floor: float) -> Line:
    """What is below the floor stands on it, and no interval goes lower."""
    values = [None if value is None else max(value, floor) for value in line.values]
    halves = line.below if line.below is not None else line.halves or [None] * len(values)
    below = [min(half or 0.0, (value or floor) - floor) for half, value in zip(halves, values, strict=True)]
    return line._replace(values=values, below=below)


def _decades(series: Sequence[Line], floor: float, ceiling: float) -> dict[str, object]:
    """An axis from the floor to the power of ten above the largest value, with few powers of ten written."""
    lowest = round(math.log10(floor))
    largest = max((value for line in series for value in line.values if value is not None), default=1.0)
    highest = max(lowest + 1, math.ceil(math.log10(min(largest, ceiling))))
    powers = range(lowest, highest + 1, max(1, math.ceil((highest - lowest) / 6)))
    texts = [_ten_to(power) for power in powers]
    return {
        "range": [lowest - 0.3, highest + 0.3],
        "tickmode": "array",
        "tickvals": [10.0**power for power in powers],
        "ticktext": [f"≤ {texts[0]}", *texts[1:]],
    }


def _line(line: Line, place: int) -> go.Scatter:
    number = place if line.colour is None else line.colour
    colour = theme.GUIDE if number < 0 else theme.HEADS[number % len(theme.HEADS)]
    halves = [half or 0.0 for half in line.halves] if line.halves is not None else []
    below = [half or 0.0 for half in line.below] if line.below is not None else None
    return go.Scatter(
        x=list(line.at),
        y=list(line.values),
        mode="lines" if line.formula else "lines+markers",
        name=line.name,
        line={"color": colour, "width": 3, "dash": "dash" if line.formula else _DASHES[place // len(theme.HEADS) % 4]},
        marker={"color": colour, "size": 9},
        error_y={"type": "data", "array": halves, "arrayminus": below, "symmetric": below is None}
        | {"thickness": 2, "width": 6, "color": colour, "visible": any(halves)},
        hovertemplate=say("trials.hover", name=f"{markup(line.name)} · %{{x:,}}", value="%{y:.4~g}", more=""),
    )


def _round_numbers(series: Sequence[Line]) -> dict[str, object]:
    """Ticks at powers of ten, and at 2 and 5 between them where there are few: Plotly writes those too small to read."""
    values = [value for line in series for value in line.values if value is not None and value > 0]
    low, high = math.log10(min(values, default=1.0)) - 0.2, math.log10(max(values, default=1.0)) + 0.2
    step = max(1, math.ceil((high - low) / _MOST_DECADES))
    powers = range(math.floor(low), math.ceil(high) + 1, step)
    factors = _FACTORS if high - low <= _FEW_DECADES else _FACTORS[:1]
    at = [(factor, power) for power in powers for factor in factors if low <= power + math.log10(factor) <= high]
    return {
        "tickmode": "array",
        "tickvals": [factor * 10.0**power for factor, power in at],
        "ticktext": [_power_text(factor, power) for factor, power in at],
    }


def _power_text(factor: int, power: int) -> str:
    if _PLAIN[0] <= power <= _PLAIN[1]:
        return f"{factor * 10.0**power:,g}"
    before = "" if factor == 1 else f"{factor} · "
    return before + _ten_to(power)


def _ten_to(power: int) -> str:
    return f"10<sup>{power}</sup>".replace("-", "\u2212")


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
    palette: str = "viridis",
    turned: bool = False,
    numbers: bool = True,
) -> go.Figure:
    """Maps of equal shape side by side, on one scale.

    Args:
        shown: four at most.
        rows, columns: what stands at the queries and keys, already safe or made safe here.
        scale: title of the scale.
        low, high: its ends; the largest number if ``high`` is None.
        outlined: for each map, cells (row, column) to outline.
        height: in pixels.
        palette: of the colours.
        turned: whether its colours run the other way round.
        numbers: whether they stand in the cells of small maps; several maps beside one another have no room for them on a phone.

    Returns:
        A figure of fixed height; trace i is map i.
    """
    n_rows, n_columns = shown[0].values.shape
    boxes = [theme.Box(place * n_columns * (1 + _GAP), 0, n_columns, n_rows) for place in range(len(shown))]
    extent = theme.Box(0, 0, boxes[-1].x + n_columns, n_rows)
    finite = np.concatenate([one.values[np.isfinite(one.values)] for one in shown])
    top = high if high is not None else float(finite.max(initial=low + 1e-9))
    figure = theme.figure(height=height, **_map_axes(rows, columns, boxes, extent))
    for one, box in zip(shown, boxes, strict=True):
        figure.add_trace(_map(one, box, rows, columns, numbers))
        figure.add_annotation(_map_title(one.title, box, figure.layout.margin.t))
    figure.add_trace(labelled_axes_drawn())
    _hatch(figure, shown, boxes, extent)
    _outline(figure, outlined, boxes)
    colours = theme.colour_axis(top, scale, palette) | {"cmin": low, "reversescale": turned}
    return figure.update_layout(coloraxis=colours)


def _hatch(figure: go.Figure, shown: Sequence[Map], boxes: Sequence[theme.Box], extent: theme.Box) -> None:
    """Hatches the cells without a number."""
    areas: dict[theme.Hatching, list[theme.Box]] = {}
    for one, box in zip(shown, boxes, strict=True):
        for kind, hatched in hidden_areas(~np.isnan(one.values), box.x, box.y).items():
            areas.setdefault(kind, []).extend(hatched)
    if areas:
        figure.add_layout_image(theme.hatched(areas, extent, side=1.6 * boxes[0].width))


def _outline(figure: go.Figure, outlined: Sequence[Sequence[tuple[int, int]]], boxes: Sequence[theme.Box]) -> None:
    for cells, box in zip(outlined, boxes, strict=False):
        for row, column in cells:
            figure.add_shape(theme.outline(theme.Box(box.x + column, row, 1, 1)))


def _map(one: Map, box: theme.Box, rows: Sequence[str], columns: Sequence[str], numbers: bool) -> go.Heatmap:
    written = numbers and max(one.values.shape) <= _MOST_WRITTEN
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
    rows: Sequence[str], columns: Sequence[str], boxes: list[theme.Box], extent: theme.Box
) -> dict[str, object]:
    reach = max(map(len, columns), default=0) * theme.CHARACTER_WIDTH
    slanted = max(map(len, columns), default=0) > 2
    across = [(box.x + place + 0.5, markup(text)) for box in boxes for place, text in enumerate(columns)]
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
