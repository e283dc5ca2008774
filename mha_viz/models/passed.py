"""What one pass through a model hands back: ours, and that of a reference."""

from __future__ import annotations

from typing import NamedTuple

import torch

from mha_viz.trace import Answer

#: Positions whose answers over the whole vocabulary are kept.
MOST_ANSWERS = 8


class Said(NamedTuple):
    """What an output layer says; the fields are those of ``trace.Answer``, the logits still a tensor."""

    kind: str
    positions: tuple[int, ...]
    logits: torch.Tensor


class Forwarded(NamedTuple):
    """What a forward pass gives besides what the probe records.

    Attributes:
        output: (token, d_model), the last hidden state.
        said: by the output layer, if there is one and it was asked.
    """

    output: torch.Tensor
    said: Said | None

    @property
    def answer(self) -> Answer | None:
        """What was said, as a record."""
        if self.said is None:
            return None
        return Answer(self.said.kind, self.said.positions, self.said.logits.detach().float().cpu().numpy())


class Reference(NamedTuple):
    """The same run by code that is not this project's, on the CPU.

    Attributes:
        name: key of its name in the table of words.
        weights: (layer, head, query, key).
        output: (token, d_model).
        tolerance: how far the weights may be apart.
    """

    name: str
    weights: torch.Tensor
    output: torch.Tensor
    tolerance: float
