"""Layers of attention whose heads are computed in one of several ways, all with the same result."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional
from torch.nn.attention.flex_attention import flex_attention
from torch.utils.checkpoint import checkpoint

from mha_viz.attention import attend
from mha_viz.labs.cost_formula import Size
from mha_viz.labs.nets import HeadsAttention


class Heads(NamedTuple):
    """What the heads of a layer give: their outputs, (batch, head, query, d_k), and their maps where they are at hand."""

    output: torch.Tensor
    weights: torch.Tensor | None


#: Q, K and V, (batch, head, token, d_k), to what the heads give.
Core = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], Heads]


def eager(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> Heads:
    """Scores, softmax and product one after another, each whole in memory: this project's kernel, as in eager BERT."""
    return Heads(*attend(query, key, value, scale=1 / math.sqrt(query.shape[-1])))


def sdpa(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> Heads:
    """PyTorch's own: in pieces that never stand in memory together."""
    return Heads(functional.scaled_dot_product_attention(query, key, value), None)


def flex(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> Heads:
    """Attention with a score that can be programmed, not compiled: then it holds all scores."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that says to compile it, which "compiled" does
        return Heads(flex_attention(query, key, value), None)


def compiled() -> Core:
    """The same, compiled for the shape that it is given."""
    made = torch.compile(flex_attention, dynamic=False)
    return lambda query, key, value: Heads(made(query, key, value), None)


def checkpointed(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> Heads:
    """Eager, but its inside is thrown away after the forward pass and computed again for the backward pass."""
    return Heads(*checkpoint(eager, query, key, value, use_reentrant=False))


def core_of(kind: str) -> Core:
    """That of a name in COST_KINDS, or "checkpoint"."""
    cores: dict[str, Core] = {"eager": eager, "sdpa": sdpa, "flex": flex, "checkpoint": checkpointed}
    return compiled() if kind == "compiled" else cores[kind]


def layers_of(size: Size, device: torch.device) -> tuple[list[HeadsAttention], torch.Tensor]:
    """Layers and what they read, (batch, token, d_model); equal sizes give equal ones.

    Raises:
        InputError: heads that do not divide d_model.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        layers = [HeadsAttention(size.d_model, size.heads) for _ in range(size.layers)]
        read = torch.randn(size.batch, size.length, size.d_model)
    return [layer.to(device) for layer in layers], read.to(device).requires_grad_()


def through(
    layers: Sequence[HeadsAttention], core: Core, read: torch.Tensor, *, returns_maps: bool = False
) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """The output of the last layer, (batch, token, d_model), and the maps of all, none unless they are to be returned."""
    maps = []
    for layer in layers:
        read, weights = _layer(layer, core, read)
        if returns_maps and weights is not None:
            maps.append(weights)
        del weights
    return read, maps


def _layer(layer: HeadsAttention, core: Core, read: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor | None]:
    query, key, value = (
        matrix(read).unflatten(-1, (layer.n_heads, -1)).transpose(1, 2)  # (batch, head, token, d_k)
        for matrix in (layer.query, layer.key, layer.value)
    )
    heads = core(query, key, value)
    return layer.out(heads.output.transpose(1, 2).flatten(2)), heads.weights


def gradients(
    layers: Sequence[HeadsAttention], core: Core, read: torch.Tensor, *, returns_maps: bool = False
) -> tuple[torch.Tensor, ...]:
    """Of the sum of the outputs, in what is read and in all parameters: a forward and a backward pass."""
    output, maps = through(layers, core, read, returns_maps=returns_maps)
    found = torch.autograd.grad(output.sum(), [read, *(nn.ModuleList(layers).parameters())])
    del maps  # as a caller would who looks at them after the backward pass
    return found


def forget_shapes() -> None:
    """Before the next size: flex attention gives up after a few shapes."""
    torch.compiler.reset()


def passes(kind: str, size: Size, device: torch.device) -> dict[str, Callable[[], object]]:
    """A forward pass without gradients, and one with its backward pass, by the names of PASSES."""
    layers, read = layers_of(size, device)
    core = core_of(kind)

    def forward() -> torch.Tensor:
        with torch.inference_mode():
            return through(layers, core, read)[0]

    return {"forward": forward, "training": functools.partial(gradients, layers, core, read)}
