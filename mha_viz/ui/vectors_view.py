"""Queries and keys of the chosen head in one plane, so that one sees why a query finds its key."""

from __future__ import annotations

import streamlit as st

from mha_viz import figures
from mha_viz.analysis.vectors import projected
from mha_viz.ui import cache, focus, heatmaps, state
from mha_viz.ui.run import Run
from mha_viz.words import say

KEY = "vectors"
_LINES = 5


def render(ran: Run) -> None:
    """The plane, and how much of the scores it keeps."""
    layer, head = ran.choices.layer, ran.choices.head
    if ran.trace.vectors is None:
        st.info(say("one_head.no_vectors"), icon=":material/info:")
        return
    name = repr(("plane", layer, head))
    points = cache.once(name, ran.choices, ran.controls, lambda: projected(ran.trace, layer, head))
    row = state.get("focus")
    row = row if row is not None else focus.strongest_row(ran.trace, layer, head)
    weights = None if row is None else ran.trace.weights[layer, head, row]
    figure = figures.vector_plane(points, ran.tokens, focus=row, weights=weights, most=_LINES)
    heatmaps.show(figure, KEY, say("one_head.vectors_alt", layer=layer, head=head))
    known = points.correlation == points.correlation  # NaN where nothing varies
    keeps = say("one_head.keeps", share=f"{points.share:.2f}", correlation=f"{points.correlation:.2f}") if known else ""
    st.caption(f"{say('one_head.vectors_what', n_lines=_LINES)} {keeps}")
