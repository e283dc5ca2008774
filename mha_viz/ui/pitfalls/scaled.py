"""Heads scaled after the softmax: the sums of their rows."""

from __future__ import annotations

import streamlit as st

from mha_viz.figures.bars import Bars, bars
from mha_viz.labs.pitfalls.base import Trial
from mha_viz.ui import heatmaps
from mha_viz.ui.pitfalls import card
from mha_viz.words import say


def render() -> None:
    """The card."""
    from mha_viz.labs.pitfalls.scaled import ScaledOptions

    def controls() -> ScaledOptions:
        heads = st.slider(say("pitfalls.scaled.heads"), 1, 16, 8, key="pitfall_scaled_heads")
        least = st.slider(say("pitfalls.scaled.least"), 0.0, 4.0, 0.5, key="pitfall_scaled_least")
        if heads == 1:  # the first head is the last one
            return ScaledOptions(heads=heads, least=least, most=least)
        most = st.slider(say("pitfalls.scaled.most"), 0.0, 4.0, 2.0, key="pitfall_scaled_most")
        return ScaledOptions(heads=heads, least=least, most=most)

    card.show("scaled", controls, _picture)


def _picture(trial: Trial) -> None:
    sums = trial.found["sums"]
    series = [Bars(say("pitfalls.scaled.told"), sums), Bars(say("pitfalls.scaled.right"), trial.found["right"])]
    places = [[f"H{head}"] for head in range(len(sums))]
    figure = bars(series, places, say("pitfalls.scaled.axis"), level=1.0)
    heatmaps.show(figure, "pitfall_scaled", say("pitfalls.scaled.alt", n=len(sums)))
    st.caption(say("pitfalls.scaled.caption"))
