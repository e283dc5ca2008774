"""A matrix of 1 and -inf, put to use in four ways; and a mask made on another device."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from mha_viz.labs.pitfalls.base import Told, Trial, claimed, right
from mha_viz.labs.pitfalls.masks_judged import hide, judge
from mha_viz.labs.pitfalls.three import three

N_WORDS, N_PADS, D_K = 6, 3, 16
N_TOKENS = N_WORDS + N_PADS


def ones_and_infinities(visible: Tensor) -> Tensor:
    """1 where a key may be seen, -inf elsewhere."""
    return torch.where(visible, 1.0, -math.inf)


def compared(scores: Tensor, causal: Tensor, padding: Tensor) -> Tensor:
    """Hides where the matrix is 0."""
    matrix = ones_and_infinities(causal & padding)
    return scores.masked_fill(matrix == 0, -math.inf).softmax(-1)


def multiplied(scores: Tensor, causal: Tensor, padding: Tensor) -> Tensor:
    """Scores times the matrix."""
    matrix = ones_and_infinities(causal & padding)
    return (scores * matrix).softmax(-1)


def added(scores: Tensor, causal: Tensor, padding: Tensor) -> Tensor:
    """Scores plus the matrix."""
    matrix = ones_and_infinities(causal & padding)
    return (scores + matrix).softmax(-1)


def anded(scores: Tensor, causal: Tensor, padding: Tensor) -> Tensor:
    """Two such matrices joined by "and"."""
    matrix = ones_and_infinities(causal) & ones_and_infinities(padding)
    return (scores + matrix).softmax(-1)


def made_anywhere(scores: Tensor) -> Tensor:
    """A causal mask that does not ask where the scores are."""
    visible = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return scores.masked_fill(~visible, -math.inf).softmax(-1)


def made_beside(scores: Tensor) -> Tensor:
    """A causal mask on the device of the scores."""
    visible = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
    return scores.masked_fill(~visible, -math.inf).softmax(-1)


WAYS = ("compared", "multiplied", "added", "anded")


def matrix(way: str) -> Trial:
    """One of four ways, on a sequence that is causal and padded."""
    query, key, value = _drawn()
    scores = (query @ key.mT)[0] / math.sqrt(D_K)
    causal = torch.ones(N_TOKENS, N_TOKENS, dtype=torch.bool).tril()
    padding = (torch.arange(N_TOKENS) < N_WORDS).expand(N_TOKENS, -1)
    visible = causal & padding
    code: Callable[[Tensor, Tensor, Tensor], Tensor] = globals()[way]
    right_ones = hide(scores, visible)
    tried = judge(lambda: code(scores, causal, padding), visible, right_ones, ~padding[0])
    return Trial(
        claim=Told(f"pitfalls.masks.{way}.claim"),
        outcome=tried.outcome,
        verdict=tried.verdict,
        instead=Told("pitfalls.masks.instead"),
        code=(claimed(ones_and_infinities, code), right(hide)),
        found={
            "told": None if tried.weights is None else tried.weights.numpy(),
            "right": right_ones.numpy(),
            "visible": visible.numpy(),
        },
        answers=three(query.numpy(), key.numpy(), value.numpy(), visible.numpy()),
    )


def device() -> Trial:
    """A mask on the CPU for scores that are elsewhere: on a GPU if there is one, on PyTorch's "meta" device if not."""
    place = "cuda" if torch.cuda.is_available() else "meta"
    query, key, value = _drawn()
    scores = (query @ key.mT)[0] / math.sqrt(D_K)
    causal = torch.ones(N_TOKENS, N_TOKENS, dtype=torch.bool).tril()
    right_ones = made_beside(scores)
    made_beside(scores.to(place))

    def elsewhere() -> Tensor:
        weights = made_anywhere(scores.to(place))  # "meta" has shapes and no numbers: those are then the CPU's
        return weights.cpu() if place == "cuda" else made_anywhere(scores)

    tried = judge(elsewhere, causal, right_ones, torch.zeros(N_TOKENS, dtype=torch.bool))
    key_of_verdict = "pitfalls.masks.device.raises" if tried.weights is None else "pitfalls.masks.device.runs"
    return Trial(
        claim=Told("pitfalls.masks.device.claim"),
        outcome=tried.outcome,
        verdict=Told(key_of_verdict, {"device": place, **tried.verdict.values}),
        instead=Told("pitfalls.masks.device.instead"),
        code=(claimed(made_anywhere), right(made_beside)),
        found={"told": None, "right": right_ones.numpy(), "visible": causal.numpy(), "place": place},
        answers=three(query.numpy(), key.numpy(), value.numpy(), causal.numpy()),
    )


def _drawn() -> list[Tensor]:
    """Query, key and value, (1, token, d_k), in float64."""
    draw = torch.Generator().manual_seed(0)
    return [torch.randn(1, N_TOKENS, D_K, generator=draw, dtype=torch.float64) for _ in range(3)]
