"""Several look-ups at once: what each number of heads reaches, beside the best that is possible, and what its heads look at."""

from __future__ import annotations

import functools

import streamlit as st

from mha_viz.figures.trials import Course, Level, Points, courses, scores
from mha_viz.labs.case import best_possible, example
from mha_viz.labs.plans import D_MODEL, HELD_OUT, KINDS, LOOKUP_HEADS, N_SLOTS, N_TOKENS, TASKS, WIDTH, LookupOptions
from mha_viz.labs.results import LabResult, Row, Summary, summaries, where
from mha_viz.ui import heatmaps, labs, lookups_maps, views
from mha_viz.ui.plain import asset, escaped
from mha_viz.words import say

#: Seconds that a training of so many steps takes on a usual computer, and the start of its process.
_SECONDS, _STEPS, _START = 2.0, 400, 4.0
_TABLE = 248  # pixels: six rows
_DEFAULTS = LookupOptions()


def render() -> None:
    """The task, the options, and what the trainings gave."""
    st.markdown(say("lookups.what", n_tokens=N_TOKENS, n_slots=N_SLOTS))
    task_case = st.container(key="lookups_case")
    options = _options()
    with task_case:
        _case(options.tasks[0] if options else TASKS[0])
    if options is None:
        st.info(say("lookups.no_heads"), icon=":material/info:")
        return
    trainings = len(options.heads) * options.seeds
    seconds = _START + _SECONDS * trainings * options.steps / _STEPS
    labs.show(
        "lookups", options, functools.partial(_draw, options.tasks[0]), say("lookups.about", seconds=f"{seconds:.0f}")
    )


def _options() -> LookupOptions | None:
    """What the visitor asks for; None without any number of heads."""
    chance = f"{1 / KINDS:.3f}"
    told = {
        "values": say("lookups.task.values.help", width=WIDTH, n_slots=N_SLOTS),
        "classes": say("lookups.task.classes.help", kinds=KINDS, chance=chance),
    }
    with st.container(horizontal=True, vertical_alignment="bottom", key="lookups_options"):
        named = "\n\n".join(told.values())
        task = views.pick(
            "lookups_task", say("lookups.task"), TASKS, TASKS[0], lambda name: say(f"lookups.task.{name}"), told=named
        )
        heads = st.pills(
            say("lookups.heads"),
            LOOKUP_HEADS,
            selection_mode="multi",
            default=_DEFAULTS.heads,
            key="lookups_heads",
            persist_state="session",
        )
        seeds = st.number_input(say("lookups.seeds"), 1, 20, 1, key="lookups_seeds", width=130, persist_state="session")
        steps = st.number_input(
            say("lookups.steps"),
            100,
            2_000,
            _DEFAULTS.steps,
            step=100,
            key="lookups_steps",
            width=130,
            persist_state="session",
        )
    if not heads:
        return None
    return LookupOptions((str(task),), tuple(sorted(heads)), int(seeds), int(steps))


def _case(task: str) -> None:
    """One case: the tokens, and those that are asked for in their order."""
    case = example(task)
    texts = [" ".join(_number(task, value) for value in of_token) for of_token in case.values]
    cards = [f"<i>{chr(65 + token)}</i>{escaped(text)}" for token, text in enumerate(texts)]
    tokens = "".join(
        f"<span{' class=asked' if token in case.asked else ''}>{card}</span>" for token, card in enumerate(cards)
    )
    asked = "".join(f"<span class=asked>{cards[token]}</span>" for token in case.asked)
    alt = escaped(say("lookups.case.alt", n_tokens=N_TOKENS, n_slots=N_SLOTS))
    st.html(
        f"<style>{asset('head_count.css')}</style><div class='mha-case' role='img' aria-label='{alt}'>"
        f"<div><b>{escaped(say('lookups.case.tokens'))}</b>{tokens}</div>"
        f"<div><b>{escaped(say('lookups.case.asked'))}</b>{asked}</div></div>"
    )


def _number(task: str, value: float) -> str:
    return f"{value:.1f}".replace("-", "−") if task == "values" else f"{value:.0f}"


