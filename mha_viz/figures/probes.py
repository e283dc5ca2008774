"""What came of probes about pairs of words: times chance in the best head, against what was expected."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from mha_viz.figures import theme
from mha_viz.figures.labels import LONGEST, LONGEST_FULL, label, label_width
from mha_viz.probes.records import Outcome, PairClaim
from mha_viz.words import say

_ROW, _EDGES = 30, 110  # pixels
#: The smallest number that is drawn: 0 has no place on a logarithmic axis.
_LEAST = 0.01


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
    names = [_name(one, LONGEST) for one in shown]
    rows = list(range(len(shown)))
    figure = theme.figure(height=_ROW * len(shown) + _EDGES, showlegend=True, **_axes(shown, names))
    figure.add_trace(_best(shown, rows))
    marks = {"symbol": "line-ns", "size": 16, "line": {"width": 3, "color": theme.GUIDE}}
    expected = [one.expected for one in shown]
    name = say("figure.probe_expected")
    figure.add_trace(go.Scatter(x=expected, y=rows, mode="markers", marker=marks, name=name, hoverinfo="skip"))
    line = {"color": theme.GUIDE, "width": 1, "dash": "dash"}
    return figure.add_shape(type="line", x0=1, x1=1, y0=-0.5, y1=len(shown) - 0.5, line=line)


def _name(one: Outcome, longest: int) -> str:
    """The two words and what the probe is about, escaped."""
    claim = one.probe.claim
    assert isinstance(claim, PairClaim)
    keys = ", ".join(label(key.text, longest) for key in claim.keys)
    return f"{label(claim.query.text, longest)} → {keys} · {one.probe.title}"


def _best(shown: Sequence[Outcome], rows: list[int]) -> go.Scatter:
    symbols = ["circle" if one.verdict == "holds" else "circle-open" for one in shown]
    texts = [
        say(
            "figure.hover_probe",
            probe=_name(one, LONGEST_FULL),
            head=one.head,
            times=f"{one.measured:.2f}",
            expected=f"{one.expected:g}",
        )
        for one in shown
    ]
    return go.Scatter(
        x=[max(one.measured, _LEAST) for one in shown],
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
    values = [max(number, _LEAST) for one in shown for number in (one.measured, one.expected)]
    low, high = min(1.0, *values) / 1.3, max(1.0, *values) * 1.3
    ticks = [
        tick for power in range(-2, 4) for tick in (10**power, 2 * 10**power, 5 * 10**power) if low <= tick <= high
    ]
    return {
        "xaxis": {"type": "log", "range": [math.log10(low), math.log10(high)]}
        | {"title": {"text": say("figure.probe_axis"), "font": font}}
        | {"tickmode": "array", "tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]}
        | theme.READING_LINES,
        "yaxis": {"range": [len(shown) - 0.5, -0.5], "tickmode": "array", "tickvals": list(range(len(shown)))}
        | {"ticktext": names}
        | theme.READING_LINES,
        "margin": {"l": 20 + max(map(label_width, names)) * theme.CHARACTER_WIDTH, "r": 16, "t": 44, "b": 54},
        "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "font": font},
    }
