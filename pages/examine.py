"""An attention module examined: the visitor's own, BERT's, the toy's."""

import streamlit as st

from mha_viz.ui import examine_view, frame
from mha_viz.words import say

frame.through_app("examine")

st.header(say("page.examine"), anchor=False)
examine_view.render()
