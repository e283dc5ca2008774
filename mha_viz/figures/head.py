"""One head large: row = query, column = key."""

from __future__ import annotations

import plotly.graph_objects as go

from mha_viz.figures.cells import check_place, highest_weight
from mha_viz.figures.colour import PLAIN, Colour
from mha_viz.figures.square import HEIGHT as HEIGHT
from mha_viz.figures.square import square_heatmap
from mha_viz.trace import Reading
from mha_viz.words import say


def head_heatmap(
    trace: Reading,
    layer: int,
    head: int,
    *,
    focus: int | None = None,
    highest: float | None = None,
    colour: Colour = PLAIN,
) -> go.Figure:
    """The weights of one head.

    Args:
        trace: a run.
        layer, head: from 0.
        focus: position of a query whose row is outlined.
        highest: weight at the end of the colour scale; if None the largest of the layer, or of the head if the colours are not
            shared.
        colour: how weights become colours; hovering names the weight itself.

    Returns:
        A figure of fixed height. A hidden cell is hatched grey and has no colour; a query without a key is a row hatched red
        that says so. Hovering names both tokens with their positions, and the exact weight.

    Raises:
        InputError: no such layer, head or focus.
    """
    check_place(trace, layer, head)
    top = highest if highest is not None else highest_weight(trace, layer, None if colour.shared else head)
    return square_heatmap(
        trace.weights[layer, head],
        trace.query_tokens,
        trace.key_tokens,
        highest=top,
        title=say("figure.weight"),
        focus=focus,
        visible=trace.visible[layer, head],
        no_key=trace.no_key[layer, head],
        colour=colour,
    )
