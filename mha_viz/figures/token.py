"""One token in one head: what it gives to each key, or what each query gives to it."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from mha_viz.arrays import BoolArray, FloatArray, expect_shape
from mha_viz.figures import theme
from mha_viz.figures.cells import round_up
from mha_viz.figures.labels import axis_labels, hover_labels, label_width
from mha_viz.tokens import TokenSequence
from mha_viz.words import say

#: Bars that have room for their names; of more tokens those with the largest weights are drawn.
MOST_BARS = 40
_BARS = 190  # pixels


def bar_places(weights: FloatArray, visible: BoolArray) -> list[int]:
    """The tokens that ``token_bars`` draws, in order: all that may be seen, or the MOST_BARS with the largest weights."""
    allowed = np.flatnonzero(visible)
    largest = allowed[np.argsort(-weights[allowed], kind="stable")[:MOST_BARS]]
    return sorted(int(place) for place in largest)


def token_bars(
    weights: FloatArray,
    visible: BoolArray,
    tokens: TokenSequence,
    title: str,
    *,
    even: float | None = None,
    colour: str,
) -> go.Figure:
    """A bar for each token, in the order of the sentence.

    Args:
        weights: (token,).
        visible: bool (token,), False for tokens without a bar.
        tokens: of the bars.
        title: of the axis.
        even: where even attention would be, as a dashed line; None for none.
        colour: of the bars.

    Raises:
        RecordError: shapes do not fit.
    """
    expect_shape("weights", weights, (tokens.n_tokens,))
    expect_shape("visible", visible, weights.shape)
    places = bar_places(weights, visible)
    labels, names = axis_labels(tokens), hover_labels(tokens)
    figure = theme.figure(**_layout([labels[place] for place in places], title))
    figure.add_trace(
        go.Bar(
            x=list(range(len(places))),
            y=weights[places],
            marker={"color": colour},
            customdata=[names[place] for place in places],
            hovertemplate=say("figure.hover_token_bar", token="%{customdata}", weight="%{y:.4f}"),
        )
    )
    if even is not None:
        line = {"color": theme.GUIDE, "width": 2, "dash": "dash"}
        figure.add_shape(type="line", x0=-0.5, x1=len(places) - 0.5, y0=even, y1=even, line=line)
    top = min(round_up(max(float(weights[places].max(initial=0.0)), even or 0.0)), 1.0)
    return figure.update_yaxes(range=[0, top * 1.05])


def _layout(labels: list[str], title: str) -> dict[str, object]:
    """As high as the longest name needs, so that the bars are always equally high."""
    reach = max(map(label_width, labels), default=1.0) * theme.CHARACTER_WIDTH
    margin = {"l": 62, "r": 8, "t": 10, "b": round(reach) + 14}
    font = {"size": theme.FONT_SIZE}
    shown = list(range(len(labels)))
    ticks = {"tickmode": "array", "tickvals": shown, "ticktext": labels, "tickfont": font, "tickangle": -90}
    return {
        "height": _BARS + margin["t"] + margin["b"],
        "margin": margin,
        "xaxis": theme.bare_axis((-0.5, max(len(labels), 1) - 0.5)) | ticks | {"showticklabels": True},
        "yaxis": {
            "title": {"text": title, "font": font},
            "tickfont": font,
            "nticks": 5,
            "fixedrange": True,
            "gridcolor": "rgba(134,142,150,.25)",
            "zeroline": False,
        },
    }
