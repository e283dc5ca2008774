"""Keeps the URL and the view the same: the URL restores the view, the view writes the URL."""

from __future__ import annotations

import streamlit as st

from mha_viz.ui import state

_WRITTEN = "_link_written"
_PAGE = "_link_page"
_REFUSED = "_link_refused"
_BARE = "_link_bare_page"
_KEEP_BARE = "_link_keep_bare"
_JUST_READ = "_link_just_read"


def read(page: str) -> None:
    """Before any widget: takes the view from the URL when a session begins, and when the browser goes back or forward.

    A browser that has not yet got the last link sends an old one along with a changed widget; the widget wins.
    """
    query = st.query_params.to_dict()
    begins = _WRITTEN not in st.session_state
    st.session_state[_REFUSED] = []
    st.session_state[_JUST_READ] = begins or _went_back(page, query)
    if begins:
        st.session_state[_REFUSED] = state.decode(query)
    elif st.session_state[_JUST_READ]:
        unlinked = () if state.fits_link() else state.TEXTS  # no link holds them, so none can say they are gone
        st.session_state[_REFUSED] = state.decode(query, keep=unlinked)
    state.fill_defaults()
    st.session_state[_PAGE] = page


def _went_back(page: str, query: dict[str, str]) -> bool:
    """Whether the browser shows another view than the last one written, though nothing on the page was changed.

    The menu opens a page by its bare address, and writing the link then makes a second entry in the browser's history. Back
    to that bare entry keeps the view; it keeps the address too, or back could never get past it.
    """
    state.fill_defaults()
    view, written = state.encoded(), st.session_state[_WRITTEN]
    moved = st.session_state[_PAGE] != page
    if moved:
        st.session_state[_BARE] = page if view and not query else None
    unchanged = view == written and query != written
    st.session_state[_KEEP_BARE] = unchanged and not moved and not query and st.session_state.get(_BARE) == page
    return unchanged and not st.session_state[_KEEP_BARE] and (bool(query) or not moved)


def write() -> None:
    """After all widgets: makes the URL that of the present view."""
    query = state.encoded()
    if query != st.query_params.to_dict() and not st.session_state.get(_KEEP_BARE):
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
