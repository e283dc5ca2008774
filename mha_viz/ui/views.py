"""The four views of the page on masks and temperature."""

from __future__ import annotations

import streamlit as st

from mha_viz.ui import parameters, state
from mha_viz.words import say


def choose() -> str:
    """Draws the choice and returns it."""
    st.segmented_control(
        say("view.title"),
        parameters.VIEWS,
        key="view",
        required=True,
        format_func=lambda name: say(f"view.{name}"),
        label_visibility="collapsed",
        persist_state="session",
    )
    return str(state.get("view"))
