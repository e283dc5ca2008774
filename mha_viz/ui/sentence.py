"""The top of every page: the sentence, a second one, examples, and the model that reads them."""

from __future__ import annotations

import streamlit as st

from mha_viz.models import SOURCES
from mha_viz.ui import state
from mha_viz.words import say

#: "example.NAME" is the sentence, "example.NAME.title" what it is good for, "example.NAME.pair" its second sentence if any.
EXAMPLES = ("coreference", "repeated", "pair", "chinese", "mask")
_WITH_PAIR = ("pair",)
_READS_SPECIAL = ("mask",)


def render() -> None:
    """Draws the row; the values are parameters of the view."""
    first, second, examples, source = st.columns([5, 2.2, 1.5, 2.6], vertical_alignment="bottom")
    first.text_input(say("sentence.first"), key="text", on_change=_forget_key, persist_state="session")
    second.text_input(
        say("sentence.second"),
        key="pair",
        placeholder=say("sentence.optional"),
        on_change=_forget_key,
        persist_state="session",
    )
    examples.menu_button(
        say("sentence.examples"),
        EXAMPLES,
        key="example",
        format_func=lambda name: say(f"example.{name}.title"),
        on_click=_take_example,
        width="stretch",
    )
    source.segmented_control(
        say("sentence.source"),
        list(SOURCES),
        key="source",
        required=True,
        format_func=lambda name: say(f"source.{name}"),
        on_change=state.put,
        args=("edits", ""),
        persist_state="session",
        width="stretch",
    )


def _forget_key() -> None:
    """A key of one sentence is another word, or none, of the next; so are the tokens that were changed."""
    state.put("key", None)
    state.put("edits", "")


def _take_example() -> None:
    name = st.session_state["example"]
    if name is None:
        return
    state.put("text", say(f"example.{name}"))
    state.put("pair", say(f"example.{name}.pair") if name in _WITH_PAIR else "")
    state.put("special", name in _READS_SPECIAL)
    state.put("focus", None)
    _forget_key()
