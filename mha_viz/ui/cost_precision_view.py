"""Half precision: what rounding to 16 bits does to the maps, the embeddings, the size and the speed of MiniLM."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from mha_viz.figures.bars import Bars, bars
from mha_viz.figures.charts import Line, lines
from mha_viz.labs.plans_cost import HALVES, PrecisionOptions
from mha_viz.labs.results import LabResult, Row, where
from mha_viz.ui import heatmaps, labs, views
from mha_viz.words import say

#: What can be drawn of each layer, by its name in the rows.
MEASURES = ("apart", "sums", "changed")
#: Seconds on a usual computer: to begin, and for a kind.
_START, _EACH = 15, 8
_TABLE = 213  # pixels: five rows
_MB = 1e6
#: What is written along a logarithmic axis.
_TICKS = [digit * 10.0**power for power in range(-8, 0) for digit in (1, 2, 5)]


def render() -> None:
    """What is measured, the options, and what came of it."""
    st.markdown(say("precision.what"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = views.pick(
            "precision_measure",
            say("rounding.measure"),
            MEASURES,
            MEASURES[0],
            lambda name: say(f"rounding.measure.{name}"),
        )
        sentences = sentences_asked("precision_sentences")
    options = PrecisionOptions(sentences=sentences)
    about = say("rounding.about", seconds=_START + _EACH * len(HALVES))
    labs.show("precision", options, partial(_draw, str(measure)), about)


def sentences_asked(key: str) -> int:
    """How many of the built-in sentences."""
    return views.number(key, say("rounding.sentences"), (1, 16), 16, width=140)


def _draw(measure: str, result: LabResult) -> None:
    halves = [row for row in result.rows if row["kind"] != "float32"]
    if not halves:
        st.info(say("rounding.none"), icon=":material/info:")
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        _layers(measure, halves)
    with right:
        _times(halves)
    _table(result.rows)
    st.caption(_told(halves))


def _layers(measure: str, rows: Sequence[Row]) -> None:
    """A line for each kind; logarithmic but for shares of rows, which may be 0."""
    log, factor = measure != "changed", 100 if measure == "changed" else 1
    series = []
    for row in rows:
        values = [factor * value if value or not log else None for value in row[measure]]
        series.append(Line(say(f"rounding.kind.{row['kind']}"), range(len(values)), values))
    figure = lines(series, say("rounding.layer"), say(f"rounding.axis.{measure}"), log_y=log)
    figure.update_xaxes(dtick=1)
    if log:
        figure.update_yaxes(tickvals=_TICKS, ticktext=[f"{tick:g}" for tick in _TICKS])
    heatmaps.show(figure, "precision_layers", say("precision.layers.alt"))
    st.caption(say(f"precision.caption.{measure}"))


def _times(rows: Sequence[Row]) -> None:
    """How long each kind takes beside float32."""
    places = [say(f"rounding.kind.{row['kind']}").split(" ") for row in rows]
    ratios = Bars(say("rounding.axis.time"), [row["ratio"] for row in rows])
    figure = bars([ratios], places, say("rounding.axis.time"), level=1).update_layout(showlegend=False)
    heatmaps.show(figure, "precision_times", say("precision.times.alt"))
    st.caption(say("precision.caption.time", length=rows[0]["length"], rounds=min(row["rounds"] for row in rows)))


def _table(rows: Sequence[Row]) -> None:
    columns: dict[str, list[object]] = {
        say("rounding.table.kind"): [say(f"rounding.kind.{row['kind']}") for row in rows],
        say("rounding.table.bytes"): [row["bytes"] / _MB for row in rows],
        say("rounding.axis.apart"): [max(row["apart"]) for row in rows],
        say("rounding.axis.sums"): [max(row["sums"]) for row in rows],
        say("rounding.axis.changed"): [100 * sum(row["changed"]) / len(row["changed"]) for row in rows],
        say("rounding.table.cosine"): [min(row["cosines"]) for row in rows],
        say("rounding.axis.time"): [time_of(row) for row in rows],
    }
    formats = ("%s", "%.1f", "%.2g", "%.1e", "%.2f", "%.6f", "%s")
    config = {
        name: st.column_config.NumberColumn(format=text)
        for name, text in zip(columns, formats, strict=True)
        if text != "%s"
    }
    st.dataframe(columns, column_config=config, hide_index=True, width="stretch", height=_TABLE)


def time_of(row: Row) -> str:
    """The median of the ratios and what half of the rounds lie within; nothing where no time was taken."""
    if "ratio" not in row:
        return "\u2013"
    low, high = row["ratio_half"]
    return say("rounding.ratio", ratio=f"{row['ratio']:.2f}", low=f"{low:.2f}", high=f"{high:.2f}")


def _told(rows: Sequence[Row]) -> str:
    """The largest of what the rows hold."""
    one = rows[0]
    worst = min(min(row["cosines"]) for row in rows)
    told = say("precision.told", sentences=one["sentences"], tokens=one["tokens"], cosine=f"{worst:.5f}")
    same = where(rows, kind="autocast_bfloat16") or where(rows, kind="autocast_float16")
    return f"{told} {say('precision.told.autocast')}" if same else told
