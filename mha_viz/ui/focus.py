"""One query token followed: choosing it, and saying in words where it looks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import streamlit as st

from mha_viz.analysis.reading import Shown
from mha_viz.arrays import FloatArray
from mha_viz.figures.labels import token_text, visible_text
from mha_viz.trace import Reading
from mha_viz.ui import reading, state
from mha_viz.ui.plain import escaped
from mha_viz.ui.run import Run
from mha_viz.words import say

_NEXT_BEST = 3
#: Keys within this share of the largest weight have the same weight.
_ALIKE = 0.999


def choose(run: Run, parameter: str = "focus") -> int | None:
    """A box to choose a token in; clicking a picture does the same.

    Args:
        run: the view.
        parameter: "focus", the query that is followed, or "key".

    Returns:
        its position; None if none is chosen.
    """
    chosen: int | None = st.selectbox(
        say(f"{parameter}.title"),
        list(range(run.tokens.n_tokens)),
        index=None,
        key=parameter,
        format_func=lambda place: f"{place}  {visible_text(token_text(run.tokens, place))}",
        placeholder=say(f"{parameter}.none"),
        label_visibility="collapsed",
        persist_state="session",
    )
    return chosen


def say_where(run: Run, shown: Shown) -> None:
    """The sentence below the picture: of the chosen cell, of the followed query, or else of the strongest weight of the head."""
    place = shown.place_of(state.get("focus"))
    row = place if place is not None else strongest_row(shown, run.choices.layer, run.choices.head)
    if row is None:
        first, rest = say("focus.nothing"), ""
    else:
        first, rest = _sentences(run, shown, row, chosen=place is not None)
    small = f" <small>{escaped(rest)}</small>" if rest else ""
    st.html(f"<div class='mha-where'>{escaped(first)}{small}</div>")


def _sentences(run: Run, shown: Shown, row: int, *, chosen: bool) -> tuple[str, str]:
    """Where a query looks, and where it looks next; with a chosen key, its exact weight first."""
    layer, head = run.choices.layer, run.choices.head
    query = reading.name_of(shown, row)
    keys = np.flatnonzero(shown.visible[layer, head, row])
    if shown.no_key[layer, head, row] or not len(keys):
        return say("focus.no_key", query=query), ""
    weights = shown.weights[layer, head, row]
    keys = keys[np.argsort(-weights[keys], kind="stable")]
    exact = _exact(shown, weights, keys, row) if chosen else ""
    most = weights[keys[0]]
    alike = int((weights[keys] >= most * _ALIKE).sum())
    if len(keys) == 1:
        return exact or say("focus.only", query=query, key=reading.name_of(shown, keys[0])), ""
    if alike > 1:
        even = say("focus.even", query=query, n_keys=alike, weight=f"{most:.3f}")
        return (exact, even) if exact else (even, "")
    mostly = say(
        "focus.sentence" if chosen else "focus.strongest",
        query=query,
        key=reading.name_of(shown, keys[0]),
        weight=f"{most:.2f}",
    )
    then = ", ".join(f"{reading.name_of(shown, place)} {weights[place]:.2f}" for place in keys[1 : 1 + _NEXT_BEST])
    rest = say("focus.then", keys=then)
    return (exact, f"{mostly} {rest}") if exact else (mostly, rest)


def _exact(shown: Shown, weights: FloatArray, keys: npt.NDArray[np.int_], row: int) -> str:
    """The chosen cell with all its decimals."""
    key = shown.place_of(state.get("key"))
    if key is None:
        return ""
    names = {"query": reading.name_of(shown, row), "key": reading.name_of(shown, key)}
    if key not in keys:
        return say("focus.cell_hidden", **names)
    rank = int(np.flatnonzero(keys == key)[0]) + 1
    return say("focus.cell", weight=f"{weights[key]:.6f}", rank=rank, n_keys=len(keys), **names)


def strongest_row(read: Reading, layer: int, head: int) -> int | None:
    """The query with the largest weight of the head, of those that have a choice or else of all that mean something."""
    n_keys = read.visible[layer, head].sum(axis=-1)
    for fewest in (2, 1):
        rows = np.flatnonzero((n_keys >= fewest) & ~read.padding & ~read.no_key[layer, head])
        if len(rows):
            return int(rows[read.weights[layer, head, rows].max(axis=-1).argmax()])
    return None
