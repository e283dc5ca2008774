"""What a number of heads costs, beside one head; and how well translators with several numbers of heads were published to be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from mha_viz.figures import theme
from mha_viz.figures.labels import markup
from mha_viz.figures.trials import HEIGHT
from mha_viz.words import say

#: Thick below thin, so that lines which coincide are all seen.
_LOOKS = (
    {"color": theme.HEADS[2], "width": 4, "dash": "solid"},
    {"color": theme.HEADS[5], "width": 10, "dash": "solid"},
    {"color": theme.HEADS[1], "width": 4, "dash": "dash"},
)
_FONT = {"size": theme.FONT_SIZE}
_MOST_TICKS = 6
#: Plotly's own word for where a text stands.
_ABOVE_POINT = " ".join(("top", "center"))


class Line(NamedTuple):
    """One cost.

    Attributes:
        name: what it is called.
        values: (number of heads,), as multiples of what one head costs.
    """

    name: str
    values: Sequence[float]


def cost_lines(heads: Sequence[int], lines: Sequence[Line], chosen: int | None = None) -> go.Figure:
    """Costs against the number of heads, both axes logarithmic.

    Args:
        heads: the numbers of heads, fewest first.
        lines: three at most; what grows first.
        chosen: a number of heads to mark.

    Returns:
        A figure of fixed height; its traces are the lines in their order.
    """
    figure = theme.figure(height=HEIGHT, margin={"l": 70, "r": 24, "t": 44, "b": 56}, showlegend=True)
    figure.update_layout(legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "font": _FONT})
    for line, look in zip(lines, _LOOKS, strict=False):
        name = markup(line.name)
        hover = say("figure.budget_hover", name=name, heads="%{x}", times="%{y:.4~g}")
        figure.add_trace(
            go.Scatter(
                x=list(heads), y=list(line.values), mode="lines+markers", name=name, line=look, hovertemplate=hover
            )
        )
    if chosen is not None:
        figure.add_vline(x=chosen, line={"color": theme.GUIDE, "width": 2, "dash": "dot"})
    most = max((value for line in lines for value in line.values), default=1.0)
    figure.update_xaxes(title={"text": say("figure.budget_heads"), "font": _FONT}, **_powers(heads[-1]))
    return figure.update_yaxes(title={"text": say("figure.budget_times"), "font": _FONT}, **_powers(most))


def published_scores(heads: Sequence[int], bleu: Sequence[float], perplexity: Sequence[float]) -> go.Figure:
    """Translators with several numbers of heads at equal compute: BLEU above, perplexity below.

    Args:
        heads: the numbers of heads.
        bleu: of each, higher is better.
        perplexity: of each, lower is better.

    Returns:
        A figure of fixed height: trace 0 BLEU, trace 1 perplexity, each with its numbers; the best of each is filled.
    """
    figure = theme.figure(height=HEIGHT, margin={"l": 76, "r": 16, "t": 12, "b": 56})
    titles = (say("figure.bleu"), say("figure.perplexity"))
    _add_scores(figure, titles[0], bleu, max(bleu), theme.HEADS[0], "y", 1)
    _add_scores(figure, titles[1], perplexity, min(perplexity), theme.HEADS[1], "y2", 2)
    ticks = list(range(len(heads)))
    figure.update_xaxes(
        title={"text": say("figure.budget_heads"), "font": _FONT}, range=[-0.5, len(heads) - 0.5], **theme.READING_LINES
    )
    figure.update_xaxes(tickmode="array", tickvals=ticks, ticktext=[str(h) for h in heads], anchor="y2")
    # Room above and below for the numbers at the points.
    for axis, title, values, domain in (
        ("yaxis", titles[0], bleu, [0.54, 1]),
        ("yaxis2", titles[1], perplexity, [0, 0.46]),
    ):
        room = 0.45 * (max(values) - min(values))
        look = {"title": {"text": title, "font": _FONT}, "domain": domain, "nticks": 4} | theme.READING_LINES
        figure.update_layout({axis: look | {"range": [min(values) - room, max(values) + room]}})
    return figure


def _add_scores(
    figure: go.Figure, name: str, values: Sequence[float], best: float, colour: str, axis: str, digits: int
) -> None:
    """One line of scores on its own vertical axis."""
    figure.add_trace(
        go.Scatter(
            x=list(range(len(values))),
            y=list(values),
            yaxis=axis,
            mode="lines+markers+text",
            text=[f"{value:.{digits}f}" for value in values],
            textposition=_ABOVE_POINT,
            textfont=_FONT,
            line={"color": colour, "width": 3},
            marker={
                "size": 12,
                "color": colour,
                "symbol": ["circle" if value == best else "circle-open" for value in values],
                "line": {"width": 3, "color": colour},
            },
            cliponaxis=False,
            hovertemplate=say("figure.score_hover", name=name, value="%{y}"),
        )
    )


def _powers(most: float) -> dict[str, object]:
    """A logarithmic axis from 1 with powers of 2, few enough to be read; of 2 heads or one too."""
    doublings = max(math.ceil(math.log2(most) - 1e-9), 1)
    step = math.ceil(doublings / _MOST_TICKS)
    ticks = [2**power for power in range(0, doublings + 1, step)]
    return {
        "type": "log",
        "range": [-0.06 * math.log10(2) * doublings, 1.06 * math.log10(2) * doublings],
        "tickmode": "array",
        "tickvals": ticks,
        "ticktext": [f"{tick:,}" for tick in ticks],
        **theme.READING_LINES,
    }
