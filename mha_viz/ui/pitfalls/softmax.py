"""A softmax without the maximum: the same row of scores, moved."""

from __future__ import annotations

import streamlit as st

from mha_viz.figures.maps import Map, maps
from mha_viz.labs.pitfalls.base import Trial
from mha_viz.ui import heatmaps
from mha_viz.ui.pitfalls import card
from mha_viz.ui.pitfalls.claims import choose
from mha_viz.ui.views import pick
from mha_viz.words import say


def render() -> None:
    """The card."""
    from mha_viz.labs.pitfalls.softmax import CLAIMS, DTYPES, WAYS, SoftmaxOptions

    def controls() -> SoftmaxOptions:
        claim = choose("softmax", CLAIMS, "tried")
        if claim != "written":
            return SoftmaxOptions(claim=claim)
        dtype = pick("pitfall_softmax_dtype", say("pitfalls.softmax.dtype"), list(DTYPES), "float32", str)
        way = pick(
            "pitfall_softmax_way",
            say("pitfalls.softmax.way"),
            WAYS,
            "up",
            lambda name: say(f"pitfalls.softmax.way.{name}"),
        )
        return SoftmaxOptions(dtype=dtype, way=way)

    card.show("softmax", controls, _picture, _table)


def _picture(trial: Trial) -> None:
    told, ours = trial.found["told"], trial.found["ours"]
    rows = trial.found.get("rows")
    names = [f"{row['top']:g}" for row in rows] if rows else [str(place) for place in range(len(told))]
    shown = [Map(say("pitfalls.softmax.formula"), told), Map(say("pitfalls.softmax.below"), ours)]
    columns = [str(place) for place in range(told.shape[1])]
    figure = maps(shown, names, columns, say("pitfalls.numbers.weight"))
    heatmaps.show(figure, "pitfall_softmax", say("pitfalls.softmax.alt"))
    st.caption(say("pitfalls.softmax.written.caption" if rows else "pitfalls.softmax.changes.caption"))


def _table(trial: Trial) -> None:
    """What stands in each row."""
    rows = trial.found.get("rows")
    if not rows:
        return
    table = {
        say("pitfalls.softmax.column.top"): [row["top"] for row in rows],
        say("pitfalls.softmax.column.nan"): [row["nan"] for row in rows],
        say("pitfalls.softmax.column.zeros"): [row["zeros"] for row in rows],
        say("pitfalls.softmax.column.error"): [
            "NaN" if row["error"] is None else f"{row['error']:.1e}" for row in rows
        ],
        say("pitfalls.softmax.column.ours"): [f"{row['ours']:.1e}" for row in rows],
    }
    st.dataframe(table, hide_index=True, width="stretch")
