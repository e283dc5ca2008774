"""What handing out the maps keeps in memory, and what checkpointing saves."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mha_viz.errors import InputError
from mha_viz.figures.bars import Bars, bars
from mha_viz.figures.charts import Line, lines
from mha_viz.labs.cost_formula import map_bytes, operations
from mha_viz.labs.plans_cost import KeptMapsOptions
from mha_viz.labs.results import LabResult, Row, where
from mha_viz.ui import heatmaps, labs
from mha_viz.ui import lookup_parts as parts
from mha_viz.ui.plain import as_markdown
from mha_viz.words import say

_DEFAULT = KeptMapsOptions()
_LENGTHS, _LAYERS = (64, 128, 256, 512, 1_024), (1, 2, 4, 6, 8)
#: Shown until somebody chooses.
_FIRST = 256
#: Lowest and highest values of the other options.
_BOUNDS = {"batch": (1, 64), "heads": (1, 64), "d_model": (16, 2_048), "rounds": (1, 50)}
#: Seconds for a process and a unit of work; rounds before those that count. A peak that falls by less than a tenth is the same.
_START, _UNIT, _TRIES, _SAME = 6.0, 1e-9, 4, 0.9
_TABLE = 212  # pixels: five rows
_KB = 1_024


def render() -> None:
    """What it is about, what is measured, and what came of it."""
    st.markdown(say("cost_maps.what"))
    with st.container(horizontal=True, vertical_alignment="bottom", key="cost_maps_choices"):
        length = parts.whole("cost_maps_length", say("cost_maps.length"), _LENGTHS, _FIRST)
        layers = parts.whole("cost_maps_shown_layers", say("cost_maps.shown_layers"), _LAYERS, 1)
        with st.popover(say("cost_maps.choose"), icon=":material/tune:"):
            asked = _asked()
    if asked is None:
        st.info(say("cost_maps.no_lengths"), icon=":material/info:")
        return
    try:
        options = KeptMapsOptions.of(asked)
    except InputError as problem:
        st.warning(as_markdown(str(problem)), icon=":material/info:")
        return
    work = sum(operations(size, "training") + 10 * map_bytes(size) for size in options.sizes())
    seconds = _START + _UNIT * work * (options.rounds + _TRIES)
    labs.show(
        "kept_maps",
        options,
        lambda result: _draw(result, length, layers),
        say("cost_maps.about", seconds=f"{seconds:.0f}"),
    )


def _asked() -> dict[str, object] | None:
    """The options but for their checks; None without a length or a number of layers."""
    chosen = {
        name: st.pills(
            say(f"cost_maps.{name}"),
            options,
            selection_mode="multi",
            default=first,
            format_func=lambda value: f"{value:,}",
            key=f"cost_maps_{name}",
            persist_state="session",
        )
        for name, options, first in (
            ("lengths", _LENGTHS, _DEFAULT.lengths),
            ("layers", _LAYERS, _DEFAULT.layers),
        )
    }
    with st.container(horizontal=True):
        rest = {
            name: int(
                st.number_input(
                    say(f"cost_maps.{name}"),
                    *bounds,
                    getattr(_DEFAULT, name),
                    key=f"cost_maps_{name}",
                    width=120,
                    persist_state="session",
                )
            )
            for name, bounds in _BOUNDS.items()
        }
    if not all(chosen.values()):
        return None
    return {**{name: sorted(values) for name, values in chosen.items()}, **rest}


def _draw(result: LabResult, length: int, layers: int) -> None:
    of_layers = parts.present(result.rows, "layers", layers)
    rows = parts.present(of_layers, "length", length)
    if rows:
        _bars(rows)
        for sentence in sentences(rows):
            st.markdown(sentence)
        _table(rows)
        _lines(of_layers)
    if result.live is not None:
        st.caption(say("cost_maps.wait", length=result.live["length"], layers=result.live["layers"]))


def _way(row: Row) -> str:
    """A row's way in words, with whether the maps are handed out."""
    way = say(f"cost_maps.way.{row['way']}")
    return say("cost_maps.with.named", way=way) if row["returned"] else way


def _bars(rows: Sequence[Row]) -> None:
    places = [
        (say(f"cost_maps.way.{row['way']}"), say("cost_maps.with" if row["returned"] else "cost_maps.without"))
        for row in rows
    ]
    series = [
        Bars(say("cost_maps.kept"), [row["kept"] / _KB for row in rows]),
        Bars(say("cost_maps.handed"), [(row["alive"] - row["kept"]) / _KB for row in rows]),
    ]
    figure = bars(series, places, say("cost_maps.kb"), stacked=True)
    heatmaps.show(figure, "cost_maps_bars", say("cost_maps.alt"))
    named = {name: rows[0][name] for name in ("length", "batch", "heads", "d_model", "layers")}
    st.caption(say("cost_maps.caption", **named))


