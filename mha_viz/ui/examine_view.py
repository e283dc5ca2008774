"""Attention modules through the checks: those that came with the app beside the visitor's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from mha_viz.errors import MhaVizError
from mha_viz.figures.verdicts import SIGNS, verdicts
from mha_viz.labs.examine.base import CHECKS, MODULES, OUTCOMES
from mha_viz.labs.plans_tried import ExamineOptions
from mha_viz.labs.results import LabResult, Row
from mha_viz.labs.stored import stored
from mha_viz.ui import heatmaps, labs, own_code, views
from mha_viz.ui.plain import as_markdown, asset, escaped
from mha_viz.words import say

_PATH, _ARGUMENTS, _FOLDER = 200, 400, 400
#: More checks than these in one line are counted only.
_NAMED = 4


def render() -> None:
    """Where the visitor names a module, the matrix of checks and modules, and what each check found."""
    st.html(f"<style>{asset('examine.css')}</style>")
    why_not = own_code.refusal()
    if why_not is not None:
        st.info(as_markdown(str(why_not)), icon=":material/lock:")
        options, about = ExamineOptions(), "ours"
    else:
        st.markdown(say("examine.what"))
        options = _asked()
        about = "own" if options.runs_code else "none"
    labs.show("examine", options, _draw, say(f"examine.about.{about}"), from_start=True)


def _asked() -> ExamineOptions:
    """The visitor's own module if one is named, those that came with the app otherwise."""
    places = st.columns([4, 3, 3, 2], vertical_alignment="bottom")
    given = {}
    for name, longest, place in zip(
        ("path", "arguments", "folder"), (_PATH, _ARGUMENTS, _FOLDER), places, strict=False
    ):
        given[name] = place.text_input(
            say(f"examine.{name}"),
            key=f"examine_{name}",
            max_chars=longest,
            placeholder=say(f"examine.{name}.example"),
            help=say(f"examine.{name}.help"),
            persist_state="session",
        ).strip()
    seconds = places[3].number_input(say("examine.seconds"), 5, 600, 60, key="examine_seconds", persist_state="session")
    if not given["path"]:
        return ExamineOptions()
    try:
        return ExamineOptions(modules=("own",), seconds=int(seconds), **given)
    except MhaVizError as problem:
        st.error(as_markdown(str(problem)), icon=":material/error:")
        return ExamineOptions()


def _draw(result: LabResult) -> None:
    """The result beside what came with the app for the modules that it does not hold."""
    asked = [name for name in MODULES if name in result.options["modules"]]
    rows = [*result.rows, *(row for row in _stored() if row["module"] not in asked)]
    modules = [name for name in MODULES if name in asked or any(row["module"] == name for row in rows)]
    left, right = st.columns([2, 3], gap="large")
    with left:
        _matrix(modules, rows, result.live)
    with right:
        own = "own" in modules
        chosen = views.pick(
            f"examine_chosen_{'own' if own else 'ours'}",
            say("examine.choose"),
            modules,
            modules[0],
            lambda name: say(f"examine.module.{name}"),
        )
        _details([row for row in rows if row["module"] == chosen])


def _stored() -> Sequence[Row]:
    try:
        return stored("examine").rows
    except MhaVizError:  # said where the stored result itself is drawn
        return ()


def _matrix(modules: Sequence[str], rows: Sequence[Row], live: Row | None) -> None:
    def place(row: Row) -> tuple[int, int]:
        return CHECKS.index(row["check"]), modules.index(row["module"])

    names = [say(f"examine.module.{name}") for name in modules]
    found = {place(row): str(row["outcome"]) for row in rows}
    figure = verdicts([say(f"examine.check.{name}") for name in CHECKS], names, found, place(live) if live else None)
    told = " ".join(
        say("examine.alt.module", module=name, counts=_counts([row for row in rows if row["module"] == module]))
        for name, module in zip(names, modules, strict=True)
    )
    heatmaps.show(figure, "examine_matrix", say("examine.alt", n=len(modules), told=told))
    st.caption(say("examine.caption"))


def _counts(rows: Sequence[Row]) -> str:
    counted = Counter(row["outcome"] for row in rows)
    return say("examine.counts", **{outcome: counted[outcome] for outcome in OUTCOMES})


def _details(rows: Sequence[Row]) -> None:
    """What failed comes first."""
    if not rows:
        return
    name, module = rows[0]["name"], rows[0]["module"]
    what = say(f"examine.module.{module}.what", name=name)
    st.markdown(f"{as_markdown(what)} {_counts(rows)}")
    order = {"failed": 0, "impossible": 1, "passed": 2}
    st.html("".join(map(_check, _together(sorted(rows, key=lambda row: order[row["outcome"]])))))


def _together(rows: Sequence[Row]) -> list[list[Row]]:
    """Checks that were not possible for one and the same reason stand in one line."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        alike = repr((row["why"], row["todo"])) if row["outcome"] == "impossible" else row["check"]
        found.setdefault(alike, []).append(row)
    return list(found.values())


def _check(rows: Sequence[Row]) -> str:
    row = rows[0]
    outcome, why = row["outcome"], say(row["why"]["key"], **row["why"]["values"])
    todo = ""
    if row["todo"]:
        todo = f"<p><small>{escaped(say('examine.todo'))}</small>{escaped(say(row['todo']))}</p>"
    many = len(rows) > _NAMED
    title = (
        say("examine.together", n=len(rows))
        if many
        else ", ".join(say(f"examine.check.{one['check']}") for one in rows)
    )
    badge = f"{SIGNS[outcome]} {say(f'examine.outcome.{outcome}')}"
    return (
        f"<div class='mha-examined'><strong class='mha-{outcome}'>{escaped(badge)}</strong>"
        f"<div><p><b>{escaped(title)}.</b> {escaped(why)}</p>{todo}</div></div>"
    )
