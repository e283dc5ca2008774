"""Types of heads: a matrix of layers by heads, and heads placed on a map. One colour a type in both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.colors
import plotly.graph_objects as go

from mha_viz.arrays import FloatArray
from mha_viz.controls import HeadId
from mha_viz.figures import theme
from mha_viz.figures.matrix import matrix_layout
from mha_viz.words import say

MAP_HEIGHT = 560
#: Heads on a map that are named on it; of more, pointing names them.
_MOST_NAMED = 40


def type_colours(names: Sequence[str]) -> dict[str, str]:
    """A colour for each type, in their order; the last one is grey."""
    return dict(zip(names, [*theme.TYPES[: len(names) - 1], theme.GUIDE], strict=True))


def type_matrix(
    types: Sequence[Sequence[str]],
    titles: Mapping[str, str],
    notes: Sequence[Sequence[str]],
    chosen: HeadId | None = None,
) -> go.Figure:
    """The type of every head.

    Args:
        types: names by layer and head; "" where nothing can be told.
        titles: of each type, in their order, to be written in the cells.
        notes: what stands after a head's name and type on hover.
        chosen: a head to outline.

    Returns:
        A figure as high as its layers need; trace 0 is the matrix.
    """
    names = list(titles)
    colours = type_colours(names)
    n_layers, n_heads = len(types), len(types[0])
    codes = [[names.index(name) if name else None for name in row] for row in types]
    steps = [(place, colours[name]) for i, name in enumerate(names) for place in (i / len(names), (i + 1) / len(names))]
    figure = theme.figure(**matrix_layout(n_layers, n_heads, right=10))
    figure.add_trace(
        go.Heatmap(
            z=codes,
            zmin=-0.5,
            zmax=len(names) - 0.5,
            colorscale=steps,
            showscale=False,
            text=[[titles.get(name, "–") for name in row] for row in types],
            customdata=[list(row) for row in notes],
            texttemplate="%{text}",
            textfont={"size": theme.FONT_SIZE, "color": "#ffffff"},
            xgap=2,
            ygap=2,
            hoverongaps=False,
            hovertemplate=say("figure.hover_head", head="%{y} %{x}", value="%{text}", note="%{customdata}"),
        )
    )
    if chosen is not None:
        figure.add_shape(theme.outline(theme.Box(chosen.head - 0.5, chosen.layer - 0.5, 1, 1)))
    return figure


def head_map(
    points: FloatArray,
    n_heads: int,
    groups: Sequence[str],
    colours: Mapping[str, str],
    *,
    chosen: int | None = None,
    notes: Sequence[str] = (),
) -> go.Figure:
    """Heads as dots: the nearer, the more alike.

    Args:
        points: (head, 2) in flat order, layer * n_heads + head.
        n_heads: of a layer.
        groups: which group each head belongs to, by title.
        colours: of each group; their order is that of the legend.
        chosen: flat number of a head to ring.
        notes: a line about each head for pointing at it.

    Returns:
        A figure of fixed height with equal scales across and down; the last trace holds one dot a head, in flat order.
    """
    names = [str(HeadId(*divmod(place, n_heads))) for place in range(len(points))]
    figure = theme.figure(height=MAP_HEIGHT, margin={"l": 8, "r": 8, "t": 8, "b": 8}, showlegend=True)
    _add_legend(figure, colours)
    ring = {"width": [4 if place == chosen else 0 for place in range(len(points))], "color": theme.ACCENT}
    marker = {"size": 15, "color": [colours[group] for group in groups], "line": ring}
    lines = notes or [""] * len(points)
    figure.add_trace(
        go.Scatter(
            x=points[:, 0],
            y=points[:, 1],
            mode="markers",
            text=names,
            marker=marker,
            customdata=[f"{group}<br>{line}" if line else group for group, line in zip(groups, lines, strict=True)],
            hovertemplate=say("figure.hover_dot", head="%{text}", note="%{customdata}"),
            showlegend=False,
        )
    )
    _name(figure, points, names, chosen)
    span = float(np.abs(points).max(initial=0.0)) * 1.12 or 1.0
    axis = theme.bare_axis((-span, span))
    return figure.update_layout(xaxis=axis, yaxis=axis | {"scaleanchor": "x"})


def _add_legend(figure: go.Figure, colours: Mapping[str, str]) -> None:
    """An empty trace for each group, for its colour and name."""
    for group, ink in colours.items():
        marker = {"size": 13, "color": ink}
        figure.add_trace(go.Scatter(x=[None], y=[None], mode="markers", marker=marker, name=group, hoverinfo="skip"))
    legend = {"font": {"size": theme.FONT_SIZE}, "orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
    figure.update_layout(legend=legend)


def _name(figure: go.Figure, points: FloatArray, names: list[str], chosen: int | None) -> None:
    """The chosen head's name above it; every head's, where there are few."""
    for place, name in enumerate(names):
        if place != chosen and len(names) > _MOST_NAMED:
            continue
        text, size = (f"<b>{name}</b>", 2) if place == chosen else (name, 0)
        at = {"x": float(points[place, 0]), "y": float(points[place, 1]), "yshift": 19, "showarrow": False}
        figure.add_annotation(text=text, font={"size": theme.FONT_SIZE + size}, **at)


def layer_colours(n_layers: int) -> dict[str, str]:
    """A colour for each layer, dark to light."""
    shares = [0.15 + 0.75 * layer / max(n_layers - 1, 1) for layer in range(n_layers)]
    colours = plotly.colors.sample_colorscale(theme.PALETTES["viridis"], shares)
    return {say("map.layer", layer=layer): colour for layer, colour in enumerate(colours)}
