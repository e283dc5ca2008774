"""Lines of measurements on linear or logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from mha_viz.figures import theme
from mha_viz.figures.labels import markup
from mha_viz.figures.trials import HEIGHT
from mha_viz.words import say

_DASHES = ("solid", "dash", "dot", "dashdot")
#: Of an axis in powers: decades that are written at most, with how few 2 and 5 are written too, and powers written out.
_MOST_DECADES, _FEW_DECADES, _FACTORS, _PLAIN = 7, 2.5, (1, 2, 5), (-3, 5)
#: Of a power of ten whose end an interval has: sums are off by less.
_ROUNDING = 1e-6
_FONT = {"size": theme.FONT_SIZE}


class Line(NamedTuple):
    """One series.

    Attributes:
        name: in the legend.
        at: (point,) along the horizontal axis.
        values: (point,); None where there is none.
        halves: (point,) of the confidence intervals; None where none is known.
        below: (point,) of their lower halves, where those are not the same.
        dash: which of the dashes of a line with points, so that a line under it is seen; by its place among the series if None.
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
    dash: int | None = None


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
        floor: with ``log_y``, a power of ten where smaller values are drawn, 0 among them; the axis says so if there are any.
        ceiling: with ``floor``, a power of ten where larger values are drawn; the axis says so if there are any.
        height: in pixels.

    Returns:
        A figure of fixed height with one trace a series.
    """
    measured, series = series, series if floor is None else [_held(line, floor, ceiling) for line in series]
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
        ticks = _round_numbers(series) if floor is None else _decades(measured, series, floor, ceiling)
        figure.update_yaxes({"type": "log", "exponentformat": "power", "minexponent": 4} | ticks)
    ends = [math.log10(end) if log_y else end for end in span or ()]
    return figure.update_yaxes(range=ends or figure.layout.yaxis.range)


def _held(line: Line, floor: float, ceiling: float) -> Line:
    """What is below the floor stands on it, what is above the ceiling at it, and no interval leaves the two."""
    above = line.halves or [None] * len(line.values)
    below = line.below if line.below is not None else above
    values: list[float | None] = []
    halves, lower = [], []
    for value, up, down in zip(line.values, above, below, strict=True):
        ends = [(value or 0.0) + step for step in (-(down or 0.0), 0.0, up or 0.0)]
        low, middle, high = (min(max(end, floor), ceiling) for end in ends)
        values.append(None if value is None else middle)
        halves.append(high - middle)
        lower.append(middle - low)
    return line._replace(values=values, halves=halves, below=lower)


def _decades(measured: Sequence[Line], drawn: Sequence[Line], floor: float, ceiling: float) -> dict[str, object]:
    """An axis that holds all that is drawn, intervals too, with few powers of ten written; its ends tell what they also hold."""
    ends = [end for line in drawn for end in _reach(line)] or [floor, 1.0]
    lowest = math.floor(math.log10(min(ends)) + _ROUNDING)
    highest = max(lowest + 1, math.ceil(math.log10(max(ends)) - _ROUNDING))
    powers = range(lowest, highest + 1, max(1, math.ceil((highest - lowest) / 6)))
    values = [value for line in measured for value in line.values if value is not None]
    texts = {power: _ten_to(power) for power in powers}
    if min(values, default=floor) < floor:
        texts[powers[0]] = f"≤ {texts[powers[0]]}"
    if max(values, default=0.0) > ceiling:
        texts[highest] = f"≥ {_ten_to(highest)}"
        if powers[-1] != highest:  # its text would stand on that of the ceiling
            texts.pop(powers[-1])
    return {
        "range": [lowest - 0.3, highest + 0.3],
        "tickmode": "array",
        "tickvals": [10.0**power for power in texts],
        "ticktext": list(texts.values()),
    }


def _reach(line: Line) -> Iterator[float]:
    """Both ends of every point's interval, of a line that is held."""
    for value, up, down in zip(line.values, line.halves or (), line.below or (), strict=True):
        if value is not None:
            yield from (value - (down or 0.0), value + (up or 0.0))


def _line(line: Line, place: int) -> go.Scatter:
    number = place if line.colour is None else line.colour
    colour = theme.GUIDE if number < 0 else theme.HEADS[number % len(theme.HEADS)]
    dash = place // len(theme.HEADS) % len(_DASHES) if line.dash is None else line.dash
    halves = [half or 0.0 for half in line.halves] if line.halves is not None else []
    below = [half or 0.0 for half in line.below] if line.below is not None else None
    return go.Scatter(
        x=list(line.at),
        y=list(line.values),
        mode="lines" if line.formula else "lines+markers",
        name=line.name,
        line={"color": colour, "width": 3, "dash": "dash" if line.formula else _DASHES[dash]},
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
