"""One head on its way from scores to weights: five heatmaps, and one row of them as bars."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from mha_viz.arrays import BoolArray, FloatArray
from mha_viz.figures import theme
from mha_viz.figures.cells import check_focus, check_place, pooled, pooled_changes, round_up
from mha_viz.figures.labels import axis_labels, hover_labels, label_width
from mha_viz.figures.panels import MOST_CELLS, Panel, side_by_side
from mha_viz.stages import Stages, stages_of
from mha_viz.trace import LayerTrace
from mha_viz.words import say

BARS_HEIGHT = 520
#: Keys that the bars have room for; of more, those with the largest weights are shown.
MOST_BARS = 24
#: Few keys do not get bars thicker than this many would have.
_FEWEST = 10
#: Of a stage's room: to the next stage, and what the bars have of it beside their numbers.
_GAP, _BARS = 0.1, 0.56
#: Plotly's own word for where a text stands.
_LEFT_OF_POINT = " ".join(("middle", "left"))
#: How a hover text writes a score: five figures, however large or small.
_SCORE, _WEIGHT = "%{z:.5~g}", "%{z:.4f}"


def stage_heatmaps(layer: LayerTrace, head: int, *, focus: int | None = None) -> go.Figure:
    """Q K^T, divided by sqrt(d_k), divided by the temperature, masked, and the weights, side by side.

    Args:
        layer: one layer of a run.
        head: from 0.
        focus: position of a query whose row is outlined in all five.

    Returns:
        A figure of fixed height, made for 900 pixels of width and readable from 640; trace i is stage i. Scores have a scale
        symmetrical about 0, one each, and the masked ones that of the tempered; weights have one from 0. Each scale is
        printed below its picture. Hidden cells are hatched. Above 64 tokens each cell is the largest value of the tokens it
        covers (``panel_step`` tokens on each side).

    Raises:
        InputError: no such head or focus.
    """
    check_place(layer, layer.layer, head)
    check_focus(focus, layer.query_tokens.n_tokens)
    stages = stages_of(layer, head)
    *signed, last = _arrays(stages)
    values = [*(pooled_changes(array, MOST_CELLS).weights for array in signed), pooled(last, MOST_CELLS).weights]
    names = stage_titles(stages, layer.spec.d_k)
    ends = [round_up(float(np.abs(values[index]).max())) for index in (0, 1, 2, 2)]
    scores = [
        Panel(name, small, -end, end, theme.DIVERGING, _hover(name, _SCORE))
        for name, small, end in zip(names, values, ends, strict=False)
    ]
    top = min(round_up(float(layer.weights[head].max())), 1.0)
    weights = Panel(names[-1], values[-1], 0.0, top, theme.PALETTES["viridis"], _hover(names[-1], _WEIGHT))
    return side_by_side(layer, [*scores, weights], focus)


def bar_keys(layer: LayerTrace, head: int, query: int) -> list[int]:
    """Positions of the keys that ``stage_bars`` shows, in order: all, or the ``MOST_BARS`` with the largest weights."""
    largest_first = np.argsort(-layer.weights[head, query], kind="stable")
    return sorted(int(key) for key in largest_first[:MOST_BARS])


def stage_bars(layer: LayerTrace, head: int, query: int) -> go.Figure:
    """One query followed through the five stages: a bar and a number for each key.

    Args:
        layer: one layer of a run.
        head, query: from 0.

    Returns:
        A figure of fixed height, made for 900 pixels of width and readable from 640; trace i is the bars of stage i, each
        stage with its own scale but that the masked scores have that of the tempered. A hidden key has no bar but hatching,
        and the numbers −∞ and 0. Of more than ``MOST_BARS`` keys those of ``bar_keys`` are shown.

    Raises:
        InputError: no such head or query.
    """
    check_place(layer, layer.layer, head)
    check_focus(query, layer.query_tokens.n_tokens)
    stages, keys = stages_of(layer, head), bar_keys(layer, head, query)
    rows = [array[query, keys] for array in _arrays(stages)]
    width = max(len(keys), _FEWEST) * 0.32  # so that a unit is about as long across as down
    names = stage_titles(stages, layer.spec.d_k)
    figure = theme.figure(height=BARS_HEIGHT, bargap=0.3, barmode="overlay", **_bar_axes(layer, keys, width))
    hover_keys = [hover_labels(layer.key_tokens)[key] for key in keys]
    for index, (values, name) in enumerate(zip(rows, names, strict=True)):
        scale = rows[2] if index == 3 else values  # the masked scores lie on the scale of the tempered
        figure.add_trace(_bars(values, scale, index * width * (1 + _GAP), width * _BARS, name, hover_keys))
    figure.add_trace(_numbers(rows, width))
    _mark_hidden(figure, np.isnan(rows[-1]), width, hover_keys)
    figure.update_layout(annotations=[*figure.layout.annotations, *_bar_titles(names, width)])
    return figure


def stage_titles(stages: Stages, d_k: int) -> list[str]:
    """What stands above each stage."""
    if stages.limit == "zero":
        tempered = say("figure.stage_zero")
    elif stages.limit == "infinity":
        tempered = say("figure.stage_infinity")
    else:
        tempered = say("figure.stage_tempered", temperature=theme.number(stages.temperature))
    return [
        say("figure.stage_raw"),
        say("figure.stage_scaled", d_k=d_k),
        tempered,
        say("figure.stage_masked"),
        say("figure.stage_weights"),
    ]


def _arrays(stages: Stages) -> Sequence[FloatArray]:
    """The five arrays as float32, NaN where a key is hidden."""
    hidden = np.isneginf(stages.masked)
    masked, weights = (np.where(hidden, np.nan, array) for array in (stages.masked, stages.weights))
    most = float(np.finfo(np.float32).max)
    arrays = (stages.raw, stages.scaled, stages.tempered, masked, weights)
    return [np.clip(array, -most, most).astype(np.float32) for array in arrays]


def _hover(stage: str, value: str) -> str:
    return say("figure.hover_stage", stage=stage, query="%{y}", key="%{x}", value=value)


def _bar_axes(layer: LayerTrace, keys: list[int], width: float) -> dict[str, object]:
    labels = [axis_labels(layer.key_tokens)[key] for key in keys]
    texts = {"showticklabels": True, "tickmode": "array", "tickvals": list(range(len(keys))), "ticktext": labels}
    return {
        "xaxis": theme.bare_axis((0, width * (5 + 4 * _GAP))),
        "yaxis": theme.bare_axis((max(len(keys), _FEWEST) - 0.5, -0.5), tickfont={"size": theme.FONT_SIZE}, **texts),
        "margin": {
            "l": 12 + max(map(label_width, labels)) * theme.CHARACTER_WIDTH,
            "t": 34,
            "r": 6,
            "b": 6,
            "autoexpand": False,
        },
    }


def _bars(values: FloatArray, scale: FloatArray, left: float, room: float, stage: str, keys: Sequence[str]) -> go.Bar:
    """Bars of one stage within ``room``, from where its 0 is; none where a key is hidden."""
    low, high = min(float(scale[~np.isnan(scale)].min(initial=0.0)), 0.0), float(np.nanmax(np.append(scale, 0.0)))
    unit = room / (high - low) if high > low else 0.0
    shown = np.flatnonzero(~np.isnan(values))
    is_weight = stage == say("figure.stage_weights")
    colours = [theme.VISIBLE if is_weight else theme.ABOVE if values[key] > 0 else theme.BELOW for key in shown]
    return go.Bar(
        orientation="h",
        y=shown,
        base=np.full(len(shown), left - low * unit),
        x=values[shown].astype(np.float64) * unit,
        marker={"color": colours, "line": {"width": 0}},
        name=stage,
        customdata=[[keys[int(key)], float(values[key])] for key in shown],
        hovertemplate=say("figure.hover_bar", stage=stage, key="%{customdata[0]}", value="%{customdata[1]:.5~g}")
        + "<extra></extra>",
    )


def _numbers(rows: Sequence[FloatArray], width: float) -> go.Scatter:
    """The numbers at the right of each stage's bars."""
    texts = [_number(value, index) for index, values in enumerate(rows) for value in values]
    return go.Scatter(
        x=[index * width * (1 + _GAP) + width for index, values in enumerate(rows) for _ in values],
        y=[key for values in rows for key in range(len(values))],
        text=texts,
        mode="text",
        textposition=_LEFT_OF_POINT,
        textfont={"size": theme.FONT_SIZE},
        hoverinfo="skip",
    )


