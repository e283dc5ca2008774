"""Heads taken out of the matrices themselves: rows leave W_Q, W_K and W_V with their biases, columns leave W_O."""

from __future__ import annotations

from collections.abc import Collection

import torch
from torch import nn
from torch.nn.utils import skip_init


def places_kept(n_heads: int, d_k: int, gone: Collection[int]) -> torch.Tensor:
    """Which of n_heads * d_k places belong to heads that stay: head h has h*d_k to (h+1)*d_k."""
    kept = [head for head in range(n_heads) if head not in gone]
    return torch.arange(n_heads * d_k).view(n_heads, d_k)[kept].flatten()


def narrowed(linear: nn.Linear, places: torch.Tensor, *, columns: bool = False) -> nn.Linear:
    """A smaller matrix of its own; the one given stays as it is.

    Args:
        linear: W as (out, in), and its bias.
        places: rows that stay, with their biases; or columns, with the whole bias. None at all may stay.
        columns: which of the two.
    """
    weight = linear.weight.detach()
    weight = weight[:, places] if columns else weight[places]
    # made small, since one of width 0 would warn
    made: nn.Linear = skip_init(nn.Linear, 1, 1, bias=linear.bias is not None)  # type: ignore[no-untyped-call]
    made.out_features, made.in_features = weight.shape
    made.weight = nn.Parameter(weight.clone(), requires_grad=linear.weight.requires_grad)
    if linear.bias is not None:
        bias = linear.bias.detach()
        made.bias = nn.Parameter((bias if columns else bias[places]).clone(), requires_grad=linear.bias.requires_grad)
    return made.train(linear.training)
