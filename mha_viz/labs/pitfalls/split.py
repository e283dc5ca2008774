"""Columns cut into heads: contiguous, interleaved, and what a grouped linear layer saves and loses."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from mha_viz.labs.nets import head_width
from mha_viz.labs.options import Options, one_of, whole
from mha_viz.labs.pitfalls.base import Outcome, Told, Trial, claimed, right
from mha_viz.labs.pitfalls.three import three

D_MODEL, N_TOKENS = 64, 4
#: Differences below this are rounding, in float64.
ROUNDING = 1e-9
CLAIMS = ("cut", "named", "grouped")


@dataclass(frozen=True)
class SplitOptions(Options):
    """Which claim, and into how many heads or groups 64 columns are cut."""

    claim: str = one_of("cut", *CLAIMS)
    heads: int = whole(8, 1, D_MODEL)


CASES = tuple(SplitOptions(claim=claim) for claim in CLAIMS)


def contiguous(columns: Tensor, heads: int) -> Tensor:
    """(row, column) to (head, row, d_k): neighbours stay together."""
    return columns.reshape(len(columns), heads, -1).transpose(0, 1)


def interleaved(columns: Tensor, heads: int) -> Tensor:
    """(row, column) to (head, row, d_k): head h takes every heads-th column from h."""
    return columns.reshape(len(columns), -1, heads).movedim(-1, 0)


def one_layer(X: Tensor, matrices: list[Tensor], heads: int, split: Callable[[Tensor, int], Tensor]) -> list[Tensor]:
    """(token, d_model) through W_Q, W_K, W_V, W_O to query, key, value, weights of every head, and the output."""
    W_Q, W_K, W_V, W_O = matrices
    query, key, value = (split(X @ W.T, heads) for W in (W_Q, W_K, W_V))
    weights = (query @ key.mT / math.sqrt(query.shape[-1])).softmax(-1)
    output = (weights @ value @ split(W_O, heads).mT).sum(0)
    return [query, key, value, weights, output]


def permuted(matrices: list[Tensor], heads: int) -> list[Tensor]:
    """Matrices with which the contiguous cut is the interleaved one."""
    W_Q, W_K, W_V, W_O = matrices
    order = interleaved(torch.arange(len(W_Q))[None], heads).flatten()
    return [W_Q[order], W_K[order], W_V[order], W_O[:, order]]


def told_in_groups(d_model: int, groups: int) -> nn.Module:
    """A layer that keeps ``groups`` as a name and computes without it."""
    layer = nn.Linear(d_model, d_model)
    layer.register_buffer("groups", torch.tensor(groups))
    return layer


def really_in_groups(d_model: int, groups: int) -> nn.Module:
    """A block-diagonal layer, as a convolution of width 1 in groups."""
    blocks = nn.Conv1d(d_model, d_model, kernel_size=1, groups=groups)
    return nn.Sequential(nn.Unflatten(-1, (d_model, 1)), blocks, nn.Flatten(-2))


def reach(project: Callable[[Tensor], Tensor], heads: int) -> Tensor:
    """(head, input feature): mean size of the gradient of a head's share of the projection."""
    X = torch.randn(N_TOKENS, D_MODEL, generator=torch.Generator().manual_seed(1), requires_grad=True)
    parts = contiguous(project(X), heads)
    return torch.stack([torch.autograd.grad(part.sum(), X, retain_graph=True)[0].abs().mean(0) for part in parts])


def read(reached: Tensor) -> int:
    """Input features that the head that reads least reads."""
    return int((reached > 0).sum(-1).min())


def parameters(layer: nn.Module) -> int:
    """Numbers that are learnt."""
    return sum(one.numel() for one in layer.parameters())


def try_it(options: SplitOptions) -> Trial:
    """One of three claims."""
    head_width(D_MODEL, options.heads)
    if options.claim == "cut":
        return _cut(options.heads)
    with torch.random.fork_rng(devices=[]):  # layers draw their weights from the seed of the whole process
        torch.manual_seed(0)
        return _grouped(options.claim, options.heads)


def _cut(heads: int) -> Trial:
    draw = torch.Generator().manual_seed(0)
    X = torch.randn(N_TOKENS, D_MODEL, generator=draw, dtype=torch.float64)
    made = [torch.randn(D_MODEL, D_MODEL, generator=draw, dtype=torch.float64) for _ in range(4)]
    matrices = [W / math.sqrt(D_MODEL) for W in made]
    told = one_layer(X, matrices, heads, interleaved)
    ours = one_layer(X, permuted(matrices, heads), heads, contiguous)
    query, key, value = ours[:3]
    of_maps, of_output = (float((told[part] - ours[part]).abs().max()) for part in (3, 4))
    features = read(reach(lambda given: given @ matrices[0].T.float(), heads))
    same = max(of_maps, of_output) < ROUNDING and features == D_MODEL
    values = {"maps": of_maps, "output": of_output, "features": features, "d_model": D_MODEL}
    return Trial(
        claim=Told("pitfalls.split.cut.claim"),
        outcome="false" if same else "holds",
        verdict=Told("pitfalls.split.cut.same" if same else "pitfalls.split.cut.other", values),
        instead=Told("pitfalls.split.cut.instead"),
        code=(claimed(interleaved), right(contiguous, permuted)),
        found={"told": told[3].numpy(), "right": ours[3].numpy()},
        answers=three(query.numpy(), key.numpy(), value.numpy()),
    )


def _grouped(claim: str, groups: int) -> Trial:
    layers = [nn.Linear(D_MODEL, D_MODEL), told_in_groups(D_MODEL, groups), really_in_groups(D_MODEL, groups)]
    full, named, blocks = (parameters(layer) for layer in layers)
    ordinary, of_named, of_blocks = (reach(layer, groups) for layer in layers)
    tried, reached = (named, of_named) if claim == "named" else (blocks, of_blocks)
    features, saves = read(reached), tried < full
    loses = claim == "grouped" and features < D_MODEL
    values = {"groups": groups, "full": full, "few": tried, "features": features, "d_model": D_MODEL}
    return Trial(
        claim=Told(f"pitfalls.split.{claim}.claim", {"groups": groups}),
        outcome=_outcome(saves, loses),
        verdict=Told(f"pitfalls.split.{claim}.{'saves' if saves else 'nothing'}", values),
        instead=Told("pitfalls.split.grouped.instead"),
        code=(claimed(told_in_groups), right(really_in_groups)),
        found={"reach": [one.double().numpy() for one in (of_named if claim == "named" else ordinary, of_blocks)]},
    )


def _outcome(saves: bool, loses: bool) -> Outcome:
    if not saves:
        return "false"
    return "partly" if loses else "holds"
