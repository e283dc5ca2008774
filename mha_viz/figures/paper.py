"""Figures for paper: white, with dark text whatever the app's theme, a width of their own, and a caption below."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from mha_viz.figures import theme
from mha_viz.figures.labels import label_width, markup

WIDTH = 900
#: Pixels of a line of the caption, and around it.
_LINE, _EDGE, _TITLE = 20, 16, 34


def on_paper(figure: go.Figure, caption: Sequence[str] = (), *, title: str = "", width: int | None = None) -> go.Figure:
    """A copy of a figure for a file.

    Args:
        figure: any of this package.
        caption: sentences that stand below it, as plain text; () for none.
        title: a line above it, as plain text; "" for none.
        width: in pixels; the figure's own, or WIDTH, if None.

    Returns:
        A figure of fixed width and height on white.
    """
    wide = int(width or figure.layout.width or WIDTH)
    lines = _lines(" ".join(caption), wide - 2 * _EDGE)
    below = len(lines) * _LINE + _EDGE if lines else 0
    above = _TITLE if title else 0
    margin = figure.layout.margin
    edges = {side: 80 if margin[side] is None else margin[side] for side in "ltrb"}
    drawn = go.Figure(figure)
    drawn.update_layout(
        width=wide,
        height=int(figure.layout.height or 450) + below + above,
        margin={**edges, "b": edges["b"] + below, "t": edges["t"] + above},
        paper_bgcolor=theme.PAPER,
        plot_bgcolor=theme.PAPER,
        font={"color": theme.INK, "size": figure.layout.font.size or theme.FONT_SIZE},
    )
    common = {"xref": "paper", "yref": "paper", "xanchor": "left", "align": "left", "showarrow": False}
    common |= {"x": 0, "xshift": _EDGE - edges["l"], "font": {"size": theme.FONT_SIZE, "color": theme.INK}}
    if title:
        shift = edges["t"] + above - 4
        drawn.add_annotation(text=f"<b>{markup(title)}</b>", y=1, yanchor="top", yshift=shift, **common)
    if lines:
        text = "<br>".join(map(markup, lines))
        drawn.add_annotation(text=text, y=0, yanchor="top", yshift=-edges["b"] - _EDGE / 2, **common)
    return drawn


def _lines(text: str, room: int) -> list[str]:
    """The text in lines of at most ``room`` pixels; a word that is longer than a line is broken."""
    most = room / (0.95 * theme.CHARACTER_WIDTH)
    lines: list[str] = []
    for word in text.split():
        if lines and label_width(f"{lines[-1]} {word}") <= most:
            lines[-1] += f" {word}"
            continue
        lines.append("")
        for character in word:
            if label_width(lines[-1] + character) > most:
                lines.append("")
            lines[-1] += character
    return lines
