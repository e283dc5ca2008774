"""Columns cut into heads: one head's map from both cuts; which input features each head reads."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mha_viz.arrays import FloatArray
from mha_viz.figures.maps import Map, maps
from mha_viz.labs.pitfalls.base import Trial
from mha_viz.ui import heatmaps, views
from mha_viz.ui.pitfalls import card, claims
from mha_viz.words import say

#: Numbers of heads that divide the width.
_HEADS = (1, 2, 4, 8, 16, 32)
#: From one numbered feature to the next.
_EVERY = 16


def render() -> None:
    """The card."""
    from mha_viz.labs.pitfalls.split import CLAIMS, SplitOptions

    shown = {"head": 0}

    def controls() -> SplitOptions:
        claim = claims.choose("split", CLAIMS, "tried")
        title = say("pitfalls.split.heads" if claim == "cut" else "pitfalls.split.groups")
        heads = views.pick("pitfall_split_heads", title, _HEADS, 8, str)
        if claim == "cut" and heads > 1:
            shown["head"] = st.slider(
                say("pitfalls.split.head"), 0, heads - 1, 0, format="H%d", key=f"pitfall_split_head_{heads}"
            )
        return SplitOptions(claim=claim, heads=heads)

    card.show("split", controls, lambda trial: _picture(trial, shown["head"]))


def _picture(trial: Trial, head: int) -> None:
    if "reach" in trial.found:
        _reach(*trial.found["reach"])
        return
    told, right = trial.found["told"], trial.found["right"]
    shown = [
        Map(say("pitfalls.split.interleaved"), told[head]),
        Map(say("pitfalls.split.contiguous"), right[head]),
    ]
    names = [str(place) for place in range(told.shape[-1])]
    figure = maps(shown, names, names, say("pitfalls.weight"), high=1.0)
    heatmaps.show(figure, "pitfall_split", say("pitfalls.split.cut.alt", head=head))
    apart = float(np.abs(told[head] - right[head]).max())
    st.caption(say("pitfalls.split.cut.caption", head=head, difference=apart))


def _reach(ordinary: FloatArray, blocks: FloatArray) -> None:
    shown = [
        Map(say(f"pitfalls.split.reach.{name}"), np.where(reached > 0, reached, np.nan))
        for name, reached in (("ordinary", ordinary), ("blocks", blocks))
    ]
    heads, features = ordinary.shape
    rows, columns = [f"H{head}" for head in range(heads)], [f"x{feature}" for feature in range(features)]
    figure = maps(shown, rows, columns, say("pitfalls.split.gradient"), every=_EVERY)
    heatmaps.show(figure, "pitfall_split_reach", say("pitfalls.split.reach.alt", heads=heads, features=features))
    st.caption(say("pitfalls.split.reach.caption"))
