"""What the labs train: multi-head attention with learnt matrices, through the same kernel as everything else."""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.nn import functional

from mha_viz.attention import Attended, attend
from mha_viz.errors import InputError
from mha_viz.spec import divisors


class HeadsAttention(nn.Module):
    """W_Q, W_K, W_V, W_O of one layer, with biases; head h is rows h*d_k:(h+1)*d_k of the first three, columns of the last.

    Args:
        d_model: width of what is read and of what is written.
        n_heads: how many heads; divides d_model unless d_k is given.
        n_kv: how many pairs of W_K and W_V there are; heads share them in groups (grouped-query attention, Ainslie et al. 2023; 1
            is multi-query attention, Shazeer 2019). n_heads by default.
        one_query: all heads share one W_Q instead.
        d_k: width of a head; d_model / n_heads by default, but nothing asks for that (Vaswani et al. 2017, Table 3, rows B).
        bias: whether the four have biases.
        scale: what scores are multiplied by; 1 / sqrt(d_k) by default.
        qk_norm: every query and key is divided by its root mean square, so that no score is larger than sqrt(d_k) (as query-key
            normalization of Henry et al. 2020, without its factor). It has no parameters.
        temperature: one learnt number a head: its scores are multiplied by exp of it. It begins at 0, which changes nothing.

    Raises:
        InputError: a number of heads that does not divide d_model, or of pairs that does not divide the number of heads.
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        *,
        n_kv: int | None = None,
        one_query: bool = False,
        d_k: int | None = None,
        bias: bool = True,
        scale: float | None = None,
        qk_norm: bool = False,
        temperature: bool = False,
    ) -> None:
        super().__init__()
        d_k = head_width(d_model, n_heads) if d_k is None else d_k
        n_kv = n_heads if n_kv is None else n_kv
        if n_kv < 1 or n_heads % n_kv:
            raise InputError("error.lab_kv", n_kv=n_kv, n_heads=n_heads, allowed=", ".join(map(str, divisors(n_heads))))
        self.n_heads, self.n_kv, self.d_k = n_heads, n_kv, d_k
        self.query = nn.Linear(d_model, self.d_k * (1 if one_query else n_heads), bias)
        self.key = nn.Linear(d_model, n_kv * self.d_k, bias)
        self.value = nn.Linear(d_model, n_kv * self.d_k, bias)
        self.out = nn.Linear(n_heads * self.d_k, d_model, bias)
        self.scale = 1 / math.sqrt(self.d_k) if scale is None else scale
        self.qk_norm = qk_norm
        self.sharpness = nn.Parameter(torch.zeros(n_heads)) if temperature else None

    def forward(
        self,
        read: torch.Tensor,
        keys: torch.Tensor | None = None,
        *,
        visible: torch.Tensor | None = None,
        gates: torch.Tensor | None = None,
        uniform: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, Attended]:
        """One layer.

        Args:
            read: (batch, query, d_model).
            keys: (batch, key, d_model), what keys and values are made of; ``read`` by default.
            visible, gates, uniform: as ``attention.attend``.

        Returns:
            The output, (batch, query, d_model), and what the kernel computed.
        """
        keys = read if keys is None else keys
        query, key, value = self._split(self.query(read)), self._split(self.key(keys)), self._split(self.value(keys))
        if self.qk_norm:
            query, key = functional.rms_norm(query, (self.d_k,)), functional.rms_norm(key, (self.d_k,))
        if self.sharpness is not None:
            query = query * self.sharpness.exp()[:, None, None]
        attended = attend(query, key, value, scale=self.scale, visible=visible, gates=gates, uniform=uniform)
        joined = attended.head_output.transpose(1, 2).flatten(2)  # (batch, query, n_heads * d_k)
        return self.out(joined), attended

    def _split(self, projected: torch.Tensor) -> torch.Tensor:
        """(batch, token, n * d_k) to (batch, head, token, d_k); what several heads share is repeated without a copy."""
        n = projected.shape[2] // self.d_k  # 0 where all heads were removed
        parts = projected.view(*projected.shape[:2], n, self.d_k).transpose(1, 2)  # (batch, n, token, d_k)
        if parts.shape[1] == self.n_heads:
            return parts
        repeated = parts[:, :, None].expand(-1, -1, self.n_heads // parts.shape[1], -1, -1)
        return repeated.flatten(1, 2)


def head_width(d_model: int, n_heads: int) -> int:
    """d_k of so many heads.

    Raises:
        InputError: they do not divide d_model.
    """
    if n_heads < 1 or d_model % n_heads:
        allowed = ", ".join(map(str, divisors(d_model)))
        raise InputError("error.lab_heads", n_heads=n_heads, d_model=d_model, allowed=allowed)
    return d_model // n_heads


def n_parameters(net: nn.Module) -> int:
    """How many numbers it learns, counted."""
    return sum(parameter.numel() for parameter in net.parameters())
