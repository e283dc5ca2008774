"""Masks and temperature: every mask, every stage, one query followed all the way."""

import streamlit as st

from mha_viz.figures import panel_step
from mha_viz.ui import (
    clicks,
    difference_view,
    focus,
    frame,
    mask_view,
    own_page,
    run,
    stages_view,
    temperature_view,
    tokens_view,
    views,
)
from mha_viz.ui.page_views import VIEWS

frame.through_app("masks")

SHOW = {
    "mask": mask_view.render,
    "temperature": temperature_view.render,
    "stages": stages_view.render,
    "difference": difference_view.render,
}

ran = run.current_run()
if ran is not None and own_page.has(ran.choices, "masks"):
    tokens_view.render(ran)
    with st.container(horizontal=True, vertical_alignment="center"):
        view = views.choose("view", VIEWS)
        position = focus.choose(ran)
    SHOW[view](ran, position)
    clicks.listen(ran, {"stages": panel_step(ran.trace)})
