"""The overview of all heads as a Plotly figure, for files: the same cells, colours, order, bars and marks as on the canvas."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from mha_viz.arrays import BoolArray, FloatArray
from mha_viz.controls import HeadId
from mha_viz.figures import theme
from mha_viz.figures.colour import PLAIN, Colour
from mha_viz.figures.labels import markup
from mha_viz.figures.overview import HIDDEN, HIGHEST, Caption, Thumbnails, thumbnails
from mha_viz.trace import Reading
from mha_viz.words import say

WIDTH = 1_100
#: Pixels: of a thumbnail, of what stands above and below it, of names at the edges, of the scale.
_SMALLEST, _LARGEST, _GAP, _NAME, _BAR, _EDGE, _RIGHT = 26, 220, 8, 22, 6, 40, 96
#: A thumbnail that has room for its name, and for the name and a number.
_NAMED, _NUMBERED = 52, 96
_MOST_COLUMNS = 16
#: How strongly heads that a filter leaves out are drawn.
_FAINT = 0.18


class _Grid(NamedTuple):
    """Where the thumbnails stand, in pixels from the top left corner of the plot.

    Attributes:
        columns, rows: of thumbnails.
        tile: side of one.
        name: room above each.
        table: whether a row is a layer and a column a head.
    """

    columns: int
    rows: int
    tile: float
    name: int
    table: bool

    def box(self, slot: int) -> theme.Box:
        row, column = divmod(slot, self.columns)
        return theme.Box(column * (self.tile + _GAP), row * self.down + self.name, self.tile, self.tile)

    @property
    def down(self) -> float:
        return self.name + self.tile + 3 + _BAR + _GAP

    @property
    def extent(self) -> theme.Box:
        return theme.Box(0, 0, self.columns * (self.tile + _GAP) - _GAP, self.rows * self.down)


def print_overview(
    reading: Reading,
    colour: Colour = PLAIN,
    *,
    pictures: Thumbnails | None = None,
    caption: Caption | None = None,
    order: npt.NDArray[np.int_] | None = None,
    chosen: HeadId | None = None,
    sorted_by_metric: bool = False,
) -> go.Figure:
    """All heads of all layers.

    Args:
        reading: where the heads read.
        colour: how weights become colours.
        pictures: its thumbnails, where they are at hand.
        caption: numbers, bars and filter, as on the page; None for none.
        order: flat numbers of the heads, from first to last; by layer if None.
        chosen: a head to outline.
        sorted_by_metric: False if ``order`` is by layer and head.

    Returns:
        A figure of its own width and height; trace 0 holds the cells of all thumbnails, NaN where hidden and between them, trace
        1 a point in the middle of each head, to hover. Each cell is the largest weight of the tokens it covers, in 254 steps
        of the scale, as on the page.
    """
    drawn = pictures or thumbnails(reading, colour)
    n_layers, n_heads = drawn.codes.shape[:2]
    heads = np.arange(n_layers * n_heads) if order is None else order
    grid = _grid(n_layers, n_heads, len(heads), table=not sorted_by_metric)
    figure = theme.figure(width=WIDTH, height=round(grid.extent.height) + 2 * _EDGE, **_axes(grid))
    figure.add_trace(_cells(drawn, heads, grid, colour))
    figure.add_trace(_points(heads, n_heads, grid, caption))
    _hatch(figure, drawn, heads, grid)
    annotations = _edges(n_layers, n_heads, grid) if grid.table else []
    if grid.name:
        annotations += _names(heads, n_heads, grid, caption)
    shapes = [] if caption is None else _marks(caption, heads, grid, colour)
    if chosen is not None:
        places = np.flatnonzero(heads == chosen.layer * n_heads + chosen.head)
        shapes += [theme.outline(grid.box(int(place))) for place in places]
    return figure.update_layout(annotations=annotations, shapes=shapes, coloraxis=_scale(drawn, colour))


def _grid(n_layers: int, n_heads: int, count: int, *, table: bool) -> _Grid:
    """A row a layer if that leaves room for each head; otherwise as many in a row as have room for their names."""
    room = WIDTH - _EDGE - _RIGHT + _GAP
    columns = n_heads
    table = table and room / n_heads - _GAP >= _SMALLEST
    if not table:
        columns = max(1, min(count, _MOST_COLUMNS, math.floor(room / (_NAMED + _GAP))))
    tile = min(room / columns - _GAP, _LARGEST)
    return _Grid(columns, math.ceil(count / columns), tile, _NAME if tile >= _NAMED else 0, table)


def _axes(grid: _Grid) -> dict[str, object]:
    """Axes in pixels."""
    return {
        "xaxis": theme.bare_axis((0, WIDTH - _EDGE - _RIGHT)),
        "yaxis": theme.bare_axis((grid.extent.height, 0)),
        "margin": {"l": _EDGE, "r": _RIGHT, "t": _EDGE, "b": _EDGE, "autoexpand": False},
    }


def _cells(drawn: Thumbnails, heads: npt.NDArray[np.int_], grid: _Grid, colour: Colour) -> go.Heatmap:
    """One heatmap for all heads: what lies between them is a column or a row without numbers."""
    n_heads, side = drawn.codes.shape[1], drawn.codes.shape[-1]
    step = side + 1
    z = np.full((grid.rows * step, grid.columns * step), np.nan, dtype=np.float32)
    for slot, number in enumerate(heads):
        row, column = divmod(slot, grid.columns)
        place = divmod(int(number), n_heads)
        values = _values(drawn.codes[place], float(drawn.ends[place]), colour)
        z[row * step : row * step + side, column * step : column * step + side] = values
    across = _borders([grid.box(column).x for column in range(grid.columns)], grid.tile, side)
    down = _borders([grid.box(row * grid.columns).y for row in range(grid.rows)], grid.tile, side)
    return go.Heatmap(z=z, x=across, y=down, coloraxis="coloraxis", hoverinfo="skip", hoverongaps=False)


def _borders(starts: list[float], tile: float, side: int) -> list[float]:
    """Borders of the cells along an axis; after each head one of what lies between."""
    inner = [start + tile * cell / side for start in starts for cell in range(side + 1)]
    return [*inner, starts[-1] + tile + _GAP]


def _values(codes: npt.NDArray[np.uint8], end: float, colour: Colour) -> FloatArray:
    """Where cells stand on the scale that is printed: weights on a linear one, shares of it on others or where each head has its
    own; NaN where hidden."""
    shares = np.where(codes == HIDDEN, np.nan, codes / HIGHEST)
    return shares * end if colour.scale == "linear" and colour.shared else shares


def _scale(drawn: Thumbnails, colour: Colour) -> dict[str, object]:
    if colour.shared:
        return colour.axis(float(drawn.ends.max()), say("figure.weight"))
    axis = theme.colour_axis(1.0, say("figure.weight"), colour.palette)
    bar = axis["colorbar"]
    assert isinstance(bar, dict)
    ends = {"tickmode": "array", "tickvals": [0, 1], "ticktext": ["0", say("print.own_end")]}
    return axis | {"colorbar": bar | ends}


def _points(heads: npt.NDArray[np.int_], n_heads: int, grid: _Grid, caption: Caption | None) -> go.Scatter:
    """What hovering shows of each head."""
    boxes = [grid.box(slot) for slot in range(len(heads))]
    texts = []
    for number in map(int, heads):
        notes = (caption.values[number], caption.notes[number]) if caption else ()
        texts.append(" ".join(filter(None, (str(HeadId(*divmod(number, n_heads))), *map(markup, notes)))))
    return go.Scatter(
        x=[box.x + box.width / 2 for box in boxes],
        y=[box.y + box.height / 2 for box in boxes],
        mode="markers",
        marker={"opacity": 0.01, "size": max(grid.tile / 2, 8), "color": theme.GUIDE},
        text=texts,
        hoverinfo="text",
    )


def _hatch(figure: go.Figure, drawn: Thumbnails, heads: npt.NDArray[np.int_], grid: _Grid) -> None:
    gaps: BoolArray = (drawn.codes == HIDDEN).any(axis=(-2, -1)).ravel()
    boxes = [grid.box(slot) for slot, number in enumerate(heads) if gaps[number]]
    if boxes:
        figure.add_layout_image(theme.hatched({theme.HIDDEN: boxes}, grid.extent, side=200))


def _text(text: str, x: float, y: float, anchor: str, *, bold: bool = False) -> dict[str, object]:
    return {
        "x": x,
        "y": y,
        "xanchor": anchor,
        "yanchor": "middle",
        "text": f"<b>{text}</b>" if bold else text,
        "showarrow": False,
        "font": {"size": theme.FONT_SIZE},
    }


def _edges(n_layers: int, n_heads: int, grid: _Grid) -> list[dict[str, object]]:
    """Names of layers and heads along the edges."""
    layers = [grid.box(layer * grid.columns) for layer in range(n_layers)]
    texts = [_text(f"L{layer}", -8, box.y + box.height / 2, "right", bold=True) for layer, box in enumerate(layers)]
    if grid.name:
        return texts
    every = 2 if grid.tile + _GAP < 40 else 1
    boxes = [(head, grid.box(head)) for head in range(0, n_heads, every)]
    return texts + [_text(f"H{head}", box.x + box.width / 2, -14, "center", bold=True) for head, box in boxes]


def _names(heads: npt.NDArray[np.int_], n_heads: int, grid: _Grid, caption: Caption | None) -> list[dict[str, object]]:
    """Each head's name above it, and its number where there is room."""
    texts = []
    for slot, number in enumerate(map(int, heads)):
        box = grid.box(slot)
        texts.append(_text(str(HeadId(*divmod(number, n_heads))), box.x, box.y - _NAME / 2, "left"))
        if caption and caption.values[number] and grid.tile >= _NUMBERED:
            value = markup(caption.values[number])
            texts.append(_text(value, box.x + box.width, box.y - _NAME / 2, "right"))
    return texts


def _marks(caption: Caption, heads: npt.NDArray[np.int_], grid: _Grid, colour: Colour) -> list[dict[str, Any]]:
    """Bars below the heads, and a veil over those that the filter leaves out."""
    palette, shares = theme.stops(colour.palette), caption.shares.ravel()
    shapes: list[dict[str, Any]] = []
    for slot, number in enumerate(map(int, heads)):
        box, share = grid.box(slot), float(shares[number])
        if not math.isnan(share):
            share = min(max(share, 0.0), 1.0)
            hue = palette[round(share * (len(palette) - 1))]
            bar = theme.Box(box.x, box.y + box.height + 3, box.width, _BAR)
            shapes.append(_filled(bar, theme.INK, 0.25))
            shapes.append(_filled(bar._replace(width=box.width * max(share, 0.03)), hue, 1.0))
        if caption.faint.ravel()[number]:
            shapes.append(_filled(box._replace(height=box.height + 3 + _BAR), theme.PAPER, 1 - _FAINT))
    return shapes


def _filled(box: theme.Box, hue: str, opacity: float) -> dict[str, Any]:
    plain = theme.outline(box, width=0)
    return plain | {"fillcolor": hue, "opacity": opacity, "layer": "above", "line": {"width": 0}}
