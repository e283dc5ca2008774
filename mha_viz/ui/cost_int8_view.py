"""INT8: MiniLM with parts of it quantised: why the file does not shrink by 4, and what happens to maps, embeddings and speed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from mha_viz.figures.bars import Bars, bars
from mha_viz.labs.plans_cost import GRAINS, INT8_APIS, INT8_PARTS, Int8Options
from mha_viz.labs.results import LabResult, Row, where
from mha_viz.ui import heatmaps, labs, views
from mha_viz.ui.cost_precision_view import sentences_asked, time_of
from mha_viz.ui.plain import as_markdown
from mha_viz.words import say

#: What can be drawn of each part: one number of a row.
MEASURES: dict[str, Callable[[Row], float]] = {
    "embedding": lambda row: 1 - min(row["cosines"]),
    "apart": lambda row: max(row["apart"]),
    "changed": lambda row: 100 * sum(row["changed"]) / len(row["changed"]),
    "time": lambda row: row["ratio"],
}
#: Seconds on a usual computer: to begin, and for each part and scale with each function.
_START, _EACH = 15, {"torchao": 22, "quantize_dynamic": 5}
_TABLE, _SMALL = 318, 178  # pixels: eight rows, four
_MB = 1e6


def render() -> None:
    """What is measured, the options, and what came of it."""
    st.markdown(say("int8.what"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = views.pick(
            "int8_measure",
            say("rounding.measure"),
            list(MEASURES),
            "embedding",
            lambda name: say(f"int8.measure.{name}"),
        )
        apis = st.pills(
            say("int8.apis"),
            INT8_APIS,
            selection_mode="multi",
            default=INT8_APIS,
            format_func=lambda name: say(f"rounding.api.{name}"),
            key="int8_apis",
            persist_state="session",
        )
        sentences = sentences_asked("int8_sentences")
    if not apis:
        st.info(say("int8.no_apis"), icon=":material/info:")
        return
    options = Int8Options(apis=tuple(name for name in INT8_APIS if name in apis), sentences=sentences)
    seconds = _START + sum(_EACH[name] for name in apis) * len(GRAINS) * len(INT8_PARTS)
    labs.show("int8", options, partial(_draw, str(measure)), say("rounding.about", seconds=seconds))


def _draw(measure: str, result: LabResult) -> None:
    models = where(result.rows, kind="model")
    quantised = [row for row in models if row["part"]]
    plain = next((row for row in models if not row["part"]), None)
    if times := _times(quantised):
        st.markdown(say("int8.times", times="; ".join(times)))
    left, right = st.columns(2, gap="large")
    if plain is not None:
        with left:
            _sizes(plain, quantised)
    with right:
        if quantised:
            _drifts(measure, quantised)
        else:
            st.info(say("rounding.none"), icon=":material/info:")
    if quantised:
        _table(quantised)
    _apis(where(result.rows, kind="module"), {row["api"]: row for row in quantised})


def _times(quantised: Sequence[Row]) -> list[str]:
    """How long a pass takes with each function, over its scales."""
    told = []
    for api in dict.fromkeys(row["api"] for row in quantised):
        ratios = [row["ratio"] for row in where(quantised, api=api, part="all")]
        named = say(f"rounding.api.{api}")
        low, high = (f"{end:.2f}" for end in (min(ratios, default=0.0), max(ratios, default=0.0)))
        if low != high:
            told.append(say("int8.times.between", api=named, low=low, high=high))
        elif ratios:
            told.append(say("int8.times.one", api=named, ratio=low))
    return told


def _sizes(plain: Row, quantised: Sequence[Row]) -> None:
    """Bytes of what was quantised in one way, by what they are for."""
    alike = [row for row in quantised if (row["api"], row["grain"]) == (quantised[0]["api"], quantised[0]["grain"])]
    models = [plain, *_in_order(alike)]
    series = [
        Bars(say(f"int8.group.{group}"), [row["bytes"][group] / _MB for row in models]) for group in plain["bytes"]
    ]
    places = [[say("int8.place.float32")], *(say(f"int8.place.{row['part']}").split("|") for row in models[1:])]
    figure = bars(series, places, say("int8.axis.bytes"), stacked=True)
    heatmaps.show(figure, "int8_sizes", say("int8.sizes.alt"))
    values: dict[str, Any] = {
        "embeddings": f"{plain['embeddings'] / 1e6:.1f}",
        "parameters": f"{plain['parameters'] / 1e6:.1f}",
        "before": f"{plain['file'] / _MB:.1f}",
    }
    smallest = min(quantised, key=lambda row: row["file"], default=None)
    if smallest is None or smallest["part"] != "all":
        st.caption(say("int8.caption.embeddings", **values))
        return
    times = f"{plain['file'] / smallest['file']:.2f}"
    st.caption(say("int8.caption.sizes", after=f"{smallest['file'] / _MB:.1f}", times=times, **values))


def _in_order(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: INT8_PARTS.index(row["part"]))


def _series(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Function and scale of each series, as far as there are rows."""
    return list(dict.fromkeys((row["api"], row["grain"]) for row in rows))


