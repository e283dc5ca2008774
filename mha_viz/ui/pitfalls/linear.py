"""Cost said to grow with the heads: times as much as one head."""

from __future__ import annotations

import streamlit as st

from mha_viz.figures.charts import Line, lines
from mha_viz.labs.pitfalls.base import Trial
from mha_viz.ui import heatmaps
from mha_viz.ui.pitfalls import card
from mha_viz.ui.pitfalls.claims import choose
from mha_viz.words import say

_PARTS = ("maps", "vectors", "parameters")
_MEGA = 1e6


def render() -> None:
    """The card."""
    from mha_viz.labs.pitfalls.linear import CLAIMS, LinearOptions

    def controls() -> LinearOptions:
        claim = choose("linear", CLAIMS, "tried")
        tokens = st.select_slider(say("pitfalls.linear.tokens"), (64, 128, 256, 512), 256, key="pitfall_linear_tokens")
        return LinearOptions(claim=claim, tokens=tokens)

    card.show("linear", controls, _picture, _table)


def _picture(trial: Trial) -> None:
    found, heads = trial.found, trial.found["heads"]
    if "growth" in found:
        series = [
            Line(say("pitfalls.linear.measured"), heads, found["growth"]),
            Line(say("pitfalls.linear.operations"), heads, found["operations"]),
            Line(say("pitfalls.linear.told"), heads, found["told"], formula=True, colour=-1),
        ]
        figure = lines(series, say("pitfalls.linear.heads"), say("pitfalls.linear.growth"), log_x=True, log_y=True)
        caption = say("pitfalls.linear.time.caption", d_model=found["d_model"], rounds=found["rounds"])
    else:
        series = [
            Line(say(f"pitfalls.linear.{part}"), heads, [row[part] / _MEGA for row in found["parts"]])
            for part in _PARTS
        ]
        told = [value / _MEGA for value in found["told"]]
        series.append(Line(say("pitfalls.linear.told"), heads, told, formula=True, colour=-1))
        figure = lines(series, say("pitfalls.linear.heads"), say("pitfalls.linear.megabytes"), log_x=True, log_y=True)
        caption = say("pitfalls.linear.memory.caption", d_model=found["d_model"])
    heatmaps.show(figure, "pitfall_linear", say("pitfalls.linear.alt"))
    st.caption(caption)


def _table(trial: Trial) -> None:
    """The numbers of the picture."""
    found = trial.found
    table: dict[str, list[float]] = {say("pitfalls.linear.heads"): found["heads"]}
    if "growth" in found:
        table[say("pitfalls.linear.milliseconds")] = [round(value, 1) for value in found["milliseconds"]]
        table[say("pitfalls.linear.growth")] = [round(value, 2) for value in found["growth"]]
        table[say("pitfalls.linear.operations")] = found["operations"]
    else:
        for part in _PARTS:
            table[say(f"pitfalls.linear.{part}")] = [round(row[part] / _MEGA, 2) for row in found["parts"]]
    st.dataframe(table, hide_index=True, width="stretch")
