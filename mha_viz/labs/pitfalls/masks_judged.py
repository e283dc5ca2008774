"""What a way to mask did to weights: whether it hides what it should."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from mha_viz.labs.pitfalls.base import Outcome, Told

#: Weights that differ by less agree, in float64.
ROUNDING = 1e-9


class Judged(NamedTuple):
    """One way, and what came of it.

    Attributes:
        outcome: "holds" if the weights are the right ones.
        verdict: with the numbers.
        weights: (..., query, key); None where an error was raised.
    """

    outcome: Outcome
    verdict: Told
    weights: Tensor | None


def hide(scores: Tensor, visible: Tensor) -> Tensor:
    """Weights, with True where a key may be seen."""
    return scores.masked_fill(~visible, -math.inf).softmax(-1)


def judge(way: Callable[[], Tensor], visible: Tensor, right: Tensor, pads: Tensor) -> Judged:
    """Tries a way to mask and compares.

    Args:
        way: gives the weights, (query, key), or raises.
        visible: bool (query, key), what may be seen.
        right: (query, key), the right weights.
        pads: bool (key,), which keys are padding; counted apart from what comes after a query.
    """
    try:
        weights = way()
    except (RuntimeError, TypeError, ValueError) as problem:
        return Judged("false", Told("pitfalls.masks.raises", {"error": first_line(problem)}), None)
    broken, total = int(weights.isnan().any(-1).sum()), len(weights)
    if broken:
        return Judged("false", Told("pitfalls.masks.broken", {"broken": broken, "total": total}), weights)
    difference = float((weights - right).abs().max())
    values = {
        "difference": difference,
        "future": _on(weights, ~torch.ones_like(visible).tril()),
        "pads": _on(weights, pads),
    }
    if difference < ROUNDING:
        return Judged("holds", Told("pitfalls.masks.exact", values), weights)
    return Judged("false", Told("pitfalls.masks.leaks", values), weights)


def first_line(problem: BaseException) -> str:
    """What an error says, on one line."""
    return (str(problem).strip() or type(problem).__name__).splitlines()[0].rstrip(".!")


def _on(weights: Tensor, cells: Tensor) -> float:
    """Share of the weight that lies on these cells, mean over rows."""
    return float(torch.where(cells, weights, 0.0).sum(-1).mean())