def _number(value: float, stage: int) -> str:
    if np.isnan(value):
        return "0" if stage == 4 else "−∞"
    figures = 3 if stage == 4 else 2
    plain = value == 0 or 0.5 * 10**-figures <= abs(value) < 1000
    return f"{value:.{figures}f}".replace("-", "−") if plain else theme.number(float(f"{value:.1e}"))


def _mark_hidden(figure: go.Figure, hidden: BoolArray, width: float, keys: Sequence[str]) -> None:
    """Hatching in place of the last two stages' bars where a key is hidden, all in one picture."""
    if not hidden.any():
        return
    lefts = [index * width * (1 + _GAP) for index in (3, 4)]
    boxes = [theme.Box(left, key - 0.35, width * _BARS, 0.7) for left in lefts for key in np.flatnonzero(hidden)]
    kind = theme.NO_KEY if hidden.all() else theme.HIDDEN
    extent = theme.Box(0, -0.5, width * (5 + 4 * _GAP), len(hidden))
    figure.add_layout_image(theme.hatched({kind: boxes}, extent, side=len(hidden) * 0.4))
    figure.add_trace(
        go.Scatter(
            x=[box.x + box.width / 2 for box in boxes],
            y=[box.y + 0.35 for box in boxes],
            mode="markers",
            marker={"opacity": 0.01, "size": 12, "color": kind.colour},
            customdata=[keys[int(key)] for key in np.flatnonzero(hidden)] * 2,
            hovertemplate=say("figure.hover_hidden_key", key="%{customdata}") + "<extra></extra>",
        )
    )
    if hidden.all():
        text = {"text": say("figure.no_key"), "font": {"size": theme.FONT_SIZE, "color": "#a61e1e"}}
        figure.add_annotation(
            x=lefts[1] + width / 2, y=len(hidden) / 2 - 0.5, showarrow=False, bgcolor="rgba(255,255,255,.92)", **text
        )


def _bar_titles(names: Sequence[str], width: float) -> list[dict[str, object]]:
    return [
        {
            "x": index * width * (1 + _GAP) + width / 2,
            "y": 1,
            "yref": "paper",
            "yanchor": "bottom",
            "yshift": 4,
            "text": f"<b>{name}</b>",
            "showarrow": False,
            "font": {"size": theme.FONT_SIZE},
        }
        for index, name in enumerate(names)
    ]
