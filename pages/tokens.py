"""Tokens: what every head does with one token, and which head links two of them."""

import streamlit as st

from mha_viz.ui import (
    checks_view,
    clicks,
    find_view,
    focus,
    frame,
    ranking,
    reading,
    run,
    token_view,
    tokens_view,
    views,
)
from mha_viz.ui.page_views import TOKEN_VIEWS

frame.through_app("tokens")

ran = run.current_run()
if ran is not None:
    tokens_view.render(ran)
    with st.container(horizontal=True, vertical_alignment="center"):
        view = views.choose("token_view", TOKEN_VIEWS)
        focus.choose(ran)
        if view == "find":
            focus.choose(ran, "key")
            ranking.choose_filter(ran)
        reading.controls()
    shown = reading.current(ran)
    if shown is not None:
        (find_view if view == "find" else token_view).render(ran, shown)
    checks_view.render(ran)
    clicks.listen(ran)
