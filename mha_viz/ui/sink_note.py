"""When one key takes most of the weight of most heads: what that is called, and three ways to see past it."""

from __future__ import annotations

import streamlit as st

from mha_viz.ui import measures, notices, reading, state
from mha_viz.ui.page_table import file_of
from mha_viz.ui.plain import as_markdown
from mha_viz.ui.run import Run
from mha_viz.words import say


def render(ran: Run) -> None:
    """The notice, with its buttons; nothing if there is no such key."""
    found = measures.of(ran).loud
    if found is None:
        return
    raw = reading.raw(ran)
    n_heads = ran.trace.spec.n_layers * ran.trace.spec.n_heads
    sentence = say(
        "sink.notice",
        key=reading.name_of(raw, found.position),
        n_found=found.n_heads,
        n_heads=n_heads,
        share=f"{found.share:.2f}",
    )
    st.caption(as_markdown(sentence))
    with st.container(horizontal=True, key="sink"):
        if state.get("scale") != "log":
            notices.button(notices.Step("sink.log", ":material/contrast:", ("scale", "log")))
        if ran.tokens.special[found.position] and state.get("specials") == "raw":
            notices.button(notices.Step("sink.hide", ":material/visibility_off:", ("specials", "renormalised")))
        if not ran.choices.has_model:
            return  # norms need the model's matrices
        query = state.encoded() | {"through_view": "norms"}
        st.page_link(file_of("through"), label=say("sink.norms"), icon=":material/straighten:", query_params=query)
