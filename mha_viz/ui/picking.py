"""A cell, a head or a token that was clicked becomes the focus of all views: layer, head, query and key."""

from __future__ import annotations

import streamlit as st

from mha_viz.analysis.reading import Shown
from mha_viz.controls import HeadId
from mha_viz.ui import state

_GROUPS = "_shown_groups"
_BARS = "_shown_bars"


def remember(shown: Shown) -> None:
    """Notes which tokens the rows and columns of the page's pictures stand for, for the click that may come."""
    st.session_state[_GROUPS] = shown.groups


def remember_bars(chart: str, places: list[int]) -> None:
    """Notes which rows or columns of the page's pictures the bars of a chart stand for."""
    st.session_state[_BARS] = st.session_state.get(_BARS, {}) | {chart: places}


def choose_bar(chart: str, bar: int, *, query: bool) -> None:
    """Follows the query of a bar, or chooses its key; the same once more lets go of it."""
    places = st.session_state.get(_BARS, {}).get(chart, [])
    position = _position(places[bar]) if 0 <= bar < len(places) else None
    if position is not None:
        (choose_tokens if query else choose_key)(position)


def forget() -> None:
    """Before a page is drawn: unless it says otherwise, rows and columns are tokens of the run."""
    st.session_state.pop(_GROUPS, None)
    st.session_state.pop(_BARS, None)


def choose_cell(row: int, column: int | None = None) -> None:
    """Follows the query of a row, and with it the key of a column; the same once more lets go of both."""
    query, key = _position(row), None if column is None else _position(column)
    if query is not None:
        choose_tokens(query, key)


def choose_tokens(query: int, key: int | None = None) -> None:
    """The same of tokens of the run, where a picture is drawn by them whatever the reading."""
    again = state.get("focus") == query and (key is None or state.get("key") == key)
    state.put("focus", None if again else query)
    state.put("key", None if again else key)


def choose_key(key: int) -> None:
    """Chooses a token of the run as key; the same once more lets go of it."""
    state.put("key", None if state.get("key") == key else key)


def choose_head(head: HeadId) -> None:
    """Makes a head the one that is looked at."""
    state.put("layer", head.layer)
    state.put("head", head.head)


def _position(place: int) -> int | None:
    """The first token of the run that a row or column stands for."""
    groups = st.session_state.get(_GROUPS)
    if groups is None:
        return place
    return int(groups[place][0]) if 0 <= place < len(groups) else None
