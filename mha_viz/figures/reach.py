"""After how many layers each token can have been told of each other one."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from mha_viz.arrays import IntArray
from mha_viz.figures.cells import pooling_step
from mha_viz.figures.square import HALF_PAGE, square_heatmap
from mha_viz.tokens import TokenSequence
from mha_viz.words import say

#: Tokens whose cells have room for a number; numbers that a scale names.
_MOST_NUMBERED, _MOST_TICKS = 22, 8


def reach_heatmap(layers: IntArray, tokens: TokenSequence, n_layers: int) -> go.Figure:
    """The mask and what grows from it.

    Args:
        layers: int (query, token), as ``masks.layers_until`` gives them: 0 for itself, above ``n_layers`` where it is not told.
        tokens: what stands at the rows and columns.
        n_layers: how many layers there are.

    Returns:
        A figure of fixed height; trace 0 is the heatmap. What is not told within ``n_layers`` is hatched grey. The cells of a
        short sentence carry their number.
    """
    figure = square_heatmap(
        layers.astype(np.float32),
        tokens,
        tokens,
        highest=float(n_layers),
        title=say("figure.reach.layers"),
        hover=say("figure.reach.hover", query="%{y}", key="%{x}", layers="%{z:.0f}"),
        visible=layers <= n_layers,
        most_columns=HALF_PAGE,
    )
    if tokens.n_tokens <= _MOST_NUMBERED:
        figure.update_traces(texttemplate="%{z:.0f}", selector={"type": "heatmap"})
    step = pooling_step(n_layers + 1, _MOST_TICKS)
    ticks = list(range(0, n_layers + 1, step))
    return figure.update_layout(coloraxis={"colorbar": {"tickmode": "array", "tickvals": ticks}})
