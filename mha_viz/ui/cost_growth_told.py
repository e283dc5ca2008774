"""What the measurements of growing costs come to: sentences, what could not run, fitted powers, all numbers."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from mha_viz.labs.cost_formula import COST_KINDS, MOST_BYTES
from mha_viz.labs.powers import fitted, upper_half
from mha_viz.labs.results import Row, Summary, where
from mha_viz.ui.plain import as_markdown
from mha_viz.words import say

#: What a size is made of; "cost.fixed.NAME".
_PARTS = ("length", "heads", "d_model", "layers")
#: As long as before, give or take this much, is called no growth; beyond this ratio of the clocks the computer was busy.
_FLAT, _BUSY = 0.25, 1.2
#: Sizes that a power needs; a power as near to 1 as this is called proportion.
FEWEST, _NEAR = 4, 0.15
_TABLE = 248  # pixels: six rows
_TWO = COST_KINDS[:2]


def kind_name(kind: str) -> str:
    """A way to compute attention."""
    return say(f"cost.kind.{kind}")


def kinds(rows: Iterable[Row]) -> list[str]:
    """Those that are there, in their usual order."""
    found = {row["kind"] for row in rows}
    return [kind for kind in COST_KINDS if kind in found]


def milliseconds(row: Row) -> float:
    """The median of the repeats."""
    return float(statistics.median(row["ms"]))


def per_size(rows: Iterable[Row], axis: str) -> list[Row]:
    """One row for each size, from small to large."""
    found = {row[axis]: row for row in rows}
    return [found[value] for value in sorted(found)]


def fixed(row: Mapping[str, Any], axis: str) -> str:
    """The size of a row but for what grows."""
    return ", ".join(say(f"cost.fixed.{name}", value=row[name]) for name in _PARTS if name != axis)


def sentences(rows: Sequence[Row], axis: str) -> list[str]:
    """From the smallest size to the largest, computed from the rows."""
    sizes = per_size(rows, axis)
    if len(sizes) < 2:
        return []
    first, last = sizes[0], sizes[-1]
    named = {"axis": say(f"cost.axis.{axis}"), "first": f"{first[axis]:,}", "last": f"{last[axis]:,}"}
    ratios = {name: _times(last[name] / first[name]) for name in ("operations", "maps")}
    told = [say("growth.told", **named, **ratios)]
    for kind in _TWO:
        own = [row for row in per_size(where(rows, kind=kind), axis) if row["ms"]]
        if len(own) == len(sizes):
            time, memory = milliseconds(own[-1]) / milliseconds(own[0]), own[-1]["peak"] / own[0]["peak"]
            told.append(say("growth.told.kind", kind=kind_name(kind), time=_times(time), memory=_times(memory)))
    return [" ".join(told), *(_flat(rows) if axis == "heads" else [])]


def _flat(rows: Sequence[Row]) -> list[str]:
    """Up to how many heads the time of eager attention stays."""
    own = [row for row in per_size(where(rows, kind="eager"), "heads") if row["ms"]]
    if len(own) < 2:
        return []
    times = [milliseconds(row) / milliseconds(own[0]) for row in own]
    grown = [place for place, ratio in enumerate(times) if ratio > 1 + _FLAT]
    first, last = own[0]["heads"], own[-1]["heads"]
    if not grown:
        return [say("growth.flat.all", first=first, last=last)]
    ratios = {"times": _times(times[-1]), "linear": _times(last / first)}
    power = _of_power(own, "heads")
    if grown[0] == 1:
        until = say("growth.flat.at_once", first=first, second=own[1]["heads"])
    else:
        until = say("growth.flat.until", first=first, flat=own[grown[0] - 1]["heads"])
    return [say("growth.flat", until=until, first=first, last=last, power=power, **ratios)]


def _of_power(rows: Sequence[Row], axis: str) -> str:
    """What the fitted power of time says of proportion; nothing where none is fitted."""
    found = fitted([row[axis] for row in rows], [row["ms"] for row in rows]) if len(rows) >= FEWEST else None
    if found is None:
        return ""
    gap = found.mean - 1
    how = "even" if abs(gap) <= _NEAR else "faster" if gap > 0 else "slower"
    named = {"how": say(f"growth.flat.{how}"), "power": _power(found)}
    return say("growth.flat.power", sizes=_fitted_on(rows, axis), **named)


def notes(rows: Sequence[Row], axis: str) -> list[str]:
    """What could not run or was left out, and which clock was looked at."""
    told = []
    for kind in kinds(rows):
        own = where(rows, kind=kind)
        passed = say(f"cost.pass.{own[0]['pass']}")
        errors = dict.fromkeys(row["error"] for row in own if row["error"] is not None)
        told += [
            say("growth.refused", kind=kind_name(kind), passed=passed, error=as_markdown(error)) for error in errors
        ]
        missing = [_size(row, axis) for row in own if row["peak"] is None and row["error"] is None]
        if missing:
            most = f"{MOST_BYTES / 1e6:,.0f}"
            told.append(say("growth.left_out", kind=kind_name(kind), sizes=", ".join(missing), most=most))
    measured = [row for row in rows if row["ms"]]
    if measured and measured[0]["device"] != "cpu":
        told.append(say("growth.gpu"))
    elif measured:
        slower = statistics.median(row["clock_ms"] / milliseconds(row) for row in measured)
        told.append(say("growth.busy", times=f"{slower:.1f}") if slower > _BUSY else say("growth.core"))
    return told


def powers(rows: Sequence[Row], axis: str) -> None:
    """A table: with which power time and memory grow, measured and by formula."""
    columns: dict[str, list[str]] = {}
    counts = []
    for kind in kinds(rows):
        own = [row for row in per_size(where(rows, kind=kind), axis) if row["ms"]]
        counts.append(len(own))
        if len(own) >= FEWEST:
            for title, text in _powers_of(kind, own, axis).items():
                columns.setdefault(title, []).append(text)
    if not columns:
        st.caption(say("growth.powers.few", least=FEWEST, n=max(counts, default=0)))
        return
    st.subheader(say("growth.powers"), anchor=False)
    st.dataframe(columns, hide_index=True, width="stretch")
    told = [say("growth.powers.caption")]
    if FEWEST in counts:  # half of them are two
        told.append(say("growth.powers.two"))
    st.caption(" ".join([*told, say("growth.powers.length")] if axis == "length" else told))


def _fitted_on(rows: Sequence[Row], axis: str) -> str:
    """The sizes of a way's rows that its powers are fitted on."""
    values = [row[axis] for row in rows]
    return ", ".join(f"{values[place]:,}" for place in sorted(upper_half(values)))


