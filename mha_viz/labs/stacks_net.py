"""Blocks of attention, FFN, residual connection and LayerNorm, each of which may be missing, and stacks of them.

post-LN  x -> LayerNorm(x + f(x)), as Vaswani et al. 2017
pre-LN   x -> x + f(LayerNorm(x)), and one LayerNorm behind the last block (Xiong et al. 2020)

f is attention, and then, where there is one, the FFN: W_2 ReLU(W_1 x).
"""

from __future__ import annotations

from typing import Literal, cast

import torch
from torch import nn

from mha_viz.attention import Attended
from mha_viz.labs.nets import HeadsAttention

Norm = Literal["none", "post", "pre"]


class Block(nn.Module):
    """One layer.

    Args:
        d_model: width of the tokens.
        n_heads: divides d_model.
        residual: whether what a part reads is added to what it gives.
        norm: where LayerNorm stands.
        hidden: width of the FFN; None for a block without.
        qk_norm, temperature: as ``HeadsAttention``.

    Raises:
        InputError: a number of heads that does not divide d_model.
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        *,
        residual: bool = True,
        norm: Norm = "post",
        hidden: int | None = None,
        qk_norm: bool = False,
        temperature: bool = False,
    ) -> None:
        super().__init__()
        self.residual, self.norm = residual, norm
        self.attention = HeadsAttention(d_model, n_heads, qk_norm=qk_norm, temperature=temperature)
        self.ffn = (
            None if hidden is None else nn.Sequential(nn.Linear(d_model, hidden), nn.ReLU(), nn.Linear(hidden, d_model))
        )
        parts = 0 if norm == "none" else 1 if hidden is None else 2
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(parts))

    def forward(self, read: torch.Tensor, **controls: torch.Tensor | None) -> tuple[torch.Tensor, Attended]:
        """(batch, token, d_model) to the same, and what the kernel computed; controls as ``HeadsAttention.forward``."""
        made, attended = self.attention(self._given(read, 0), **controls)
        read = self._joined(read, made, 0)
        if self.ffn is not None:
            read = self._joined(read, self.ffn(self._given(read, 1)), 1)
        return read, attended

    def _given(self, read: torch.Tensor, place: int) -> torch.Tensor:
        """What a part reads."""
        return self.norms[place](read) if self.norm == "pre" else read

    def _joined(self, read: torch.Tensor, made: torch.Tensor, place: int) -> torch.Tensor:
        """What stands after a part that made this."""
        joined = read + made if self.residual else made
        return self.norms[place](joined) if self.norm == "post" else joined

    def matrices(self) -> dict[str, torch.Tensor]:
        """The weight matrices, by the names of ``plans.MATRICES``; without the FFN's where there is none."""
        attention = self.attention
        found: dict[str, torch.Tensor] = {
            "query": attention.query.weight,
            "key": attention.key.weight,
            "value": attention.value.weight,
            "out": attention.out.weight,
        }
        if self.ffn is not None:
            first, last = cast(nn.Linear, self.ffn[0]), cast(nn.Linear, self.ffn[2])
            found |= {"ffn1": first.weight, "ffn2": last.weight}
        return found


class Stack(nn.Module):
    """Blocks one after another, and what reads a class off every token.

    Every matrix begins as Xavier's normal distribution, biases as PyTorch begins them: 0 in attention, even in nn.Linear.

    Args:
        blocks: one or more, of one kind.
        n_classes: how many classes there are.
    """

    def __init__(self, blocks: list[Block], n_classes: int) -> None:
        super().__init__()
        d_model = blocks[0].attention.out.out_features
        self.blocks = nn.ModuleList(blocks)
        self.last = nn.LayerNorm(d_model) if blocks[0].norm == "pre" else nn.Identity()
        self.answer = nn.Linear(d_model, n_classes)
        for block in blocks:
            for matrix in block.matrices().values():
                nn.init.xavier_normal_(matrix)
            for name in ("query", "key", "value", "out"):
                nn.init.zeros_(getattr(block.attention, name).bias)

    def forward(self, tokens: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
        """(batch, token, d_model) to (batch, token, class), and the tokens after each block."""
        after = []
        for block in self.blocks:
            tokens, _ = block(tokens)
            after.append(tokens)
        return self.answer(self.last(tokens)), after


def diversity(tokens: torch.Tensor) -> float:
    """||X - mean over tokens|| / ||X||, X (batch, token, d_model); 0 where a sequence has equal tokens (Dong et al. 2021)."""
    apart = tokens - tokens.mean(dim=1, keepdim=True)
    return float(apart.double().norm() / tokens.double().norm())


def gradient_over_weight(matrix: torch.Tensor) -> float:
    """||gradient|| / ||weight||, Frobenius norms: how much a step of the rate 1 would change a matrix."""
    if matrix.grad is None:
        return 0.0
    return float(
        matrix.grad.double().norm() / matrix.detach().double().norm()
    )  # squares of a gradient overflow float32
