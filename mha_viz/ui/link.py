"""Keeps the URL and the view the same: the URL restores the view, the view writes the URL."""

from __future__ import annotations

import streamlit as st

from mha_viz.ui import state

_WRITTEN = "_link_written"
_PAGE = "_link_page"
_REFUSED = "_link_refused"
_JUST_READ = "_link_just_read"


def read(page: str) -> None:
    """Before any widget: takes the view from the URL when a session begins, and when the browser goes back or forward.

    A browser that has not yet got the last link sends an old one along with a changed widget; the widget wins.
    """
    query = st.query_params.to_dict()
    written, page_before = st.session_state.get(_WRITTEN), st.session_state.get(_PAGE)
    begins = written is None
    st.session_state[_REFUSED] = []
    st.session_state[_JUST_READ] = begins
    if begins:
        st.session_state[_REFUSED] = state.decode(query)
    state.fill_defaults()
    nothing_changed = state.encoded() == written
    moved = page_before != page
    if not begins and query != written and nothing_changed and (query or not moved):
        unlinked = () if state.links_text() else state.TEXTS  # no link holds them, so none can say they are gone
        st.session_state[_REFUSED] = state.decode(query, keep=unlinked)
        st.session_state[_JUST_READ] = True
    st.session_state[_PAGE] = page


def write() -> None:
    """After all widgets: makes the URL that of the present view."""
    query = state.encoded()
    if query != st.query_params.to_dict():
        st.query_params.from_dict(query)
    st.session_state[_WRITTEN] = query


def refuse(name: str, value: object) -> None:
    """Notes that a value is not possible here; it is told only if it came from the link in this run of the script."""
    if st.session_state[_JUST_READ]:
        st.session_state[_REFUSED].append((name, str(value)))


def refused() -> list[tuple[str, str]]:
    """Names and texts of the link that were not possible and not told yet."""
    told: list[tuple[str, str]] = st.session_state[_REFUSED]
    st.session_state[_REFUSED] = []
    return told
