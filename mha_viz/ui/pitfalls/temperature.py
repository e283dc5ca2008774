"""Temperature repainted and in the model; equal maps; and what darker means."""

from __future__ import annotations

import math

import streamlit as st

from mha_viz.figures.alike import pair_distances
from mha_viz.figures.charts import Line, lines
from mha_viz.figures.maps import Map, maps
from mha_viz.labs.pitfalls.base import Trial
from mha_viz.ui import heatmaps, views
from mha_viz.ui.pitfalls import card, claims
from mha_viz.words import say

_KEY = "pitfall_temperature"
#: Of a map that has another one beside or below it.
_HALF = 200


def render() -> None:
    """The card."""
    from mha_viz.labs.pitfalls.temperature import N_LAYERS, TRIED, TemperatureOptions
    from mha_viz.labs.pitfalls.temperature_scale import NAMES

    def controls() -> TemperatureOptions:
        tried = claims.choose("temperature", TRIED, "tried")
        if tried in ("darker", "reversed"):
            palette = views.pick(
                "pitfall_temperature_palette", say("pitfalls.temperature.palette"), NAMES, NAMES[0], str
            )
            return TemperatureOptions(tried=tried, palette=palette)
        if tried == "equal_maps":
            seed = st.slider(say("pitfalls.temperature.seed"), 0, 99, 0, key="pitfall_temperature_seed")
            return TemperatureOptions(tried=tried, seed=seed)
        if tried == "alike":
            return TemperatureOptions(tried=tried)
        temperature = st.select_slider(
            say("pitfalls.temperature.temperature"), [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0], 4.0, key=f"{_KEY}_value"
        )
        if tried == "all_layers":
            return TemperatureOptions(tried=tried, temperature=temperature)
        layer = st.slider(say("pitfalls.temperature.layer"), 0, N_LAYERS - 1, 2, key="pitfall_temperature_layer")
        return TemperatureOptions(tried=tried, temperature=temperature, layer=layer)

    card.show("temperature", controls, _picture)


def _picture(trial: Trial) -> None:
    if "entropies" in trial.found:
        _entropies(trial)
    elif "palette" in trial.found:
        _scales(trial)
    elif "names" in trial.found:
        _pairs(trial)
    else:
        _two_heads(trial)


def _entropies(trial: Trial) -> None:
    found = trial.found["entropies"]
    at = list(range(len(found["plain"])))
    series = [
        Line(say("pitfalls.temperature.plain"), at, found["plain"], colour=-1),
        Line(say("pitfalls.temperature.painted"), at, found["painted"], colour=1),
        Line(say("pitfalls.temperature.inside"), at, found["inside"], colour=0),
    ]
    titles = say("pitfalls.temperature.layers"), say("pitfalls.temperature.entropy")
    figure = lines(series, *titles, level=math.log(trial.found["keys"]))
    heatmaps.show(figure, _KEY, say("pitfalls.temperature.alt"))
    st.caption(say("pitfalls.temperature.caption"))


def _scales(trial: Trial) -> None:
    weights, names = trial.found["weights"], [str(place) for place in range(len(trial.found["weights"]))]
    for place, (column, title) in enumerate(zip(st.columns(2), ("shown", "turned"), strict=True)):
        turned = trial.found["turned"] != (place == 1)
        shown = [Map(say(f"pitfalls.temperature.darker.{title}"), weights)]
        with column:
            figure = maps(
                shown, names, names, say("pitfalls.weight"), palette=trial.found["palette"], turned=turned, height=330
            )
            heatmaps.show(figure, f"{_KEY}_{title}", say("pitfalls.temperature.darker.alt"))
    st.caption(say("pitfalls.temperature.darker.caption"))


def _pairs(trial: Trial) -> None:
    found = trial.found
    near = found["maps"][found["nearest"]], found["outputs"][found["nearest"]]
    titles = say("pitfalls.temperature.alike.maps"), say("pitfalls.temperature.alike.outputs")
    figure = pair_distances(found["maps"], found["outputs"], found["names"], titles, (math.log(2), 1.0), near)
    heatmaps.show(figure, _KEY, say("pitfalls.temperature.alike.alt"))
    st.caption(say("pitfalls.temperature.alike.caption"))


def _two_heads(trial: Trial) -> None:
    weights, outputs = trial.found["weights"], trial.found["outputs"]
    tokens = [str(place) for place in range(weights.shape[1])]
    columns = [str(place) for place in range(outputs.shape[2])]
    read = [Map(say("pitfalls.temperature.equal_maps.map", n=n), one) for n, one in enumerate(weights)]
    wrote = [Map(say("pitfalls.temperature.equal_maps.output", n=n), one) for n, one in enumerate(outputs)]
    alt = say("pitfalls.temperature.equal_maps.alt")
    heatmaps.show(maps(read, tokens, tokens, say("pitfalls.weight"), height=_HALF, numbers=False), _KEY, alt)
    low, value = float(outputs.min()), say("pitfalls.temperature.equal_maps.value")
    figure = maps(wrote, tokens, columns, value, low=low, height=_HALF, numbers=False)
    heatmaps.show(figure, f"{_KEY}_outputs", alt)
    st.caption(say("pitfalls.temperature.equal_maps.caption"))
