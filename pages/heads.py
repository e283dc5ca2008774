"""Heads: every head of a layer, one of them large, and what it does in words and numbers."""

import streamlit as st

from mha_viz.ui import (
    checks_view,
    clicks,
    focus,
    frame,
    heatmaps,
    jobs_view,
    metrics_view,
    reading,
    removed,
    run,
    tokens_view,
)
from mha_viz.words import say

frame.through_app("heads")

ran = run.current_run()
if ran is not None:
    tokens_view.render(ran)
    shown = reading.current(ran)
    if shown is not None:
        grid, large = st.columns([2, 3], gap="medium")
        with grid:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(say("heads.all", layer=ran.choices.layer, n_heads=ran.trace.spec.n_heads), width="content")
                reading.controls()
            heatmaps.grid(ran, shown)
            reading.say_how(shown, ran.choices.layer, ran.choices.head)
        with large:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(say("heads.one", layer=ran.choices.layer, head=ran.choices.head), width="content")
                focus.choose(ran)
                heatmaps.open_head()
            heatmaps.head(ran, shown)
            focus.say_where(ran, shown)
            removed.render(ran, shown)
    checks_view.render(ran)
    jobs_view.render(ran)
    metrics_view.render(ran)
    clicks.listen(ran)
