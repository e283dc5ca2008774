"""All heads of all layers: as thumbnails beside the chosen one."""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt
import streamlit as st

from mha_viz.analysis.reading import Shown
from mha_viz.analysis.types import title_of
from mha_viz.arrays import FloatArray
from mha_viz.controls import HeadId
from mha_viz.figures.overview import Caption, thumbnails
from mha_viz.metrics import METRICS, Metric
from mha_viz.ui import focus, heatmaps, measures, overview, reading, sink_note, state
from mha_viz.ui.choices import current_colour
from mha_viz.ui.run import Run
from mha_viz.words import say

KEY = "overview"


def choose_metric() -> None:
    """The metric that heads are ranked, filtered and coloured by."""
    st.selectbox(
        say("overview.metric"),
        list(METRICS),
        key="metric",
        format_func=lambda name: say(f"metric.{name}"),
        on_change=_forget_range,
        label_visibility="collapsed",
        persist_state="session",
        width=190,
    )


def _choose_order() -> None:
    st.segmented_control(
        say("overview.order"),
        ["place", "high", "low"],
        key="order",
        required=True,
        format_func=lambda name: say(f"overview.order.{name}"),
        persist_state="session",
    )


def say_metric(ran: Run) -> None:
    """What the chosen metric means, over which rows it is taken, and what even attention would give."""
    metric = measures.chosen_metric()
    even = measures.of(ran).even[metric.name]
    known = even[np.isfinite(even)]
    sentences = [measures.explained(metric)]
    if known.size:
        low, high = (measures.written(metric, float(end)) for end in (known.min(), known.max()))
        sentences.append(
            say("overview.even", even=low) if low == high else say("overview.even_range", low=low, high=high)
        )
    ends = [
        say("overview.no_end") if end is None else measures.written(metric, end) for end in (metric.low, metric.high)
    ]
    sentences.append(say("overview.range", low=ends[0], high=ends[1]))
    st.caption(" ".join(sentences))


def choose(ran: Run) -> None:
    """What heads are ranked by, in which order, which of them, and how their weights are read: for the row of controls."""
    choose_metric()
    metric = measures.chosen_metric()
    filtered = any(state.get(name) is not None for name in ("metric_low", "metric_high"))
    order = say(f"overview.order.{state.get('order')}")
    with st.popover(say("overview.filtered_order", order=order) if filtered else order, icon=":material/filter_alt:"):
        _choose_order()
        _choose_range(metric, measures.of(ran).values[metric.name])
    reading.controls()


def render(ran: Run) -> None:
    """The thumbnails on the left, the chosen head on the right."""
    shown = reading.current(ran)
    if shown is None:
        return
    with st.container(key="overview_pair"):
        left, right = st.columns([4, 3], gap="medium")
    with left:
        _thumbnails(ran, shown)
        reading.say_how(shown)
        sink_note.render(ran)
    with right:
        layer, head = ran.choices.layer, ran.choices.head
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(say("heads.one", layer=layer, head=head), width="content")
            heatmaps.open_head()
        heatmaps.head(ran, shown)
        focus.say_where(ran, shown)
    say_metric(ran)


def _thumbnails(ran: Run, shown: Shown) -> None:
    started = time.perf_counter()
    metric, numbers = measures.chosen_metric(), measures.of(ran)
    values = numbers.values[metric.name]
    faint = _beyond_range(values)
    colour = current_colour()
    pictures = thumbnails(shown, colour)
    names = [title_of(str(name)) for name in numbers.types.names.ravel()]
    caption = Caption(
        values=[measures.written(metric, value) for value in values.ravel().tolist()],
        shares=_shares(metric, values),
        notes=overview.notes_of(names, pictures.ends.ravel().tolist(), colour),
        faint=faint.ravel(),
    )
    how = state.get("order")
    overview.overview(
        pictures,
        caption,
        order_of(values, how),
        HeadId(ran.choices.layer, ran.choices.head),
        colour,
        KEY,
        sorted_by_metric=how != "place",
        measured=measures.title_of(metric),
    )
    if faint.any():
        st.caption(say("overview.filtered", n_left=int((~faint).sum()), n_heads=values.size))
    heatmaps.say_pooled(pictures.step, largest=True)
    heatmaps.add_seconds(time.perf_counter() - started)


def order_of(values: FloatArray, how: str) -> npt.NDArray[np.int_]:
    """Flat numbers of heads: by place, or from the largest or smallest value on; heads without a value come last."""
    flat = values.ravel()
    if how == "place":
        return np.arange(flat.size)
    keys = np.where(np.isnan(flat), np.inf, -flat if how == "high" else flat)
    return np.argsort(keys, kind="stable")


def _shares(metric: Metric, values: FloatArray) -> FloatArray:
    """How long each head's bar is, between the smallest and the largest value of this run."""
    known = values[np.isfinite(values)]
    if not known.size:
        return values
    low, high = float(known.min()), float(known.max())
    return (values - low) / (high - low) if high > low else np.where(np.isnan(values), np.nan, 1.0)


def _beyond_range(values: FloatArray) -> npt.NDArray[np.bool_]:
    """True for heads whose value the chosen range leaves out."""
    least, most = (state.get(name) for name in ("metric_low", "metric_high"))
    within = (values >= (-np.inf if least is None else least - 1e-9)) & (
        values <= (np.inf if most is None else most + 1e-9)
    )
    return ~within & np.isfinite(values)


def _choose_range(metric: Metric, values: FloatArray) -> None:
    """Draws the range of the metric that heads must lie in; nothing where all heads are alike."""
    known = values[np.isfinite(values)]
    if not known.size or known.min() == known.max():
        return
    low, high = float(np.floor(known.min() * 100) / 100), float(np.ceil(known.max() * 100) / 100)
    least, most = (state.get(name) for name in ("metric_low", "metric_high"))
    start = float(np.clip(low if least is None else least, low, high))
    stop = float(np.clip(high if most is None else most, start, high))
    st.session_state["metric_range"] = (start, stop)
    title = say("overview.filter", metric=measures.title_of(metric))
    st.slider(title, low, high, key="metric_range", step=0.01, on_change=_take_range, args=(low, high))
    st.caption(say("overview.filter_help"))


def _take_range(low: float, high: float) -> None:
    start, stop = st.session_state["metric_range"]
    state.put("metric_low", None if start <= low else start)
    state.put("metric_high", None if stop >= high else stop)


def _forget_range() -> None:
    """A range of one metric means nothing for another."""
    state.put("metric_low", None)
    state.put("metric_high", None)
