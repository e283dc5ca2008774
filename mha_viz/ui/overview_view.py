"""All heads of all layers: as thumbnails beside the chosen one."""

from __future__ import annotations

import functools
import time

import numpy as np
import numpy.typing as npt
import streamlit as st

from mha_viz import figures
from mha_viz.analysis.reading import Shown
from mha_viz.analysis.types import title_of
from mha_viz.arrays import FloatArray
from mha_viz.controls import HeadId
from mha_viz.figures.overview import Caption, Thumbnails, thumbnails
from mha_viz.metrics import METRICS
from mha_viz.ui import cache, focus, heatmaps, measures, overview, ranking, reading, removed, silence, sink_note, state
from mha_viz.ui import pictures as taken
from mha_viz.ui.choices import current_colour
from mha_viz.ui.measures import Measures
from mha_viz.ui.run import Run
from mha_viz.words import say

KEY = "overview"


def choose(ran: Run) -> None:
    """What heads are ranked by, in which order, which of them, and how their weights are read: for the row of controls."""
    ranking.choose_metric()
    ranking.choose_order(_numbers(ran))
    reading.controls()


def render(ran: Run) -> None:
    """The thumbnails, and the chosen head beside or below them.

    Of a run whose numbers are not at hand yet the pictures are shown first, and the numbers follow.
    """
    shown = reading.current(ran)
    if shown is None:
        return
    numbers = _numbers(ran)
    with st.container(key="overview_pair"):
        left, right = st.columns([4, 3], gap="medium")
    with left:
        pictures = _thumbnails(ran, shown, numbers)
        if numbers is None:
            measures.of(ran)
            st.rerun()  # what stands below and beside stays as it is until then
        silence.choose_clicks()
        reading.say_how(shown)
        sink_note.render(ran)
    with right:
        layer, head = ran.choices.layer, ran.choices.head
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(say("heads.one", layer=layer, head=head), width="content")
            heatmaps.open_head()
        heatmaps.head(ran, shown, float(pictures.ends.max()) if current_colour().shared else None)
        focus.say_where(ran, shown)
        removed.render(ran, shown)
    ranking.say_metric(numbers)


def _numbers(ran: Run) -> Measures | None:
    """At hand, or needed to know which head stands where."""
    return measures.of(ran) if ranking.ranks() else measures.known(ran)


def _thumbnails(ran: Run, shown: Shown, numbers: Measures | None) -> Thumbnails:
    started = time.perf_counter()
    colour = current_colour()
    name = repr((KEY, colour, state.get("level"), state.get("specials")))
    pictures = cache.once(name, ran.choices, ran.controls, lambda: thumbnails(shown, colour))
    metric = ranking.chosen_metric()
    if numbers is None:
        count = pictures.ends.size
        caption = Caption.none(count)
        order: npt.NDArray[np.int_] = np.arange(count)
    else:
        values = numbers.values[metric.name]
        caption = _caption(values, numbers, pictures)
        order = ranking.order_of(values)
    overview.overview(
        pictures,
        caption,
        order,
        HeadId(ran.choices.layer, ran.choices.head),
        colour,
        KEY,
        sorted_by_metric=ranking.is_sorted(),
        measured=ranking.title(metric) if numbers is not None else None,
    )
    make = functools.partial(
        figures.print_overview,
        shown,
        colour,
        pictures=pictures,
        caption=caption if numbers is not None else None,
        order=order,
        chosen=HeadId(ran.choices.layer, ran.choices.head),
        sorted_by_metric=ranking.is_sorted(),
    )
    taken.note(KEY, say("take.overview", n_layers=shown.spec.n_layers, n_heads=shown.spec.n_heads), make)
    left_out = ranking.beyond_range(numbers.values[metric.name]) if numbers is not None else np.zeros(1, dtype=bool)
    if left_out.any():
        st.caption(say("overview.filtered", n_left=int((~left_out).sum()), n_heads=left_out.size))
    heatmaps.say_pooled(pictures.step, largest=True)
    heatmaps.add_seconds(time.perf_counter() - started)
    return pictures


def _caption(values: FloatArray, numbers: Measures, pictures: Thumbnails) -> Caption:
    silenced = {head.layer * values.shape[1] + head.head for head in numbers.silenced}
    even = {head.layer * values.shape[1] + head.head for head in numbers.uniform}
    names = [
        say("overview.silenced", note=title_of(str(name)))
        if place in silenced
        else say("overview.made_even")
        if place in even
        else title_of(str(name))
        for place, name in enumerate(numbers.types.names.ravel())
    ]
    metric = ranking.chosen_metric()
    return Caption(
        values=[measures.written(METRICS[metric.name], value) for value in values.ravel().tolist()],
        shares=_shares(values),
        notes=overview.notes_of(names, pictures.ends.ravel().tolist(), current_colour()),
        faint=ranking.beyond_range(values).ravel() | np.isin(np.arange(values.size), list(silenced)),
    )


def _shares(values: FloatArray) -> FloatArray:
    """How long each head's bar is, between the smallest and the largest value of this run; no bars if all are alike."""
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    return (values - low) / (high - low) if high > low else np.full_like(values, np.nan)
