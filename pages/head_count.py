"""How many heads: what a budget allows, a task with a theory line, real text, and how to choose."""

import streamlit as st

from mha_viz.ui import budget_view, frame, lookups_view, sweep_view, texts_view, views
from mha_viz.ui.page_views import HEAD_COUNT_VIEWS
from mha_viz.words import say

frame.through_app("head_count")

SHOW = {
    "budget": budget_view.render,
    "lookups": lookups_view.render,
    "texts": texts_view.render,
    "sweep": sweep_view.render,
}

st.header(say("page.head_count"), anchor=False)
view = views.choose("head_count_view", HEAD_COUNT_VIEWS)
SHOW[view]()
