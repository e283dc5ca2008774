"""From the choices to a run, with a sentence on the page for everything that can stand in the way."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from mha_viz.controls import Controls
from mha_viz.errors import DamagedModelError, MhaVizError, NotHereError
from mha_viz.tokens import TokenSequence
from mha_viz.trace import AttentionTrace
from mha_viz.ui import cache, link, model_choice, notices, own_page, state
from mha_viz.ui.choices import Choices, controls_of, current, keeps_by_entropy
from mha_viz.ui.plain import as_markdown
from mha_viz.words import say

#: Where the run of the page that is being drawn is kept, for whoever takes something of it away.
TAKEN = "_run_to_take"


@dataclass(frozen=True)
class Run:
    """What a page shows.

    Attributes:
        choices: the view.
        tokens: what the model read.
        controls: what was changed inside it.
        trace: what it did.
        cached: whether the forward pass was at hand already.
    """

    choices: Choices
    tokens: TokenSequence
    controls: Controls
    trace: AttentionTrace
    cached: bool


def current_run() -> Run | None:
    """Runs the chosen model on the chosen text; None if that cannot be done, and the page has said why."""
    try:
        choices = current()
        if choices.has_model:
            with st.spinner(say("run.loading", name=as_markdown(choices.spec.name)), show_time=True):
                cache.model(choices)
        tokens = cache.tokens(choices)
        _bound_focus(tokens)
        controls = controls_now(choices)
        notices.before_run(choices, tokens, controls)
        ran = cache.run(choices, controls)
        if choices.has_model:
            notices.after_run(tokens, ran.given_up)
    except NotHereError as problem:
        _offer(problem)
        return None
    except MhaVizError as problem:
        notices.show_error(problem)
        return None
    made = Run(choices, tokens, controls, ran.trace, ran.cached)
    st.session_state[TAKEN] = made
    return made


def controls_now(choices: Choices) -> Controls:
    """The controls of the view; heads that are kept by their entropy need a run of the unchanged model."""
    return controls_of(choices, cache.run(choices, Controls()).trace if keeps_by_entropy() else None)


def _offer(problem: NotHereError) -> None:
    """In place of the page: how a model, or a file, comes here."""
    if state.is_own():
        own_page.offer(problem)
        return
    if isinstance(problem, DamagedModelError):
        notices.say_error(problem)
    model_choice.offer()


def _bound_focus(tokens: TokenSequence) -> None:
    """Lets go of a token that the sentence no longer has; says so if a link asked for it."""
    for name in ("focus", "key"):
        position = state.get(name)
        if position is not None and position >= tokens.n_tokens:
            state.put(name, None)
            link.refuse(name, position)
            notices.link_refused(link.refused())


def designed_promises(run: Run) -> AttentionTrace:
    """The designed toy's run without controls, by which its promises are judged."""
    return cache.run(run.choices, Controls()).trace
