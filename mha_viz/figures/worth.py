"""What heads are worth: a number of every head, the largest ones ranked."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from mha_viz.arrays import FloatArray
from mha_viz.controls import HeadId
from mha_viz.figures.matrix import metric_matrix
from mha_viz.words import say

#: Heads that are ranked in a panel.
RANKED = 5
#: Heads from one that is named to the next, in a narrow panel.
_EVERY = 3


def ranked_panel(values: FloatArray, highest: float, palette: str = "viridis") -> go.Figure:
    """A number of every head as a colour; the RANKED largest ones carry their rank, unless all are equal.

    Args:
        values: (layer, head), >= 0, in percent of their sum.
        highest: the end of the scale, the same for all panels that stand side by side.
        palette: of the colours.

    Returns:
        As ``metric_matrix``, without a scale.
    """
    texts = [[""] * values.shape[1] for _ in values]
    if np.ptp(values) > 1e-3 * values.max():  # beyond what rounding makes different
        for rank, place in enumerate(np.argsort(-values.ravel(), kind="stable")[:RANKED], start=1):
            layer, head = divmod(int(place), values.shape[1])
            texts[layer][head] = f"<b>{rank}</b>"
    figure = metric_matrix(values, texts, "", low=0.0, high=highest, palette=palette)
    names = [[str(HeadId(layer, head)) for head in range(values.shape[1])] for layer in range(values.shape[0])]
    # Hovering would show an axis' texts, and most of those of the heads have no room.
    hover = say("figure.hover_head", head="%{hovertext}", value="%{customdata:.2f} %", note="")
    figure.update_traces(customdata=values, hovertext=names, hovertemplate=hover)
    heads = [f"H{head}" if head % _EVERY == 0 else "" for head in range(values.shape[1])]
    figure.update_xaxes(ticktext=heads, tickangle=0)
    return figure.update_layout(coloraxis={"showscale": False}, margin={"r": 8})
