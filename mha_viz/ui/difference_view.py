"""The same heads with and without the controls, and the difference."""

from __future__ import annotations

import streamlit as st

from mha_viz import figures
from mha_viz.controls import Controls
from mha_viz.ui import cache, heatmaps
from mha_viz.ui.jobs_view import short_titles
from mha_viz.ui.run import Run
from mha_viz.words import say


def render(run: Run, position: int | None) -> None:
    """One head before, after and the difference; then the differences of all heads of the layer."""
    layer, head = run.choices.layer, run.choices.head
    before = cache.run(run.choices, Controls()).trace
    if run.controls == Controls():
        st.info(say("difference.none"), icon=":material/info:")
    alt = say("difference.alt", layer=layer, head=head)
    heatmaps.show(figures.difference_heatmap(before, run.trace, layer, head, focus=position), "difference", alt)
    heatmaps.say_pooled(figures.panel_step(run.trace))
    st.markdown(say("difference.all", layer=layer))
    grid = figures.difference_grid(before, run.trace, layer, chosen=head, titles=short_titles(run))
    heatmaps.show(grid, heatmaps.GRID_KEY, alt)
    heatmaps.say_pooled(figures.grid_step(run.trace))
    st.caption(say("difference.help"))
