"""Heads side by side or one after another; and a net with many heads that teaches one with few."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from mha_viz.figures.trials import Level, scores
from mha_viz.labs.pairs import difference, verdict
from mha_viz.labs.plans import DepthOptions
from mha_viz.labs.results import LabResult, Row, Summary, half_interval, where
from mha_viz.ui import distil_view, heatmaps, labs, views
from mha_viz.ui import lookup_parts as parts
from mha_viz.ui.page_views import DEPTH_PARTS
from mha_viz.words import say

_HEADS = (2, 4, 8)
_RATES = (1.0, 3.0)
#: A training counts as having got there if it misses the best possible by no more.
_NEAR = 0.05


def render() -> None:
    """One of the two parts."""
    if views.choose("depth_part", DEPTH_PARTS) == "distil":
        distil_view.render()
        return
    with st.container(horizontal=True):
        n_heads = parts.whole("depth_heads", say("depth.heads"), _HEADS, 4)
        seeds = parts.seeds("depth_seeds")
    options = DepthOptions(heads=(n_heads,), faster=_RATES, seeds=seeds)
    labs.show(
        "depth", options, lambda result: _draw(result, n_heads), say("depth.about", seconds=15 * n_heads * seeds // 4)
    )


def _draw(result: LabResult, n_heads: int) -> None:
    rows = parts.present(result.rows, "heads", n_heads)
    left, right = st.columns(2) if rows else (st.container(), st.container())
    with left:
        _scores(rows)
    with right:
        rate = result.live["faster"] if result.live is not None else max((row["faster"] for row in rows), default=1.0)
        parts.growing(result, where(rows, faster=rate), _arrangement, "depth_courses")
        st.caption(say("depth.courses", rate=_rate(rate)))
    if rows:
        _sentences(rows)
        _table(rows)
        _slots(rows)


def _arrangement(row: Row) -> str:
    return say("depth.arrangement", layers=row["layers"], heads=row["heads"] // row["layers"])


def _rate(faster: float) -> str:
    return say("depth.usual") if faster == 1 else say("depth.faster", times=f"{faster:g}")


def _values(rows: Sequence[Row], name: str) -> list[float]:
    return sorted({row[name] for row in rows})


def _scores(rows: Sequence[Row]) -> None:
    if not rows:
        return
    layers = _values(rows, "layers")
    series = [
        parts.points(_rate(rate), [where(rows, faster=rate, layers=n) for n in layers])
        for rate in _values(rows, "faster")
    ]
    best = [Level(say("lookup_parts.best"), rows[0]["best"])] if rows[0]["best"] is not None else []
    places = [_arrangement(where(rows, layers=n)[0]) for n in layers]
    title = say("depth.places", heads=rows[0]["heads"])
    figure = scores(
        series, places, title, parts.score_title(rows), levels=best, span=parts.span(row["score"] for row in rows)
    )
    heatmaps.show(figure, "depth_scores", say("depth.alt", heads=rows[0]["heads"]))
    st.caption(say("depth.caption"))


def claim(rows: Sequence[Row]) -> str:
    """What the rows say of one head a layer against all in one layer, for "depth.claim.NAME".

    Args:
        rows: of one number of heads in all.

    Returns:
        "few": some rate has but one seed. "no": no difference at any rate. "steadier": none at the lowest rate, but the stack
        falls short at a higher one. "worse": it falls short at the lowest rate too. "better": it falls short at none and is
        ahead at some. A side is ahead if it is so beyond the noise, or if more of its trainings come near the best possible.
    """
    ahead = [_ahead(rows, rate) for rate in _values(rows, "faster")]
    if "few" in ahead:
        return "few"
    if "less" not in ahead:
        return "better" if "more" in ahead else "no"
    return "worse" if ahead[0] == "less" else "steadier"


def _ahead(rows: Sequence[Row], rate: float) -> str:
    deep, wide = _ends(rows, rate)
    change = _change(rows, rate)
    if change is None or verdict(change) != "same":
        return "few" if change is None else verdict(change)
    more = _near(deep) - _near(wide)
    return "more" if more > 0 else "less" if more < 0 else "same"


def _ends(rows: Sequence[Row], rate: float) -> tuple[list[Row], list[Row]]:
    """The rows of the most layers and those of one layer, at one rate, with the seeds that both have."""
    most = max(row["layers"] for row in rows)
    deep, wide = where(rows, layers=most, faster=rate), where(rows, layers=1, faster=rate)
    both = {row["seed"] for row in deep} & {row["seed"] for row in wide}
    return [row for row in deep if row["seed"] in both], [row for row in wide if row["seed"] in both]


def _change(rows: Sequence[Row], rate: float) -> Summary | None:
    """The most layers less one layer, seed by seed; None if there are not both."""
    most = max(row["layers"] for row in rows)
    return difference(rows, {"layers": most, "faster": rate}, {"layers": 1, "faster": rate}) if most > 1 else None


def _near(rows: Sequence[Row]) -> int:
    """How many trainings come near the best possible; 0 where that is not known."""
    return sum(row["best"] is not None and row["score"] >= row["best"] - _NEAR for row in rows)


def _sentences(rows: Sequence[Row]) -> None:
    """What came out, computed from the rows."""
    parameters = ", ".join(f"{n:,}" for n in sorted({row["parameters"] for row in rows}))
    st.markdown(say("depth.equal", parameters=parameters))
    for rate in _values(rows, "faster"):
        change = _change(rows, rate)
        if change is not None:
            deep, wide = _ends(rows, rate)
            counts = {"deep": _near(deep), "wide": _near(wide), "n": change.n}
            near = say("depth.counts", within=_NEAR, **counts) if change.n > 1 and deep[0]["best"] is not None else ""
            names = {"deep": _arrangement(deep[0]), "wide": _arrangement(wide[0])}
            st.markdown(say("depth.change", rate=_rate(rate), **names, change=parts.told(change), near=near))
    if max(row["layers"] for row in rows) > 1:
        st.markdown(say(f"depth.claim.{claim(rows)}"))


def _table(rows: Sequence[Row]) -> None:
    """One line for each arrangement and rate."""
    lines = []
    for n in _values(rows, "layers"):
        for rate in _values(rows, "faster"):
            found = where(rows, layers=n, faster=rate)
            if found:
                lines.append(_line(found))
    st.dataframe({title: [line[title] for line in lines] for title in lines[0]}, hide_index=True, width="stretch")


def _line(found: Sequence[Row]) -> dict[str, object]:
    reached = [row["score"] for row in found]
    half = half_interval(reached)
    line: dict[str, object] = {
        say("depth.arranged"): _arrangement(found[0]),
        say("depth.rate"): _rate(found[0]["faster"]),
        "d_k": found[0]["d_k"],
        say("lookup_parts.parameters"): found[0]["parameters"],
        parts.score_title(found): f"{np.mean(reached):.3f}" + ("" if half is None else f" ± {half:.3f}"),
        say("depth.lowest"): f"{min(reached):.3f}".replace("-", "\u2212"),
    }
    if found[0]["best"] is not None:
        line[say("depth.near", within=_NEAR)] = say("depth.of", n=_near(found), total=len(found))
    return line


def _slots(rows: Sequence[Row]) -> None:
    """Where the heads of the flattest and of the deepest net look, first seed at the lowest rate."""
    rate = min(row["faster"] for row in rows)
    st.markdown(say("depth.slots", rate=_rate(rate)))
    layers = [n for n in _values(rows, "layers") if where(rows, layers=n, faster=rate)]
    ends = dict.fromkeys((layers[0], layers[-1]))
    for column, n in zip(st.columns(len(ends)), ends, strict=True):
        row = where(rows, layers=n, faster=rate)[0]
        each = row["heads"] // row["layers"]
        columns: dict[str, list[object]] = {"": [f"L{place // each} H{place % each}" for place in range(row["heads"])]}
        n_slots = len(row["slots"][0])
        titles = [say("depth.slot", number=number) for number in range(n_slots)]
        columns |= {title: [weights[slot] for weights in row["slots"]] for slot, title in enumerate(titles)}
        bar = st.column_config.ProgressColumn(format="%.2f", max_value=1.0, width=80)
        with column:
            st.caption(_arrangement(row))
            st.dataframe(columns, hide_index=True, width="stretch", column_config=dict.fromkeys(titles, bar))
