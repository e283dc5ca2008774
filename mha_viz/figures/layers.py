"""What is followed from layer to layer, and weights beside norms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from mha_viz.arrays import BoolArray, FloatArray
from mha_viz.figures import theme
from mha_viz.figures.cells import pooled, round_up, with_gaps
from mha_viz.figures.colour import PLAIN, Colour
from mha_viz.figures.labels import axis_labels, hover_labels
from mha_viz.figures.panels import MOST_CELLS, Panel, side_by_side
from mha_viz.figures.square import hover_axis, key_axis, labelled_axes_drawn
from mha_viz.tokens import TokenSequence
from mha_viz.trace import AttentionTrace
from mha_viz.words import say

#: Pixels of a layer, from what suits a few to what is bearable with many.
_ROWS_HEIGHT, _TALLEST_ROW, _LOWEST_ROW = 340, 34, 18
#: Fewer pixels of fewer layers would leave no room for the texts of the colour scale.
_FEWEST_PIXELS = 100


#: Pixels for labels, whatever their length: nothing below moves when the words change.
_REACH = 100
#: Keys that the rows of layers have room for beside a square.
MOST_KEYS = 16


class Square(NamedTuple):
    """One of two pictures side by side.

    Attributes:
        title: above it.
        values: (query, key), from 0.
    """

    title: str
    values: FloatArray


def row_keys(rows: FloatArray) -> list[int]:
    """Positions of the keys that ``layer_rows`` shows, in order: all, or the ``MOST_KEYS`` that are largest in some layer."""
    largest_first = np.argsort(-rows.max(axis=0), kind="stable")
    return sorted(int(key) for key in largest_first[:MOST_KEYS])


def layer_rows(
    rows: FloatArray, tokens: TokenSequence, *, chosen: int | None = None, colour: Colour = PLAIN
) -> go.Figure:
    """What one token has of each input token, after each layer.

    Args:
        rows: (layer, key), from 0 to 1.
        tokens: of the keys.
        chosen: a layer that is outlined.
        colour: how numbers become colours.

    Returns:
        A figure whose height depends on the number of layers alone; trace 0 is the heatmap of the keys of ``row_keys``, the
        first layer on top.
    """
    keys, n_layers = row_keys(rows), len(rows)
    shown = rows[:, keys].astype(np.float32)
    top = min(round_up(float(shown.max())), 1.0)
    figure = theme.figure(coloraxis=colour.axis(top, say("figure.share")), **_axes(tokens, keys, n_layers))
    figure.layout.margin.r = colour.bar_width
    figure.add_trace(
        go.Heatmap(
            **colour.cells(shown, top),
            coloraxis="coloraxis",
            xaxis="x2",
            yaxis="y2",
            hovertemplate=say("figure.hover_after", layer="%{y}", key="%{x}", weight=colour.hover) + "<extra></extra>",
        )
    )
    figure.add_trace(labelled_axes_drawn())
    if chosen is not None:
        figure.add_shape(theme.outline(theme.Box(-0.5, chosen - 0.5, len(keys), 1)))
    return figure


def _axes(tokens: TokenSequence, keys: list[int], n_layers: int) -> dict[str, object]:
    """Height, axes and margins; as in a square, the first pair of axes is labelled and the second holds what hovering shows."""
    labels, names = ([texts[key] for key in keys] for texts in (axis_labels(tokens), hover_labels(tokens)))
    above, reach = key_axis(labels)
    height = float(np.clip(_ROWS_HEIGHT / n_layers, _LOWEST_ROW, _TALLEST_ROW)) * n_layers
    down, layers = (n_layers - 0.5, -0.5), [f"L{layer}" for layer in range(n_layers)]
    texts = {"tickmode": "array", "tickvals": list(range(n_layers)), "ticktext": layers}
    return {
        "height": round(38 + _REACH + max(height, _FEWEST_PIXELS) + 8),
        "xaxis": above,
        "yaxis": theme.bare_axis(
            down, showticklabels=True, tickfont={"size": theme.FONT_SIZE}, automargin=False, **texts
        ),
        "xaxis2": hover_axis(names, (-0.5, len(keys) - 0.5), "x"),
        "yaxis2": hover_axis(layers, down, "y"),
        "margin": {"l": 44, "t": 38 + reach, "b": 8, "autoexpand": False},
    }


def norm_heatmaps(
    trace: AttentionTrace,
    weights: Square,
    norms: Square,
    visible: BoolArray,
    *,
    focus: int | None = None,
    palette: str = "viridis",
) -> go.Figure:
    """Weights beside norms, each with its own scale from 0.

    Args:
        trace: the run that they are of.
        weights, norms: from 0; norms may exceed 1.
        visible: bool (query, key), False for what is hatched.
        focus: position of a query whose row is outlined.
        palette: of both.

    Returns:
        A figure of fixed height; traces 0 and 1 are weights and norms. Above 64 tokens each cell is the largest number of the
        tokens it covers (``panel_step`` tokens on each side).
    """
    panels = []
    for square in (weights, norms):
        cells = pooled(with_gaps(square.values.astype(np.float32), visible), MOST_CELLS).weights
        hover = say("figure.hover_stage", stage=square.title, query="%{y}", key="%{x}", value="%{z:.4f}")
        end = round_up(float(square.values.max()))
        panels.append(Panel(square.title, cells, 0.0, end, theme.PALETTES[palette], hover))
    return side_by_side(trace, panels, focus)
