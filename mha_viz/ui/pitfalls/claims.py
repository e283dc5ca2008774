"""What cards with several claims have in common."""

from __future__ import annotations

from collections.abc import Sequence

from mha_viz.ui.views import pick
from mha_viz.words import say


def pick_claim(name: str, claims: Sequence[str]) -> str:
    """Which of a card's claims is tried; "pitfalls.NAME.CLAIM" are the words."""
    chosen: str = pick(
        f"pitfall_{name}_claim",
        say("pitfalls.numbers.claim"),
        claims,
        claims[0],
        lambda claim: say(f"pitfalls.{name}.{claim}"),
    )
    return chosen


def thinned(n: int) -> list[str]:
    """Numbers along an axis of ``n`` tokens, about eight of them written."""
    step = max(1, -(-n // 8))
    return [str(place) if place % step == 0 else "" for place in range(n)]
