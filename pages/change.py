"""Change the model: heads switched off, tokens changed, which heads matter, and what it does to what the model says."""

import streamlit as st

from mha_viz.ui import checks_view, clicks, effect_view, frame, importance_view, own_page, run, tokens_view, views
from mha_viz.ui.page_views import CHANGE_VIEWS

frame.through_app("change")

SHOW = {"effect": effect_view.render, "importance": importance_view.render}

ran = run.current_run()
if ran is not None and own_page.has(ran.choices, "change"):
    tokens_view.render(ran)
    with st.container(horizontal=True, vertical_alignment="center"):
        view = views.choose("change_view", CHANGE_VIEWS)
    SHOW[view](ran)
    checks_view.render(ran)
    clicks.listen(ran)
