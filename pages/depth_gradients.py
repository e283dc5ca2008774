"""What depth does to tokens and gradients: stacks, how they begin, and a block that is stable."""

import streamlit as st

from mha_viz.ui import depth_gradients_block_view, depth_gradients_stacks_view, depth_gradients_start_view, frame, views
from mha_viz.ui.page_views import DEPTH_GRADIENTS_VIEWS
from mha_viz.words import say

frame.through_app("depth_gradients")

SHOW = {
    "stacks": depth_gradients_stacks_view.render,
    "start": depth_gradients_start_view.render,
    "block": depth_gradients_block_view.render,
}

st.header(say("page.depth_gradients"), anchor=False)
view = views.choose("depth_gradients_view", DEPTH_GRADIENTS_VIEWS)
SHOW[view]()
