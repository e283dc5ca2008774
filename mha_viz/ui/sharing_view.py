"""Heads that share their matrices: what that saves, and what it costs on the look-ups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st

from mha_viz.figures.trials import Level, scores
from mha_viz.labs.pairs import difference, verdict
from mha_viz.labs.plans import SharingOptions
from mha_viz.labs.results import LabResult, Row, Summary, half_interval, where
from mha_viz.ui import cache_view, heatmaps, labs
from mha_viz.ui import lookup_parts as parts
from mha_viz.words import say

_HEADS = (4, 8, 16)
_FULL = {"kind": "full", "wider": False}


class _Place(NamedTuple):
    """One way to share: its name in ``labs.sharing``, and how many pairs of W_K and W_V there are."""

    kind: str
    kv: int

    @property
    def title(self) -> str:
        return say(f"sharing.kind.{self.kind}", kv=self.kv)


def render() -> None:
    """The options, what the trainings gave, and the cache of a real model."""
    with st.container(horizontal=True):
        task = parts.task("sharing_task")
        n_heads = parts.whole("sharing_heads", say("sharing.heads"), _HEADS, 8)
        seeds = parts.seeds("sharing_seeds")
    options = SharingOptions(tasks=(task,), heads=(n_heads,), seeds=seeds)
    labs.show(
        "sharing",
        options,
        lambda result: _draw(result, task, n_heads),
        say("sharing.about", seconds=15 * seeds),
    )
    cache_view.render()


def _draw(result: LabResult, task: str, n_heads: int) -> None:
    of_task = parts.present(result.rows, "task", task)
    rows = parts.present(of_task, "heads", n_heads)
    if rows:
        _scores(rows)
        _sentences(rows, of_task)
        _table(rows)
    if result.live is not None:
        parts.growing(result, (), _live_name, "sharing_courses")


def _live_name(row: Row) -> str:
    title = _Place(row["kind"], row["kv"]).title
    return say("sharing.live", heads=row["heads"], kind=title, d_k=row["d_k"], seed=row["seed"])


def _places(rows: Sequence[Row]) -> list[_Place]:
    """In the order in which they were trained: from all matrices to few."""
    return list(dict.fromkeys(_Place(row["kind"], row["kv"]) for row in rows))


def _scores(rows: Sequence[Row]) -> None:
    places = _places(rows)
    series = [
        parts.points(
            say(f"sharing.width.{'wider' if wider else 'same'}"),
            [where(rows, wider=wider, **place._asdict()) for place in places],
        )
        for wider in (False, True)
        if where(rows, wider=wider)
    ]
    best = [Level(say("lookup_parts.best"), rows[0]["best"])] if rows[0]["best"] is not None else []
    figure = scores(
        series,
        [place.title for place in places],
        say("sharing.places", heads=rows[0]["heads"]),
        parts.score_title(rows),
        levels=best,
        span=parts.span(row["score"] for row in rows),
    )
    heatmaps.show(figure, "sharing_scores", say("sharing.alt", heads=rows[0]["heads"]))
    st.caption(say("sharing.caption"))


def _against_full(rows: Sequence[Row], place: _Place, *, wider: bool = False) -> Summary | None:
    return difference(rows, {**place._asdict(), "wider": wider}, _FULL)


def _sentences(rows: Sequence[Row], of_task: Sequence[Row]) -> None:
    """What came out, computed from the rows."""
    shared = [place for place in _places(rows) if place.kind in ("grouped", "multi")]
    found = {place: change for place in shared if (change := _against_full(rows, place)) is not None}
    if found:
        worst = min(found, key=lambda place: found[place].mean)
        least = min(found, key=lambda place: place.kv)
        full, small = where(rows, **_FULL)[0], where(rows, wider=False, **least._asdict())[0]
        saved = 100 * (1 - small["parameters"] / full["parameters"])
        st.markdown(say("sharing.pairs", place=worst.title, change=parts.told(found[worst])))
        best = max(found, key=lambda place: found[place].mean)
        if verdict(found[best]) == "more":
            st.markdown(say("sharing.helps", place=best.title, change=parts.told(found[best])))
        times = full["cache"] / small["cache"]
        st.markdown(say("sharing.saves", place=least.title, saved=f"{saved:.0f}", times=f"{times:.0f}"))
    query = [place for place in _places(rows) if place.kind == "query"]
    change = _against_full(rows, query[0]) if query else None
    if change is None:
        return
    queries = where(of_task, kind="query", wider=False)
    reached = [
        say(
            "sharing.reached",
            heads=n,
            d_k=where(queries, heads=n)[0]["d_k"],
            score=f"{_mean(where(queries, heads=n)):.2f}",
        )
        for n in sorted({row["heads"] for row in queries})
    ]
    st.markdown(say("sharing.query", change=parts.told(change), reached=", ".join(reached)))


def _mean(rows: Sequence[Row]) -> float:
    return float(np.mean([row["score"] for row in rows]))


def _table(rows: Sequence[Row]) -> None:
    """Every way to share at both widths: what it has, keeps and reaches."""
    columns: dict[str, list[object]] = {}
    for place in _places(rows):
        for wider in (False, True):
            found = where(rows, wider=wider, **place._asdict())
            if found:
                for title, value in _line(rows, place, found).items():
                    columns.setdefault(title, []).append(value)
    most = max(int(str(value)) for value in columns[say("sharing.cache")])
    cache = st.column_config.ProgressColumn(format="%d B", max_value=most, help=say("sharing.cache.help"))
    st.dataframe(columns, hide_index=True, width="stretch", column_config={say("sharing.cache"): cache})


def _line(rows: Sequence[Row], place: _Place, found: Sequence[Row]) -> dict[str, object]:
    change = _against_full(rows, place, wider=found[0]["wider"])
    half = half_interval([row["score"] for row in found])
    return {
        say("sharing.shared"): place.title,
        say("sharing.width"): say(f"sharing.width.{'wider' if found[0]['wider'] else 'same'}"),
        "d_k": found[0]["d_k"],
        say("lookup_parts.parameters"): found[0]["parameters"],
        say("sharing.cache"): found[0]["cache"],
        parts.score_title(rows): f"{_mean(found):.3f}" + ("" if half is None else f" ± {half:.3f}"),
        say("sharing.less_full"): "" if change is None or place.kind == "full" else parts.signed(change.mean),
    }
