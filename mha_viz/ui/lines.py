"""Several heads as lines between tokens: a picture to point at, in which a click chooses a token."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st

from mha_viz.ui.plain import asset

_COMPONENT = st.components.v2.component(
    "mha_viz.lines",
    html="<div\nclass='mha-root'></div>",
    css=asset("grid.css") + asset("lines.css"),
    js=asset("grid.js") + asset("lines_layout.js") + asset("lines_draw.js") + asset("lines.js"),
)


class Chosen(NamedTuple):
    """What is followed.

    Attributes:
        query: a row; None for all.
        key: a column; None for all.
    """

    query: int | None
    key: int | None


def line_picture(data: bytes, n_places: int, key: str, on_choose: Callable[[Chosen], None]) -> None:
    """Shows lines between tokens.

    Args:
        data: what ``figures.lines.payload`` made.
        n_places: rows and columns there are.
        key: of the component.
        on_choose: called with what a person chose, before the script runs again. What does not fit is dropped: it comes from
            an older sentence, or from no browser of ours.
    """

    def take() -> None:
        chosen = read_chosen(st.session_state[key].chosen, n_places)
        if chosen is not None:
            on_choose(chosen)

    _COMPONENT(key=key, data=data, on_chosen_change=take)


def read_chosen(sent: Any, n_places: int) -> Chosen | None:
    """What a browser sent; None if it is no choice within ``n_places`` rows and columns."""
    if not isinstance(sent, dict) or set(sent) != set(Chosen._fields):
        return None
    read = Chosen(**sent)
    fits = all(place is None or (type(place) is int and 0 <= place < n_places) for place in read)
    return read if fits else None
