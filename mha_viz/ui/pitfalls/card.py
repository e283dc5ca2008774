"""One card: the claim, a control, the code that ran, the picture, the verdict of this run, what to do instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mha_viz.arrays import FloatArray
from mha_viz.labs.options import Options
from mha_viz.labs.pitfalls.base import Answer, Trial
from mha_viz.ui import cache_trials, state
from mha_viz.ui.plain import escaped
from mha_viz.words import say

_SHOWN = "_pitfall_shown"

Given = TypeVar("Given", bound=Options)


def show(
    name: str,
    controls: Callable[[], Given],
    picture: Callable[[Trial], None],
    details: Callable[[Trial], None] | None = None,
) -> None:
    """Draws a card.

    Args:
        name: one of PITFALLS.
        controls: draws what can be chosen, and returns it.
        picture: draws the picture and its caption.
        details: draws what stands below: tables and more pictures.
    """
    with st.container(key="pitfall_said"):
        said = st.empty()
    left, right = st.columns([2, 3], gap="large")
    with left:
        options = controls()
        place_of_code = st.container()
    with right:
        place = st.empty()
    _clear(name, said, place)
    trial = cache_trials.trial(name, options)
    said.html(said_html(trial))
    with place.container():
        picture(trial)
    with place_of_code:
        _code(trial)
    if details is not None:
        details(trial)
    if trial.answers:
        _answers(trial.answers)


def _clear(name: str, said: DeltaGenerator, place: DeltaGenerator) -> None:
    """Takes the verdict and picture of another claim away at once; those of the same claim stay until there are new ones."""
    shown = (name, state.get("pitfall_claim"))
    if st.session_state.get(_SHOWN) != shown:
        said.html(f"<div class='mha-trying'>{escaped(say('pitfalls.trying'))}</div>")
        place.html(f"<div class='mha-trying'>{escaped(say('pitfalls.trying'))}</div>")
    st.session_state[_SHOWN] = shown


def said_html(trial: Trial) -> str:
    """Claim, verdict and what to do instead."""
    return (
        f"<div class='mha-claim'><small>{escaped(say('pitfalls.claim'))}</small><q>{escaped(str(trial.claim))}</q></div>"
        f"{verdict_html(trial.outcome, str(trial.verdict))}"
        f"<div class='mha-instead'><small>{escaped(say('pitfalls.instead'))}</small>"
        f"<span>{escaped(str(trial.instead))}</span></div>"
    )


def verdict_html(outcome: str, sentence: str) -> str:
    """What a claim came to: a word on its colour, and the sentence."""
    word = escaped(say(f"pitfalls.outcome.{outcome}"))
    return (
        f"<div class='mha-verdict'><strong class='mha-{outcome}'>{word}</strong> <span>{escaped(sentence)}</span></div>"
    )


def _code(trial: Trial) -> None:
    if not trial.code:
        return
    st.caption(say("pitfalls.code"))
    tabs = st.tabs([say(snippet.title) for snippet in trial.code])
    for tab, snippet in zip(tabs, trial.code, strict=True):
        with tab:
            st.code(snippet.source, language="python", wrap_lines=True)


def _answers(answers: tuple[Answer, ...]) -> None:
    """Three answers side by side."""
    ours = answers[0]
    st.caption(say("pitfalls.answers"))
    table = {
        say("pitfalls.answers.who"): [say(f"pitfalls.who.{answer.who}") for answer in answers],
        say("pitfalls.answers.sums"): [_span(answer) for answer in answers],
        say("pitfalls.answers.weights"): [_far(answer.weights - ours.weights) for answer in answers],
        say("pitfalls.answers.output"): [_far(answer.head_output - ours.head_output) for answer in answers],
    }
    st.dataframe(table, hide_index=True, width="stretch")


def _span(answer: Answer) -> str:
    sums = answer.weights.sum(axis=-1)
    return " … ".join(f"{end:.6g}" for end in dict.fromkeys((round(sums.min(), 9), round(sums.max(), 9))))


def _far(difference: FloatArray) -> str:
    return f"{np.abs(difference).max():.1e}"
