"""A small encoder that sorts texts: positions, padding mask, residuals, LayerNorm, attention with any number of heads."""

from __future__ import annotations

import torch
from torch import nn

from mha_viz.labs.nets import HeadsAttention
from mha_viz.labs.texts_data import KNOWN, LONGEST, OTHER, PAD

D_MODEL, HIDDEN = 64, 128
#: Share of numbers that are set to 0 while training, of token vectors and of what each sub-layer adds.
DROPOUT = 0.3


def positions_of(n_tokens: int, d_model: int) -> torch.Tensor:
    """(n_tokens, d_model): sines and cosines of rising wave length (Vaswani et al. 2017, section 3.5)."""
    rates = 10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    angles = torch.arange(n_tokens)[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


class Layer(nn.Module):
    """Attention and a feed-forward network, each added to what it read, with LayerNorm before it (pre-LN)."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.attention = HeadsAttention(d_model, n_heads)
        self.forward_net = nn.Sequential(nn.Linear(d_model, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, d_model))
        self.before_attention, self.before_forward = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, x: torch.Tensor, visible: torch.Tensor) -> torch.Tensor:
        """(batch, token, d_model) to the same; ``visible``: (batch, 1, 1, token), False where there is padding."""
        x = x + self.dropout(self.attention(self.before_attention(x), visible=visible)[0])
        added: torch.Tensor = x + self.dropout(self.forward_net(self.before_forward(x)))
        return added


class TextNet(nn.Module):
    """From ids to one logit: above 0 for label 1.

    Args:
        n_heads: of each layer; divides D_MODEL. Changes the number of parameters by nothing.
        n_layers: how many.
        positions: whether token vectors say where they stand; without, the net cannot know the order of the words.
    """

    def __init__(self, n_heads: int, n_layers: int, *, positions: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding(OTHER + 1 + KNOWN, D_MODEL, padding_idx=PAD)
        nn.init.normal_(self.embedding.weight, std=D_MODEL**-0.5)
        self.layers = nn.ModuleList(Layer(D_MODEL, n_heads) for _ in range(n_layers))
        self.norm, self.answer = nn.LayerNorm(D_MODEL), nn.Linear(D_MODEL, 1)
        self.dropout = nn.Dropout(DROPOUT)
        table = positions_of(LONGEST, D_MODEL) * D_MODEL**-0.5 if positions else torch.zeros(LONGEST, D_MODEL)
        self.register_buffer("positions", table, persistent=False)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """(batch,) logits of (batch, token) ids; PAD fills up the shorter texts and changes no logit."""
        real = ids != PAD
        x = self.dropout(self.embedding(ids) + self.get_buffer("positions")[: ids.shape[1]])
        for layer in self.layers:
            x = layer(x, real[:, None, None])
        x = self.norm(x) * real[..., None]
        pooled = x.sum(dim=1) / real.sum(dim=1, keepdim=True)  # (batch, d_model), the mean of the real tokens
        logits: torch.Tensor = self.answer(pooled)[:, 0]
        return logits


def make_net(n_heads: int, n_layers: int, seed: int, *, positions: bool = True) -> TextNet:
    """An untrained net; equal seeds make equal ones."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return TextNet(n_heads, n_layers, positions=positions)


def padded(texts: list[list[int]]) -> torch.Tensor:
    """(text, token) ids, shorter texts filled up with PAD."""
    return nn.utils.rnn.pad_sequence([torch.tensor(ids) for ids in texts], batch_first=True, padding_value=PAD)
