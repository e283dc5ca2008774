"""A square of numbers over tokens: row = query, column = key. One head's weights, or anything made of several."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from mha_viz.arrays import BoolArray, FloatArray, expect_shape
from mha_viz.figures import theme
from mha_viz.figures.cells import check_focus, pooling_step, round_up, with_gaps
from mha_viz.figures.colour import PLAIN, Colour
from mha_viz.figures.hidden import hidden_areas
from mha_viz.figures.labels import axis_labels, hover_labels, label_width
from mha_viz.tokens import TokenSequence
from mha_viz.words import say

HEIGHT = 540
#: Labels an axis has room for; of more tokens every second, third, ... is labelled. Hovering names all of them.
_MOST_ROWS, _MOST_COLUMNS = 26, 24
_SLANTED = 8
#: Columns that have room for a label where two squares stand side by side, each with a scale.
HALF_PAGE = 12
#: Rows without a key that are written on the picture; all of them are hatched, and named on hover.
_MOST_NOTES = 8


def square_heatmap(
    values: FloatArray,
    query_tokens: TokenSequence,
    key_tokens: TokenSequence,
    *,
    highest: float | None = None,
    title: str | None = None,
    hover: str | None = None,
    focus: int | None = None,
    visible: BoolArray | None = None,
    no_key: BoolArray | None = None,
    colour: Colour = PLAIN,
    most_columns: int = _MOST_COLUMNS,
) -> go.Figure:
    """Numbers from 0 to 1, one for each query and key.

    Args:
        values: (query, key).
        query_tokens, key_tokens: what stands at the rows and columns.
        highest, title: of the colour scale: its end, the largest number rounded up if None, and its name, "weight" if None.
        hover: text over a cell, with ``%{y}`` the query, ``%{x}`` the key and ``colour.hover`` the number; None for weights.
        focus: position of a query whose row is outlined.
        visible: bool (query, key), False where there is only hatching; all True if None.
        no_key: bool (query,), rows that say that they have no key; those without a visible cell if None.
        colour: how numbers become colours.
        most_columns: labels that the columns have room for; fewer in half of a page.

    Returns:
        A figure of fixed height; trace 0 is the heatmap. Hidden cells, rows without a key and hovering as in ``head_heatmap``.

    Raises:
        InputError, RecordError: no such focus; shapes that do not fit.
    """
    seen, dead = _gaps(values, (query_tokens.n_tokens, key_tokens.n_tokens), visible, no_key)
    check_focus(focus, query_tokens.n_tokens)
    top = min(round_up(float(values.max())), 1.0) if highest is None else highest
    figure = theme.figure(height=HEIGHT, **_axes(query_tokens, key_tokens, colour.bar_width, most_columns))
    drawn = with_gaps(values.astype(np.float32, copy=False), seen)
    figure.add_traces([_cells(drawn, colour, top, hover), labelled_axes_drawn()])
    _draw_hidden(figure, seen, dead)
    if focus is not None:
        figure.add_shape(theme.outline(theme.Box(-0.5, focus - 0.5, key_tokens.n_tokens, 1)))
    figure.update_layout(coloraxis=colour.axis(top, say("figure.weight") if title is None else title))
    return figure


def labelled_axes_drawn() -> go.Scatter:
    """An empty trace: the labelled axes are drawn only if something stands on them."""
    return go.Scatter(x=[None], y=[None], hoverinfo="skip")


def _gaps(
    values: FloatArray, shape: tuple[int, int], visible: BoolArray | None, no_key: BoolArray | None
) -> tuple[BoolArray, BoolArray]:
    """Which cells are drawn and which rows have no key, checked and with what they are by default."""
    seen: BoolArray = np.broadcast_to(np.True_, shape) if visible is None else visible
    dead: BoolArray = np.logical_not(seen.max(axis=-1)) if no_key is None else no_key
    expect_shape("values", values, shape)
    expect_shape("visible", seen, shape)
    expect_shape("no_key", dead, shape[:1])
    return seen, dead


def key_axis(labels: list[str], most: int = _MOST_COLUMNS) -> tuple[dict[str, object], float]:
    """For columns of keys: the labelled axis on top, and the pixels that its labels reach up. ``hover_axis`` lies over it."""
    slanted = len(labels) <= _SLANTED
    axis = _labelled((-0.5, len(labels) - 0.5), labels, most, say("figure.key_axis"))
    reach = max(map(label_width, labels)) * theme.CHARACTER_WIDTH * (0.7 if slanted else 1.0)
    return axis | {"side": "top", "tickangle": -40 if slanted else -90}, reach


def hover_axis(names: list[str], span: tuple[float, float], over: str) -> dict[str, object]:
    """An axis without labels whose tick texts, long and for every token, are what hovering shows."""
    texts = {"tickmode": "array", "tickvals": list(range(len(names))), "ticktext": names}
    return theme.bare_axis(span, overlaying=over, **texts)


def _cells(values: FloatArray, colour: Colour, top: float, hover: str | None) -> go.Heatmap:
    """The heatmap, on a second pair of axes without labels: their tick texts, long and for every token, are what hovering
    shows, while the first pair shows short labels for as many tokens as there is room for."""
    text = hover or say("figure.hover_cell", query="%{y}", key="%{x}", weight=colour.hover)
    return go.Heatmap(
        **colour.cells(values, top),
        coloraxis="coloraxis",
        xaxis="x2",
        yaxis="y2",
        hovertemplate=text + "<extra></extra>",
        hoverongaps=False,
    )


def _axes(queries: TokenSequence, keys: TokenSequence, bar_width: int, most_columns: int) -> dict[str, object]:
    """Integer axes with texts, never words as values: Plotly would merge equal words and read dates."""
    columns, rows = (-0.5, keys.n_tokens - 0.5), (queries.n_tokens - 0.5, -0.5)
    above, reach = key_axis(axis_labels(keys), most_columns)
    query_texts = axis_labels(queries)
    return {
        "xaxis": above,
        "yaxis": _labelled(rows, query_texts, _MOST_ROWS, say("figure.query_axis")),
        "xaxis2": hover_axis(hover_labels(keys), columns, "x"),
        "yaxis2": hover_axis(hover_labels(queries), rows, "y"),
        "margin": {
            "l": 58 + max(map(label_width, query_texts)) * theme.CHARACTER_WIDTH,
            "t": 38 + reach,
            "r": bar_width,
            "b": 8,
            "autoexpand": False,
        },
    }


def _labelled(span: tuple[float, float], texts: list[str], most: int, title: str) -> dict[str, object]:
    shown = range(0, len(texts), pooling_step(len(texts), most))
    return theme.bare_axis(
        span,
        showticklabels=True,
        tickmode="array",
        tickvals=list(shown),
        ticktext=[texts[position] for position in shown],
        tickfont={"size": theme.FONT_SIZE},
        title={"text": title, "font": {"size": theme.FONT_SIZE}, "standoff": 10},
        automargin=False,
    )


def _draw_hidden(figure: go.Figure, visible: BoolArray, no_key: BoolArray) -> None:
    """Hatching under what is not drawn, and the words for rows without a key."""
    if visible.all():
        return
    n_query, n_key = visible.shape
    areas = hidden_areas(visible)
    figure.add_layout_image(theme.hatched(areas, theme.Box(-0.5, -0.5, n_key, n_query)))
    if theme.NO_KEY not in areas:
        return
    rows = np.flatnonzero(no_key)
    figure.add_trace(
        go.Scatter(
            x=np.full(len(rows), (n_key - 1) / 2),
            y=rows,
            mode="markers",
            marker={"opacity": 0.01, "size": 12, "color": theme.NO_KEY.colour},
            xaxis="x2",
            yaxis="y2",
            hovertemplate=say("figure.hover_no_key", query="%{y}") + "<extra></extra>",
        )
    )
    for box in areas[theme.NO_KEY][:_MOST_NOTES]:
        figure.add_annotation(
            x=(n_key - 1) / 2,
            y=box.y + box.height / 2,
            text=say("figure.no_key"),
            showarrow=False,
            bgcolor="rgba(255,255,255,.92)",
            font={"size": theme.FONT_SIZE, "color": "#a61e1e"},
        )
