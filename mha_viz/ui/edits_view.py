"""Changing tokens of the sentence and running it again: mask one, put a word in its place, swap two, leave one out."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from mha_viz.edits import DropToken, Edit, Edits, MaskToken, PutWord, SwapTokens, described, parse
from mha_viz.errors import MhaVizError
from mha_viz.figures.labels import token_text, visible_text
from mha_viz.tokens import TokenSequence
from mha_viz.ui import cache, focus, state
from mha_viz.ui.choices import Choices
from mha_viz.ui.plain import as_markdown
from mha_viz.ui.run import Run
from mha_viz.words import say

_WORD, _FAILED = "edit_word", "_edit_failed"


def render(ran: Run) -> None:
    """The token, what to do with it, and what has been done."""
    st.markdown(say("edits.title"))
    position, other = focus.choose(ran), focus.choose(ran, "key")
    word_column, put_column = st.columns([3, 2], vertical_alignment="bottom")
    with word_column:
        word = st.text_input(say("edits.word"), key=_WORD, placeholder=say("edits.word.example"))
    none = position is None
    with put_column:
        _button(ran, "put", PutWord, (position, word), none or not (word or "").strip())
    with st.container(horizontal=True):
        _button(ran, "mask", MaskToken, (position,), none)
        _button(ran, "swap", SwapTokens, (position, other), none or other is None)
        _button(ran, "drop", DropToken, (position,), none)
    failed = st.session_state.pop(_FAILED, None)
    if failed:
        st.warning(as_markdown(failed), icon=":material/info:")
    _done(ran)


def describe(ran: Run) -> list[str]:
    """Every change of the sentence, in words, each at what the ones before it left."""
    choices, steps = ran.choices, parse(ran.choices.text.edits).steps
    tokens = cache.tokens(unedited(choices))
    model, lines = cache.model(choices), []
    for step in steps:
        names = tuple(f"“{visible_text(token_text(tokens, place))}”" for place in range(tokens.n_tokens))
        lines.append(described(step, names))
        tokens = model.edited(tokens, Edits((step,)))
    return lines


def unedited(choices: Choices) -> Choices:
    """The same view of the sentence as it was typed."""
    return replace(choices, text=replace(choices.text, edits=""))


def _button(ran: Run, name: str, kind: type[Edit], values: tuple[object, ...], disabled: bool) -> None:
    icon = {"mask": "visibility_off", "swap": "swap_horiz", "drop": "backspace", "put": "edit"}[name]
    st.button(
        say(f"edits.{name}"),
        icon=f":material/{icon}:",
        on_click=_add,
        args=(ran, kind, values),
        disabled=disabled,
        key=f"edit_{name}",
        help=say(f"edits.{name}.help"),
    )


def _add(ran: Run, kind: type[Edit], values: tuple[object, ...]) -> None:
    """One more change, if the model can read what it gives; else why not."""
    before: TokenSequence = cache.tokens(unedited(ran.choices))
    try:
        edits = parse(ran.choices.text.edits).then(kind(*values))
        cache.model(ran.choices).edited(before, edits)
    except MhaVizError as problem:
        st.session_state[_FAILED] = str(problem)
        return
    state.put("edits", edits.text)
    if kind in (PutWord, DropToken):
        state.put("focus", None)
        state.put("key", None)


def _done(ran: Run) -> None:
    steps = parse(ran.choices.text.edits).steps
    if not steps:
        st.caption(say("edits.none"))
        return
    lines = [as_markdown(line) for line in describe(ran)]
    st.markdown("\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1)))
    shorter = ".".join(step.text for step in steps[:-1])
    with st.container(horizontal=True):
        st.button(say("edits.undo"), icon=":material/undo:", on_click=state.put, args=("edits", shorter))
        st.button(say("edits.undo_all"), icon=":material/restart_alt:", on_click=state.put, args=("edits", ""))
