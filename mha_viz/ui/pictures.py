"""What pictures the page shows, so that each can be taken away exactly as it stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from mha_viz.controls import HeadId

if TYPE_CHECKING:
    import plotly.graph_objects as go

_SHOWN = "_shown_pictures"


class Picture(NamedTuple):
    """One picture of the page.

    Attributes:
        title: what it shows, as people who cannot see it are told.
        make: gives it as a figure.
        heads: what it draws, if that is neither one head nor all of them.
    """

    title: str
    make: Callable[[], go.Figure]
    heads: tuple[HeadId, ...] = ()


def start() -> None:
    """Before a page is drawn."""
    st.session_state[_SHOWN] = {}


def note(key: str, title: str, make: Callable[[], go.Figure], heads: Sequence[HeadId] = ()) -> None:
    """Remembers a picture that is being shown."""
    st.session_state.setdefault(_SHOWN, {})[key] = Picture(title, make, tuple(heads))


def shown() -> dict[str, Picture]:
    """The pictures of the page by their keys, in the order in which they were drawn."""
    found: dict[str, Picture] = st.session_state.get(_SHOWN, {})
    return found
