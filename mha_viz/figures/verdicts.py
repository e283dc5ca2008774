"""What several checks came to for several modules: a sign on a colour each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from mha_viz.figures import theme
from mha_viz.figures.labels import markup
from mha_viz.words import say

#: What stands in a cell: to be told apart without colours.
SIGNS = {"passed": "✓", "failed": "✗", "impossible": "–"}
_AT_WORK = "…"
_ROW, _EDGES = 26, 44  # pixels
_SIGN = 17


def verdicts(
    checks: Sequence[str],
    modules: Sequence[str],
    outcomes: Mapping[tuple[int, int], str],
    at_work: tuple[int, int] | None = None,
) -> go.Figure:
    """A row a check, a column a module.

    Args:
        checks, modules: what they are called.
        outcomes: a name in SIGNS by (check, module); cells that are missing stay empty.
        at_work: a cell that is being found out.

    Returns:
        A figure as high as its checks need; trace 0 is the matrix.
    """
    names = list(theme.OUTCOMES)
    steps = [(at, colour) for i, colour in enumerate(theme.OUTCOMES.values()) for at in (i / 3, (i + 1) / 3)]
    places = [[(row, column) for column in range(len(modules))] for row in range(len(checks))]
    figure = theme.figure(**_layout(checks, modules))
    figure.add_trace(
        go.Heatmap(
            z=[[names.index(outcomes[place]) if place in outcomes else None for place in row] for row in places],
            zmin=-0.5,
            zmax=len(names) - 0.5,
            colorscale=steps,
            showscale=False,
            text=[[f"<b>{SIGNS[outcomes[place]]}</b>" if place in outcomes else "" for place in row] for row in places],
            texttemplate="%{text}",
            textfont={"size": _SIGN, "color": "#ffffff"},
            customdata=[[_hover(checks, modules, outcomes, place) for place in row] for row in places],
            hovertemplate=say("trials.told", told="%{customdata}"),
            hoverongaps=False,
            xgap=3,
            ygap=3,
        )
    )
    if at_work is not None and at_work not in outcomes:
        row, column = at_work
        font = {"size": _SIGN}
        figure.add_annotation(x=column, y=row, text=_AT_WORK, showarrow=False, font=font)
    return figure


def _hover(
    checks: Sequence[str], modules: Sequence[str], outcomes: Mapping[tuple[int, int], str], place: tuple[int, int]
) -> str:
    if place not in outcomes:
        return ""
    check, module = markup(checks[place[0]]), markup(modules[place[1]])
    return say("examine.hover", module=module, check=check, outcome=say(f"examine.outcome.{outcomes[place]}"))


def _layout(checks: Sequence[str], modules: Sequence[str]) -> dict[str, object]:
    look = {"showticklabels": True, "tickmode": "array", "tickfont": {"size": theme.FONT_SIZE}}

    def named(texts: Sequence[str]) -> dict[str, object]:
        return look | {"tickvals": list(range(len(texts))), "ticktext": [markup(text) for text in texts]}

    left = int(max(map(len, checks)) * theme.CHARACTER_WIDTH) + 8
    return {
        "height": _ROW * len(checks) + _EDGES,
        "xaxis": theme.bare_axis((-0.5, len(modules) - 0.5)) | named(modules) | {"side": "top", "tickangle": 0},
        "yaxis": theme.bare_axis((len(checks) - 0.5, -0.5)) | named(checks),
        "margin": {"l": left, "r": 8, "t": 34, "b": 10, "autoexpand": False},
    }
