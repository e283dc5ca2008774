"""One head large: row = query, column = key."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from mha_viz.figures import theme
from mha_viz.figures.cells import check_focus, check_place, highest_weight, pooling_step, with_gaps
from mha_viz.figures.colour import PLAIN, Colour
from mha_viz.figures.hidden import hidden_areas
from mha_viz.figures.labels import axis_labels, hover_labels, label_width
from mha_viz.tokens import TokenSequence
from mha_viz.trace import Reading
from mha_viz.words import say

HEIGHT = 540
#: Labels an axis has room for; of more tokens every second, third, ... is labelled. Hovering names all of them.
_MOST_ROWS, _MOST_COLUMNS = 26, 24
_SLANTED = 8
#: Rows without a key that are written on the picture; all of them are hatched, and named on hover.
_MOST_NOTES = 8


def head_heatmap(
    trace: Reading,
    layer: int,
    head: int,
    *,
    focus: int | None = None,
    highest: float | None = None,
    colour: Colour = PLAIN,
) -> go.Figure:
    """The weights of one head.

    Args:
        trace: a run.
        layer, head: from 0.
        focus: position of a query whose row is outlined.
        highest: weight at the end of the colour scale; if None the largest of the layer, or of the head if the colours are not
            shared.
        colour: how weights become colours; hovering names the weight itself.

    Returns:
        A figure of fixed height. A hidden cell is hatched grey and has no colour; a query without a key is a row hatched red
        that says so. Hovering names both tokens with their positions, and the exact weight.

    Raises:
        InputError: no such layer, head or focus.
    """
    check_place(trace, layer, head)
    check_focus(focus, trace.n_tokens)
    top = highest if highest is not None else highest_weight(trace, layer, None if colour.shared else head)
    figure = theme.figure(height=HEIGHT, **_axes(trace, colour.bar_width))
    figure.add_trace(_cells(trace, layer, head, colour, top))
    # The labelled axes are drawn only if something stands on them.
    figure.add_trace(go.Scatter(x=[None], y=[None], hoverinfo="skip"))
    _draw_hidden(figure, trace, layer, head)
    if focus is not None:
        figure.add_shape(theme.outline(theme.Box(-0.5, focus - 0.5, trace.key_tokens.n_tokens, 1)))
    figure.update_layout(coloraxis=colour.axis(top, say("figure.weight")))
    return figure


def _cells(trace: Reading, layer: int, head: int, colour: Colour, top: float) -> go.Heatmap:
    """The heatmap, on a second pair of axes without labels: their tick texts, long and for every token, are what hovering
    shows, while the first pair shows short labels for as many tokens as there is room for."""
    return go.Heatmap(
        **colour.cells(with_gaps(trace.weights[layer, head], trace.visible[layer, head]), top),
        coloraxis="coloraxis",
        xaxis="x2",
        yaxis="y2",
        hovertemplate=say("figure.hover_cell", query="%{y}", key="%{x}", weight=colour.hover) + "<extra></extra>",
        hoverongaps=False,
    )


def _axes(trace: Reading, bar_width: int) -> dict[str, object]:
    """Integer axes with texts, never words as values: Plotly would merge equal words and read dates."""
    keys, queries = trace.key_tokens, trace.query_tokens
    columns, rows = (-0.5, keys.n_tokens - 0.5), (queries.n_tokens - 0.5, -0.5)
    key_texts, query_texts = axis_labels(keys), axis_labels(queries)
    slanted = keys.n_tokens <= _SLANTED
    longest_key, longest_query = (max(map(label_width, texts)) for texts in (key_texts, query_texts))
    reach = longest_key * theme.CHARACTER_WIDTH * (0.7 if slanted else 1.0)
    return {
        "xaxis": _labelled(columns, key_texts, _MOST_COLUMNS, say("figure.key_axis"))
        | {"side": "top", "tickangle": -40 if slanted else -90},
        "yaxis": _labelled(rows, query_texts, _MOST_ROWS, say("figure.query_axis")),
        "xaxis2": theme.bare_axis(columns, overlaying="x", **_hover_texts(keys)),
        "yaxis2": theme.bare_axis(rows, overlaying="y", **_hover_texts(queries)),
        "margin": {
            "l": 58 + longest_query * theme.CHARACTER_WIDTH,
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


def _hover_texts(tokens: TokenSequence) -> dict[str, object]:
    return {"tickmode": "array", "tickvals": list(range(tokens.n_tokens)), "ticktext": hover_labels(tokens)}


def _draw_hidden(figure: go.Figure, trace: Reading, layer: int, head: int) -> None:
    """Hatching under what is not drawn, and the words for rows without a key."""
    visible, no_key = trace.visible[layer, head], trace.no_key[layer, head]
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
