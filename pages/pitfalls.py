"""Claims of tutorials on attention, each tried in front of the visitor."""

import streamlit as st

from mha_viz.ui import frame
from mha_viz.ui.pitfalls import choice
from mha_viz.words import say

frame.through_app("pitfalls")

st.header(say("page.pitfalls"), anchor=False)
choice.render()
