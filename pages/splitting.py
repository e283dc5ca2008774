"""Splitting: one attention layer in motion, from X to its output."""

import streamlit as st

from mha_viz.ui import focus, frame, own_page, run, splitting_view, tokens_view

frame.through_app("splitting")

ran = run.current_run()
if ran is not None and own_page.has(ran.choices, "splitting"):
    with st.container(horizontal=True, vertical_alignment="center"):
        position = focus.choose(ran)
        splitting_view.choose_beside(ran)
    splitting_view.render(ran, position)
    tokens_view.render(ran)
