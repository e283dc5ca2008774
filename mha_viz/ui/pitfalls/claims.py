"""What cards with several claims have in common: the choice among them, and two series against a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from mha_viz.figures.charts import Line, lines
from mha_viz.ui import heatmaps, state
from mha_viz.words import say


def choose(card: str, tried: Sequence[str], title: str) -> str:
    """Which claim of a card is tried.

    Args:
        card: its name; "pitfalls.CARD.TITLE.CLAIM" are the words.
        tried: the claims.
        title: "tried", or what else they are called there.
    """
    if state.get("pitfall_claim") not in tried:  # of another card, or none yet
        state.put("pitfall_claim", tried[0])
    return str(
        st.selectbox(
            say("pitfalls.tried"),
            tried,
            format_func=lambda name: say(f"pitfalls.{card}.{title}.{name}"),
            key="pitfall_claim",
            persist_state="session",
        )
    )


def told_and_right(
    found: Mapping[str, Any], names: tuple[str, str], x_title: str, y_title: str, key: str, alt: str
) -> None:
    """A value against a number, as told and done right: ``at``, ``told`` and ``right`` of what was found."""
    series = [Line(name, found["at"], found[part]) for name, part in zip(names, ("told", "right"), strict=True)]
    heatmaps.show(lines(series, x_title, y_title), key, alt)


def thinned(n: int) -> list[str]:
    """Numbers along an axis of ``n`` tokens, about eight of them written."""
    step = max(1, -(-n // 8))
    return [str(place) if place % step == 0 else "" for place in range(n)]
