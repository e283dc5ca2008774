"""Heads in sizes for files: one of a long sentence in the same 255 steps of colour as on its canvas, and all of a layer."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from mha_viz.figures.bytes import codes_of, weights_of_codes
from mha_viz.figures.colour import PLAIN, Colour
from mha_viz.figures.grid import head_grid
from mha_viz.figures.overview import HIDDEN
from mha_viz.figures.square import square_heatmap
from mha_viz.trace import Reading
from mha_viz.words import say

#: Pixels. The plot is as high as wide about, and a cell of 512 tokens takes more than one.
WIDTH, HEIGHT = 1_000, 900
#: Of all heads of a layer: as wide for its height as on the page, so that heads are square, and room for the scale.
_GRID_WIDTH, _GRID_HEIGHT, _SCALE = 690, 1_000, 100


def print_cells(
    reading: Reading, layer: int, head: int, *, focus: int | None = None, colour: Colour = PLAIN
) -> go.Figure:
    """One head, from one byte a cell.

    Args:
        reading: where the heads read.
        layer, head: from 0.
        focus: a row that is outlined.
        colour: how weights become colours.

    Returns:
        A figure of its own width and height; trace 0 is the heatmap. Its weights are those that the steps of colour stand for, at
        most half a step from the exact ones.

    Raises:
        InputError: no such layer, head or focus.
    """
    codes, top = codes_of(reading, layer, head, colour)
    steps = np.append(weights_of_codes(colour, top), 0.0)  # the last stands for hidden cells, which are not drawn
    figure = square_heatmap(
        steps[codes].astype(np.float32),
        reading.query_tokens,
        reading.key_tokens,
        highest=top,
        title=say("figure.weight"),
        focus=focus,
        visible=reading.visible[layer, head],
        no_key=reading.no_key[layer, head],
        colour=colour,
    )
    assert steps.size == HIDDEN + 1
    return figure.update_layout(width=WIDTH, height=HEIGHT)


def print_grid(reading: Reading, layer: int, *, chosen: int | None = None, colour: Colour = PLAIN) -> go.Figure:
    """All heads of a layer, named in full and with the scale beside them; otherwise as ``head_grid``.

    Args:
        reading: where the heads read.
        layer: from 0.
        chosen: a head to outline.
        colour: how weights become colours.

    Raises:
        InputError: no such layer or head.
    """
    titles = [f"L{layer} H{head}" for head in range(reading.spec.n_heads)]
    figure = head_grid(reading, layer, chosen=chosen, titles=titles, colour=colour)
    edge = _SCALE if colour.shared else 8
    figure.update_layout(
        width=_GRID_WIDTH + edge,
        height=_GRID_HEIGHT,
        margin={"l": 8, "r": edge},
        coloraxis={"showscale": colour.shared, "colorbar": {"title": {"text": say("figure.weight")}}},
    )
    return figure
