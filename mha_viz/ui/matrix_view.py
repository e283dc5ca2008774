"""One metric of every head: as a matrix, against the layers, and as a ranked table of all metrics to sort and take away."""

from __future__ import annotations

import csv
import io
import time

import numpy as np
import streamlit as st

from mha_viz import figures
from mha_viz.analysis.types import title_of
from mha_viz.controls import HeadId
from mha_viz.metrics import METRICS
from mha_viz.ui import heatmaps, measures, own_page, ranking
from mha_viz.ui.choices import current_colour
from mha_viz.ui.measures import Measures
from mha_viz.ui.run import Run
from mha_viz.words import say

MATRIX_KEY = "metric_matrix"


def choose(ran: Run) -> None:
    """The metric, for the row of controls."""
    ranking.choose_metric()


def render(ran: Run) -> None:
    """Matrix, chart and table."""
    numbers = measures.of(ran)
    metric = ranking.chosen_metric()
    values, title = numbers.values[metric.name], ranking.title(metric)
    if not np.isfinite(values).any() and (metric.name != "output_share" or own_page.has(ran.choices, "norms")):
        st.info(say("overview.no_metric", metric=title), icon=":material/info:")
    started = time.perf_counter()
    low, high = measures.ends(metric, values)
    figure = figures.metric_matrix(
        values,
        [[measures.plain(metric, value) for value in row] for row in values.tolist()],
        title,
        low=low,
        high=high,
        chosen=HeadId(ran.choices.layer, ran.choices.head),
        palette=current_colour().palette,
    )
    heatmaps.add_seconds(time.perf_counter() - started)
    heatmaps.show(figure, MATRIX_KEY, say("overview.matrix_alt", metric=title))
    ranking.say_metric(numbers)
    if ran.trace.spec.n_layers > 1:
        st.markdown(say("overview.by_layer", metric=title))
        chart = figures.metric_by_layer(values, title, even=numbers.even[metric.name].mean(axis=1))
        heatmaps.show(chart, "metric_by_layer", say("overview.by_layer_alt", metric=title))
    _table(numbers)


def _table(numbers: Measures) -> None:
    """All heads with all metrics, the chosen metric's largest first; a click on a column's head sorts by it."""
    st.markdown(say("overview.table"))
    metric = ranking.chosen_metric()
    order = ranking.order_of(numbers.values[metric.name], "high")
    rows = table_of(numbers)
    columns = {name: [rows[name][place] for place in order] for name in rows}
    formats = {
        say(f"metric.{name}"): st.column_config.NumberColumn(
            format="%.3f" if METRICS[name].unit == "share" else "%.2f",
            help=measures.explained(METRICS[name]),
        )
        for name in METRICS
    }
    st.dataframe(columns, column_config=formats, hide_index=True, width="stretch", height=320)
    st.download_button(
        say("overview.download"),
        data=as_csv(rows),
        file_name="mha_viz_heads.csv",
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
    )


def table_of(numbers: Measures) -> dict[str, list[object]]:
    """Columns of the table: the head, its type, and every metric; the chosen metric stands first among them."""
    names = numbers.types.names
    heads = [HeadId(layer, head) for layer, head in np.ndindex(names.shape)]
    first = ranking.chosen_metric().name
    columns: dict[str, list[object]] = {
        say("overview.head_column"): [str(head) for head in heads],
        say("overview.type_column"): [title_of(str(name)) for name in names.ravel()],
    }
    for name in [first, *(name for name in METRICS if name != first)]:
        values = numbers.values[name].ravel().tolist()
        columns[say(f"metric.{name}")] = [None if np.isnan(value) else value for value in values]
    return columns


def as_csv(columns: dict[str, list[object]]) -> str:
    """The table as text. It holds no token, so that nothing in it can become a formula."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()
