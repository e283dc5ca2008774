"""One number a head: as a matrix of layers by heads with the numbers in it, and against the layers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from mha_viz.arrays import FloatArray
from mha_viz.controls import HeadId
from mha_viz.figures import theme
from mha_viz.words import say

#: Heads in a row that have room for their numbers.
_MOST_NUMBERED = 18
_ROW, _LEAST, _EDGES = 44, 150, 60  # pixels


def metric_matrix(
    values: FloatArray,
    texts: Sequence[Sequence[str]],
    title: str,
    *,
    low: float | None = None,
    high: float | None = None,
    chosen: HeadId | None = None,
    palette: str = "viridis",
    hover: str = "",
) -> go.Figure:
    """A number of every head.

    Args:
        values: (layer, head); NaN where there is none.
        texts: the numbers as they are written, by layer and head.
        title: what they are, beside the scale.
        low, high: ends of the scale; of the values if None. A scale that begins below 0 has 0 in its middle.
        chosen: a head to outline.
        palette: of the colours.
        hover: what stands after a head's name, with ``%{text}`` for its number; that alone if "".

    Returns:
        A figure as high as its layers need; trace 0 is the matrix. Rows are layers, columns heads. Beyond 18 heads in a row the
        numbers are on hover only.
    """
    n_layers, n_heads = values.shape
    figure = theme.figure(**matrix_layout(n_layers, n_heads, right=92))
    numbered = {"texttemplate": "%{text}", "textfont": {"size": theme.FONT_SIZE}} if n_heads <= _MOST_NUMBERED else {}
    figure.add_trace(
        go.Heatmap(
            z=values.astype(np.float32),
            text=[list(row) for row in texts],
            coloraxis="coloraxis",
            xgap=2,
            ygap=2,
            hoverongaps=False,
            hovertemplate=say("figure.hover_head", head="%{y} %{x}", value=hover or "%{text}", note=""),
            **numbered,
        )
    )
    if chosen is not None:
        figure.add_shape(theme.outline(theme.Box(chosen.head - 0.5, chosen.layer - 0.5, 1, 1)))
    return figure.update_layout(coloraxis=_scale(values, low, high, title, palette))


def _scale(values: FloatArray, low: float | None, high: float | None, title: str, palette: str) -> dict[str, object]:
    """The colour axis: over the values where no end is given, symmetrical about 0 where they go below it."""
    known = values[np.isfinite(values)]
    bottom = low if low is not None else float(known.min()) if known.size else 0.0
    top = high if high is not None else float(known.max()) if known.size else 1.0
    if bottom < 0:
        top = max(-bottom, top)
        return theme.colour_axis(top, title, palette) | {"cmin": -top, "colorscale": theme.DIVERGING}
    return theme.colour_axis(top if top > bottom else bottom + 1, title, palette) | {"cmin": bottom}


def metric_by_layer(values: FloatArray, title: str, *, even: FloatArray | None = None) -> go.Figure:
    """A number of every head against its layer, and the mean of each layer as a line.

    Args:
        values: (layer, head).
        title: of the axis.
        even: (layer,) what even attention would give, as a dashed line; None for none.

    Returns:
        A figure of fixed height: trace 0 the heads, trace 1 the means.
    """
    n_layers, n_heads = values.shape
    layers, heads = (places.ravel() for places in np.indices(values.shape))
    figure = theme.figure(height=300, margin={"l": 76, "r": 16, "t": 12, "b": 54}, showlegend=False)
    names = [str(HeadId(int(layer), int(head))) for layer, head in zip(layers, heads, strict=True)]
    figure.add_trace(
        go.Scatter(
            x=layers + (heads - (n_heads - 1) / 2) * 0.6 / max(n_heads, 2),
            y=values.ravel(),
            mode="markers",
            marker={"size": 9, "color": theme.VISIBLE, "opacity": 0.75},
            text=names,
            hovertemplate=say("figure.hover_head", head="%{text}", value="%{y:.3f}", note=""),
        )
    )
    means = [float(row[np.isfinite(row)].mean()) if np.isfinite(row).any() else None for row in values]
    figure.add_trace(_line(means, say("figure.layer_mean"), {"color": theme.ACCENT, "width": 3}, "lines+markers"))
    if even is not None and np.isfinite(even).all():
        dashed = {"color": theme.GUIDE, "width": 2, "dash": "dash"}
        figure.add_trace(_line(even.tolist(), say("figure.even"), dashed, "lines"))
    span = [-0.6, n_layers - 0.4]
    figure.update_xaxes(dtick=1, range=span, **_grid(say("figure.by_layer_axis")))
    figure.update_yaxes(nticks=6, **_grid(title))
    return figure


def _grid(title: str) -> dict[str, object]:
    font = {"size": theme.FONT_SIZE}
    return {"title": {"text": title, "font": font}, **theme.READING_LINES}


def _line(values: Sequence[float | None], name: str, look: dict[str, object], mode: str) -> go.Scatter:
    """One number a layer."""
    hover = say("figure.hover_line", line=name, layer="%{x}", value="%{y:.3f}")
    return go.Scatter(x=list(range(len(values))), y=list(values), mode=mode, line=look, hovertemplate=hover)


def matrix_layout(n_layers: int, n_heads: int, right: int) -> dict[str, object]:
    """Height, and names of layers and heads along integer axes; ``right`` is the room for a scale, in pixels."""

    def named(letter: str, count: int) -> dict[str, object]:
        texts = [f"{letter}{number}" for number in range(count)]
        font = {"size": theme.FONT_SIZE}
        return {
            "tickmode": "array",
            "tickvals": list(range(count)),
            "ticktext": texts,
            "tickfont": font,
            "showticklabels": True,
        }

    return {
        "height": max(_ROW * n_layers, _LEAST) + _EDGES,
        "xaxis": theme.bare_axis((-0.5, n_heads - 0.5)) | named("H", n_heads) | {"side": "top"},
        "yaxis": theme.bare_axis((n_layers - 0.5, -0.5)) | named("L", n_layers),
        "margin": {"l": 42, "r": right, "t": 34, "b": 12, "autoexpand": False},
    }
