"""THE kernel: scaled dot-product attention with everything the controls may change inside it.

softmax(Q K^T / sqrt(d_k) / temperature + mask) V, then each head's gate. The toy and every Hugging Face model run
through this one function. Formula: Vaswani et al. 2017, equation 1; gates: Michel et al. 2019; uniform heads: Kovaleva et
al. 2019.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch

#: Beyond these a temperature is its limit, 0 or infinity: dividing by it would overflow.
SMALLEST_TEMPERATURE, LARGEST_TEMPERATURE = 1e-30, 1e30


class Buffers(NamedTuple):
    """Memory to write into instead of allocating, for runs without gradients. Changes no number.

    Attributes:
        scores, weights: (batch, head, query, key), two different memories.
    """

    scores: torch.Tensor
    weights: torch.Tensor


class Attended(NamedTuple):
    """What the kernel computes.

    Attributes:
        head_output: (batch, head, query, d_k), after the gates.
        weights: (batch, head, query, key); rows sum to 1, or are 0 where no key is visible.
    """

    head_output: torch.Tensor
    weights: torch.Tensor


def raw_scores(query: torch.Tensor, key: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """Q K^T: (batch, head, query, d_k) and (batch, head, key, d_k) to (batch, head, query, key)."""
    return torch.matmul(query, key.transpose(-2, -1), out=out)


def attend(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    *,
    scale: float,
    temperature: float = 1.0,
    visible: torch.Tensor | None = None,
    gates: torch.Tensor | None = None,
    uniform: torch.Tensor | None = None,
    buffers: Buffers | None = None,
) -> Attended:
    """Attention of every head of one layer.

    Args:
        query: (batch, head, query, d_k).
        key, value: (batch, head, key, d_k).
        scale: 1 / sqrt(d_k) as a rule; multiplied after the product, as Hugging Face's eager attention does.
        temperature: 0 to infinity, both limits exact.
        visible: bool, broadcasts to (batch, head, query, key); None where every key is.
        gates: (head,), multiplied into each head's output; differentiable. None for all 1.
        uniform: bool (head,), heads whose weights become even over the visible keys.
        buffers: memory to reuse; only without gradients.

    A query that sees no key gets weights of 0 and an output of 0, and sends no NaN into the gradients.
    """
    scores = raw_scores(query, key, out=buffers.scores if buffers else None)  # (batch, head, query, key)
    scores.mul_(scale)  # in place, after the product
    dead = None
    if visible is not None:
        dead = ~visible.any(dim=-1, keepdim=True)  # (..., query, 1): found before the softmax makes NaN of them
        scores.masked_fill_(~(visible | dead), -math.inf)
    weights = _softmax(scores, temperature, out=buffers.weights if buffers else None)
    if uniform is not None:
        even = _softmax(scores.detach(), math.inf)
        weights = torch.where(uniform[:, None, None], even, weights)
    if dead is not None and bool(dead.any()):
        weights = weights.masked_fill(dead, 0.0)
    if buffers and weights is not buffers.weights:
        weights = buffers.weights.copy_(weights)
    head_output = torch.matmul(weights, value)  # (batch, head, query, d_k)
    if gates is not None:
        head_output = head_output * gates[:, None, None].to(head_output.dtype)
    return Attended(head_output, weights)


def _softmax(scores: torch.Tensor, temperature: float, out: torch.Tensor | None = None) -> torch.Tensor:
    """Rows of weights from scaled, masked scores, (..., query, key); -inf where hidden, at least one key a row.

    The row's largest score is subtracted before dividing, so that no temperature overflows.
    """
    if temperature == 1.0:
        return torch.softmax(scores, dim=-1, out=out)
    if temperature > LARGEST_TEMPERATURE:
        allowed = (scores > -math.inf).to(scores.dtype)
        return torch.div(allowed, allowed.sum(dim=-1, keepdim=True), out=out)
    below_top = scores - scores.amax(dim=-1, keepdim=True)  # <= 0, and exactly 0 at the top
    if temperature < SMALLEST_TEMPERATURE:
        top = (below_top == 0).to(scores.dtype)
        return torch.div(top, top.sum(dim=-1, keepdim=True), out=out)
    return torch.softmax(below_top / temperature, dim=-1, out=out)
