"""Sentences about what cannot be done, or should be known before looking, each with its next step."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mha_viz.controls import Controls, visible_by_layer
from mha_viz.errors import InputError, MhaVizError, TooLongError
from mha_viz.figures.labels import visible_text
from mha_viz.models import SOURCES
from mha_viz.models.text import MAX_CHARACTERS
from mha_viz.tokens import TokenSequence
from mha_viz.ui import state
from mha_viz.ui.choices import Choices
from mha_viz.ui.plain import show_text
from mha_viz.words import say

#: Above this share of unknown tokens a model cannot read the text.
UNREADABLE = 0.3
_MOST_NAMED = 6


def show_error(problem: MhaVizError) -> None:
    """The error's sentence, with a button for the next step where there is one."""
    if problem.key == "error.empty_text":
        st.info(say("error.empty_text"), icon=":material/edit:")
        return
    show = st.warning if isinstance(problem, InputError) else st.error
    show_text(show, str(problem))
    if isinstance(problem, TooLongError):
        st.button(say("run.cut"), icon=":material/content_cut:", on_click=state.put, args=("cut", True))
    elif not isinstance(problem, InputError) and state.get("source") != "toy":
        _offer_toy()


def before_run(choices: Choices, tokens: TokenSequence, controls: Controls) -> None:
    """What should be known before the run: text cut or unreadable, a link that cannot hold it, rows without a key."""
    if tokens.cut_from is not None or len(choices.text.first + (choices.text.second or "")) > MAX_CHARACTERS:
        _say_cut(choices, tokens)
    if tokens.unknown_share > UNREADABLE:
        known = [known for known, special in zip(tokens.unknown, tokens.special, strict=True) if not special]
        st.warning(
            say("run.unreadable", name=choices.spec.name, unknown=sum(known), total=len(known)),
            icon=":material/translate:",
        )
        _offer_toy()
    if not state.links_text():
        st.info(say("run.not_linked", most=state.MOST_LINKED_CHARACTERS), icon=":material/link_off:")
    _name_rows_without_key(choices, tokens, controls)


def _say_cut(choices: Choices, tokens: TokenSequence) -> None:
    total = len(choices.text.first + (choices.text.second or ""))
    if tokens.cut_from is not None:
        sentence = say("run.was_cut", read=tokens.n_tokens, total=tokens.cut_from)
    else:
        sentence = say("run.was_cut_characters", read=MAX_CHARACTERS, total=total)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.info(sentence, icon=":material/content_cut:")
        st.button(say("run.uncut"), on_click=state.put, args=("cut", False))


def _name_rows_without_key(choices: Choices, tokens: TokenSequence, controls: Controls) -> None:
    dead = ~visible_by_layer(choices.spec, tokens, controls)[choices.layer].any(axis=-1)
    rows = np.flatnonzero(dead)
    if not len(rows):
        return
    named = ", ".join(f"{row} “{visible_text(tokens.tokens[row])}”" for row in rows[:_MOST_NAMED])
    more = len(rows) - _MOST_NAMED
    sentence = say("run.no_key", rows=named) if more <= 0 else say("run.no_key_more", rows=named, more=more)
    show_text(st.warning, sentence)


def link_refused(refused: list[tuple[str, str]]) -> None:
    """Parts of the link that were not understood."""
    for name, text in refused:
        sentence = say("run.link_refused", name=name, got=visible_text(text, 40), shown=state.PARAMETERS[name].default)
        show_text(st.warning, sentence)


def _offer_toy() -> None:
    if state.get("source") != "toy" and "toy" in SOURCES:
        st.button(say("run.use_toy"), icon=":material/toys:", on_click=state.put, args=("source", "toy"))
