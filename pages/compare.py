"""Compare: a held run, A, and the present one, B."""

import streamlit as st

from mha_viz.ui import checks_view, clicks, compare_view, frame, run, views
from mha_viz.ui.page_views import COMPARE_VIEWS

frame.through_app("compare")

ran = run.current_run()
if ran is not None:
    two = compare_view.both(ran)
    if two is not None:
        compare_view.introduce(two)
        with st.container(horizontal=True, vertical_alignment="center"):
            view = views.choose("compare_view", COMPARE_VIEWS)
        compare_view.SHOW[view](two)
    checks_view.render(ran)
    clicks.listen(ran)