def _powers_of(kind: str, rows: Sequence[Row], axis: str) -> dict[str, str]:
    at = [row[axis] for row in rows]
    once = {name: fitted(at, [[row[name]] for row in rows]) for name in ("operations", "peak", "formula")}
    return {
        say("growth.powers.way"): kind_name(kind),
        say("growth.powers.sizes"): _fitted_on(rows, axis),
        say("growth.powers.time"): _power(fitted(at, [row["ms"] for row in rows])),
        say("growth.powers.operations"): _power(once["operations"]),
        say("growth.powers.memory"): _power(once["peak"]),
        say("growth.powers.bytes"): _power(once["formula"]),
    }


def _power(found: Summary | None) -> str:
    if found is None:
        return ""
    mean = found.mean + 0.0 if abs(found.mean) >= 0.005 else 0.0  # no minus before a zero
    key = "growth.power" if found.half is None else "growth.power.half"
    return say(key, mean=mean, half=found.half or 0.0)


def numbers(rows: Sequence[Row], axis: str) -> None:
    """Every number of the chosen pass."""
    ordered = sorted(rows, key=lambda row: (row[axis], COST_KINDS.index(row["kind"])))
    columns: dict[str, list[object]] = {}
    plain = {row[axis]: milliseconds(row) for row in rows if row["kind"] == "eager" and row["ms"]}
    for row in ordered:
        for title, value in _line(row, axis, plain.get(row[axis])).items():
            columns.setdefault(title, []).append(value)
    with st.expander(say("growth.numbers"), icon=":material/table_chart:"):
        st.dataframe(columns, hide_index=True, width="stretch", height=_TABLE)


def _line(row: Row, axis: str, plain: float | None) -> dict[str, object]:
    """One row; ``plain`` is the time of eager attention at its size."""
    return {
        say(f"cost.axis.{axis}"): row[axis],
        say("growth.table.kind"): kind_name(row["kind"]),
        say("growth.table.ms"): milliseconds(row) if row["ms"] else None,
        say("growth.table.low"): min(row["ms"]) if row["ms"] else None,
        say("growth.table.high"): max(row["ms"]) if row["ms"] else None,
        say("growth.table.ratio"): f"{milliseconds(row) / plain:.2f}" if row["ms"] and plain else "",
        say("growth.table.clock"): row["clock_ms"],
        say("growth.table.memory"): None if row["peak"] is None else round(row["peak"] / 1e6, 2),
        say("growth.table.formula"): round(row["formula"] / 1e6, 2),
        say("growth.table.operations"): round(row["operations"] / 1e6, 1),
    }


def _size(row: Row, axis: str) -> str:
    return say(f"cost.fixed.{axis}", value=row[axis])


def _times(ratio: float) -> str:
    """A ratio with two or three digits."""
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"
