"""Clicks on cells. Streamlit does not forward a click on a heatmap; a small component listens to Plotly's own event."""

from __future__ import annotations

import streamlit as st

from mha_viz.ui import state
from mha_viz.ui.heatmaps import GRID_KEY, HEAD_KEY
from mha_viz.ui.plain import asset

_KEY = "clicks"
_COMPONENT = st.components.v2.component("mha_viz.clicks", html="<span\nhidden></span>", js=asset("clicks.js"))


def listen() -> None:
    """A click on a head of the grid chooses that head; a click on a cell of the large head chooses its query."""
    _COMPONENT(key=_KEY, data={"charts": [GRID_KEY, HEAD_KEY, "stages"]}, on_picked_change=_take, height=0)


def _take() -> None:
    picked = st.session_state[_KEY].picked
    if not isinstance(picked, dict):
        return
    chart, trace, row = picked.get("chart"), picked.get("trace"), picked.get("row")
    if chart == GRID_KEY and isinstance(trace, int):
        state.put("head", trace)
    elif chart in (HEAD_KEY, "stages") and isinstance(row, int):
        state.put("focus", None if state.get("focus") == row else row)