def sentences(rows: Sequence[Row]) -> list[str]:
    """What came out at one size, computed from its rows; less where ways are missing."""
    plain, checked, handed = (
        where(rows, way=way, returned=maps)
        for way, maps in (("eager", False), ("checkpoint", False), ("checkpoint", True))
    )
    told = []
    if plain and checked:
        times = f"{plain[0]['kept'] / checked[0]['kept']:.1f}"
        maps = _kilobytes(plain[0]["map_bytes"])
        kept = {"plain": _kilobytes(plain[0]["kept"]), "checkpoint": _kilobytes(checked[0]["kept"])}
        told.append(say("cost_maps.saves", maps=maps, times=times, **kept))
        key = "cost_maps.equal" if checked[0]["equal"] else "cost_maps.unequal"
        told.append(say(key, apart=f"{checked[0]['apart']:.1e}"))
    if plain and handed:
        undone = handed[0]["alive"] >= plain[0]["kept"]
        key = "cost_maps.undone" if undone else "cost_maps.undone.not"
        told.insert(1, say(key, alive=_kilobytes(handed[0]["alive"]), maps=_kilobytes(handed[0]["map_bytes"])))
    return [" ".join(told), *_beside(rows)] if told else _beside(rows)


def _beside(rows: Sequence[Row]) -> list[str]:
    """Fused attention, time, and the highest point of the pass."""
    plain, checked, fused = (where(rows, way=way, returned=False) for way in ("eager", "checkpoint", "sdpa"))
    told = []
    if fused:
        one = fused[0]
        told.append(say("cost_maps.fused", kept=_kilobytes(one["kept"]), apart=f"{one['apart']:.1e}"))
    if plain and checked and fused:
        ratios = {"checkpoint": f"{checked[0]['ratio']:.2f}", "sdpa": f"{fused[0]['ratio']:.2f}"}
        told.append(say("cost_maps.time", **ratios))
    if plain and checked:
        low = checked[0]["peak"] < _SAME * plain[0]["peak"]
        why = say("cost_maps.peak.less" if low else "cost_maps.peak.same")
        peaks = {"plain": f"{plain[0]['peak'] / 1e6:.1f}", "checkpoint": f"{checked[0]['peak'] / 1e6:.1f}"}
        told.append(say("cost_maps.peak", why=why, **peaks))
    return told


def _lines(rows: Sequence[Row]) -> None:
    """Against the length: what is alive, and the formula of what is kept."""
    ways = [("eager", False), ("checkpoint", False), ("checkpoint", True), ("sdpa", False)]
    series, theory = [], []
    for colour, (way, maps) in enumerate(ways):
        own = sorted(where(rows, way=way, returned=maps), key=lambda row: row["length"])
        if own:
            at = [row["length"] for row in own]
            series.append(Line(_way(own[0]), at, [row["alive"] / _KB for row in own], colour=colour))
            if not maps and way != "sdpa":  # that of fused attention is the checkpointed one's and a number a row
                named = say("cost_maps.formula", way=_way(own[0]))
                theory.append(Line(named, at, [row["formula"] / _KB for row in own], formula=True, colour=colour))
    figure = lines([*series, *theory], say("cost_maps.lines.x"), say("cost_maps.lines.y"), log_x=True, log_y=True)
    heatmaps.show(figure, "cost_maps_lines", say("cost_maps.lines.alt"))
    st.caption(say("cost_maps.lines.caption"))


def _table(rows: Sequence[Row]) -> None:
    columns: dict[str, list[object]] = {}
    for row in rows:
        spread = "" if row["low"] is None else f"{row['low']:.2f} … {row['high']:.2f}"
        line = {
            "way": say(f"cost_maps.way.{row['way']}"),
            "maps": say("cost_maps.with" if row["returned"] else "cost_maps.without"),
            "kept": _kilobytes(row["kept"]),
            "formula": _kilobytes(row["formula"]),
            "alive": _kilobytes(row["alive"]),
            "peak": round(row["peak"] / 1e6, 1),
            "ratio": f"{row['ratio']:.2f}",
            "spread": spread,
            "apart": say("cost_maps.table.none") if row["equal"] else f"{row['apart']:.1e}",
        }
        for name, value in line.items():
            columns.setdefault(say(f"cost_maps.table.{name}"), []).append(value)
    st.dataframe(columns, hide_index=True, width="stretch", height=_TABLE)


def _kilobytes(n_bytes: int) -> str:
    return f"{n_bytes / _KB:,.0f}"
