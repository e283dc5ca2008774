"""Several heatmaps of the same tokens side by side in one figure, each with its own scale below it.

All stand on one pair of axes, as the heads of a grid do; a second pair under them holds the full texts for hovering.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from mha_viz.arrays import FloatArray
from mha_viz.figures import theme
from mha_viz.figures.cells import pooling_step
from mha_viz.figures.grid import ranges
from mha_viz.figures.hidden import hidden_areas
from mha_viz.figures.labels import axis_labels, label_width
from mha_viz.tokens import TokenSequence
from mha_viz.trace import AttentionTrace, LayerTrace
from mha_viz.words import say

#: Cells on a side of each heatmap; of more tokens several are pooled into one.
MOST_CELLS = 64
HEIGHT = 440
#: Between two heatmaps, as a share of one; room for the ends of two scales.
_GAP = 0.2
_TITLE, _AXIS_TITLE, _BELOW = 28, 24, 40  # pixels
_ROW, _COLUMN = 17, 18  # pixels that a label needs
#: Width the labels are thinned for.
_WIDTH = 880


class Panel(NamedTuple):
    """One heatmap.

    Attributes:
        title: above it.
        values: float32 (row, column), pooled; NaN where hidden.
        low, high: the ends of its scale.
        colours: of the scale.
        hover: text, with ``%{x}`` the key and ``%{y}`` the query.
    """

    title: str
    values: FloatArray
    low: float
    high: float
    colours: object
    hover: str


def panel_step(trace: AttentionTrace | LayerTrace) -> int:
    """Tokens that a cell of heatmaps side by side covers on each side; 1 if every cell is exact."""
    return pooling_step(max(trace.query_tokens.n_tokens, trace.key_tokens.n_tokens), MOST_CELLS)


def side_by_side(trace: AttentionTrace | LayerTrace, panels: Sequence[Panel], focus: int | None = None) -> go.Figure:
    """A figure of fixed height; trace i is panel i. ``focus`` is a query whose row is outlined in all of them."""
    step = panel_step(trace)
    n_rows, n_columns = panels[0].values.shape
    boxes = [theme.Box(place * n_columns * (1 + _GAP), 0, n_columns, n_rows) for place in range(len(panels))]
    extent = theme.Box(0, 0, boxes[-1].x + n_columns, n_rows)
    figure = theme.figure(height=HEIGHT, **_axes(trace, boxes, extent, step))
    for index, (panel, box) in enumerate(zip(panels, boxes, strict=True)):
        axis = f"coloraxis{index + 1 if index else ''}"
        figure.add_trace(_heatmap(panel, box, axis))
        scale = (box.x / extent.width, box.width / extent.width)
        figure.update_layout({axis: _scale(panel, *scale)})
        for text in (_title(panel.title, box, figure.layout.margin.t - _TITLE), *_ends(panel, box)):
            figure.add_annotation(text)
        if focus is not None:
            figure.add_shape(theme.outline(theme.Box(box.x, focus // step, box.width, 1)))
    # The labelled axes are drawn only if something stands on them.
    figure.add_trace(go.Scatter(x=[None], y=[None], hoverinfo="skip"))
    _draw_hidden(figure, panels, boxes, extent)
    return figure


def _heatmap(panel: Panel, box: theme.Box, axis: str) -> go.Heatmap:
    return go.Heatmap(
        z=panel.values,
        x0=box.x + 0.5,
        dx=1,
        y0=0.5,
        dy=1,
        xaxis="x2",
        yaxis="y2",
        coloraxis=axis,
        hovertemplate=panel.hover + "<extra></extra>",
        hoverongaps=False,
    )


def _axes(
    trace: AttentionTrace | LayerTrace, boxes: list[theme.Box], extent: theme.Box, step: int
) -> dict[str, object]:
    key_texts, query_texts = axis_labels(trace.key_tokens), axis_labels(trace.query_tokens)
    longest_key, longest_query = (max(map(label_width, texts)) for texts in (key_texts, query_texts))
    left, reach = 30 + longest_query * theme.CHARACTER_WIDTH, 6 + longest_key * theme.CHARACTER_WIDTH
    top = _TITLE + _AXIS_TITLE + reach
    columns = _thinned(key_texts, step, (_WIDTH - left) / (len(boxes) * (1 + _GAP)) / _COLUMN)
    rows = _thinned(query_texts, step, (HEIGHT - top - _BELOW) / _ROW)
    across, down = (0.0, extent.width), (extent.height, 0.0)
    return {
        "xaxis": _labelled(across, [(box.x + place, text) for box in boxes for place, text in columns], "key")
        | {"side": "top", "tickangle": -90},
        "yaxis": _labelled(down, rows, "query"),
        "xaxis2": theme.bare_axis(across, overlaying="x", **_texts(_full(trace.key_tokens, step, boxes))),
        "yaxis2": theme.bare_axis(down, overlaying="y", **_texts(_full(trace.query_tokens, step, boxes[:1]))),
        "margin": {"l": left, "t": top, "r": 14, "b": _BELOW, "autoexpand": False},
    }


def _thinned(texts: list[str], step: int, most: float) -> list[tuple[float, str]]:
    """Places and texts of as many labels as have room; a cell of several tokens has the label of its first."""
    every = step * pooling_step(len(texts[::step]), max(int(most), 1))
    return [(position // step + 0.5, texts[position]) for position in range(0, len(texts), every)]


def _full(tokens: TokenSequence, step: int, boxes: list[theme.Box]) -> list[tuple[float, str]]:
    return [(box.x + place + 0.5, text) for box in boxes for place, text in enumerate(ranges(tokens, step))]


def _labelled(span: tuple[float, float], places: list[tuple[float, str]], axis: str) -> dict[str, object]:
    title = {"text": say(f"figure.{axis}_axis"), "font": {"size": theme.FONT_SIZE}, "standoff": 6}
    return theme.bare_axis(
        span,
        showticklabels=True,
        tickfont={"size": theme.FONT_SIZE},
        title=title,
        automargin=False,
        **_texts(places),
    )


def _texts(places: list[tuple[float, str]]) -> dict[str, object]:
    return {
        "tickmode": "array",
        "tickvals": [round(place, 3) for place, _ in places],
        "ticktext": [text for _, text in places],
    }


def _title(text: str, box: theme.Box, above: float) -> dict[str, object]:
    place = {"y": 1, "yanchor": "bottom", "yshift": above}
    return _text(f"<b>{text}</b>", box.x + box.width / 2, "center") | place


def _text(text: str, x: float, anchor: str) -> dict[str, object]:
    font = {"size": theme.FONT_SIZE}
    return {"x": x, "xref": "x", "xanchor": anchor, "yref": "paper", "text": text, "showarrow": False, "font": font}


def _scale(panel: Panel, left: float, width: float) -> dict[str, object]:
    """The panel's scale below it; what stands on it are texts of their own, which keep within the panel."""
    axis = theme.colour_axis_below(panel.low, panel.high, panel.colours, left, width)
    bar = axis["colorbar"]
    assert isinstance(bar, dict)
    return axis | {"colorbar": bar | {"showticklabels": False}}


