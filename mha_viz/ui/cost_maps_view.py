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
from mha_viz.ui import heatmaps, labs, views
from mha_viz.ui import lookup_parts as parts
from mha_viz.ui.plain import as_markdown
from mha_viz.words import say

_DEFAULT = KeptMapsOptions()
_LENGTHS, _LAYERS = (64, 128, 256, 512, 1_024), (1, 2, 4, 6, 8)
#: Shown until somebody chooses.
_FIRST = 256
#: Lowest and highest values of the other options.
_BOUNDS = {"batch": (1, 64), "heads": (1, 64), "d_model": (16, 2_048), "rounds": (1, 50)}
#: Seconds for a process and a unit of work; rounds before those that count. Lines nearer than this share lie on one another.
_START, _UNIT, _TRIES, _SAME = 6.0, 1e-9, 4, 0.05
#: Ways that are drawn, and the dash of each: of those that can lie on one another the later is dashed.
_DRAWN = {("eager", False): 0, ("checkpoint", False): 0, ("checkpoint", True): 1, ("sdpa", False): 1}
_TABLE = 212  # pixels: five rows
_KB = 1_024


def render() -> None:
    """What it is about, what is measured, and what came of it."""
    st.markdown(say("cost_maps.what"))
    with st.container(horizontal=True, vertical_alignment="bottom", key="cost_maps_choices"):
        length = int(
            views.pick("cost_maps_length", say("cost_maps.length"), _LENGTHS, _FIRST, lambda value: f"{value:,}")
        )
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
            name: views.number(
                f"cost_maps_{name}", say(f"cost_maps.{name}"), bounds, getattr(_DEFAULT, name), width=120
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
        for sentence in sentences(rows, where(result.rows, length=rows[0]["length"])):
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


def sentences(rows: Sequence[Row], of_length: Sequence[Row]) -> list[str]:
    """What came out at one size, computed from its rows; less where ways are missing.

    Args:
        rows: of one size.
        of_length: those of every number of layers at its length.
    """
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
    beside = [*_beside(rows), *_peaks(rows, of_length)]
    return [" ".join(told), *beside] if told else beside


def _beside(rows: Sequence[Row]) -> list[str]:
    """Fused attention, and time."""
    plain, checked, fused = (where(rows, way=way, returned=False) for way in ("eager", "checkpoint", "sdpa"))
    told = []
    if fused:
        one = fused[0]
        told.append(say("cost_maps.fused", kept=_kilobytes(one["kept"]), apart=f"{one['apart']:.1e}"))
    if plain and checked and fused:
        ratios = {"checkpoint": f"{checked[0]['ratio']:.2f}", "sdpa": f"{fused[0]['ratio']:.2f}"}
        told.append(say("cost_maps.time", **ratios))
    return told


def _peaks(rows: Sequence[Row], of_length: Sequence[Row]) -> list[str]:
    """The highest point of both passes, here and with other numbers of layers."""
    here = _peak(rows)
    if here is None:
        return []
    told = [say("cost_maps.peak", **here)]
    for layers in sorted({row["layers"] for row in of_length} - {rows[0]["layers"]}):
        there = _peak(where(of_length, layers=layers))
        if there is not None:
            told.append(say("cost_maps.peak.other", layers=layers, **there))
    return [" ".join(told)]


def _peak(rows: Sequence[Row]) -> dict[str, str] | None:
    """Of plain and checkpointed attention, and the second as a share of the first; None without both."""
    plain, checked = (where(rows, way=way, returned=False) for way in ("eager", "checkpoint"))
    if not plain or not checked:
        return None
    share = f"{100 * checked[0]['peak'] / plain[0]['peak']:.0f} %"
    return {
        "plain": f"{plain[0]['peak'] / 1e6:.1f}",
        "checkpoint": f"{checked[0]['peak'] / 1e6:.1f}",
        "share": share,
    }


def _lines(rows: Sequence[Row]) -> None:
    """Against the length: what is alive."""
    series = []
    for colour, ((way, maps), dash) in enumerate(_DRAWN.items()):
        own = sorted(where(rows, way=way, returned=maps), key=lambda row: row["length"])
        if own:
            at = [row["length"] for row in own]
            series.append(Line(_way(own[0]), at, [row["alive"] / _KB for row in own], colour=colour, dash=dash))
    figure = lines(series, say("cost_maps.lines.x"), say("cost_maps.lines.y"), log_x=True, log_y=True)
    heatmaps.show(figure, "cost_maps_lines", say("cost_maps.lines.alt"))
    st.caption(" ".join([say("cost_maps.lines.caption", layers=rows[0]["layers"]), *_alike(series)]))


def _alike(series: Sequence[Line]) -> list[str]:
    """Dashed lines that lie on another, wherever both have points."""
    told = []
    for over in (line for line in series if line.dash):
        for under in (line for line in series if not line.dash):
            known = dict(zip(under.at, under.values, strict=True))
            pairs = [(value, known[at]) for at, value in zip(over.at, over.values, strict=True) if at in known]
            apart = max((abs(one / other - 1) for one, other in pairs if one and other), default=1.0)
            if apart <= _SAME:
                told.append(say("cost_maps.lines.same", one=over.name, other=under.name, percent=f"{100 * apart:.1f}"))
    return told


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
