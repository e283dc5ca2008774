"""Links from the Start page to the others, which keep the view."""

from __future__ import annotations

import streamlit as st

from mha_viz.ui import state
from mha_viz.ui.page_table import PAGES
from mha_viz.words import say


def render() -> None:
    """A door for each page but the default one, two in a row; pointing at one says what is behind it."""
    with st.container(key="doors"):
        for entry in PAGES:
            if entry.default:
                continue
            st.page_link(
                entry.file,
                label=say(f"page.{entry.name}.door"),
                icon=entry.icon,
                help=say(f"page.{entry.name}.help"),
                query_params=state.encoded(),
            )
