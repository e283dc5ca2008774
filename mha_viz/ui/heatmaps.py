"""The figures on a page, and the time they took."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import streamlit as st

from mha_viz import figures
from mha_viz.figures.head import HEIGHT as HEIGHT
from mha_viz.figures.labels import token_text, visible_text
from mha_viz.ui.choices import current_colour
from mha_viz.ui.jobs_view import short_titles
from mha_viz.ui.run import Run
from mha_viz.words import say

if TYPE_CHECKING:
    import plotly.graph_objects as go

GRID_KEY = "grid"
HEAD_KEY = "large_head"
_SECONDS = "_figure_seconds"

_CONFIG = {"displayModeBar": False, "displaylogo": False, "scrollZoom": False, "doubleClick": False}


def grid(run: Run) -> None:
    """All heads of the chosen layer."""
    layer, head = run.choices.layer, run.choices.head
    started = time.perf_counter()
    figure = figures.head_grid(run.trace, layer, chosen=head, titles=short_titles(run), colour=current_colour())
    alt = say("figure.grid_alt", layer=layer, n_heads=run.trace.spec.n_heads, n_tokens=run.tokens.n_tokens)
    _show(figure, GRID_KEY, alt, started)
    say_pooled(figures.grid_step(run.trace))


def head(run: Run, focus: int | None) -> None:
    """The chosen head, large."""
    layer, number = run.choices.layer, run.choices.head
    started = time.perf_counter()
    figure = figures.head_heatmap(run.trace, layer, number, focus=focus, colour=current_colour())
    first, last = (visible_text(token_text(run.tokens, position)) for position in (0, run.tokens.n_tokens - 1))
    alt = say("figure.head_alt", layer=layer, head=number, n_tokens=run.tokens.n_tokens, first=first, last=last)
    _show(figure, HEAD_KEY, alt, started)


def say_pooled(step: int) -> None:
    """That cells of a picture cover several tokens, if they do."""
    if step > 1:
        st.caption(say("heads.pooled", step=step))


def show(figure: go.Figure, key: str, alt: str) -> None:
    """Any other figure of a page."""
    _show(figure, key, alt, time.perf_counter())


def seconds() -> float:
    """Time that building this page's figures has taken in this run of the script."""
    return float(st.session_state.get(_SECONDS, 0.0))


def start_clock() -> None:
    """Sets the time of this run of the script back to 0."""
    st.session_state[_SECONDS] = 0.0


def _show(figure: go.Figure, key: str, alt: str, started: float) -> None:
    st.plotly_chart(figure, key=key, alt=alt, config=_CONFIG, theme="streamlit", width="stretch")
    st.session_state[_SECONDS] = seconds() + time.perf_counter() - started
