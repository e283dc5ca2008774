"""The choice between the views of one page."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mha_viz.ui import state
from mha_viz.words import say


def choose(key: str, options: Sequence[str]) -> str:
    """Draws the choice and returns it.

    Args:
        key: a parameter of the view; "KEY.OPTION" are the words.
        options: what there is to choose from.
    """
    st.segmented_control(
        say("view.title"),
        options,
        key=key,
        required=True,
        format_func=lambda name: say(f"{key}.{name}"),
        label_visibility="collapsed",
        persist_state="session",
    )
    return str(state.get(key))
