"""Sentences about what cannot be done, or should be known before looking, each with its next step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from mha_viz.controls import Controls, has_key, visible_in
from mha_viz.errors import InputError, MhaVizError, TooLongError
from mha_viz.figures.labels import visible_text
from mha_viz.models.place import Place
from mha_viz.models.text import MAX_CHARACTERS
from mha_viz.tokens import TokenSequence
from mha_viz.ui import parameters, state
from mha_viz.ui.choices import Choices
from mha_viz.ui.plain import as_markdown
from mha_viz.words import say


class Step(NamedTuple):
    """A button: its words, its icon, and what it does; by itself, a parameter of the view and its new value."""

    label: str
    icon: str
    arguments: tuple[object, ...] = ()
    act: Callable[..., None] = state.put


CHOOSE_ANOTHER = Step("run.choose_another", ":material/list:", (None,), state.choose_model)
_USE_TOY = Step("run.use_toy", ":material/toys:", ("source", "toy"))

#: Above this share of unknown tokens a model cannot read the text.
UNREADABLE = 0.3
_MOST_NAMED = 6


def _use_fastest() -> None:
    """The fastest device there is, also where the setting names one that is not there."""
    from mha_viz.models.devices import available, find_device

    state.put("device", "auto")
    try:
        find_device(Place())
    except MhaVizError:
        state.put("device", available()[0])


#: What an edit of a link can fail on.
_OF_EDITS = frozenset(
    f"error.{name}"
    for name in ("no_such_token", "edit_special", "edit_skipped", "edit_too_long", "edit_nothing_left", "no_mask_token")
)
_USE_FASTEST = Step("run.use_fastest", ":material/memory:", act=_use_fastest)


def show_error(problem: MhaVizError, *more: Step) -> None:
    """The error's sentence, with buttons for the next step where there is one."""
    if problem.key == "error.empty_text":
        st.info(say("error.empty_text"), icon=":material/edit:")
        return
    sentence, step = str(problem), _next_step(problem)
    if not state.links_text():
        sentence += " " + say("run.not_linked", most=state.MOST_LINKED_CHARACTERS)
    steps = [*more, *([step] if step else [])]
    _say(st.warning if isinstance(problem, InputError) else st.error, sentence, *steps)


def _next_step(problem: MhaVizError) -> Step | None:
    if isinstance(problem, TooLongError):
        return Step("run.cut", ":material/content_cut:", ("cut", True))
    if problem.key in ("error.setting", "error.setting_folder", "error.setting_unknown"):
        return None  # nothing on the page changes the environment
    if problem.key == "error.only_special":
        return Step("run.show_special", ":material/visibility:", ("specials", "raw"))
    if state.get("edits") and problem.key in _OF_EDITS:
        return Step("edits.undo_all", ":material/restart_alt:", ("edits", ""))
    if problem.key == "error.no_such_device":
        return _USE_FASTEST
    if state.get("source") == "hub":
        return CHOOSE_ANOTHER
    return _USE_TOY if not isinstance(problem, InputError) and state.get("source") != "toy" else None


def say_error(problem: MhaVizError) -> None:
    """The error's sentence alone, where the next step stands beside it."""
    _say(st.error, str(problem))


def before_run(choices: Choices, tokens: TokenSequence, controls: Controls) -> None:
    """What should be known before the run: text cut or unreadable, a link that cannot hold it, rows without a key."""
    if not choices.has_model:
        _name_rows_without_key(choices, tokens, controls)
        return
    n_characters = len(choices.text.first) + len(choices.text.second or "")
    uncut = Step("run.uncut", ":material/undo:", ("cut", False))
    if tokens.cut_from is not None:
        _say(st.info, say("run.was_cut", read=tokens.n_tokens, total=tokens.cut_from), uncut)
    elif n_characters > MAX_CHARACTERS:
        _say(st.info, say("run.was_cut_characters", read=MAX_CHARACTERS, total=n_characters), uncut)
    if tokens.unknown_share > UNREADABLE:
        from_text = [unknown for unknown, special in zip(tokens.unknown, tokens.special, strict=True) if not special]
        counts = {"unknown": sum(from_text), "total": len(from_text)}
        _say(st.warning, say("run.unreadable", name=choices.spec.name, **counts), _USE_TOY)
    if not state.links_text():
        _say(st.info, say("run.not_linked", most=state.MOST_LINKED_CHARACTERS))
    _name_rows_without_key(choices, tokens, controls)


def after_run(tokens: TokenSequence, given_up: str | None) -> None:
    """What a run was short of: a device's memory, or a tokenizer that tells where its tokens stand in the text."""
    if given_up is not None:
        _say(st.warning, say("run.given_up", device=given_up))
    if not tokens.located:
        _say(st.info, say("run.not_located"))


def _name_rows_without_key(choices: Choices, tokens: TokenSequence, controls: Controls) -> None:
    of_file = choices.stored
    visible = visible_in(choices.spec, tokens, controls) if of_file is None else of_file.trace.visible
    seen = visible[choices.layer, choices.head]
    rows = np.flatnonzero(~has_key(seen))
    if not len(rows):
        return
    named = ", ".join(f"{row} “{visible_text(tokens.tokens[row])}”" for row in rows[:_MOST_NAMED])
    more = len(rows) - _MOST_NAMED
    _say(st.warning, say("run.no_key", rows=named) if more <= 0 else say("run.no_key_more", rows=named, more=more))


def link_refused(refused: list[tuple[str, str]]) -> None:
    """Parts of the link that are not possible, and what is shown instead."""
    sentences = []
    for name, text in refused:
        got = visible_text(text, 40)
        if state.is_own() and name in state.WITHOUT_MODEL:
            sentences.append(say("own_page.link_inside", name=name, got=got))
        elif name in parameters.PARAMETERS:
            shown = state.written(name) or say("run.link_nothing")
            sentences.append(say("run.link_refused", name=name, got=got, shown=shown))
        else:
            sentences.append(say("run.link_unknown", name=visible_text(name, 40), got=got))
    if sentences:
        _say(st.warning, " ".join(sentences))


def _say(show: Callable[..., Any], sentence: str, *steps: Step) -> None:
    """The sentence in a box of Streamlit's (st.info, st.warning, st.error), which may hold user text, and the next steps."""
    with st.container(horizontal=True, vertical_alignment="center"):
        show(as_markdown(sentence), icon=":material/info:")
        for step in steps:
            button(step)


def button(step: Step) -> None:
    """The button of a next step."""
    st.button(say(step.label), icon=step.icon, on_click=step.act, args=step.arguments)
