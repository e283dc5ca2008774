"""A run that is kept as A, so that the present one, B, can be compared with it. What is kept is its link."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

import streamlit as st

from mha_viz.ui import cache, own_store, state
from mha_viz.ui.choices import current
from mha_viz.ui.page_table import file_of
from mha_viz.ui.parameters import MOST_HELD
from mha_viz.ui.plain import as_markdown, shortened
from mha_viz.ui.run import Run, controls_now
from mha_viz.words import say

#: What a held view leaves out: what is only looked at, and A itself.
_LEFT_OUT = (
    *(
        "a",
        "compare_view",
        "change_view",
        "head_count_view",
        "head_worth_view",
        "matter_part",
        "matter_model",
        "depth_part",
    ),
    *("layer", "head", "focus", "key", "view", "step"),
)
_LONGEST = 40


def render() -> None:
    """In the sidebar of every page: hold the present run, or let go of it."""
    query = {name: value for name, value in state.encoded().items() if name not in _LEFT_OUT}
    text = urlencode(query)
    # An unchanged view has an empty link, which would be no A at all.
    text = text or urlencode({"source": state.written("source")})
    fits = len(text) <= MOST_HELD and state.links_text()
    held = state.get("a")
    help_text = say("held.help") if fits else say("held.too_long")
    if held != text:
        button = say("held.again" if held else "held.hold")
        st.button(
            button,
            icon=":material/bookmark_add:",
            on_click=state.put,
            args=("a", text),
            help=help_text,
            disabled=not fits,
            width="stretch",
        )
    if held:
        st.caption(say("held.is", text=as_markdown(shortened(described(), _LONGEST))))
        with st.container(horizontal=True):
            st.page_link(
                file_of("compare"), label=say("held.compare"), icon=":material/compare:", query_params=state.encoded()
            )
            st.button(say("held.drop"), icon=":material/bookmark_remove:", on_click=state.put, args=("a", ""))


def described() -> str:
    """The first sentence of A, or its file."""
    with state.seen_as(query()):
        if not state.is_own():
            return str(state.get("text"))
        stored = own_store.find(state.get("file"))
        return say("own_page.gone") if stored is None else stored.name


def query() -> dict[str, str]:
    """The link of A."""
    return dict(parse_qsl(state.get("a"), keep_blank_values=True))


def run() -> Run:
    """A, run again if it is not at hand.

    Raises:
        MhaVizError: it cannot be run.
    """
    with state.seen_as(query()):
        choices = current()
        controls = controls_now(choices)
    ran = cache.run(choices, controls)
    return Run(choices, cache.tokens(choices), controls, ran.trace, ran.cached)
