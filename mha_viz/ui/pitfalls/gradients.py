"""Checks of gradients: bars of what each sees."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import streamlit as st

from mha_viz.figures.bars import Bars, bars
from mha_viz.labs.pitfalls.base import Trial
from mha_viz.ui import heatmaps
from mha_viz.ui.pitfalls import card
from mha_viz.ui.pitfalls.claims import choose
from mha_viz.words import say

if TYPE_CHECKING:
    import plotly.graph_objects as go

#: Ends of the axes in powers.
_RATIOS, _SPREADS = (1e-18, 1e3), (1e-12, 1e9)
_MATRICES = (["W_Q"], ["W_K"], ["W_V"], ["W_O"])


def render() -> None:
    """The card."""
    from mha_viz.labs.pitfalls.gradients import CLAIMS, GradientOptions

    def controls() -> GradientOptions:
        claim = choose("gradients", CLAIMS, "tried")
        width = st.select_slider(
            say("pitfalls.gradients.width"), (16, 32, 64, 128, 256), 64, key="pitfall_gradients_width"
        )
        return GradientOptions(claim=claim, d_model=width)

    card.show("gradients", controls, _picture, _table)


def _picture(trial: Trial) -> None:
    claim = trial.found["claim"]
    if claim == "thresholds":
        series = [Bars("", [one["spread"] for one in trial.found["layers"]])]
        places = [say(f"pitfalls.gradients.layer.{one['name']}").split() for one in trial.found["layers"]]
        title = say("pitfalls.gradients.spread")
        figure = bars(series, places, title, log_span=_SPREADS, level=trial.found["level"])
        figure.update_layout(showlegend=False)
    else:
        series = [
            Bars(say("pitfalls.numbers.told"), trial.found["told"]),
            Bars(say("pitfalls.gradients.check"), trial.found["ours"]),
        ]
        figure = _two(claim, series, trial)
    heatmaps.show(figure, "pitfall_gradients", say("pitfalls.gradients.alt"))
    st.caption(say(f"pitfalls.gradients.{claim}.caption"))


def _two(claim: str, series: list[Bars], trial: Trial) -> go.Figure:
    """Both checks side by side."""
    if claim == "again":
        places = [[say("pitfalls.gradients.call", n=n + 1)] for n in range(len(series[0].values))]
        return bars(series, places, say("pitfalls.gradients.grown"))
    places = list(_MATRICES)
    if claim == "tuple":
        places = [re.findall("[A-Z][a-z]+", name) for name in trial.found["names"]]
    return bars(series, places, say("pitfalls.gradients.ratio"), log_span=_RATIOS)


def _table(trial: Trial) -> None:
    """What both checks say of each layer."""
    if "layers" not in trial.found:
        return
    layers = trial.found["layers"]
    said = {True: say("pitfalls.gradients.passes"), False: say("pitfalls.gradients.stopped")}
    table = {
        say("pitfalls.gradients.column.layer"): [say(f"pitfalls.gradients.layer.{one['name']}") for one in layers],
        say("pitfalls.gradients.column.thresholds"): [said[one["passes"]] for one in layers],
        say("pitfalls.gradients.column.check"): [say(f"pitfalls.gradients.state.{one['state']}") for one in layers],
    }
    st.dataframe(table, hide_index=True, width="stretch")
