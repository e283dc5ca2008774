"""What attention costs on the computer that runs it: growth, the maps, precision, INT8."""

import streamlit as st

from mha_viz.ui import cost_growth_view, cost_int8_view, cost_maps_view, cost_precision_view, frame, views
from mha_viz.ui.page_views import COST_VIEWS
from mha_viz.words import say

frame.through_app("cost")

SHOW = {
    "growth": cost_growth_view.render,
    "maps": cost_maps_view.render,
    "precision": cost_precision_view.render,
    "int8": cost_int8_view.render,
}

st.header(say("page.cost"), anchor=False)
view = views.choose("cost_view", COST_VIEWS)
SHOW[view]()
