"""Sparse attention: patterns as masks, buckets, segments, what they cost, and models that use them."""

import streamlit as st

from mha_viz.ui import (
    frame,
    sparse_buckets_view,
    sparse_models_view,
    sparse_patterns_view,
    sparse_segments_view,
    sparse_speed_view,
    views,
)
from mha_viz.ui.parameters import SPARSE_VIEWS
from mha_viz.words import say

frame.through_app("sparse")

SHOW = {
    "patterns": sparse_patterns_view.render,
    "buckets": sparse_buckets_view.render,
    "segments": sparse_segments_view.render,
    "speed": sparse_speed_view.render,
    "models": sparse_models_view.render,
}

st.header(say("page.sparse"), anchor=False)
view = views.choose("sparse_view", SPARSE_VIEWS)
SHOW[view]()
