"""The kernel, made known to transformers.

It is registered once under a name of our own, with its mask function: registering the attention function alone silently drops
the padding mask. What one call needs travels as a keyword of that call (``PROBE``), so that one model serves all threads.
"""

from __future__ import annotations

from typing import Any

import torch
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import eager_mask

from mha_viz.models.probe import Probe

IMPLEMENTATION = "mha_viz"
PROBE = "mha_viz_probe"


def _attention(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    **kwargs: Any,
) -> tuple[torch.Tensor, torch.Tensor]:
    """What transformers calls in each layer: (batch, head, token, d_k) to (batch, token, head, d_k) and the weights."""
    probe: Probe = kwargs[PROBE]
    # eager's mask: 0 where visible, else very negative
    visible = None if attention_mask is None else attention_mask == 0
    shared = query.size(1) // key.size(1)
    if shared > 1:  # grouped-query attention: several heads read one key and value
        key, value = (tensor.repeat_interleave(shared, dim=1) for tensor in (key, value))
    head_output, weights = probe.attend(query, key, value, scaling or query.size(-1) ** -0.5, visible)
    return head_output.transpose(1, 2).contiguous(), weights


def register() -> None:
    """Makes the kernel known to transformers, with the mask function without which padding is not hidden."""
    AttentionInterface.register(IMPLEMENTATION, _attention)
    AttentionMaskInterface.register(IMPLEMENTATION, eager_mask)
