"""One head: what it reads and what it writes, its stages, and its queries and keys in one plane."""

import streamlit as st

from mha_viz.figures import panel_step
from mha_viz.ui import checks_view, clicks, frame, one_head_view, run, tokens_view, views
from mha_viz.ui.page_views import HEAD_VIEWS

frame.through_app("one_head")

SHOW = {"reads": one_head_view.reads, "stages": one_head_view.stages, "vectors": one_head_view.plane}

ran = run.current_run()
if ran is not None:
    tokens_view.render(ran)
    with st.container(horizontal=True, vertical_alignment="center"):
        view = views.choose("head_view", HEAD_VIEWS)
        one_head_view.choose(ran)
    SHOW[view](ran)
    checks_view.render(ran)
    clicks.listen(ran, {"norms": panel_step(ran.trace), "stages": panel_step(ran.trace)})
