"""Segments: recurrence with what is kept of the segments before, beside one masked attention over everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from mha_viz.figures.charts import Line, lines
from mha_viz.figures.square import HEIGHT
from mha_viz.masks import Segments
from mha_viz.masks.grid import LARGEST
from mha_viz.ui import cache, heatmaps, sparse_parts
from mha_viz.ui.run import Run
from mha_viz.words import say

if TYPE_CHECKING:
    from mha_viz.labs.segments import Recurrence


def render(run: Run) -> None:
    """The sizes, the mask that says the same beside what is lost without it, and the differences."""
    st.markdown(say("sparse.segments.what"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        size = sparse_parts.number("sparse_segment", 1, LARGEST)
        memory = sparse_parts.number("sparse_memory", 0, LARGEST)
    found = _compared(run, size, memory)
    mask, lost = st.columns(2, gap="large")
    with mask:
        st.markdown(say("sparse.segments.reach"))
        layers = sparse_parts.reach_of(run, Segments(size, memory))
        sparse_parts.show_reach(run, layers, "sparse_segments_reach", say("sparse.segments.alt"))
    with lost:
        st.markdown(say("sparse.segments.lost", layer=run.choices.layer))
        series = [Line(say("sparse.segments.lost_line"), list(range(run.tokens.n_tokens)), found.lost.tolist())]
        span = None if found.lost.any() else (0.0, 1.0)
        titles = say("sparse.segments.token"), say("sparse.segments.lost_axis")
        figure = lines(series, *titles, span=span, height=HEIGHT)
        heatmaps.show(figure, "sparse_segments_lost", say("sparse.segments.lost_alt"))
        st.caption(say(f"sparse.segments.lost.{_loses(run, size, memory)}"))
    _cards(run, size, memory, found)
    if run.controls.temperature != 1.0 or run.choices.mask is not None:
        st.caption(say("sparse.segments.sidebar"))
    st.caption(say("sparse.segments.limits"))


def _compared(run: Run, size: int, memory: int) -> Recurrence:
    """Worked out in this run from the queries, keys and values of the layer."""
    from mha_viz.labs.segments import compare  # imports torch

    layer = cache.layer(run.choices, run.controls, run.choices.layer)
    visible = Segments(size, memory).visible(run.tokens)
    return compare(layer.query, layer.key, layer.value, visible, scale=layer.scaling, size=size, memory=memory)


def _loses(run: Run, size: int, memory: int) -> str:
    """Whether there is something to lose: "nothing" is kept, there is "one" segment, or "later" ones read what was kept."""
    if memory == 0:
        return "nothing"
    return "one" if run.tokens.n_tokens <= size else "later"


def _cards(run: Run, size: int, memory: int, found: Recurrence) -> None:
    n_tokens, n_layers = run.tokens.n_tokens, run.choices.spec.n_layers
    layers = sparse_parts.reach_of(run, Segments(size, memory))
    last = n_tokens - 1
    back = last - int(np.flatnonzero(layers[last] <= n_layers).min())
    longest = last % size + n_layers * memory * size
    below = say("sparse.segments.back_below", n_layers=n_layers, formula=longest)
    keys = say("sparse.segments.keys_below", n_tokens=n_tokens)
    loses = _loses(run, size, memory)
    without = f"{found.lost.max():.3f}" if loses == "later" else "–"
    sparse_parts.cards(
        (
            (say("sparse.segments.kernel"), _small(found.kernel), say("sparse.segments.kernel_below")),
            (say("sparse.segments.sdpa"), _small(found.sdpa), say("sparse.segments.sdpa_below")),
            (say("sparse.segments.without"), without, say(f"sparse.segments.without.{loses}")),
            (say("sparse.segments.keys"), str(found.most_keys), keys),
            (say("sparse.segments.back"), str(back), below),
        )
    )


def _small(value: float) -> str:
    return "0" if value == 0 else f"{value:.1e}".replace("-", "−")
