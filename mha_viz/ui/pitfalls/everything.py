"""All claims at a glance: what came of each when it was tried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from mha_viz.labs.pitfalls.registry import PITFALLS
from mha_viz.labs.plans_tried import PitfallOptions
from mha_viz.labs.results import LabResult, Row
from mha_viz.ui import labs, state
from mha_viz.ui.pitfalls.card import verdict_html
from mha_viz.ui.plain import escaped
from mha_viz.words import say

#: Seconds of a whole run on a usual computer.
_SECONDS = 30


def render() -> None:
    """The claims by pitfall, each with its verdict."""
    st.markdown(say("pitfalls.all.what"))
    labs.show("pitfalls", PitfallOptions(), _draw, say("pitfalls.all.about", seconds=_SECONDS))


def _draw(result: LabResult) -> None:
    outcomes = Counter(row["outcome"] for row in result.rows)
    told = [
        say("pitfalls.all.some", n=n, outcome=say(f"pitfalls.outcome.{name}")) for name, n in outcomes.most_common()
    ]
    st.markdown(say("pitfalls.all.count", n=len(result.rows), told=", ".join(told)))
    for number, name in enumerate(PITFALLS, start=1):
        rows = [row for row in result.rows if row["pitfall"] == name]
        with st.container(border=True, key=f"pitfall_box_{name}"):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f"**{say('pitfalls.number', number=number, title=say(f'pitfalls.{name}'))}**")
                st.button(
                    say("pitfalls.open"),
                    icon=":material/play_arrow:",
                    on_click=state.put,
                    args=("pitfall", name),
                    key=f"open_{name}",
                    type="tertiary",
                )
            if rows:
                st.html("".join(_claim(row, rows) for row in rows))
    if state.get("pitfall") != "all":  # chosen by a button, which reruns this part of the page alone
        st.rerun()


def _claim(row: Row, rows: Sequence[Row]) -> str:
    """A claim and its verdict; of one that was tried several times also the settings that differ."""
    claim, verdict = (say(row[part]["key"], **row[part]["values"]) for part in ("claim", "verdict"))
    twins = [other["case"] for other in rows if other["claim"] == row["claim"]]
    differ = [name for name, value in row["case"].items() if any(case[name] != value for case in twins)]
    settings = ", ".join(f"{name} = {row['case'][name]}" for name in differ)
    given = f" <code>{escaped(settings)}</code>" if settings else ""
    return f"<div class='mha-tried'><q>{escaped(claim)}</q>{given}{verdict_html(row['outcome'], verdict)}</div>"
