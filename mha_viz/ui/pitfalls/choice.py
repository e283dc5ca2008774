"""Which pitfall is shown, and its card."""

from __future__ import annotations

import importlib

import streamlit as st

from mha_viz.labs.pitfalls.registry import PITFALLS
from mha_viz.ui import state
from mha_viz.ui.plain import asset
from mha_viz.words import say

_OPTIONS = ("all", *PITFALLS)


def render() -> None:
    """The choice, then the card or all claims. A card's file is read when it is shown: what it tries needs PyTorch."""
    st.html(f"<style>{asset('pitfalls.css')}</style>")
    place = _OPTIONS.index(state.get("pitfall"))
    with st.container(horizontal=True, vertical_alignment="bottom", key="pitfall_choice"):
        st.selectbox(
            say("pitfalls.choose"),
            _OPTIONS,
            key="pitfall",
            format_func=_title,
            on_change=state.put,
            args=("pitfall_claim", ""),
            persist_state="session",
            width=420,
        )
        _step("previous", ":material/chevron_left:", place - 1)
        _step("next", ":material/chevron_right:", place + 1)
    name = state.get("pitfall")
    if name != "all":
        # A card opened from far down the list would be seen from its middle.
        st.html(f"<script>{asset('to_top.js')}</script><!--{name}-->", unsafe_allow_javascript=True)
    importlib.import_module(f"mha_viz.ui.pitfalls.{'everything' if name == 'all' else name}").render()


def _title(name: str) -> str:
    if name == "all":
        return say("pitfalls.all")
    return say("pitfalls.number", number=_OPTIONS.index(name), title=say(f"pitfalls.{name}"))


def _step(name: str, icon: str, place: int) -> None:
    """A button to the pitfall before or after."""
    there = 0 <= place < len(_OPTIONS)
    st.button(
        "",
        icon=icon,
        help=say(f"pitfalls.{name}") + ".",
        key=f"pitfall_{name}",
        disabled=not there,
        on_click=go_to,
        args=(_OPTIONS[place if there else 0],),
    )


def go_to(name: str) -> None:
    """Another pitfall, with its first claim; in a callback."""
    state.put("pitfall", name)
    state.put("pitfall_claim", "")
