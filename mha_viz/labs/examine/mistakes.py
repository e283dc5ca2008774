"""Multi-head attention with one usual mistake each: a module that agrees with one has made it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import linear

from mha_viz.labs.examine.projections import Projections


def _split(x: Tensor, n_heads: int) -> Tensor:
    return x.reshape(*x.shape[:2], n_heads, -1).transpose(1, 2)


def _split_flat(x: Tensor, n_heads: int) -> Tensor:
    """As ``view(batch, heads, token, d_k)``: a head gets a part of the tokens."""
    return x.reshape(len(x), n_heads, x.shape[1], -1)


def _merge(head_output: Tensor) -> Tensor:
    return head_output.transpose(1, 2).flatten(2)


def _merge_flat(head_output: Tensor) -> Tensor:
    """As ``view(batch, token, d_model)`` without the transpose before it."""
    return head_output.reshape(len(head_output), head_output.shape[2], -1)


class Mistake(NamedTuple):
    """What is done otherwise; the rest is right.

    Attributes:
        why, todo: keys of sentences.
        power: of d_k, by which the scores are multiplied.
        axis: of (batch, head, query, key), along which the softmax runs.
        split: (batch, token, d_model) and a number of heads to (batch, head, token, d_k).
        merge: the way back.
    """

    why: str
    todo: str
    power: float = -0.5
    axis: int = -1
    split: Callable[[Tensor, int], Tensor] = _split
    merge: Callable[[Tensor], Tensor] = _merge


MISTAKES = (
    Mistake("examine.parity.no_scale", "examine.todo.parity_scale", power=0.0),
    Mistake("examine.parity.twice", "examine.todo.parity_scale", power=-1.0),
    Mistake("examine.parity.merged", "examine.todo.parity_merged", merge=_merge_flat),
    Mistake("examine.parity.split", "examine.todo.parity_split", split=_split_flat),
    Mistake("examine.parity.split", "examine.todo.parity_split", split=_split_flat, merge=_merge_flat),
    Mistake("examine.parity.queries", "examine.todo.rows_axis", axis=-2),
    Mistake("examine.parity.heads", "examine.todo.rows_axis", axis=1),
)


def with_mistake(
    mistake: Mistake, given: Projections, n_heads: int, query: Tensor, other: Tensor, hidden: Tensor | None
) -> Tensor:
    """The output (batch, query, d_model), in float64.

    Args:
        mistake: which.
        given: the projections.
        n_heads: a divisor of d_model.
        query: (batch, query, d_model), float64.
        other: (batch, key, d_model), float64.
        hidden: bool (query, key), true where a query may not look; None for everything.
    """
    matrices, biases = [one.double() for one in given[:4]], [one.double() for one in given.biases]
    read = (query, other, other)
    q, k, v = (mistake.split(linear(*one), n_heads) for one in zip(read, matrices[:3], biases[:3], strict=True))
    scores = q @ k.transpose(-2, -1) * q.shape[-1] ** mistake.power
    if hidden is not None:
        scores = scores.masked_fill(hidden, -torch.inf)
    merged = mistake.merge(scores.softmax(mistake.axis) @ v)
    return linear(merged, matrices[3], biases[3])
