"""Metrics of every head of the layer, each beside what even attention would give."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mha_viz.metrics import GROUPS, METRICS, Metric
from mha_viz.ui import measures
from mha_viz.ui.plain import escaped
from mha_viz.ui.run import Run
from mha_viz.words import say


def render(run: Run) -> None:
    """The chosen head's numbers, then a table of all heads of the layer."""
    layer, head = run.choices.layer, run.choices.head
    numbers = measures.of(run)
    values = {name: of_layer[layer] for name, of_layer in numbers.values.items()}
    even = {name: of_layer[layer] for name, of_layer in numbers.even.items()}
    groups = "".join(_group(group, values, even, head) for group in GROUPS)
    st.html(f"<div class='mha-numbers'>{groups}</div>")
    with st.expander(say("metrics.all", layer=layer), icon=":material/table_chart:"):
        _table(values, even, head)
        st.caption(say("metrics.note"))


def _group(group: str, values: dict[str, np.ndarray], even: dict[str, np.ndarray], head: int) -> str:
    """The numbers that tell of one thing, under its name."""
    title = escaped(say(f"metrics.group.{group}"))
    cards = [
        _card(metric, values[name][head], even[name][head]) for name, metric in METRICS.items() if metric.group == group
    ]
    return (
        f"<div style='flex: {len(cards)} 1 {9 * len(cards)}rem'><h4>{title}</h4>"
        f"<div class='mha-cards' role='list' aria-label='{title}'>{''.join(cards)}</div></div>"
    )


def _card(metric: Metric, value: float, even: float) -> str:
    """One number with its bar and a mark where even attention would be; a number without an upper bound has no bar."""
    beside = say("metrics.even", even=measures.written(metric, even))
    bar = ""
    if metric.high is not None and not np.isnan(value):
        bar = f"<i style='width:{100 * value / metric.high:.1f}%'></i><b style='left:{100 * even / metric.high:.1f}%'></b>"
    return (
        f"<div role='listitem' class='mha-card' title='{escaped(measures.explained(metric))}'>"
        f"<span>{escaped(say(f'metric.{metric.name}'))}</span>"
        f"<strong>{escaped(measures.written(metric, value))}</strong>"
        f"<div class='mha-bar' aria-hidden='true'>{bar}</div><small>{escaped(beside)}</small></div>"
    )


def _table(values: dict[str, np.ndarray], even: dict[str, np.ndarray], head: int) -> None:
    """All heads; the first row is what even attention would give the chosen one, over the keys that it may see."""
    n_heads = len(next(iter(values.values())))
    names: list[object] = [say("metrics.even_row"), *(f"H{number}" for number in range(n_heads))]
    columns = {say("metrics.head"): names}
    columns |= {say(f"metric.{name}"): [even[name][head], *per_head.tolist()] for name, per_head in values.items()}
    formats = {
        say(f"metric.{name}"): st.column_config.NumberColumn(format="%.3f", help=measures.explained(METRICS[name]))
        for name in values
    }
    st.dataframe(columns, column_config=formats, hide_index=True, width="stretch")
