"""The figures on a page, and the time they took."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import streamlit as st

from mha_viz import figures
from mha_viz.analysis.reading import Shown
from mha_viz.figures.bytes import MOST_EXACT
from mha_viz.figures.head import HEIGHT as HEIGHT
from mha_viz.figures.labels import token_text, visible_text
from mha_viz.ui import cells, picking, pictures, reading, state
from mha_viz.ui.choices import current_colour
from mha_viz.ui.jobs_view import short_titles
from mha_viz.ui.page_table import file_of
from mha_viz.ui.run import Run
from mha_viz.words import say

if TYPE_CHECKING:
    import plotly.graph_objects as go

GRID_KEY = "grid"
HEAD_KEY = "large_head"
_SECONDS = "_figure_seconds"

_CONFIG = {"displayModeBar": False, "displaylogo": False, "scrollZoom": False, "doubleClick": False}


def grid(run: Run, shown: Shown) -> None:
    """All heads of the chosen layer."""
    layer, head = run.choices.layer, run.choices.head
    started = time.perf_counter()
    colour = current_colour()
    figure = figures.head_grid(shown, layer, chosen=head, titles=short_titles(run), colour=colour)
    alt = say("figure.grid_alt", layer=layer, n_heads=shown.spec.n_heads, n_tokens=shown.n_tokens)
    _show(figure, GRID_KEY, alt, started)
    # On paper the heads keep their shape and have the scale beside them.
    pictures.note(GRID_KEY, alt, lambda: figures.print_grid(shown, layer, chosen=head, colour=colour))
    say_pooled(figures.grid_step(shown))


def head(run: Run, shown: Shown, highest: float | None = None) -> None:
    """The chosen head, large: exact numbers up to MOST_EXACT tokens, one byte a cell beyond.

    ``highest`` is the end of the colour scale of a picture beside it, so that both can be compared.
    """
    layer, number = run.choices.layer, run.choices.head
    picking.remember(shown)
    started = time.perf_counter()
    if shown.n_tokens > MOST_EXACT:
        cells.cells(shown, layer, number, current_colour(), HEAD_KEY, highest=highest)
        add_seconds(time.perf_counter() - started)
        return
    focus = reading.focus_place(shown)
    figure = figures.head_heatmap(shown, layer, number, focus=focus, highest=highest, colour=current_colour())
    tokens = shown.query_tokens
    first, last = (visible_text(token_text(tokens, place)) for place in (0, tokens.n_tokens - 1))
    alt = say("figure.head_alt", layer=layer, head=number, n_tokens=tokens.n_tokens, first=first, last=last)
    _show(figure, HEAD_KEY, alt, started)


def open_head() -> None:
    """The door from a head to the page that is about it alone."""
    st.page_link(
        file_of("one_head"), label=say("heads.open"), icon=":material/open_in_full:", query_params=state.encoded()
    )


def say_pooled(step: int, *, largest: bool = False) -> None:
    """That cells of a picture cover several tokens, if they do; of weights a cell shows the largest."""
    if step > 1:
        st.caption(say("heads.pooled_largest" if largest else "heads.pooled", step=step))


def show(figure: go.Figure, key: str, alt: str) -> None:
    """Any other figure of a page."""
    _show(figure, key, alt, time.perf_counter())


def seconds() -> float:
    """Time that building this page's figures has taken in this run of the script."""
    return float(st.session_state.get(_SECONDS, 0.0))


def add_seconds(more: float) -> None:
    """Counts the time of a picture that is not a figure."""
    st.session_state[_SECONDS] = seconds() + more


def start_clock() -> None:
    """Sets the time of this run of the script back to 0."""
    st.session_state[_SECONDS] = 0.0


def _show(figure: go.Figure, key: str, alt: str, started: float) -> None:
    pictures.note(key, alt, lambda: figure)
    st.plotly_chart(figure, key=key, alt=alt, config=_CONFIG, theme="streamlit", width="stretch")
    add_seconds(time.perf_counter() - started)
