"""Stacks of 1 to 48 layers: how different tokens stay, and which matrices still get a gradient.

Sequences are random vectors, and every token has one of 64 classes at random: nothing can be learnt but the batch itself, and
what is measured is the stack. The loss is cross entropy. (The sum of the output would not do: behind a LayerNorm it is the
same whatever comes in, and has no gradient.)

After steps of training (Adam, rate 0.001 from the first step on, the same batch each time) the same is measured again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, cast

import torch
from torch.nn import functional

from mha_viz.labs.plans_depth import MATRICES, StackOptions
from mha_viz.labs.results import Row, Step, Steps
from mha_viz.labs.stacks_net import Block, Norm, Stack, diversity, gradient_over_weight

#: Sequences of the batch, classes, width of the FFN in widths of the tokens.
BATCH, CLASSES, WIDER = 4, 64, 4
RATE = 1e-3
#: Layers of a stack that are told; evenly spread, the first and the last among them.
MOST_TOLD = 9
_NORMS: dict[str, Norm] = {"attention": "none", "residual": "none", "post": "post", "pre": "pre"}


def make_stack(kind: str, n_layers: int, options: StackOptions, *, ffn: bool) -> Stack:
    """An untrained stack; draws from PyTorch's generator."""
    hidden = WIDER * options.d_model if ffn else None
    return Stack(
        [
            Block(options.d_model, options.heads, residual=kind != "attention", norm=_NORMS[kind], hidden=hidden)
            for _ in range(n_layers)
        ],
        CLASSES,
    )


def make_case(
    kind: str, n_layers: int, options: StackOptions, seed: int, *, ffn: bool
) -> tuple[Stack, torch.Tensor, torch.Tensor]:
    """A stack, the tokens that it reads, (batch, token, d_model), and their classes, (batch, token); equal seeds, equal ones."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        tokens = torch.randn(BATCH, options.tokens, options.d_model)
        classes = torch.randint(CLASSES, (BATCH, options.tokens))
        stack = make_stack(kind, n_layers, options, ffn=ffn)
    precision = getattr(torch, options.precision)
    return stack.to(precision), tokens.to(precision), classes


def backward(stack: Stack, tokens: torch.Tensor, classes: torch.Tensor) -> tuple[float, list[torch.Tensor]]:
    """The loss, whose gradients then stand at the parameters, and the tokens after each block."""
    stack.zero_grad()
    said, after = stack(tokens)
    loss = functional.cross_entropy(said.flatten(0, 1), classes.flatten())
    torch.autograd.backward(loss)
    return float(loss.detach()), [one.detach() for one in after]


def measured(stack: Stack, loss: float, after: list[torch.Tensor]) -> dict[str, Any]:
    """What a row tells of a stack whose gradients stand: diversity and gradient over weight of every matrix in some layers."""
    told = layers_told(len(after))
    found: dict[str, Any] = {"loss": significant(loss), "at": told}
    found["diversity"] = [significant(diversity(after[layer])) for layer in told]
    matrices = [cast(Block, stack.blocks[layer]).matrices() for layer in told]
    for name in MATRICES:
        if name in matrices[0]:
            found[name] = [significant(gradient_over_weight(of_layer[name])) for of_layer in matrices]
    return found


def layers_told(n_layers: int) -> list[int]:
    """Some layers, evenly spread, the first and the last among them."""
    n_told = min(n_layers, MOST_TOLD)
    return [round(place * (n_layers - 1) / max(1, n_told - 1)) for place in range(n_told)]


def significant(value: float, digits: int = 3) -> float | None:
    """A number with so many digits; None where it is none any more."""
    return float(f"{value:.{digits}g}") if math.isfinite(value) else None


def trained(
    stack: Stack, tokens: torch.Tensor, classes: torch.Tensor, steps: int
) -> Iterator[tuple[int, float, list[torch.Tensor]]]:
    """Yields (steps done, loss, tokens after each block) before the first step and after each."""
    optimizer = torch.optim.Adam(stack.parameters(), lr=RATE)
    for done in range(steps + 1):
        yield done, *backward(stack, tokens, classes)
        optimizer.step()


def run(options: StackOptions) -> Steps:
    """Every kind at every depth; a row as it begins, and one after the steps where it is trained."""
    jobs = [
        (kind, ffn, n_layers, seed)
        for seed in range(options.seeds)
        for ffn in options.ffn
        for n_layers in options.depths
        for kind in options.kinds
    ]
    passes = {job: 1 + (options.steps if job[2] in options.trained else 0) for job in jobs}
    whole = sum(job[2] * n for job, n in passes.items())
    gone = 0
    for job, n_passes in passes.items():
        kind, ffn, n_layers, seed = job
        row: Row = {"kind": kind, "ffn": ffn, "layers": n_layers, "seed": seed}
        stack, tokens, classes = make_case(kind, n_layers, options, seed, ffn=ffn == "on")
        for done, loss, after in trained(stack, tokens, classes, n_passes - 1):
            gone += n_layers
            told = done in (0, n_passes - 1)
            yield Step(gone / whole, row | {"steps": done} | measured(stack, loss, after) if told else None)
