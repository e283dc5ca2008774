"""How far heads are from one another: a table of all pairs, and two kinds of distance against each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from mha_viz.arrays import FloatArray
from mha_viz.figures import theme
from mha_viz.words import say

HEIGHT = 440
#: Heads whose names, and whose numbers, have room; of more, pointing tells them.
_MOST_NAMED, _MOST_NUMBERED = 20, 8
_MARGIN = {"l": 46, "r": 28, "b": 46, "autoexpand": False}


def head_distances(
    distances: FloatArray,
    names: Sequence[str],
    groups: Sequence[int],
    *,
    highest: float,
    palette: str = "viridis",
) -> go.Figure:
    """The distance of every head to every other.

    Args:
        distances: (head, head), in the order in which the heads are to stand; NaN where there is none.
        names: of the heads.
        groups: how many heads beside one another belong together, from the first on; a group of several is outlined.
        highest: the end of the scale, the largest distance that can be.
        palette: of the colours.

    Returns:
        A figure of fixed height; trace 0 is the table. Up to 8 heads the numbers stand in it.
    """
    n_heads = len(names)
    figure = theme.figure(height=HEIGHT, margin=_MARGIN | {"t": 34 if n_heads <= _MOST_NAMED else 6})
    numbered = {"texttemplate": "%{z:.2f}", "textfont": {"size": theme.FONT_SIZE}} if n_heads <= _MOST_NUMBERED else {}
    figure.add_trace(
        go.Heatmap(
            z=distances.astype(np.float32),
            coloraxis="coloraxis",
            xgap=1 if n_heads <= _MOST_NAMED else 0,
            ygap=1 if n_heads <= _MOST_NAMED else 0,
            hoverongaps=False,
            customdata=[[say("figure.pair", one=one, other=other) for other in names] for one in names],
            hovertemplate=say("figure.hover_head", head="%{customdata}", value="%{z:.2f}", note=""),
            **numbered,
        )
    )
    first = 0
    for size in groups:
        if size > 1:
            figure.add_shape(theme.outline(theme.Box(first - 0.5, first - 0.5, size, size)))
        first += size
    ticks = _ticks(names)
    figure.update_xaxes(**theme.bare_axis((-0.5, n_heads - 0.5)) | ticks | {"side": "top"})
    figure.update_yaxes(**theme.bare_axis((n_heads - 0.5, -0.5)) | ticks)
    return figure.update_layout(coloraxis=theme.colour_axis_below(0.0, highest, theme.PALETTES[palette], 0.0, 1.0))


def _ticks(names: Sequence[str]) -> dict[str, object]:
    """Every head's name, if there is room for all of them."""
    if len(names) > _MOST_NAMED:
        return {}
    return {
        "tickmode": "array",
        "tickvals": list(range(len(names))),
        "ticktext": list(names),
        "tickfont": {"size": theme.FONT_SIZE},
        "showticklabels": True,
    }


def pair_distances(
    one: FloatArray,
    other: FloatArray,
    names: Sequence[str],
    titles: tuple[str, str],
    highest: tuple[float, float],
    cuts: tuple[float, float],
) -> go.Figure:
    """One kind of distance against another, a dot for each pair of heads.

    Args:
        one, other: (pair,), along the horizontal and the vertical axis; NaN for pairs that cannot be compared.
        names: of the pairs.
        titles: of the axes.
        highest: their ends, the largest distances that can be.
        cuts: the distances up to which heads count as alike, as dashed lines.

    Returns:
        A figure of fixed height; trace 0 holds the dots.
    """
    font = {"size": theme.FONT_SIZE}
    figure = theme.figure(height=HEIGHT, margin={"l": 70, "r": 16, "t": 12, "b": 56})
    many = len(names) > 200
    figure.add_trace(
        go.Scatter(
            x=one.astype(np.float32),
            y=other.astype(np.float32),
            mode="markers",
            marker={"size": 6 if many else 10, "color": theme.VISIBLE, "opacity": 0.45 if many else 0.8},
            text=list(names),
            hovertemplate=say("figure.hover_head", head="%{text}", value="%{x:.2f} · %{y:.2f}", note=""),
        )
    )
    dashed = {"color": theme.ACCENT, "width": 2, "dash": "dash"}
    figure.add_vline(x=cuts[0], line=dashed)
    figure.add_hline(y=cuts[1], line=dashed)
    figure.update_xaxes(title={"text": titles[0], "font": font}, range=[0, highest[0] * 1.02], **theme.READING_LINES)
    figure.update_yaxes(title={"text": titles[1], "font": font}, range=[0, highest[1] * 1.04], **theme.READING_LINES)
    return figure
