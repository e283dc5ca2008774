"""An untrained toy beside heads that are set by hand."""

from __future__ import annotations

import streamlit as st

from mha_viz.arrays import FloatArray
from mha_viz.figures.charts import Line, lines
from mha_viz.figures.maps import Map, maps
from mha_viz.labs.pitfalls.base import Trial
from mha_viz.ui import heatmaps, views
from mha_viz.ui.pitfalls import card
from mha_viz.words import say

_KEY = "pitfall_flat"
_HEIGHT = 175


def render() -> None:
    """The card."""
    from mha_viz.labs.pitfalls.flat import SCALES, FlatOptions

    def controls() -> FlatOptions:
        scale = st.select_slider(say("pitfalls.flat.scale"), SCALES, SCALES[0], key="pitfall_flat_scale")
        heads = views.pick("pitfall_flat_heads", say("pitfalls.flat.heads"), (2, 4), 4, str)
        seed = st.slider(say("pitfalls.flat.seed"), 0, 99, 0, key="pitfall_flat_seed")
        return FlatOptions(scale=scale, heads=heads, seed=seed)

    card.show("flat", controls, _picture, _details)


def _picture(trial: Trial) -> None:
    weights, designed = trial.found["weights"], trial.found["designed"]
    _maps(weights, _KEY, say("pitfalls.flat.alt", n=len(weights)))
    _maps(designed, f"{_KEY}_designed", say("pitfalls.flat.designed.alt", n=len(designed)))
    st.caption(say("pitfalls.flat.caption"))


def _maps(weights: FloatArray, key: str, alt: str) -> None:
    tokens = [str(place) for place in range(weights.shape[1])]
    shown = [Map(say("pitfalls.flat.head", head=head), one) for head, one in enumerate(weights)]
    figure = maps(shown, tokens, tokens, say("pitfalls.weight"), high=1.0, height=_HEIGHT, numbers=False)
    heatmaps.show(figure, key, alt)


def _details(trial: Trial) -> None:
    scales, entropies, distances = zip(*trial.found["curve"], strict=True)
    chance = [trial.found["chance"]] * len(scales)
    series = [
        Line(say("pitfalls.flat.curve.entropy"), scales, entropies),
        Line(say("pitfalls.flat.curve.between"), scales, distances),
        Line(say("pitfalls.flat.curve.chance"), scales, chance, formula=True, colour=-1),
    ]
    figure = lines(series, say("pitfalls.flat.scale"), say("pitfalls.flat.curve.value"), log_x=True, span=(0, 1.05))
    heatmaps.show(figure, f"{_KEY}_curve", say("pitfalls.flat.curve.alt"))
    st.caption(say("pitfalls.flat.curve.caption"))
