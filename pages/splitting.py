"""Splitting: one attention layer in motion, from X to its output."""

import streamlit as st

from mha_viz.ui import focus, frame, run, splitting_view, tokens_view

frame.through_app("splitting")

ran = run.current_run()
if ran is not None:
    with st.container(horizontal=True, vertical_alignment="center"):
        position = focus.choose(ran)
        splitting_view.choose_beside(ran)
    splitting_view.render(ran, position)
    tokens_view.render(ran)
