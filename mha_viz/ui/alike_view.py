"""Heads that are alike: what regularisers that keep them apart do, the heads of one trained net, and those of MiniLM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import streamlit as st

from mha_viz.figures.trials import Course, Level, Points, courses, scores
from mha_viz.labs.diversity import Effect, best_of_none, effects, tally
from mha_viz.labs.pairs import LEAST, verdict
from mha_viz.labs.plans import REGULARISERS, TASKS, AlikeOptions
from mha_viz.labs.results import LabResult, Row, Summary, summaries, where
from mha_viz.ui import alike_heads, heatmaps, labs, views
from mha_viz.ui.lookup_parts import present, signed
from mha_viz.words import say

_PARTS, _HEADS = ("regularisers", "heads", "minilm"), (4, 8, 16)
_SECONDS = 30  # of one seed on two free cores
_BY = {"map": "map_diversity", "output": "output_diversity"}
#: A penalty that fell to less than this share of what it was without the regulariser.
_FALLEN = 0.8
#: Heads that are so far apart by output, on the mean, can come no further.
_FAR = 0.95
_SPANS = {"map_diversity": (0.0, 0.86), "output_diversity": (0.0, 1.05), "score": (0.0, 1.05)}


def render() -> None:
    """The options, and what the trainings gave."""
    with st.container(horizontal=True):
        part = _choice("part", _PARTS, _PARTS[0], lambda name: say(f"alike.part.{name}"))
        if part != "minilm":
            task = _choice("task", TASKS, TASKS[0], lambda name: say(f"lookups.task.{name}"))
            heads = _choice("heads", _HEADS, 8, str)
            seeds = int(
                st.number_input(say("alike.seeds"), 1, 20, 1, key="alike_seeds", width=130, persist_state="session")
            )
        asks = "by" if part == "regularisers" else "order"
        by = _choice(asks, tuple(_BY), "map", lambda name: say(f"alike.by.{name}"))
    if part == "minilm":
        options = AlikeOptions(nets=("minilm",))
        labs.show("alike", options, lambda result: alike_heads.draw_minilm(result, by), say("alike.about_minilm"))
        return
    labs.show(
        "alike",
        AlikeOptions(tasks=(task,), heads=(heads,), seeds=seeds),
        lambda result: _draw(result, part, task, heads, by),
        say("alike.about", n=10 * seeds, seconds=_SECONDS * seeds),
    )


def _choice(name: str, options: Sequence[Any], first: Any, written: Callable[[Any], str]) -> Any:
    return views.pick(f"alike_{name}", say(f"alike.{name}"), options, first, written)


def _draw(result: LabResult, part: str, task: str, heads: int, by: str) -> None:
    every = where(result.rows, model="lookups")
    rows = present(present(every, "task", task), "heads", heads)
    if rows and part == "heads":
        alike_heads.draw_net(rows, by)
    elif rows:
        _regularisers(rows, by)
        _overall(every)
    if result.live is not None:
        _growing(result.live)


def _growing(live: Row) -> None:
    """The training at work."""
    title = say("alike.score", task=say(f"alike.score.{live['task']}"))
    name = say("alike.live", heads=live["heads"], name=alike_heads.net_name(live), seed=live["seed"])
    figure = courses([Course(name, live["at"], live["curve"])], say("alike.steps"), title, span=(0, 1.05))
    heatmaps.show(figure, "alike_live", name)


def _regularisers(rows: Sequence[Row], by: str) -> None:
    """Diversity and score against the strength, the verdict, and the numbers."""
    found = effects(rows)
    left, right = st.columns(2, gap="medium")
    score = say("alike.score", task=say(f"alike.score.{rows[0]['task']}"))
    best = [Level(say("alike.best"), float(rows[0]["best"]))] if rows[0]["best"] is not None else []
    with left:
        _against_strength(rows, _BY[by], say(f"alike.diversity.{by}"), [], "alike_diversity")
        st.caption(say("alike.diversity_caption"), help=say(f"alike.distance.{by}"))
    with right:
        _against_strength(rows, "score", score, best, "alike_scores")
        st.caption(say("alike.kinds"), help=say("alike.formulas"))
    if found:
        st.markdown(_told(rows, found, by))
        _turned(rows, found)
        _table(found)


def _against_strength(rows: Sequence[Row], value: str, title: str, levels: Sequence[Level], key: str) -> None:
    strengths = sorted({row["strength"] for row in rows if row["kind"] != "none"})
    series = []
    for kind in REGULARISERS:
        of_kind = {one.by: one for one in summaries(where(rows, kind=kind), "strength", value)}
        if of_kind:
            at = [of_kind.get(strength) for strength in strengths]
            values = [one.values if one else () for one in at]
            series.append(Points(say(f"alike.kind.{kind}"), values, [one.half if one else None for one in at]))
    none = [Level(say("alike.kind.none"), one.mean) for one in summaries(where(rows, kind="none"), "kind", value)]
    places = [f"{strength:g}" for strength in strengths]
    figure = scores(series, places or [""], say("alike.strength"), title, levels=[*none, *levels], span=_SPANS[value])
    heatmaps.show(figure, key, say("alike.scores_alt", value=title))


def _told(rows: Sequence[Row], found: Sequence[Effect], by: str) -> str:
    """Whether more diversity gives a better score, as the rows have it."""
    counts = tally(found, by)
    none, best = best_of_none(rows), rows[0]["best"] or 1.0
    told = [say("alike.none", heads=rows[0]["heads"], score=f"{none:.3f}")]
    if none > best - LEAST:
        told = [say("alike.none_best", heads=rows[0]["heads"], score=f"{none:.3f}")]
    if not counts.known:
        return " ".join([*told, say("alike.few")])
    same = counts.diverse - counts.better - counts.worse
    values = {"n": counts.n, "diverse": counts.diverse, "better": counts.better, "worse": counts.worse, "same": same}
    told.append(say(f"alike.verdict.{by}", **values))
    if counts.diverse:
        told.append(say("alike.helps" if counts.better else "alike.helps_not"))
    return " ".join(told)


def _turned(rows: Sequence[Row], found: Sequence[Effect]) -> None:
    """If the penalty on outputs went down and the outputs came no further apart, how that can be."""
    none = where(rows, kind="none")
    before = [row["penalties"]["outputs"] for row in none]
    kept = [one for one in found if one.kind == "outputs" and verdict(one.outputs) in ("same", "less")]
    if not kept or np.mean([row["output_diversity"] for row in none]) > _FAR:
        return
    strength = kept[-1].strength
    after = [row["penalties"]["outputs"] for row in where(rows, kind="outputs", strength=strength)]
    if np.mean(after) < _FALLEN * np.mean(before):
        values = {"before": f"{np.mean(before):.2f}", "after": f"{np.mean(after):.2f}", "strength": f"{strength:g}"}
        st.caption(say("alike.turned", **values, change=signed(kept[-1].outputs.mean)))


def _overall(rows: Sequence[Row]) -> None:
    """The same count over all tasks and numbers of heads, where there are several."""
    nets = sorted({(row["task"], row["heads"]) for row in rows})
    verdicts = [verdict(one.score) for task, n in nets for one in effects(where(rows, task=task, heads=n))]
    if len(nets) < 2 or "few" in verdicts:
        return
    counts = {"better": verdicts.count("more"), "worse": verdicts.count("less"), "same": verdicts.count("same")}
    room = sum(
        best_of_none(of_net) <= (of_net[0]["best"] or 1.0) - LEAST
        for of_net in (where(rows, task=task, heads=n) for task, n in nets)
    )
    st.caption(say("alike.overall", nets=len(nets), n=len(verdicts), room=room, **counts))


def _table(found: Sequence[Effect]) -> None:
    columns = {
        say("alike.table.kind"): [say(f"alike.kind.{one.kind}") for one in found],
        say("alike.strength"): [f"{one.strength:g}" for one in found],
        say("alike.table.score"): [_with_half(one.score) for one in found],
        say("alike.table.verdict"): [say(f"alike.is.{verdict(one.score)}") for one in found],
        say("alike.table.map"): [_with_half(one.maps) for one in found],
        say("alike.table.output"): [_with_half(one.outputs) for one in found],
    }
    st.dataframe(columns, hide_index=True, width="stretch")
    n = min(one.score.n for one in found)
    st.caption(say("alike.table.caption", least=LEAST, n=n) if n > 1 else say("alike.table.one"))


def _with_half(found: Summary) -> str:
    text = signed(found.mean)
    return text if found.half is None else say("alike.half", mean=text, half=f"{found.half:.3f}")
