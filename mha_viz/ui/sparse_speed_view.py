"""What sparse attention costs: time and memory of each way against the length, and how fast they grow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
_CHART = 430  # pixels
#: What looks at every cell, so that its multiply-adds grow with the power 2; times within so much of it are not explained.
_WHOLE, _NEAR = ("eager", "masked", "sdpa", "sdpa_masked"), 0.1


def render() -> None:
    """The longest text, and what the measurements gave."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        longest = int(views.pick("sparse_longest", say("sparse_speed.longest"), _LONGEST, 1_024, lambda n: f"{n:,}"))
        st.markdown(say("sparse_speed.what"))
    st.caption(say("sparse.measured"))
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
    _powers(rows, result)
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
        memory: [row["bytes"] / 2**20 if row["bytes"] else None for row in last],
        more: [_growth(where(rows, kind=kind), "bytes") for kind in kinds],
    }
    written = {share: "%.3f", time: "%.2f", growth: "%.2f", memory: "%.2f", more: "%.2f"}
    formats = {name: st.column_config.NumberColumn(format=text) for name, text in written.items()}
    st.dataframe(columns, column_config=formats, hide_index=True, width="stretch", height="content", placeholder="–")


def _powers(rows: Sequence[Row], result: LabResult) -> None:
    """How the fitted powers compare with the 2 of the formula, and that one fastest pass has no interval."""
    found = {kind: _growth(where(rows, kind=kind), "seconds") for kind in _WHOLE}
    powers = {kind: power for kind, power in found.items() if power is not None}
    if not powers:
        return
    told = [say("sparse_speed.powers", rounds=SparseCostOptions.of(result.options).rounds)]
    for side, names in _sides(powers).items():
        if names:
            ways = ", ".join(say(f"sparse_speed.kind.{kind}") for kind in names)
            told.append(say(f"sparse_speed.powers.{side}", ways=ways))
    top = max(powers, key=lambda kind: powers[kind])
    if powers[top] > 2 + _NEAR:
        long = [row for row in where(rows, kind=top) if row["tokens"] >= _FROM]
        ends = [min(long, key=lambda row: row["tokens"]), max(long, key=lambda row: row["tokens"])]
        cells = [f"{1e9 * row['seconds'] / row['tokens'] ** 2:.1f}" for row in ends]
        at = [f"{row['tokens']:,}" for row in ends]
        way = say(f"sparse_speed.kind.{top}")
        told.append(say("sparse_speed.powers.why", way=way, few=cells[0], many=cells[1], start=at[0], end=at[1]))
    st.caption(" ".join(told))


def _sides(powers: Mapping[str, float]) -> dict[str, list[str]]:
    """Which ways grow faster than with the power 2, about with it, and slower."""
    return {
        "above": [kind for kind, power in powers.items() if power > 2 + _NEAR],
        "near": [kind for kind, power in powers.items() if abs(power - 2) <= _NEAR],
        "below": [kind for kind, power in powers.items() if power < 2 - _NEAR],
    }


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
            window=f"{window['seconds'] / whole['seconds']:.3f}",
            held=f"{window['bytes'] / whole['bytes']:.3f}",
        )
    )