def _draw(task: str, result: LabResult) -> None:
    """Rows of this task, and the training at work."""
    rows = where(result.rows, task=task)
    live = where([result.live] if result.live else [], task=task)
    if not rows and not live:
        st.info(say("lookups.none", task=say(f"lookups.task.{task}")), icon=":material/info:")
        return
    reached, course = st.columns(2, gap="large")
    found = summaries(rows, "heads", "score")
    with reached:
        _scores(task, result, rows, found)
    with course:
        _courses(task, result, [*rows, *live])
    if not found:
        return
    maps, numbers = st.columns(2, gap="large")
    with maps:
        lookups_maps.render(result, task)
    with numbers:
        _table(task, rows, found)
        st.markdown(f"**{say('lookups.caveats')}**\n\n{say(f'lookups.caveats.{task}', held_out=f'{HELD_OUT:,}')}")


def _scores(task: str, result: LabResult, rows: list[Row], found: list[Summary]) -> None:
    """A place for every number of heads that was asked for, so that points fall onto a line that is there."""
    heads = sorted(result.options["heads"])
    by_heads = {one.by: one for one in found}
    values = [by_heads[number].values if number in by_heads else () for number in heads]
    halves = [by_heads[number].half if number in by_heads else None for number in heads]
    points = Points(say("lookups.reached"), values, halves)
    if task == "values":
        level = Level(say("lookups.best"), [best_possible(number) for number in heads])
    else:
        level = Level(say("lookups.chance"), 1 / KINDS)
    figure = scores(
        [points],
        [str(number) for number in heads],
        say("lookups.axis.heads"),
        say(f"lookups.score.{task}"),
        levels=[level],
        span=(0, 1.05),
    )
    heatmaps.show(figure, "lookup_scores", say("lookups.scores.alt"))
    fewest = min((one.n for one in found), default=0)
    key = "lookups.scores.seeds" if fewest > 1 else "lookups.scores.no_seeds"
    st.caption(f"{_equal(rows)} {say(key, n=fewest)}" if found else say("lookups.scores.wait"))


def _equal(rows: list[Row]) -> str:
    """Whether all nets have equally many parameters, from the rows."""
    counts = {row["heads"]: row["parameters"] for row in rows}
    if len({row["parameters"] for row in rows}) == 1:
        return say("lookups.equal", n=f"{rows[0]['parameters']:,}")
    told = [
        say("lookups.counts", heads=lookups_maps.heads_text(heads), n=f"{counts[heads]:,}") for heads in sorted(counts)
    ]
    return say("lookups.unequal", counts=", ".join(told))


def _courses(task: str, result: LabResult, rows: list[Row]) -> None:
    runs = [
        Course(lookups_maps.heads_text(row["heads"]), row["at"], row["curve"])
        for row in sorted(rows, key=lambda row: row["heads"])
    ]
    steps, score = say("lookups.axis.steps"), say(f"lookups.score.{task}")
    figure = courses(runs, steps, score, span=(0, 1.05), until=result.options["steps"])
    heatmaps.show(figure, "lookup_courses", say("lookups.courses.alt"))
    st.caption(say("lookups.courses.caption", n=f"{HELD_OUT:,}"))


def _table(task: str, rows: list[Row], found: list[Summary]) -> None:
    """A row for each number of heads."""
    score = say(f"lookups.score.{task}")
    columns: dict[str, list[object]] = {
        say("lookups.axis.heads"): [one.by for one in found],
        say("lookups.table.d_k"): [D_MODEL // one.by for one in found],
        score: [one.mean for one in found],
    }
    if any(one.half is not None for one in found):
        columns[say("lookups.table.half")] = [one.half for one in found]
    if task == "values":
        columns[say("lookups.table.best")] = [where(rows, heads=one.by)[0]["best"] for one in found]
    parameters, seconds = say("lookups.table.parameters"), say("lookups.table.seconds")
    columns[parameters] = [where(rows, heads=one.by)[0]["parameters"] for one in found]
    columns[say("lookups.table.seeds")] = [one.n for one in found]
    columns[seconds] = [one.mean for one in summaries(rows, "heads", "seconds")]
    written = {score: "%.4f", say("lookups.table.half"): "%.4f", seconds: "%.1f", parameters: "localized"}
    formats = {name: st.column_config.NumberColumn(format=text) for name, text in written.items()}
    st.dataframe(columns, column_config=formats, hide_index=True, width="stretch", height=_TABLE)
