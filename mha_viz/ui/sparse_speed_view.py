"""What sparse attention costs: time and memory of each way against the length, and how fast they grow."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mha_viz.figures.charts import Line, lines
from mha_viz.labs.plans_cost import SPARSE_BLOCK, SPARSE_KINDS, SPARSE_LENGTHS, SparseCostOptions
from mha_viz.labs.powers import exponent
from mha_viz.labs.results import LabResult, Row, where
from mha_viz.ui import heatmaps, labs, views
from mha_viz.words import say

_LONGEST = (256, 1_024, 4_096)
#: Seconds that such a measurement takes on a usual computer, with its start.
_SECONDS = {256: 5, 1_024: 6, 4_096: 40}
#: Exponents are fitted from this length on: below, starting an operation takes as long as the operation.
_FROM = 512
_CHART, _TABLE = 430, 284  # pixels; seven rows


def render() -> None:
    """The longest text, and what the measurements gave."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        longest = int(views.pick("sparse_longest", say("sparse_speed.longest"), _LONGEST, 1_024, lambda n: f"{n:,}"))
        st.markdown(say("sparse_speed.what"))
    lengths = tuple(length for length in SPARSE_LENGTHS if length <= longest)
    labs.show(
        "sparse_cost",
        SparseCostOptions(tokens=lengths),
        _draw,
        say("sparse_speed.about", seconds=_SECONDS[longest]),
    )


def _draw(result: LabResult) -> None:
    if not result.rows:
        return
    rows = list(result.rows)
    time, memory = st.columns(2, gap="large")
    with time:
        st.markdown(say("sparse_speed.time"))
        _chart(rows, "seconds", 1e3, say("sparse_speed.milliseconds"), "sparse_speed_time")
        st.caption(say("sparse_speed.time_caption", block=SPARSE_BLOCK))
    with memory:
        st.markdown(say("sparse_speed.memory"))
        _chart(rows, "bytes", 2**-20, say("sparse_speed.megabytes"), "sparse_speed_memory")
        st.caption(say("sparse_speed.memory_caption"))
    _table(rows)
    _told(rows)


def _kinds(rows: Sequence[Row]) -> list[str]:
    return [kind for kind in SPARSE_KINDS if where(rows, kind=kind)]


def _chart(rows: Sequence[Row], name: str, unit: float, title: str, key: str) -> None:
    """One line a kind; what hands out no weights has no line of memory."""
    series = []
    for kind in _kinds(rows):
        of_kind = [row for row in where(rows, kind=kind) if row[name] > 0]
        if of_kind:
            at, values = [row["tokens"] for row in of_kind], [unit * row[name] for row in of_kind]
            series.append(Line(say(f"sparse_speed.kind.{kind}"), at, values, colour=SPARSE_KINDS.index(kind)))
    if not series:
        return
    figure = lines(series, say("sparse_speed.tokens"), title, log_x=True, log_y=True, height=_CHART)
    heatmaps.show(figure, key, say("sparse_speed.alt", what=title))


def _growth(rows: Sequence[Row], name: str) -> float | None:
    """The fitted exponent; None with fewer than three lengths, or where nothing is held."""
    long = [row for row in rows if row["tokens"] >= _FROM and row[name] > 0]
    if len(long) < 3:
        return None
    return exponent([row["tokens"] for row in long], [row[name] for row in long])


def _table(rows: Sequence[Row]) -> None:
    longest = max(row["tokens"] for row in rows)
    kinds = [kind for kind in _kinds(rows) if where(rows, kind=kind, tokens=longest)]
    last = [where(rows, kind=kind, tokens=longest)[0] for kind in kinds]
    share, time = say("sparse_speed.share"), say("sparse_speed.time_at", tokens=f"{longest:,}")
    memory = say("sparse_speed.memory_at", tokens=f"{longest:,}")
    growth, more = say("sparse_speed.time_growth", start=_FROM), say("sparse_speed.memory_growth", start=_FROM)
    columns: dict[str, list[object]] = {
        say("sparse_speed.way"): [say(f"sparse_speed.kind.{kind}") for kind in kinds],
        share: [row["share"] for row in last],
        time: [1e3 * row["seconds"] for row in last],
        growth: [_growth(where(rows, kind=kind), "seconds") for kind in kinds],
        memory: [row["bytes"] / 2**20 for row in last],
        more: [_growth(where(rows, kind=kind), "bytes") for kind in kinds],
    }
    written = {share: "%.3f", time: "%.2f", growth: "%.2f", memory: "%.2f", more: "%.2f"}
    formats = {name: st.column_config.NumberColumn(format=text) for name, text in written.items()}
    st.dataframe(columns, column_config=formats, hide_index=True, width="stretch", height=_TABLE)


def _told(rows: Sequence[Row]) -> None:
    """A mask over everything beside what computes the window alone, at the longest text that has all three."""
    wanted = ("eager", "masked", "window")
    lengths = [
        length
        for length in sorted({row["tokens"] for row in rows})
        if all(where(rows, kind=kind, tokens=length) for kind in wanted)
    ]
    if not lengths:
        return
    whole, masked, window = (where(rows, kind=kind, tokens=lengths[-1])[0] for kind in wanted)
    st.markdown(
        say(
            "sparse_speed.told",
            tokens=f"{lengths[-1]:,}",
            masked=f"{masked['seconds'] / whole['seconds']:.2f}",
            memory=f"{masked['bytes'] / whole['bytes']:.2f}",
            window=f"{whole['seconds'] / window['seconds']:.1f}",
            held=f"{whole['bytes'] / window['bytes']:.0f}",
        )
    )
