"""Heads multiplied by a scale after the softmax."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from mha_viz.labs.options import Options, number, whole
from mha_viz.labs.pitfalls.base import Told, Trial, claimed, right
from mha_viz.labs.pitfalls.three import three

#: Tokens and width of what is tried.
N_TOKENS, D_K = 6, 8
#: Differences below this are rounding, in float64.
ROUNDING = 1e-9


@dataclass(frozen=True)
class ScaledOptions(Options):
    """Heads and their scales, evenly spaced between two ends."""

    heads: int = whole(8, 1, 16)
    least: float = number(0.5, 0.0, 4.0)
    most: float = number(2.0, 0.0, 4.0)


CASES = (ScaledOptions(),)


def scale_after_softmax(query: Tensor, key: Tensor, value: Tensor, scale: Tensor, W_O: Tensor) -> tuple[Tensor, Tensor]:
    """As told: (head, token, d_k) three times, (head,), (d_model, d_model) to weights and output."""
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    weights = scores.softmax(-1) * scale[:, None, None]
    return weights, (weights @ value).transpose(0, 1).flatten(1) @ W_O


def fold_into_output(query: Tensor, key: Tensor, value: Tensor, scale: Tensor, W_O: Tensor) -> tuple[Tensor, Tensor]:
    """The same function with rows that sum to 1."""
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    weights = scores.softmax(-1)
    folded = scale.repeat_interleave(query.shape[-1])[:, None] * W_O
    return weights, (weights @ value).transpose(0, 1).flatten(1) @ folded


def try_it(options: ScaledOptions) -> Trial:
    """Row sums of every head, and whether the scale could not stand in W_O as well."""
    draw = torch.Generator().manual_seed(0)
    shape = (options.heads, N_TOKENS, D_K)
    query, key, value = (torch.randn(shape, generator=draw, dtype=torch.float64) for _ in range(3))
    width = options.heads * D_K
    W_O = torch.randn(width, width, generator=draw, dtype=torch.float64) / math.sqrt(width)
    scale = torch.linspace(options.least, options.most, options.heads, dtype=torch.float64)
    weights, output = scale_after_softmax(query, key, value, scale, W_O)
    whole_weights, folded = fold_into_output(query, key, value, scale, W_O)
    sums, difference = weights.sum(-1).mean(-1), float((output - folded).abs().max())
    same = difference < ROUNDING
    values = {"least": float(sums.min()), "most": float(sums.max()), "difference": difference}
    return Trial(
        claim=Told("pitfalls.scaled.claim"),
        outcome="false" if same else "holds",
        verdict=Told(_verdict(same, sums), values),
        instead=Told("pitfalls.scaled.instead"),
        code=(claimed(scale_after_softmax), right(fold_into_output)),
        found={"sums": sums.tolist(), "right": whole_weights.sum(-1).mean(-1).tolist()},
        answers=three(query.numpy(), key.numpy(), value.numpy()),
    )


def _verdict(same: bool, sums: Tensor) -> str:
    """Which sentence is true of an output and of sums of rows, (head,)."""
    if not same:
        return "pitfalls.scaled.more"
    return "pitfalls.scaled.ones" if float((sums - 1).abs().max()) < ROUNDING else "pitfalls.scaled.same"
