"""Hugging Face's own eager attention on the same weights: what every number of ours is held against."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import torch


def twin_of(network: Any) -> Any:
    """The same network as an object of its own, sharing all its weights: hooks and settings of one do not reach the other."""
    shared = {id(tensor): tensor for tensor in itertools.chain(network.parameters(), network.buffers())}
    twin = copy.deepcopy(network, shared)  # what the memo names is not copied
    for module in twin.modules():
        vars(module).pop("feed_forward_chunk", None)  # our quicker one, which belongs to the original
    return twin


def eager_twin(network: Any) -> Any:
    """A twin that runs transformers' eager attention and none of this project's code."""
    twin = twin_of(network)
    twin.set_attn_implementation("eager")
    return twin.eval()


def eager_weights(twin: Any, inputs: dict[str, torch.Tensor]) -> tuple[torch.Tensor | None, torch.Tensor]:
    """(layer, head, query, key), or None where the model returns none, and the last hidden state (token, d_model)."""
    with torch.inference_mode():
        output = twin.base_model(**inputs, output_attentions=True)
    attentions = [layer for layer in output.attentions or () if layer is not None]
    weights = torch.stack(attentions)[:, 0].float().cpu() if attentions else None
    return weights, output.last_hidden_state[0].float().cpu()
