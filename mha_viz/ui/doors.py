"""Links from the Start page to the others, which keep the view."""

from __future__ import annotations

import streamlit as st

from mha_viz.ui import state
from mha_viz.ui.page_table import PAGES
from mha_viz.words import say


def render() -> None:
    """A door for each page but the default one."""
    for entry in PAGES:
        if entry.default:
            continue
        with st.container(border=True):
            st.page_link(
                entry.file, label=say(f"page.{entry.name}.door"), icon=entry.icon, query_params=state.encoded()
            )
            st.caption(say(f"page.{entry.name}.help"))
