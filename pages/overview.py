"""Overview: all heads of all layers in one picture, as a matrix of numbers, by type, and as a map."""

import streamlit as st

from mha_viz.ui import (
    checks_view,
    clicks,
    frame,
    map_view,
    matrix_view,
    overview_view,
    run,
    tokens_view,
    types_view,
    views,
)
from mha_viz.ui.page_views import OVERVIEW_VIEWS

frame.through_app("overview")

SHOW = {
    "all": overview_view.render,
    "matrix": matrix_view.render,
    "types": types_view.render,
    "map": map_view.render,
}
CHOOSE = {"all": overview_view.choose, "matrix": matrix_view.choose, "map": map_view.choose}

ran = run.current_run()
if ran is not None:
    tokens_view.render(ran)
    with st.container(horizontal=True, vertical_alignment="center"):
        view = views.choose("overview_view", OVERVIEW_VIEWS)
        if view in CHOOSE:
            CHOOSE[view](ran)
    SHOW[view](ran)
    checks_view.render(ran)
    clicks.listen(ran)
