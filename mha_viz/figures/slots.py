"""Which slot each head of a look-up net looks at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from mha_viz.arrays import FloatArray
from mha_viz.figures import theme
from mha_viz.figures.labels import markup
from mha_viz.figures.trials import HEIGHT
from mha_viz.words import say

#: Pixels of a row that is still read, of what is above and below the rows.
_LEAST_ROW, _EDGES = 20, 50


def slot_matrix(weights: FloatArray, heads: Sequence[int], columns: Sequence[str], title: str) -> go.Figure:
    """A row for each head, with the numbers in it.

    Args:
        weights: (head, column), 0 to 1.
        heads: (head,), their numbers.
        columns: (column,), what each is called.
        title: beside the scale.

    Returns:
        A figure as high as one of scores, higher for more than 16 heads; trace 0 is the matrix.
    """
    n_heads, n_columns = weights.shape
    names = [f"H{head}" for head in heads]
    hover = say("figure.slot_hover", head="%{customdata}", slot="%{x}", weight="%{z:.3f}")
    figure = theme.figure(
        height=max(HEIGHT, n_heads * _LEAST_ROW + _EDGES),
        margin={"l": 46, "r": 84, "t": 36, "b": 14},
        coloraxis=theme.colour_axis(1.0, title),
    )
    figure.add_trace(
        go.Heatmap(
            z=weights.astype(np.float32),
            text=[[f"{weight:.2f}" for weight in row] for row in weights],
            texttemplate="%{text}",
            textfont={"size": theme.FONT_SIZE},
            customdata=[[name] * n_columns for name in names],
            coloraxis="coloraxis",
            xgap=2,
            ygap=2,
            hovertemplate=hover,
        )
    )
    figure.update_xaxes(**_axis([markup(column) for column in columns]), side="top")
    return figure.update_yaxes(**_axis(names), autorange="reversed")


def _axis(names: Sequence[str]) -> dict[str, object]:
    """Whole numbers with names, and no lines."""
    look = {
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
        "fixedrange": True,
        "tickfont": {"size": theme.FONT_SIZE},
    }
    return look | {"tickmode": "array", "tickvals": list(range(len(names))), "ticktext": list(names)}
