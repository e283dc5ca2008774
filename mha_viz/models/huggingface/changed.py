"""A copy of a BERT whose modules may be changed, such as rounded or quantised, and what it reads then, map by map."""

from __future__ import annotations

import copy
import re
from typing import Any, NamedTuple

import torch
from torch import nn

from mha_viz.attention import Attended, attend
from mha_viz.models.huggingface.eager import twin_of
from mha_viz.models.huggingface.kernel import PROBE

#: What the modules of a BERT are for, by their names in transformers; the first that fits. Everything else is "rest".
_PARTS = (
    ("embeddings", r"embeddings\b"),
    ("qk", r"attention\.self\.(query|key)\b"),
    ("vo", r"attention\.(self\.value|output\.dense)\b"),
    ("ffn", r"\d+\.(intermediate|output)\.dense\b"),
)


class Passed(NamedTuple):
    """What one pass gave.

    Attributes:
        weights: of every layer (batch, head, query, key), in whatever precision they came.
        output: the last hidden states, (batch, token, d_model).
    """

    weights: list[torch.Tensor]
    output: torch.Tensor


class Changed:
    """A copy that shares nothing with the network that it is of: whatever is done to its modules stays with it.

    Args:
        network: not changed.

    Attributes:
        network: the modules of the copy, without an output layer.
    """

    def __init__(self, network: Any) -> None:
        self.network: nn.Module = copy.deepcopy(twin_of(network).base_model)

    def read(self, ids: torch.Tensor) -> Passed:
        """One pass through the app's kernel; whatever precision the queries have, it computes in.

        Args:
            ids: whole numbers (batch, token), without padding; one segment.
        """
        kept = _Kept()
        with torch.inference_mode():
            output: torch.Tensor = self.network(input_ids=ids, **{PROBE: kept}).last_hidden_state
        return Passed(kept.weights, output)


class _Kept:
    """What a call carries into its attention in place of a ``Probe``, which is of one precision."""

    def __init__(self) -> None:
        self.weights: list[torch.Tensor] = []

    def attend(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        scale: float,
        visible: torch.Tensor | None = None,
    ) -> Attended:
        """As ``Probe.attend``."""
        attended = attend(query, key, value, scale=scale, visible=visible)
        self.weights.append(attended.weights)
        return attended


def part_of(name: str) -> str:
    """What a module or a parameter of a BERT is for.

    Returns:
        "embeddings", "qk" (W_Q and W_K), "vo" (W_V and W_O), "ffn" or "rest".
    """
    return next((part for part, pattern in _PARTS if re.search(pattern, name)), "rest")
