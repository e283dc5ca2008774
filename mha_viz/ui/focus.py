"""One query token followed: choosing it, and saying in words where it looks."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mha_viz.figures.labels import token_text, visible_text
from mha_viz.ui.plain import escaped
from mha_viz.ui.run import Run
from mha_viz.words import say

_NEXT_BEST = 3
#: Keys within this share of the largest weight have the same weight.
_ALIKE = 0.999


def choose(run: Run) -> int | None:
    """A box to choose the query in; clicking a row of the picture does the same. None if no query is chosen."""
    chosen: int | None = st.selectbox(
        say("focus.title"),
        list(range(run.tokens.n_tokens)),
        index=None,
        key="focus",
        format_func=lambda place: f"{place}  {visible_text(token_text(run.tokens, place))}",
        placeholder=say("focus.none"),
        label_visibility="collapsed",
        persist_state="session",
    )
    return chosen


def say_where(run: Run, position: int | None) -> None:
    """The sentence below the picture; without a chosen query, that of the strongest weight of the head."""
    row = position if position is not None else strongest_row(run)
    if row is None:
        first, rest = say("focus.nothing"), ""
    else:
        first, rest = _sentences(run, row, chosen=position is not None)
    small = f" <small>{escaped(rest)}</small>" if rest else ""
    st.html(f"<div class='mha-where'>{escaped(first)}{small}</div>")


def _sentences(run: Run, row: int, *, chosen: bool) -> tuple[str, str]:
    """Where a query looks, and where it looks next."""
    layer, head = run.choices.layer, run.choices.head
    query = _name(run, row)
    keys = np.flatnonzero(run.trace.visible[layer, head, row])
    if not len(keys):
        return say("focus.no_key", query=query), ""
    weights = run.trace.weights[layer, head, row]
    keys = keys[np.argsort(-weights[keys], kind="stable")]
    most = weights[keys[0]]
    alike = int((weights[keys] >= most * _ALIKE).sum())
    if len(keys) == 1:
        return say("focus.only", query=query, key=_name(run, keys[0])), ""
    if alike > 1:
        return say("focus.even", query=query, n_keys=alike, weight=f"{most:.3f}"), ""
    key = "focus.sentence" if chosen else "focus.strongest"
    then = ", ".join(f"{_name(run, place)} {weights[place]:.2f}" for place in keys[1 : 1 + _NEXT_BEST])
    return say(key, query=query, key=_name(run, keys[0]), weight=f"{most:.2f}"), say("focus.then", keys=then)


def _name(run: Run, position: int | np.integer) -> str:
    return f"“{visible_text(token_text(run.tokens, int(position)))}” ({position})"


def strongest_row(run: Run) -> int | None:
    """The query with the largest weight of the head, of those that have a choice or else of all that mean something."""
    layer, head = run.choices.layer, run.choices.head
    n_keys = run.trace.visible[layer, head].sum(axis=-1)
    for fewest in (2, 1):
        rows = np.flatnonzero((n_keys >= fewest) & ~run.trace.padding)
        if len(rows):
            return int(rows[run.trace.weights[layer, head, rows].max(axis=-1).argmax()])
    return None
