"""What came of probes about pairs of words: times chance in the best head, against what was expected."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from mha_viz.figures import theme
from mha_viz.figures.labels import LONGEST_FULL, label, label_width
from mha_viz.probes.records import Outcome, PairClaim
from mha_viz.words import say

_ROW, _EDGES = 30, 110  # pixels
_LONGEST = 34


def probe_dots(outcomes: Sequence[Outcome]) -> go.Figure | None:
    """A row for each tried probe about a pair of words.

    Args:
        outcomes: of any probes; those that were not tried, or claim something else than times chance, are left out.

    Returns:
        A figure as high as its rows need: trace 0 is the best head of each, filled where the probe holds; trace 1 what was
        expected. The axis is logarithmic and has chance, 1, on it. None if no outcome has such numbers.
    """
    shown = [one for one in outcomes if one.strongest and isinstance(one.probe.claim, PairClaim)]
    if not shown:
        return None
    names = [label(_name(one), _LONGEST) for one in shown]
    rows = list(range(len(shown)))
    figure = theme.figure(height=_ROW * len(shown) + _EDGES, showlegend=True, **_axes(shown, names))
    figure.add_trace(_best(shown, rows))
    marks = {"symbol": "line-ns", "size": 16, "line": {"width": 3, "color": theme.GUIDE}}
    expected = [one.expected for one in shown]
    name = say("figure.probe_expected")
    figure.add_trace(go.Scatter(x=expected, y=rows, mode="markers", marker=marks, name=name, hoverinfo="skip"))
    line = {"color": theme.GUIDE, "width": 1, "dash": "dash"}
    return figure.add_shape(type="line", x0=1, x1=1, y0=-0.5, y1=len(shown) - 0.5, line=line)


def _name(one: Outcome) -> str:
    claim = one.probe.claim
    assert isinstance(claim, PairClaim)
    return f"{claim.query.text} → {', '.join(key.text for key in claim.keys)} · {one.probe.title}"


def _best(shown: Sequence[Outcome], rows: list[int]) -> go.Scatter:
    symbols = ["circle" if one.verdict == "holds" else "circle-open" for one in shown]
    texts = [
        say(
            "figure.hover_probe",
            probe=label(_name(one), LONGEST_FULL),
            head=one.head,
            times=f"{one.measured:.2f}",
            expected=f"{one.expected:g}",
        )
        for one in shown
    ]
    return go.Scatter(
        # What is 0 has no place on a logarithmic axis; hovering tells.
        x=[max(one.measured, 0.01) for one in shown],
        y=rows,
        mode="markers",
        marker={"size": 12, "color": theme.VISIBLE, "symbol": symbols, "line": {"width": 2, "color": theme.VISIBLE}},
        name=say("figure.probe_best"),
        # As text and not as a template, in which a word such as %{x} would be filled in.
        hovertext=texts,
        hoverinfo="text",
    )


def _axes(shown: Sequence[Outcome], names: list[str]) -> dict[str, object]:
    font = {"size": theme.FONT_SIZE}
    top = max(max(one.measured, one.expected) for one in shown)
    grid = {"gridcolor": "rgba(134,142,150,.25)", "zeroline": False, "tickfont": font, "fixedrange": True}
    ticks = [tick for tick in (0.1, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500) if tick <= top * 2]
    return {
        "xaxis": {"type": "log", "title": {"text": say("figure.probe_axis"), "font": font}}
        | {"tickmode": "array", "tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]}
        | grid,
        "yaxis": {"range": [len(shown) - 0.5, -0.5], "tickmode": "array", "tickvals": list(range(len(shown)))}
        | {"ticktext": names}
        | grid,
        "margin": {"l": 20 + max(map(label_width, names)) * theme.CHARACTER_WIDTH, "r": 16, "t": 44, "b": 54},
        "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "font": font},
    }
