"""What temperature does: the entropy of a row against it, and where running it inside the model differs from repainting."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from mha_viz.figures import theme
from mha_viz.stages import entropy_by_temperature
from mha_viz.words import say

CURVE_HEIGHT = 340
#: Ends of the temperature axis, as powers of ten; a temperature beyond is marked at its end.
_LOW, _HIGH = -2, 2
#: Pixels of a layer's bar, and around all of them.
_BAR, _AROUND = 30, 64


def entropy_curve(scores: npt.ArrayLike, temperature: float, n_allowed: int) -> go.Figure:
    """The entropy of one row of weights against the temperature.

    Args:
        scores: (key,) scaled scores of one query; -inf or NaN where the key is hidden.
        temperature: the present one, 0 to infinity.
        n_allowed: keys that the query may see.

    Returns:
        A figure of fixed height: entropy in nats over temperatures from 0.01 to 100 on a logarithmic axis (x is the power of
        ten), both limits as lines with their values, and the present temperature marked with its entropy, its slope in nats
        per unit of temperature, and a piece of the tangent.
    """
    powers = np.linspace(_LOW, _HIGH, 161)
    curve = entropy_by_temperature(scores, 10.0**powers)
    limits = entropy_by_temperature(scores, [0.0, temperature, math.inf])
    lowest, now, highest = (float(entropy) for entropy in limits.entropies)
    figure = theme.figure(height=CURVE_HEIGHT, **_curve_axes(max(highest, 0.1)))
    figure.add_trace(
        go.Scatter(
            x=powers,
            y=curve.entropies,
            mode="lines",
            line={"color": theme.VISIBLE, "width": 3},
            customdata=10.0**powers,
            hovertemplate=say("figure.hover_entropy", temperature="%{customdata:.3~g}", entropy="%{y:.3f}")
            + "<extra></extra>",
        )
    )
    _draw_limits(figure, lowest, highest, n_allowed)
    _mark(figure, temperature, now, float(limits.slopes[1]))
    return figure


def layer_difference(differences: Sequence[float], changed: Collection[int]) -> go.Figure:
    """How far a run with the temperature inside the model is from a repaint of the run without it.

    Args:
        differences: for each layer the largest difference of a weight, 0 to 1.
        changed: the layers whose temperature was changed.

    Returns:
        A figure whose height is fixed by the number of layers: one bar and one number a layer, the changed layers marked.
    """
    layers = list(range(len(differences)))
    longest = max([*differences, 1e-4])  # rounding is no bar
    names = [
        say("figure.layer_changed", layer=layer) if layer in changed else say("figure.layer", layer=layer)
        for layer in layers
    ]
    bars = go.Bar(
        orientation="h",
        x=list(differences),
        y=layers,
        text=[theme.number(difference) for difference in differences],
        textposition="outside",
        textfont={"size": theme.FONT_SIZE},
        cliponaxis=False,
        marker={"color": [theme.ACCENT if layer in changed else theme.VISIBLE for layer in layers]},
        hovertemplate=say("figure.hover_layer", layer="%{y}", difference="%{x:.3~g}") + "<extra></extra>",
    )
    texts = {"tickmode": "array", "tickvals": layers, "ticktext": names, "tickfont": {"size": theme.FONT_SIZE}}
    figure = theme.figure(
        height=_AROUND + _BAR * len(layers),
        bargap=0.3,
        xaxis=theme.bare_axis((0, longest * 1.3), title=_axis_title(say("figure.layer_axis")), side="top"),
        yaxis=theme.bare_axis((len(layers) - 0.5, -0.5), showticklabels=True, **texts),
        margin={"l": 12 + max(map(len, names)) * theme.CHARACTER_WIDTH, "t": 44, "r": 8, "b": 8, "autoexpand": False},
    )
    figure.add_trace(bars)
    figure.add_shape(type="line", x0=0, x1=0, y0=-0.5, y1=len(layers) - 0.5, line={"color": theme.GUIDE, "width": 1})
    return figure


def _curve_axes(highest: float) -> dict[str, object]:
    powers = list(range(_LOW, _HIGH + 1))
    ticks = {"tickmode": "array", "tickvals": powers, "ticktext": [f"{10.0**power:g}" for power in powers]}
    shown = {"showticklabels": True, "tickfont": {"size": theme.FONT_SIZE}}
    return {
        "xaxis": theme.bare_axis((_LOW, _HIGH), title=_axis_title(say("figure.temperature_axis")), **ticks, **shown),
        "yaxis": theme.bare_axis(
            (-0.16 * highest, 1.16 * highest), title=_axis_title(say("figure.entropy_axis")), nticks=6, **shown
        ),
        "margin": {"l": 62, "t": 28, "r": 16, "b": 52, "autoexpand": False},
    }


def _axis_title(text: str) -> dict[str, object]:
    return {"text": text, "font": {"size": theme.FONT_SIZE}, "standoff": 8}


def _draw_limits(figure: go.Figure, lowest: float, highest: float, n_allowed: int) -> None:
    """Both limits as dotted lines with what they are, each where the curve is not."""
    shared = round(math.exp(lowest))
    top_text = say("figure.entropy_top", n=shared, entropy=f"{lowest:.3f}") if shared > 1 else say("figure.entropy_one")
    even_text = say("figure.entropy_even", n=n_allowed, entropy=f"{highest:.3f}")
    # The curve lies between the lines, so texts above the upper and below the lower one are never crossed by it.
    for entropy, text, x, xanchor, yanchor in (
        (highest, even_text, _LOW, "left", "bottom"),
        (lowest, top_text, _HIGH, "right", "top"),
    ):
        line = {"color": theme.GUIDE, "width": 1.5, "dash": "dot"}
        figure.add_shape(type="line", x0=_LOW, x1=_HIGH, y0=entropy, y1=entropy, line=line)
        place = {"x": x, "y": entropy, "xanchor": xanchor, "yanchor": yanchor}
        figure.add_annotation(text=text, showarrow=False, font={"size": theme.FONT_SIZE}, **place)


def _mark(figure: go.Figure, temperature: float, entropy: float, slope: float) -> None:
    """The present temperature as a point with its tangent, and its numbers above the curve."""
    shown = theme.number(temperature) if temperature < math.inf else "∞"
    power = math.log10(temperature) if 0 < temperature < math.inf else math.copysign(math.inf, temperature - 1)
    place = min(max(power, _LOW), _HIGH)
    if place == power:
        rise = slope * temperature * math.log(10)  # nats a power of ten
        reach = np.array([-0.35, 0.35])
        line = {"color": theme.ACCENT, "width": 2}
        figure.add_trace(
            go.Scatter(x=place + reach, y=entropy + rise * reach, mode="lines", line=line, hoverinfo="skip")
        )
    figure.add_trace(
        go.Scatter(
            x=[place],
            y=[entropy],
            mode="markers",
            marker={"color": theme.ACCENT, "size": 12},
            customdata=[shown],
            hovertemplate=say("figure.hover_entropy", temperature="%{customdata}", entropy="%{y:.3f}")
            + "<extra></extra>",
            cliponaxis=False,
        )
    )
    figure.add_annotation(
        x=0,
        y=1,
        xref="paper",
        yref="paper",
        xanchor="left",
        yanchor="bottom",
        text=say("figure.entropy_now", temperature=shown, entropy=f"{entropy:.3f}", slope=theme.number(slope)),
        showarrow=False,
        font={"size": theme.FONT_SIZE, "color": theme.ACCENT},
    )
