"""What is lost as heads go, one order beside another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from mha_viz.arrays import FloatArray, IntArray
from mha_viz.figures import theme
from mha_viz.words import say

_HEIGHT = 330
_DASHES = ("solid", "dash", "dot")


class Curve(NamedTuple):
    """One line.

    Attributes:
        name: what it is called.
        removed: (step,), how many heads are gone.
        values: (step,), what is left.
    """

    name: str
    removed: IntArray
    values: FloatArray


def removal_curves(curves: Sequence[Curve], title: str, *, gone: int | None = None) -> go.Figure:
    """What is left against how many heads are gone.

    Args:
        curves: lines, three at most: each has its own colour and dashes.
        title: of the vertical axis.
        gone: a number of heads to mark.

    Returns:
        A figure of fixed height; its traces are the curves in their order.
    """
    figure = theme.figure(height=_HEIGHT, margin={"l": 70, "r": 16, "t": 40, "b": 54}, showlegend=True)
    font = {"size": theme.FONT_SIZE}
    figure.update_layout(legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "font": font})
    for curve, colour, dash in zip(curves, theme.HEADS, _DASHES, strict=False):
        figure.add_trace(
            go.Scatter(
                x=curve.removed,
                y=curve.values,
                mode="lines",
                name=curve.name,
                line={"color": colour, "width": 3, "dash": dash},
                hovertemplate=say("figure.hover_removed", count="%{x}", value="%{y:.4f}"),
            )
        )
    if gone is not None:
        figure.add_vline(x=gone, line={"color": theme.GUIDE, "width": 2, "dash": "dash"})
    figure.update_xaxes(title={"text": say("figure.removed"), "font": font}, rangemode="tozero", **theme.READING_LINES)
    return figure.update_yaxes(title={"text": title, "font": font}, nticks=6, **theme.READING_LINES)
