"""What a page shows of the look-ups before any training: one case, and the best that is possible. Without torch."""

from __future__ import annotations

import random
from typing import NamedTuple

from mha_viz.labs.plans import KINDS, N_SLOTS, N_TOKENS, WIDTH

_SEED = 4


class Case(NamedTuple):
    """What one query token has before it.

    Attributes:
        values: (token,), WIDTH Gaussian numbers each, or one whole number below KINDS.
        asked: (slot,), which token each slot asks for, all different.
    """

    values: tuple[tuple[float, ...], ...]
    asked: tuple[int, ...]


def best_possible(n_heads: int) -> float:
    """R^2 that no net with so many heads can pass on "values"."""
    return min(n_heads, N_SLOTS) / N_SLOTS


def example(task: str) -> Case:
    """A case of "values" or "classes"."""
    drawn = random.Random(_SEED)
    asked = tuple(drawn.sample(range(N_TOKENS), N_SLOTS))
    if task == "values":
        return Case(tuple(tuple(drawn.gauss(0, 1) for _ in range(WIDTH)) for _ in range(N_TOKENS)), asked)
    return Case(tuple((drawn.randrange(KINDS),) for _ in range(N_TOKENS)), asked)
