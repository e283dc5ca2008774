"""Lines between tokens as a Plotly figure, for files: the same lines, colours, dashes, widths and places as on the canvas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from mha_viz.arrays import FloatArray
from mha_viz.controls import HeadId
from mha_viz.errors import InputError
from mha_viz.figures import theme
from mha_viz.figures.labels import axis_labels, label_width, markup
from mha_viz.figures.lines import LAYOUTS, STYLES, Lines, lines_of
from mha_viz.tokens import TokenSequence
from mha_viz.trace import Reading
from mha_viz.words import say

WIDTH = 900
#: Pixels: of a row of two columns, of a token's side that stands upright, around everything, of the names of the heads.
_ROW, _SMALLEST_ROW, _UPRIGHT, _PAD, _LEGEND = 28, 16, 22, 12, 30
#: Height at which rows of two columns come closer: a browser takes a minute and more for the lines of a taller picture.
_TALLEST = 8_000
#: Height of the room for arcs, lowest arc, ring of a token that attends to itself.
_ARCS, _LOWEST, _RING = 420, 16, 9
_DASHES = dict(zip(STYLES, ("solid", "9px,5px", "1px,6px"), strict=True))
#: Steps of the root of a weight that have a width and an opacity of their own.
_STEPS = 32
#: Points of a curve.
_POINTS = 41


class _Places(NamedTuple):
    """Where tokens stand, in pixels.

    Attributes:
        width, height: of the picture.
        along: float (token,), the middle of each token: its x of arcs, its y of two columns.
        start, end: of a line, across: x of two columns; y of the tokens' upper and lower edge of arcs.
        room: pixels of the highest arc; 0 for two columns.
        upright: whether labels stand.
    """

    width: float
    height: float
    along: FloatArray
    start: float
    end: float
    room: float
    upright: bool


def print_lines(
    reading: Reading,
    heads: Sequence[HeadId | tuple[int, int]],
    *,
    least: float = 0.0,
    most: int = 0,
    focus: int | None = None,
    key: int | None = None,
    layout: str = "sides",
) -> go.Figure:
    """Several heads as lines; arguments as of ``lines_of`` and ``lines_figure``."""
    lines = lines_of(reading, [HeadId(*head) for head in heads], least=least, most=most, focus=focus, key=key)
    return lines_figure(lines, reading.query_tokens, layout)


def lines_figure(lines: Lines, tokens: TokenSequence, layout: str = "sides") -> go.Figure:
    """Lines as they stand on the page.

    Args:
        lines: what to draw.
        tokens: of the rows and columns.
        layout: one of LAYOUTS.

    Returns:
        A figure of its own width and height. A trace holds the lines of one head of about one weight, their parts divided by
        NaN; weak ones come first. Width and opacity go with the root of the weight in 32 steps.

    Raises:
        InputError: no such layout.
    """
    if layout not in LAYOUTS:
        raise InputError("error.lines_layout", got=layout, allowed=", ".join(LAYOUTS))
    labels = axis_labels(tokens)
    places = _sides(labels) if layout == "sides" else _arcs(lines, labels)
    figure = theme.figure(
        width=round(places.width),
        height=round(places.height) + _LEGEND,
        xaxis=theme.bare_axis((0, places.width)),
        yaxis=theme.bare_axis((places.height, -_LEGEND)),
        margin={"l": 0, "r": 0, "t": 0, "b": 0, "autoexpand": False},
    )
    for trace in _traces(lines, places):
        figure.add_trace(trace)
    texts = _legend(lines, places.width)
    texts += _columns(labels, lines, tokens, places) if layout == "sides" else _line(labels, lines, tokens, places)
    return figure.update_layout(annotations=texts)


def _sides(labels: list[str]) -> _Places:
    row = max(min(_ROW, _TALLEST // len(labels)), _SMALLEST_ROW)
    room = min(max(map(_text_width, labels)) + 18, 0.32 * WIDTH)
    along = _PAD + row * (np.arange(len(labels)) + 0.5)
    return _Places(WIDTH, len(labels) * row + 2 * _PAD, along, room, WIDTH - room, 0.0, upright=False)


def _arcs(lines: Lines, labels: list[str]) -> _Places:
    widths = np.array([max(_text_width(label) + 14, _UPRIGHT) for label in labels])
    natural = float(widths.sum()) + 2 * _PAD
    upright = natural > 1.5 * WIDTH and natural / len(labels) > 1.5 * _UPRIGHT
    steps = np.full(len(labels), float(max(_UPRIGHT, min(WIDTH / len(labels), 48)))) if upright else widths
    width = max(float(steps.sum()) + 2 * _PAD, 0.5 * WIDTH)
    band = max(map(_text_width, labels)) + 14 if upright else 30.0
    along = _PAD + np.cumsum(steps) - steps / 2
    places = _Places(width, 0.0, along, 0.0, 0.0, min(_ARCS, max(width / 2, 2 * _LOWEST + 20)), upright)
    spans = along[lines.key.astype(int)] - along[lines.query.astype(int)]
    # No more room than the highest arc needs, above and below.
    above, below = (float(_rise(np.array([max(way.max(initial=0.0), 0.0)]), places)[0]) for way in (-spans, spans))
    top = _PAD + max(above, 2 * _RING + 2) + _PAD
    return places._replace(height=top + band + below + 2 * _PAD, start=top, end=top + band)


def _text_width(label: str) -> float:
    return label_width(label) * 1.02 * theme.CHARACTER_WIDTH


def _traces(lines: Lines, places: _Places) -> list[go.Scatter]:
    """Lines in groups that look alike, weak ones first."""
    levels = np.ceil(np.sqrt(lines.weight) * _STEPS).astype(int)
    names = [
        (int(level), int(head)) for level, head in sorted(set(zip(levels.tolist(), lines.head.tolist(), strict=True)))
    ]
    traces = []
    for level, head in names:
        chosen = (levels == level) & (lines.head == head)
        query, key = lines.query[chosen].astype(int), lines.key[chosen].astype(int)
        x, y = _between(places, query, key) if places.room == 0 else _over(places, query, key)
        across, down = _apart(lines, head, places)
        root = level / _STEPS
        round_, hue = divmod(head, len(theme.HEADS))
        look = {"color": theme.HEADS[hue], "width": 0.9 + 5 * root, "dash": _DASHES[STYLES[round_]], "simplify": False}
        traces.append(
            go.Scatter(
                x=_joined(x + across),
                y=_joined(y + down),
                mode="lines",
                line=look,
                opacity=0.4 + 0.6 * root,
                hoverinfo="skip",
            )
        )
    return traces


def _joined(points: FloatArray) -> FloatArray:
    """(line, point) to one row, with NaN after each line."""
    return np.round(np.pad(points, ((0, 0), (0, 1)), constant_values=np.nan), 2).ravel().astype(np.float32)


def _apart(lines: Lines, head: int, places: _Places) -> tuple[float, float]:
    """How far a head's lines stand from where one head alone would draw them: two that agree are both seen."""
    count = len(lines.heads)
    by = (head - (count - 1) / 2) * min(4.0, 12 / count)
    return (0.0, by) if places.room == 0 else (by, 0.0)