def _name(api: str, grain: str) -> str:
    return say("int8.series", api=say(f"rounding.api.{api}"), grain=say(f"int8.grain.{grain}"))


def _drifts(measure: str, rows: Sequence[Row]) -> None:
    """A group of bars for each part."""
    parts = [part for part in INT8_PARTS if where(rows, part=part)]
    series = []
    for api, grain in _series(rows):
        found = {row["part"]: MEASURES[measure](row) for row in where(rows, api=api, grain=grain)}
        series.append(Bars(_name(api, grain), [found.get(part, float("nan")) for part in parts]))
    places = [say(f"int8.place.{part}").split("|") for part in parts]
    level = 1.0 if measure == "time" else None
    figure = bars(series, places, say(f"int8.axis.{measure}"), level=level)
    heatmaps.show(figure, "int8_drifts", say("int8.drifts.alt"))
    st.caption(say(f"int8.caption.{measure}"))


def _table(rows: Sequence[Row]) -> None:
    table = [
        {
            say("int8.table.api"): say(f"rounding.api.{row['api']}"),
            say("int8.table.grain"): say(f"int8.grain.{row['grain']}"),
            say("int8.table.part"): say(f"int8.part.{row['part']}"),
            say("rounding.table.bytes"): f"{sum(row['bytes'].values()) / _MB:.1f}",
            say("int8.table.file"): f"{row['file'] / _MB:.1f}",
            say("rounding.table.cosine"): f"{min(row['cosines']):.4f}",
            say("rounding.axis.apart"): f"{max(row['apart']):.3f}",
            say("rounding.axis.changed"): f"{MEASURES['changed'](row):.1f}",
            say("rounding.axis.time"): time_of(row),
        }
        for row in rows
    ]
    st.dataframe(table, hide_index=True, width="stretch", height=_TABLE)


def _apis(tried: Sequence[Row], of_apis: dict[str, Row]) -> None:
    """Which function was used, and what each does with PyTorch's own attention modules."""
    st.markdown(f"**{say('int8.used')}**")
    for api in of_apis:
        st.markdown(say(f"int8.used.{api}"))
    if not tried:
        return
    table = [
        {
            say("int8.table.module"): f"nn.{row['module']}",
            say("int8.table.api"): say(f"rounding.api.{row['api']}"),
            say("int8.table.outcome"): _outcome(row),
        }
        for row in tried
    ]
    st.dataframe(table, hide_index=True, width="stretch", height=_SMALL)
    st.caption(as_markdown(say("int8.caption.modules")))


def _outcome(row: Row) -> str:
    if row["error"] is not None:
        return say("int8.outcome.error", error=row["error"])
    if row["apart"] == 0:
        return say("int8.outcome.nothing")
    return say("int8.outcome.works", apart=f"{row['apart']:.2g}")
