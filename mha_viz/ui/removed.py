"""How much of each row lies on tokens that the reading leaves out."""

from __future__ import annotations

import streamlit as st

from mha_viz import figures
from mha_viz.analysis.reading import Shown
from mha_viz.figures import theme
from mha_viz.ui import heatmaps
from mha_viz.ui.run import Run
from mha_viz.words import say

KEY = "removed"


def render(ran: Run, shown: Shown) -> None:
    """A bar for each row of the chosen head; nothing where no token is left out."""
    if shown.removed is None:
        return
    layer, head = ran.choices.layer, ran.choices.head
    st.markdown(say("removed.title", layer=layer, head=head))
    bars, rows = shown.removed[layer, head], ~shown.padding
    figure = figures.token_bars(bars, rows, shown.query_tokens, say("removed.axis"), colour=theme.GUIDE)
    heatmaps.show(figure, KEY, say("removed.alt", layer=layer, head=head))
    n_drawn = len(figures.bar_places(bars, rows))
    if n_drawn < int(rows.sum()):
        st.caption(say("token.some", shown=n_drawn, total=int(rows.sum())))
