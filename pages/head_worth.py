"""What a head is worth: importance and pruning, heads that are alike, heads that share, depth against width."""

import streamlit as st

from mha_viz.ui import alike_view, depth_view, frame, matter_view, sharing_view, views
from mha_viz.ui.page_views import HEAD_WORTH_VIEWS
from mha_viz.words import say

frame.through_app("head_worth")

SHOW = {
    "matter": matter_view.render,
    "alike": alike_view.render,
    "sharing": sharing_view.render,
    "depth": depth_view.render,
}

st.header(say("page.head_worth"), anchor=False)
view = views.choose("head_worth_view", HEAD_WORTH_VIEWS)
SHOW[view]()
