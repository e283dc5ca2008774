"""Dividing by sqrt(d_k): what the softmax lets through, and maps of a layer that begins with the root twice."""

from __future__ import annotations

import streamlit as st

from mha_viz.figures.charts import Line, lines
from mha_viz.figures.maps import Map, maps
from mha_viz.labs.pitfalls.base import Trial
from mha_viz.ui import heatmaps
from mha_viz.ui.pitfalls import card
from mha_viz.ui.pitfalls.claims import choose, thinned
from mha_viz.ui.views import pick
from mha_viz.words import say

_MEASURES, _KINDS = ("jacobian", "entropy", "largest"), ("unscaled", "scaled")


def render() -> None:
    """The card."""
    from mha_viz.labs.pitfalls.sqrt import CLAIMS, SqrtOptions

    def controls() -> SqrtOptions:
        claim = choose("sqrt", CLAIMS, "tried")
        keys = st.select_slider(say("pitfalls.sqrt.keys"), (8, 16, 32, 64, 128), 32, key="pitfall_sqrt_keys")
        d_k = 64
        if claim == "twice":
            d_k = st.select_slider(say("pitfalls.sqrt.d_k"), (4, 16, 64, 128), 64, key="pitfall_sqrt_d_k")
        return SqrtOptions(claim=claim, keys=keys, d_k=d_k)

    card.show("sqrt", controls, _picture, _table)


def _picture(trial: Trial) -> None:
    if "rows" not in trial.found:
        told, ours = trial.found["told"]["map"], trial.found["ours"]["map"]
        names = thinned(len(told))
        shown = [Map(say("pitfalls.sqrt.extra"), told), Map(say("pitfalls.sqrt.once"), ours)]
        figure = maps(shown, names, names, say("pitfalls.numbers.weight"))
        heatmaps.show(figure, "pitfall_sqrt", say("pitfalls.sqrt.twice.alt"))
        st.caption(say("pitfalls.sqrt.twice.caption"))
        return
    measure = pick(
        "pitfall_sqrt_show",
        say("pitfalls.sqrt.show"),
        _MEASURES,
        _MEASURES[0],
        lambda name: say(f"pitfalls.sqrt.show.{name}"),
    )
    rows = trial.found["rows"]
    series = [
        Line(say(f"pitfalls.sqrt.{kind}"), [row["d_k"] for row in rows], [getattr(row[kind], measure) for row in rows])
        for kind in _KINDS
    ]
    top = 0.5 if measure == "jacobian" else 1.05
    axis = say(f"pitfalls.sqrt.axis.{measure}")
    figure = lines(series, say("pitfalls.sqrt.d_k"), axis, log_x=True, span=(0.0, top), height=340)
    heatmaps.show(figure, "pitfall_sqrt", say("pitfalls.sqrt.vanishes.alt"))
    st.caption(say("pitfalls.sqrt.vanishes.caption"))


def _table(trial: Trial) -> None:
    """All numbers of every width."""
    if "rows" not in trial.found:
        return
    rows = trial.found["rows"]
    table: dict[str, list[float]] = {
        say("pitfalls.sqrt.d_k"): [row["d_k"] for row in rows],
        say("pitfalls.sqrt.variance"): [round(row["variance"], 1) for row in rows],
    }
    for kind in _KINDS:
        for measure in _MEASURES:
            axis, how = say(f"pitfalls.sqrt.axis.{measure}"), say(f"pitfalls.sqrt.{kind}")
            title = say("pitfalls.sqrt.column", axis=axis, kind=how)
            table[title] = [round(getattr(row[kind], measure), 3) for row in rows]
    st.dataframe(table, hide_index=True, width="stretch")
