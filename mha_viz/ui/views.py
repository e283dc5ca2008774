"""The choice between the views of one page, between a few values, and of a whole number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import streamlit as st

from mha_viz.ui import state
from mha_viz.words import say


def choose(key: str, options: Sequence[str]) -> str:
    """Draws the choice and returns it.

    Args:
        key: a parameter of the view; "KEY.OPTION" are the words.
        options: what there is to choose from.
    """
    st.segmented_control(
        say("view.title"),
        options,
        key=key,
        required=True,
        format_func=lambda name: say(f"{key}.{name}"),
        label_visibility="collapsed",
        persist_state="session",
    )
    return str(state.get(key))


def pick(
    key: str, title: str, options: Sequence[Any], first: Any, written: Callable[[Any], str], *, told: str | None = None
) -> Any:
    """One of a few values, which the session keeps.

    Args:
        key: of the widget.
        title: above it.
        options: what there is to choose from.
        first: chosen until the visitor chooses.
        written: an option in words.
        told: shown at the question mark.
    """
    return st.segmented_control(
        title, options, default=first, required=True, format_func=written, key=key, help=told, persist_state="session"
    )


def number(
    key: str,
    title: str,
    bounds: tuple[int, int],
    first: int,
    *,
    told: str | None = None,
    step: int = 1,
    width: int | Literal["stretch"] = "stretch",
) -> int:
    """A whole number, which the session keeps.

    Args:
        key: of the widget.
        title: above it.
        bounds: lowest and highest.
        first: until the visitor chooses.
        told: shown at the question mark.
        step: of its buttons.
        width: in pixels.
    """
    return int(
        st.number_input(title, *bounds, first, step=step, key=key, help=told, width=width, persist_state="session")
    )
