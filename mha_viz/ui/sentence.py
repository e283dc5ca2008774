"""The top of every page: the sentence, a second one, examples, and the model that reads them; or a file of weights."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mha_viz.models import SOURCES
from mha_viz.ui import own_page, state
from mha_viz.words import say

#: "example.NAME" is the sentence, "example.NAME.title" what it is good for, "example.NAME.pair" its second sentence if any.
EXAMPLES = ("coreference", "repeated", "pair", "chinese", "mask")
_WITH_PAIR = ("pair",)
_READS_SPECIAL = ("mask",)


def render() -> None:
    """Draws the row; the values are parameters of the view."""
    own_page.check_source()
    if state.is_own():
        file, other, source = st.columns([5.6, 2, 3.4], vertical_alignment="bottom")
        _source(source)
        own_page.row(file, other)
        return
    first, second, examples, source = st.columns([4.6, 2, 1.5, 3.4], vertical_alignment="bottom")
    _texts(first, second)
    examples.menu_button(
        say("sentence.examples"),
        EXAMPLES,
        key="example",
        format_func=lambda name: say(f"example.{name}.title"),
        on_click=_take_example,
        width="stretch",
    )
    _source(source)


def _texts(first: DeltaGenerator, second: DeltaGenerator) -> None:
    first.text_input(say("sentence.first"), key="text", on_change=_forget_key, persist_state="session")
    second.text_input(
        say("sentence.second"),
        key="pair",
        placeholder=say("sentence.optional"),
        on_change=_forget_key,
        persist_state="session",
    )


def _source(place: DeltaGenerator) -> None:
    place.segmented_control(
        say("sentence.source"),
        own_page.sources(list(SOURCES)),
        key="source",
        required=True,
        format_func=lambda name: say(f"source.{name}"),
        on_change=own_page.source_changed,
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
