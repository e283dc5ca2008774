"""A number of heads chosen as it should be: what each scores, what is told apart, and what one seed would have said."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import streamlit as st

from mha_viz.errors import InputError
from mha_viz.figures.trials import Level, Points, scores
from mha_viz.labs.choosing import Choice, Difference, choose, scores_of
from mha_viz.labs.plans import SweepOptions
from mha_viz.labs.results import LabResult, Row, half_interval, where
from mha_viz.ui import heatmaps, labs, sweep_controls, sweep_precision, sweep_told
from mha_viz.ui.plain import as_markdown
from mha_viz.words import say

#: Seconds of a net with so many steps on one idle core, measured.
_SECONDS, _STEPS = {"float32": 1.2, "bfloat16": 3.2}, 300
#: Differences beyond so many times the largest that is not told apart are not drawn: the others would be flat.
_FAR = 6


def render() -> None:
    """The options, and what the sweep gave."""
    try:
        options = sweep_controls.options()
    except InputError as problem:
        st.error(as_markdown(str(problem)), icon=":material/error:")
        return
    nets = options.seeds * len(set(options.heads)) * options.steps / _STEPS
    seconds = nets * sum(_SECONDS[kind] for kind in options.precisions)
    draw = functools.partial(_draw, task=options.tasks[0])
    labs.show("sweep", options, draw, say("sweep.about", seconds=f"{seconds:.0f}"))


def _draw(result: LabResult, task: str) -> None:
    """The verdict first; then the points, the differences, the picks of single seeds, and mixed precision."""
    tasks = [row["task"] for row in result.rows]
    rows = where(result.rows, task=task if task in tasks else tasks[0]) if tasks else []
    options = SweepOptions.of(result.options)
    main = where(rows, precision=options.precisions[0])
    found = scores_of(main)
    choice = choose(found, options.heads, margin=options.margin, patience=options.patience)
    if choice is not None and choice.n_seeds < options.seeds:
        choice = None  # the first count is still at work
    verdict = sweep_told.verdict(choice, options.margin)
    if choice is not None and choice.chosen is not None and not result.whole:
        verdict = say("sweep.so_far", verdict=verdict, tried=sweep_told.counts(choice.tried))
    st.subheader(verdict, anchor=False)
    if result.live is not None:
        _at_work(result.live)
    left, right = st.columns([3, 2], gap="large")
    with left:
        _points(main, found, result.live, options)
    if choice is None:
        return
    with right:
        if choice.n_seeds > 1 and choice.behind:
            _behind(choice, options)
    _reasons(choice, found, main, options, whole=result.whole)
    if choice.behind:
        left, right = st.columns([3, 2], gap="large")
        with left:
            _differences(choice, found, options.margin)
        with right:
            _naive(choice, found)
    sweep_precision.render(rows, options)


def _reasons(
    choice: Choice, found: dict[int, dict[int, float]], rows: Sequence[Row], options: SweepOptions, *, whole: bool
) -> None:
    """Why, one point a line; and the test of the chosen count once there is one."""
    told = sweep_told.reasons(choice, found, options.margin, options.patience, whole=whole)
    for row in rows:
        if "tested" in row:
            heads, values = row["tested"]["heads"], row["tested"]["scores"]
            told.append(say("sweep.why.tested", chosen=sweep_told.count(heads), mean=sweep_told.mean_text(values)))
    st.markdown("\n".join(f"- {line}" for line in told))


def _at_work(live: Row) -> None:
    st.caption(
        say(
            "sweep.at_work",
            heads=sweep_told.count(live["heads"]),
            seed=live["seed"],
            precision=say(f"sweep.precision.{live['precision']}"),
            score=live["score"],
            step=live["step"],
        )
    )


def _points(rows: Sequence[Row], found: dict[int, dict[int, float]], live: Row | None, options: SweepOptions) -> None:
    """The scores of every count that is to be tried, and of the net at work; a place without points has not been."""
    counts = sorted(set(options.heads) | set(found))
    values = [list(found.get(heads, {}).values()) for heads in counts]
    name = say(f"sweep.precision.{options.precisions[0]}")
    series = [Points(name, values, [half_interval(of_one) for of_one in values])]
    if live is not None:
        now = [[live["score"]] if heads == live["heads"] else [] for heads in counts]
        series.append(Points(say("sweep.live"), now, [None] * len(counts)))
    best = {row["heads"]: row["best"] for row in rows}
    levels = [Level(say("sweep.best"), [best.get(heads) for heads in counts])]
    task = rows[0]["task"] if rows else options.tasks[0]
    lowest = min((value for of_one in values for value in of_one), default=0.0)
    figure = scores(
        series,
        [str(heads) for heads in counts],
        say("sweep.x"),
        say(f"sweep.y.{task}"),
        levels=levels,
        span=(min(0.0, lowest), 1.05),
    )
    heatmaps.show(figure, "sweep_scores", say("sweep.alt"))
    _explain([len(of_one) for of_one in values if of_one], options)


def _explain(done: Sequence[int], options: SweepOptions) -> None:
    """What the points are: means of as many seeds as ``done`` says of each count."""
    if max(done, default=0) < 2:
        st.caption(say("sweep.scores.one"))
        return
    seeds = say("sweep.scores.seeds", n=done[0]) if len(set(done)) == 1 else say("sweep.scores.done")
    st.caption(say("sweep.scores.what", seeds=seeds, steps=options.steps))


def _behind(choice: Choice, options: SweepOptions) -> None:
    """The differences to the best, near enough for the eye to see whether their intervals reach 0."""
    tied = [one for one in choice.behind if one.less in choice.tied]
    widest = max((abs(end) for one in tied for end in one.interval or ()), default=0.0)
    near = [one for one in choice.behind if not tied or one in tied or one.mean <= _FAR * widest]
    far = [one.less for one in choice.behind if one not in near]
    drawn = {one.less: one for one in near}
    counts = sorted([*drawn, choice.best])  # the best has its place, without a difference to itself
    places = [str(heads) for heads in counts]
    points = Points(
        say("sweep.behind.name"),
        [drawn[heads].values if heads in drawn else () for heads in counts],
        [drawn[heads].half if heads in drawn else None for heads in counts],
    )
    levels = [Level(say("sweep.behind.none"), 0.0)]
    if options.margin:
        levels.append(Level(say("sweep.behind.margin"), options.margin))
    y_title = say("sweep.behind.y", best=sweep_told.count(choice.best))
    figure = scores([points], places, say("sweep.x"), y_title, levels=levels)
    heatmaps.show(figure, "sweep_behind", say("sweep.behind.alt"))
    told = say("sweep.behind.what", best=sweep_told.count(choice.best))
    st.caption(" ".join([told, say("sweep.behind.far", heads=sweep_told.counts(far))]) if far else told)


def _differences(choice: Choice, found: dict[int, dict[int, float]], margin: float) -> None:
    """Every count with what it gained when its turn came, and what it lacks in the end."""
    steps = {one.more: one for one in choice.steps}
    behind = {one.less: one for one in choice.behind}
    counts = [*choice.tried, *choice.untried]
    st.markdown(say("sweep.table"))
    columns = {
        "heads": [str(heads) for heads in counts],
        "score": [sweep_told.mean_text(list(found[h].values())) if h in choice.tried else "" for h in counts],
        "gain": [_difference(steps.get(heads)) for heads in counts],
        "behind": [_difference(behind.get(heads)) for heads in counts],
        "verdict": [_verdict(choice, heads, margin, begun=heads in found) for heads in counts],
    }
    st.dataframe({say(f"sweep.table.{name}"): values for name, values in columns.items()}, hide_index=True)
    if choice.n_seeds > 1:
        st.caption(say("sweep.table.what", n=choice.n_seeds))


def _difference(one: Difference | None) -> str:
    return sweep_told.interval_text(one) if one is not None else ""


def _verdict(choice: Choice, heads: int, margin: float, *, begun: bool) -> str:
    if heads in choice.untried:
        return say("sweep.verdict.unfinished") if begun else say("sweep.verdict.untried")
    if choice.n_seeds < 2:
        return say("sweep.verdict.open")
    if heads == choice.best:
        return say("sweep.verdict.best")
    return (
        say("sweep.verdict.tied", limit=sweep_told.limit(margin))
        if heads in choice.tied
        else say("sweep.verdict.worse")
    )


def _naive(choice: Choice, found: dict[int, dict[int, float]]) -> None:
    """What each seed alone would have said."""
    st.markdown(say("sweep.naive"))
    columns = {
        "seed": [str(seed) for seed, _ in choice.naive],
        "picked": [sweep_told.count(heads) for _, heads in choice.naive],
        "score": [found[heads][seed] for seed, heads in choice.naive],
        "mean": [sum(found[heads].values()) / len(found[heads]) for _, heads in choice.naive],
    }
    number = st.column_config.NumberColumn(format="%.4f")
    st.dataframe(
        {say(f"sweep.naive.{name}"): values for name, values in columns.items()},
        hide_index=True,
        column_config={say("sweep.naive.score"): number, say("sweep.naive.mean"): number},
    )
    st.caption(sweep_told.naive(choice))