def _ends(panel: Panel, box: theme.Box) -> list[dict[str, object]]:
    places = [(panel.low, box.x, "left"), (panel.high, box.x + box.width, "right")]
    if panel.low < 0 and len(theme.number(panel.low)) <= 5:
        places.insert(1, (0.0, box.x + box.width / 2, "center"))
    return [
        _text(theme.number(value), x, anchor) | {"y": 0, "yanchor": "top", "yshift": -16} for value, x, anchor in places
    ]


def _draw_hidden(figure: go.Figure, panels: Sequence[Panel], boxes: list[theme.Box], extent: theme.Box) -> None:
    """One picture of hatching under all panels, and a hover text for rows without a key."""
    areas: dict[theme.Hatching, list[theme.Box]] = {}
    for panel, box in zip(panels, boxes, strict=True):
        visible = ~np.isnan(panel.values)
        for kind, hatched in hidden_areas(visible, box.x, box.y).items():
            areas.setdefault(kind, []).extend(hatched)
    if areas:
        figure.add_layout_image(theme.hatched(areas, extent, side=1.6 * boxes[0].width))
    dead = [
        (box.x + box.width / 2, row + 0.5)
        for panel, box in zip(panels, boxes, strict=True)
        for row in np.flatnonzero(np.isnan(panel.values).all(axis=1))
    ]
    if dead:
        x, y = zip(*dead, strict=True)
        figure.add_trace(
            go.Scatter(
                x=x,
                y=y,
                mode="markers",
                marker={"opacity": 0.01, "size": 12, "color": theme.NO_KEY.colour},
                xaxis="x2",
                yaxis="y2",
                hovertemplate=say("figure.hover_no_key", query="%{y}") + "<extra></extra>",
            )
        )
