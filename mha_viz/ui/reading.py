"""How the weights are read: by pieces or words, with special tokens or without. The same two controls on every page that reads.

The pages on masks, stages and the splitting show what happens inside the model, token by token, and have no such choice.
"""

from __future__ import annotations

import numpy as np
import streamlit as st

from mha_viz.analysis.reading import LEVELS, SPECIALS, Shown
from mha_viz.arrays import IntArray
from mha_viz.errors import InputError
from mha_viz.figures.labels import token_text, visible_text
from mha_viz.ui import cache, notices, state
from mha_viz.ui.run import Run
from mha_viz.words import say


def controls() -> None:
    """Draws both controls, behind a button that says how it is read now."""
    state_now = say("reading.now", level=say(f"reading.level.{state.get('level')}"), specials=_specials_now())
    with st.popover(state_now, icon=":material/spellcheck:"):
        for key, options in (("level", LEVELS), ("specials", SPECIALS)):
            st.segmented_control(
                say(f"reading.{key}"),
                options,
                key=key,
                required=True,
                format_func=lambda name, key=key: say(f"reading.{key}.{name}"),
                persist_state="session",
            )
            st.caption(say(f"reading.{key}.help"))


def _specials_now() -> str:
    return say(f"reading.specials.{state.get('specials')}.now")


def current(ran: Run) -> Shown | None:
    """The weights as they are to be read, without drawing the controls."""
    try:
        return cache.reading(ran.choices, ran.trace, state.get("level"), state.get("specials"))
    except InputError as problem:
        notices.show_error(problem)
        return None


def raw(ran: Run) -> Shown:
    """The weights as the model has them, token by token."""
    return cache.reading(ran.choices, ran.trace, "pieces", "raw")


def say_how(shown: Shown, layer: int | None = None, head: int | None = None) -> None:
    """What the reading does to the rows: nothing is said of the raw one by pieces.

    Args:
        shown: the reading.
        layer, head: whose removed share is told; of all heads if None.
    """
    sentences = [say("reading.words_rule")] if shown.level == "words" else []
    if shown.level == "words" and shown.removed is None:
        sentences.append(say("reading.sum_rule"))
    if shown.removed is not None:
        of = shown.removed if layer is None or head is None else shown.removed[layer, head]
        counted = of[..., ~shown.padding]
        share = f"{float(np.mean(counted)):.2f}" if counted.size else "–"
        sentences.append(say(f"reading.{shown.specials}_rule", share=share))
    if sentences:
        st.caption(" ".join(sentences))


def n_keys(ran: Run, shown: Shown) -> IntArray:
    """(layer, head, query): keys that share a row's weight. Hidden special tokens still do, unless rows are renormalised."""
    if shown.specials != "hidden":
        return np.count_nonzero(shown.visible, axis=-1)
    whole = cache.reading(ran.choices, ran.trace, shown.level, "raw")
    rows = [whole.place_of(shown.position_of(place)) for place in range(shown.n_tokens)]
    return np.count_nonzero(whole.visible, axis=-1)[:, :, rows]


def focus_place(shown: Shown) -> int | None:
    """The row that the followed token stands in; None if none is followed, or it is left out."""
    return shown.place_of(state.get("focus"))


def key_place(shown: Shown) -> int | None:
    """The column that the chosen key stands in."""
    return shown.place_of(state.get("key"))


def name_of(shown: Shown, place: int) -> str:
    """A row or column by its token and the token's position, for a sentence."""
    return f"“{visible_text(token_text(shown.query_tokens, place))}” ({shown.position_of(place)})"
