"""By what heads are ranked, coloured and filtered: one metric, one order and one range for all views of all heads."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import streamlit as st

from mha_viz.arrays import FloatArray
from mha_viz.metrics import METRICS, Metric
from mha_viz.ui import measures, state
from mha_viz.ui.measures import Measures
from mha_viz.ui.run import Run
from mha_viz.words import say

_RANGE = ("metric_low", "metric_high")
_SLIDER = "metric_range"


def chosen_metric() -> Metric:
    """The metric of the view."""
    return METRICS[state.get("metric")]


def title(metric: Metric) -> str:
    """Its short name."""
    return say(f"metric.{metric.name}")


def is_filtered() -> bool:
    """Whether only heads within a range are wanted."""
    return any(state.get(name) is not None for name in _RANGE)


def is_sorted() -> bool:
    """Whether heads stand in another order than by layer and number."""
    return bool(state.get("order") != "place")


def ranks() -> bool:
    """Whether the metric decides which heads are shown where."""
    return is_sorted() or is_filtered()


def choose_metric() -> None:
    """Draws the choice."""
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


def choose_order(numbers: Measures | None) -> None:
    """Draws the order and, once the numbers are at hand, the range that the metric must lie in."""
    order = say(f"overview.order.{state.get('order')}")
    label = say("overview.filtered_order", order=order) if is_filtered() else order
    with st.popover(label, icon=":material/filter_alt:"):
        st.segmented_control(
            say("overview.order"),
            ["place", "high", "low"],
            key="order",
            required=True,
            format_func=lambda name: say(f"overview.order.{name}"),
            persist_state="session",
        )
        if numbers is not None:
            _choose_range(numbers.values[chosen_metric().name])


def choose_filter(ran: Run) -> None:
    """Draws the metric and the range that heads must lie in, behind a button."""
    with st.popover(
        say("overview.filter_on" if is_filtered() else "overview.filter_off"), icon=":material/filter_alt:"
    ):
        choose_metric()
        _choose_range(measures.of(ran).values[chosen_metric().name])


def _choose_range(values: FloatArray) -> None:
    """Nothing where all heads are alike."""
    known = values[np.isfinite(values)]
    if not known.size or known.min() == known.max():
        return
    low, high = float(np.floor(known.min() * 100) / 100), float(np.ceil(known.max() * 100) / 100)
    least, most = (state.get(name) for name in _RANGE)
    start = float(np.clip(low if least is None else least, low, high))
    stop = float(np.clip(high if most is None else most, start, high))
    st.session_state[_SLIDER] = (start, stop)
    text = say("overview.filter", metric=title(chosen_metric()))
    st.slider(text, low, high, key=_SLIDER, step=0.01, on_change=_take_range, args=(low, high))
    st.caption(say("overview.filter_help"))


def _take_range(low: float, high: float) -> None:
    start, stop = st.session_state[_SLIDER]
    state.put("metric_low", None if start <= low else start)
    state.put("metric_high", None if stop >= high else stop)


def _forget_range() -> None:
    """A range of one metric means nothing for another."""
    for name in _RANGE:
        state.put(name, None)


def order_of(values: FloatArray, how: str | None = None) -> npt.NDArray[np.int_]:
    """Flat numbers of heads: by place, or from the largest or smallest value on; heads without a value come last."""
    flat, how = values.ravel(), how or state.get("order")
    if how == "place":
        return np.arange(flat.size)
    keys = np.where(np.isnan(flat), np.inf, -flat if how == "high" else flat)
    return np.argsort(keys, kind="stable")


def beyond_range(values: FloatArray) -> npt.NDArray[np.bool_]:
    """True for heads whose value the chosen range leaves out."""
    least, most = (state.get(name) for name in _RANGE)
    low, high = -np.inf if least is None else least, np.inf if most is None else most
    return np.isfinite(values) & ((values < low - 1e-9) | (values > high + 1e-9))


def say_metric(numbers: Measures) -> None:
    """What the metric means, over which rows it is taken, what even attention would give, and between what it lies."""
    metric = chosen_metric()
    even = numbers.even[metric.name]
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
