"""The budget against what PyTorch counts itself: parameters, work, and what is kept for the backward pass."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from mha_viz.labs.budget import Budget, counted_parameters
from mha_viz.labs.nets import HeadsAttention

HEADS = pytest.mark.parametrize("heads", [1, 2, 8, 16])


@pytest.mark.parametrize("d_model", [1, 7, 48, 512])
def test_parameters_are_counted_and_are_those_of_pytorch_s_own_layer(d_model):
    counted = counted_parameters(d_model)
    theirs = sum(one.numel() for one in nn.MultiheadAttention(d_model, 1).parameters())
    assert set(counted.values()) == {theirs, Budget(d_model=d_model).parameters}
    assert list(counted) == [heads for heads in range(1, d_model + 1) if d_model % heads == 0]


@HEADS
def test_multiply_adds_are_those_that_pytorch_counts(heads):
    layer, x = nn.MultiheadAttention(48, heads, batch_first=True), torch.zeros(3, 20, 48)
    with FlopCounterMode(display=False) as counter:
        layer(x, x, x, need_weights=True, average_attn_weights=False)
    assert Budget(48, 20, 3).multiply_adds * 2 == counter.get_total_flops()


@HEADS
def test_what_a_batch_keeps_is_what_autograd_saves(heads):
    """Five vectors a token and the maps; parameters are saved by reference and counted once."""
    budget = Budget(48, 100, 20)
    layer, x = HeadsAttention(48, heads), torch.zeros(20, 100, 48, requires_grad=True)
    known = {one.untyped_storage().data_ptr() for one in layer.parameters()}
    kept: dict[int, int] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in known:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        _, attended = layer(x)
    assert attended.weights.untyped_storage().nbytes() == budget.map_bytes(heads)
    twenty = sum(kept.values())
    memory = twenty + 4 * budget.parameters
    assert Budget(48, 100, 20, "float32", memory / 1e9).largest_batch(heads) == 20
    assert Budget(48, 100, 20, "float32", (memory - 1) / 1e9).largest_batch(heads) == 19
