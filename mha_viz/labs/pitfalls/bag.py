"""A classifier as tutorials build it: embedding, attention, mean over the tokens, one linear layer."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from mha_viz.labs.nets import HeadsAttention

#: Words that it knows, its width, heads and answers; number 0 is padding.
N_WORDS, D_MODEL, N_HEADS, N_CLASSES = 40, 32, 4, 3
PAD = 0


class Classifier(nn.Module):
    """Untrained, in float64, without positions and without a mask; equal seeds make equal ones."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.embedding = nn.Embedding(N_WORDS, D_MODEL)
            self.attention = HeadsAttention(D_MODEL, N_HEADS)
            self.answer = nn.Linear(D_MODEL, N_CLASSES)
        self.double()

    def forward(self, ids: Tensor, need_weights: bool = False) -> Tensor | tuple[Tensor, Tensor]:
        """(batch, token) ids to (batch, N_CLASSES) logits; with the weights, (batch, head, query, key), if they are asked for."""
        output, attended = self.attention(self.embedding(ids))
        logits: Tensor = self.answer(output.mean(dim=1))
        return (logits, attended.weights) if need_weights else logits


def text_of(n_words: int, seed: int = 0) -> Tensor:
    """(1, token) ids of different words, none of them padding."""
    draw = torch.Generator().manual_seed(seed)
    return 1 + torch.randperm(N_WORDS - 1, generator=draw)[None, :n_words]
