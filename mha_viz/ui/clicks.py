"""Clicks on cells. Streamlit does not forward a click on a heatmap; a small component listens to Plotly's own event."""

from __future__ import annotations

import functools
from collections.abc import Mapping

import streamlit as st

from mha_viz.ui import state
from mha_viz.ui.heatmaps import GRID_KEY, HEAD_KEY
from mha_viz.ui.plain import asset

_KEY = "clicks"
_COMPONENT = st.components.v2.component("mha_viz.clicks", html="<span\nhidden></span>", js=asset("clicks.js"))


#: Charts whose rows are queries: a click on a cell follows its query. A new one needs its key here, and nothing else.
QUERY_CHARTS = (HEAD_KEY, "stages", "rollout", "flow", "norms", "mean_of_heads")
_NO_STEPS: Mapping[str, int] = {}


def listen(steps: Mapping[str, int] = _NO_STEPS) -> None:
    """A click on a head of the grid chooses that head; a click on a cell of a chart of queries follows its query.

    Args:
        steps: tokens that a row of a chart covers, by key, where they are more than one; the first of them is followed.
    """
    charts = [GRID_KEY, *QUERY_CHARTS]
    _COMPONENT(key=_KEY, data={"charts": charts}, on_picked_change=functools.partial(_take, dict(steps)), height=0)


def _take(steps: Mapping[str, int]) -> None:
    picked = st.session_state[_KEY].picked
    if not isinstance(picked, dict):
        return
    chart, trace, row = picked.get("chart"), picked.get("trace"), picked.get("row")
    if chart == GRID_KEY and isinstance(trace, int):
        state.put("head", trace)
    elif chart in QUERY_CHARTS and isinstance(row, int):
        step = steps.get(chart, 1)
        focus = state.get("focus")
        state.put("focus", None if focus is not None and focus // step == row else row * step)