def _between(places: _Places, query: FloatArray, key: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Curves from the left column to the right: x and y, (line, point)."""
    t = np.linspace(0, 1, _POINTS)
    # A cubic curve whose two inner points stand in the middle, level with its ends.
    x = places.start + (places.end - places.start) * (1.5 * t * (1 - t) + t**3)
    from_, to = places.along[query][:, None], places.along[key][:, None]
    return np.broadcast_to(x, (len(query), _POINTS)), from_ + (to - from_) * (3 * t**2 - 2 * t**3)


def _over(places: _Places, query: FloatArray, key: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Half ellipses: above if the key stands before the query, below if after it, a ring for a token and itself."""
    t = np.linspace(0, np.pi, _POINTS)
    from_, to = places.along[query][:, None], places.along[key][:, None]
    span = np.abs(to - from_)
    high = _rise(span, places)
    x = (from_ + to) / 2 + (from_ - to) / 2 * np.cos(t)
    y = np.where(to < from_, places.start - high * np.sin(t), places.end + high * np.sin(t))
    same = query == key
    x[same] = from_[same] + _RING * np.sin(2 * t)
    y[same] = places.start - _RING - 1 + _RING * np.cos(2 * t)
    return x, y


def _rise(span: FloatArray, places: _Places) -> FloatArray:
    """How high arcs of so many pixels are: neighbours are told apart, and the widest takes all the room."""
    step = float(np.diff(places.along).min(initial=places.width))
    wide = max(places.width, 2 * step)
    power = min(max(math.log(_LOWEST / places.room) / math.log(step / wide), 0.3), 0.8)
    return places.room * np.minimum(span / wide, 1.0) ** power


def _legend(lines: Lines, width: float) -> list[dict[str, object]]:
    """Which colour and which dashes are whose, as many as have room."""
    texts: list[dict[str, object]] = []
    at = float(_PAD)
    for number, head in enumerate(lines.heads):
        round_, hue = divmod(number, len(theme.HEADS))
        sign = ("━", "╍", "┈")[round_]
        if at + 84 > width and number < len(lines.heads) - 1:
            left = say("print.more_heads", count=len(lines.heads) - number)
            return [*texts, _text(markup(left), at, -_LEGEND / 2, "left")]
        texts.append(_text(f"<b style='color:{theme.HEADS[hue]}'>{sign}</b> {head}", at, -_LEGEND / 2, "left"))
        at += 78
    return texts


def _text(text: str, x: float, y: float, anchor: str, **more: object) -> dict[str, object]:
    font = {"size": theme.FONT_SIZE}
    return {
        "x": x,
        "y": y,
        "text": text,
        "xanchor": anchor,
        "yanchor": "middle",
        "showarrow": False,
        "font": font,
        **more,
    }


def _look(place: int, lines: Lines, tokens: TokenSequence, *, query: bool) -> dict[str, object]:
    """Rows of padding and rows without a key are written in another way, special tokens too."""
    font: dict[str, object] = {"size": theme.FONT_SIZE}
    if query and lines.padding[place]:
        return {"font": font, "opacity": 0.45}
    if query and lines.no_key[place]:
        return {"font": font | {"color": theme.NO_KEY.colour}}
    return {"font": font | ({"style": "italic"} if tokens.special[place] else {})}


def _columns(labels: list[str], lines: Lines, tokens: TokenSequence, places: _Places) -> list[dict[str, object]]:
    texts = []
    for place, (label, y) in enumerate(zip(labels, places.along, strict=True)):
        for query, x, anchor in ((True, places.start - 6, "right"), (False, places.end + 6, "left")):
            texts.append(_text(label, x, float(y), anchor) | _look(place, lines, tokens, query=query))
    return texts


def _line(labels: list[str], lines: Lines, tokens: TokenSequence, places: _Places) -> list[dict[str, object]]:
    texts = []
    for place, (label, x) in enumerate(zip(labels, places.along, strict=True)):
        turned = {"textangle": -90} if places.upright else {}
        text = _text(label, float(x), (places.start + places.end) / 2, "center", **turned)
        texts.append(text | _look(place, lines, tokens, query=True))
    return texts
