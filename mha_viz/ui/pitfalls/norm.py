"""LayerNorm on the scores: entropy against their size, lengths that run, and maps under a mask."""

from __future__ import annotations

import streamlit as st

from mha_viz.figures.bars import Bars, bars
from mha_viz.figures.charts import Line, lines
from mha_viz.figures.maps import Map, maps
from mha_viz.labs.pitfalls.base import Trial
from mha_viz.ui import heatmaps
from mha_viz.ui.pitfalls import card
from mha_viz.ui.pitfalls.claims import choose, thinned
from mha_viz.words import say

_SERIES = ("plain", "told", "qk")


def render() -> None:
    """The card."""
    from mha_viz.labs.pitfalls.norm import CLAIMS, NormOptions

    def controls() -> NormOptions:
        claim = choose("norm", CLAIMS, "tried")
        tokens = 64
        if claim != "length":
            tokens = st.slider(say("pitfalls.norm.tokens"), 8, 128, 64, 8, key="pitfall_norm_tokens")
        help_text = say("pitfalls.norm.factor.help")
        factor = st.slider(say("pitfalls.norm.factor"), 1.0, 40.0, 16.0, 1.0, key="pitfall_norm_factor", help=help_text)
        return NormOptions(claim=claim, tokens=tokens, factor=factor)

    card.show("norm", controls, _picture)


def _picture(trial: Trial) -> None:
    if "sizes" in trial.found:
        series = [Line(_name(name), trial.found["sizes"], trial.found["shares"][name]) for name in _SERIES]
        figure = lines(series, say("pitfalls.norm.size"), say("pitfalls.norm.share"), log_x=True, span=(0.0, 1.05))
        heatmaps.show(figure, "pitfall_norm", say("pitfalls.norm.extremes.alt"))
        st.caption(say("pitfalls.norm.extremes.caption"))
    elif "lengths" in trial.found:
        groups = [Bars(_name(name), trial.found["shares"][name]) for name in _SERIES]
        places = [[str(n)] for n in trial.found["lengths"]]
        heatmaps.show(bars(groups, places, say("pitfalls.norm.share")), "pitfall_norm", say("pitfalls.norm.length.alt"))
        st.caption(say("pitfalls.norm.length.caption"))
    elif "leaks" in trial.found:
        leaks = trial.found["leaks"]
        series = [Line(_name(name), range(len(leak)), leak, colour=_SERIES.index(name)) for name, leak in leaks.items()]
        figure = lines(series, say("pitfalls.norm.query"), say("pitfalls.norm.leak"))
        heatmaps.show(figure, "pitfall_norm", say("pitfalls.norm.finite.alt"))
        st.caption(say("pitfalls.norm.finite.caption"))
    else:
        shown = [
            Map(say("pitfalls.norm.told"), trial.found["told"]),
            Map(say("pitfalls.norm.qk"), trial.found["right"]),
        ]
        names = thinned(len(trial.found["told"]))
        figure = maps(shown, names, names, say("pitfalls.numbers.weight"))
        heatmaps.show(figure, "pitfall_norm", say("pitfalls.norm.mask.alt"))
        st.caption(say("pitfalls.norm.mask.caption"))


def _name(series: str) -> str:
    return say(f"pitfalls.norm.{series}")
