"""Through the layers: rollout, attention flow, norm-based weights and averages of heads."""

import streamlit as st

from mha_viz.figures import panel_step
from mha_viz.ui import checks_view, clicks, focus, frame, run, through_view, tokens_view, views
from mha_viz.ui.page_views import THROUGH_VIEWS

frame.through_app("through")

ran = run.current_run()
if ran is not None:
    tokens_view.render(ran)
    with st.container(horizontal=True, vertical_alignment="center"):
        view = views.choose("through_view", THROUGH_VIEWS)
        position = focus.choose(ran)
    through_view.SHOW[view](ran, position)
    checks_view.render(ran)
    clicks.listen(ran, {"norms": panel_step(ran.trace)})
