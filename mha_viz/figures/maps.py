"""Small heatmaps of equal shape side by side, on one scale."""

from __future__ import annotations

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

#: Between two maps, in shares of one; above them room for a title in pixels.
_GAP, _ABOVE = 0.16, 30
#: Cells of a map that have room for their numbers.
_MOST_WRITTEN = 8
_FONT = {"size": theme.FONT_SIZE}


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
    every: int = 1,
) -> go.Figure:
    """Maps of equal shape side by side, on one scale.

    Args:
        shown: four at most.
        rows, columns: what stands at the queries and keys, already safe or made safe here.
        scale, low, high: title and ends of the scale; it ends with the largest number if ``high`` is None.
        outlined: for each map, cells (row, column) to outline.
        height: in pixels.
        palette, turned: of the colours, and whether they run the other way round.
        numbers: whether they stand in the cells of small maps; several maps beside one another have no room for them on a phone.
        every: columns from one that is named to the next; hovering names them all.

    Returns:
        A figure of fixed height; trace i is map i.
    """
    n_rows, n_columns = shown[0].values.shape
    boxes = [theme.Box(place * n_columns * (1 + _GAP), 0, n_columns, n_rows) for place in range(len(shown))]
    extent = theme.Box(0, 0, boxes[-1].x + n_columns, n_rows)
    finite = np.concatenate([one.values[np.isfinite(one.values)] for one in shown])
    top = high if high is not None else float(finite.max(initial=low + 1e-9))
    figure = theme.figure(height=height, **_map_axes(rows, columns, boxes, extent, every))
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
        hovertemplate=say("trials.hover", name="%{text}", value="%{z:.4f}", more=""),
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
