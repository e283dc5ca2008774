"""Queries and keys of one head in a plane, where a query and a key that find each other point the same way."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from mha_viz.analysis.vectors import Projected
from mha_viz.arrays import FloatArray
from mha_viz.figures import theme
from mha_viz.figures.labels import axis_labels, hover_labels
from mha_viz.tokens import TokenSequence
from mha_viz.words import say

HEIGHT = 560
#: Tokens whose names stand beside their points; of more, pointing names them.
_MOST_NAMED = 40
QUERY, KEY = theme.HEADS[1], theme.HEADS[0]


def vector_plane(
    points: Projected,
    tokens: TokenSequence,
    *,
    focus: int | None = None,
    weights: FloatArray | None = None,
    most: int = 5,
) -> go.Figure:
    """Queries and keys as points.

    Args:
        points: of one head.
        tokens: what they are of.
        focus: a query that is joined by lines with the keys it weighs most.
        weights: (key,) of that query.
        most: how many lines.

    Returns:
        A figure of fixed height with equal scales across and down. Trace 0 holds the queries, trace 1 the keys, in order.
    """
    figure = theme.figure(height=HEIGHT, margin={"l": 8, "r": 8, "t": 8, "b": 8}, showlegend=True)
    names = hover_labels(tokens)
    for kind, places, ink, symbol in (("query", points.query, QUERY, "diamond"), ("key", points.key, KEY, "circle")):
        figure.add_trace(
            go.Scatter(
                x=places[:, 0],
                y=places[:, 1],
                mode="markers",
                name=say(f"figure.{kind}_point"),
                marker={"size": 12, "color": ink, "symbol": symbol, "opacity": 0.85},
                text=names,
                hovertemplate=say("figure.hover_point", token="%{text}", kind=say(f"figure.{kind}_point")),
            )
        )
    if focus is not None and weights is not None:
        _join(figure, points, focus, weights, most)
    _name(figure, points, axis_labels(tokens), focus)
    legend = {"font": {"size": theme.FONT_SIZE}, "orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
    across, down = (_span(points, axis) for axis in (0, 1))
    return figure.update_layout(
        legend=legend, xaxis=theme.bare_axis(across), yaxis=theme.bare_axis(down, scaleanchor="x")
    )


def _span(points: Projected, axis: int) -> tuple[float, float]:
    """From the smallest to the largest coordinate, 0 among them, with room for names."""
    both = np.concatenate([points.query[:, axis], points.key[:, axis], [0.0]])
    low, high = float(both.min()), float(both.max())
    room = 0.1 * (high - low) or 1.0
    return low - room, high + room


def _name(figure: go.Figure, points: Projected, labels: list[str], focus: int | None) -> None:
    """Names of all keys of a short sentence, or else of the followed token; of one query; and where 0 is."""
    few = list(range(len(labels))) if len(labels) <= _MOST_NAMED else [] if focus is None else [focus]
    for place in few:
        _write(figure, labels[place], points.key[place], KEY)
    if focus is not None:
        _write(figure, labels[focus], points.query[focus], QUERY)
    _write(figure, "0", np.zeros(2), theme.GUIDE)


def _join(figure: go.Figure, points: Projected, focus: int, weights: FloatArray, most: int) -> None:
    """Lines from a query to the keys it weighs most, as thick as the weight."""
    for key in np.argsort(-weights, kind="stable")[:most]:
        if weights[key] <= 0:
            continue
        (x0, y0), (x1, y1) = points.query[focus], points.key[key]
        line = {"color": theme.ACCENT, "width": 1.5 + 6 * float(weights[key])}
        figure.add_shape(type="line", x0=x0, y0=y0, x1=x1, y1=y1, line=line, layer="below", opacity=0.8)


def _write(figure: go.Figure, text: str, place: FloatArray, ink: str) -> None:
    font = {"size": theme.FONT_SIZE, "color": ink}
    figure.add_annotation(x=float(place[0]), y=float(place[1]), text=text, yshift=15, showarrow=False, font=font)
