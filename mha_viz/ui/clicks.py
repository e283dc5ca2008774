"""Clicks on cells. Streamlit does not forward a click on a heatmap; a small component listens to Plotly's own event."""

from __future__ import annotations

import functools
from collections.abc import Mapping

import streamlit as st

from mha_viz.controls import HeadId
from mha_viz.ui import picking, state
from mha_viz.ui.heatmaps import GRID_KEY, HEAD_KEY
from mha_viz.ui.plain import asset
from mha_viz.ui.run import Run

_KEY = "clicks"
_COMPONENT = st.components.v2.component("mha_viz.clicks", html="<span\nhidden></span>", js=asset("clicks.js"))


#: Charts whose rows are queries and whose columns are keys: a click on a cell follows both. A new one needs its key here.
QUERY_CHARTS = (HEAD_KEY, "stages", "rollout", "flow", "norms", "mean_of_heads", "writes")
#: Those of them whose cells are one query and one key each.
_CELLS = (HEAD_KEY, "rollout", "flow", "mean_of_heads", "writes")
#: Those of them that are drawn by the tokens of the run, whatever the reading.
_BY_TOKENS = tuple(chart for chart in QUERY_CHARTS if chart != HEAD_KEY)
#: Charts with a row a layer and a column a head: a click on a cell chooses that head.
HEAD_CHARTS = (
    "metric_matrix",
    "type_matrix",
    "type_matrix_of_set",
    "as_query",
    "as_key",
    "found_matrix",
    "importance_matrix",
    "change_matrix",
    "metric_change",
)
#: Charts of points: heads in flat order, and queries (first trace) and keys (second) in order.
MAP_CHART, PLANE_CHART = "head_map", "vectors"
#: Charts with a bar a key, and with a bar a query.
KEY_BARS, QUERY_BARS = "token_row", "token_column"
_NO_STEPS: Mapping[str, int] = {}


def listen(ran: Run, steps: Mapping[str, int] = _NO_STEPS) -> None:
    """A click on a head, wherever it is drawn, chooses it; a click on a cell of queries and keys follows both.

    Args:
        ran: the view.
        steps: tokens that a cell of a chart covers on each side, by key, where they are more than one; the first is followed.
    """
    charts = [GRID_KEY, *QUERY_CHARTS, *HEAD_CHARTS, MAP_CHART, PLANE_CHART, KEY_BARS, QUERY_BARS]
    take = functools.partial(_take, dict(steps), ran.trace.spec.n_heads)
    _COMPONENT(key=_KEY, data={"charts": charts}, on_picked_change=take, height=0)


def _take(steps: Mapping[str, int], n_heads: int) -> None:
    picked = st.session_state[_KEY].picked
    if not isinstance(picked, dict):
        return
    chart = picked.get("chart")
    trace, point, row, column = (picked.get(name) for name in ("trace", "point", "row", "column"))
    if chart == GRID_KEY and isinstance(trace, int):
        state.put("head", trace)
    elif chart in HEAD_CHARTS and isinstance(row, int) and isinstance(column, int):
        picking.choose_head(HeadId(row, column))
    elif chart == MAP_CHART and isinstance(point, int):
        picking.choose_head(HeadId(*divmod(point, n_heads)))
    elif chart == PLANE_CHART and isinstance(point, int):
        picking.choose_tokens(point, None) if trace == 0 else picking.choose_key(point)
    elif chart in (KEY_BARS, QUERY_BARS) and isinstance(point, int):
        picking.choose_bar(chart, point, query=chart == QUERY_BARS)
    elif chart in QUERY_CHARTS and isinstance(row, int):
        _take_cell(chart, row, column if isinstance(column, int) else None, steps.get(chart, 1))


def _take_cell(chart: str, row: int, column: int | None, step: int) -> None:
    """A row without a key has no column, nor have bars. Of pooled pictures the first token of a cell is followed."""
    if chart in _BY_TOKENS:
        picking.choose_tokens(row * step, column if chart in _CELLS else None)
    else:
        picking.choose_cell(row, column if chart in _CELLS else None)
