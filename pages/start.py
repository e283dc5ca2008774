"""Start: what this is, one live heatmap, and the doors to the other pages."""

import streamlit as st

from mha_viz.ui import doors, frame, heatmaps, jobs_view, reading, run
from mha_viz.words import say

frame.through_app("start")

words, picture = st.columns([2, 3], gap="large")
with words:
    st.header(say("start.title"), anchor=False)
    st.markdown(say("start.what"))
    st.markdown(say("start.promises"))
    doors.render()
with picture:
    place = st.empty()
    place.skeleton(height=heatmaps.HEIGHT)
    with place.container():
        ran = run.current_run()
        if ran is not None:
            heatmaps.head(ran, reading.raw(ran))
            st.caption(jobs_view.one_line(ran))
