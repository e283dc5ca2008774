"""Tests and comparisons that tell nothing: what passes them, what fails, and what does nothing at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from mha_viz.labs.nets import HeadsAttention, n_parameters
from mha_viz.labs.options import Options, one_of, whole
from mha_viz.labs.pitfalls import checks_bag, checks_bert
from mha_viz.labs.pitfalls.base import Told, Trial, claimed, right

#: The claims.
TRIED = ("shapes", "order", "padding", "parameters", "head_mask", "maps")
#: Width of the modules whose shapes are checked, and their tokens.
WIDTH, N_TOKENS = 16, 10


@dataclass(frozen=True)
class ChecksOptions(Options):
    """Which claim, and what it is tried with."""

    tried: str = one_of("shapes", *TRIED)
    words: int = whole(8, 2, 20)
    d_model: int = whole(128, 2, 1024)
    heads: int = whole(8, 1, 32)
    off: int = whole(1, 0, 4)


CASES = tuple(ChecksOptions(tried=tried) for tried in TRIED)


def shapes_agree(module: Any, d_model: int) -> bool:
    """As told."""
    x = torch.randn(2, 10, d_model)
    try:
        return bool(module(x).shape == x.shape)
    except (TypeError, RuntimeError):
        return False


def tokens_meet(call: Callable[[Tensor], Tensor], d_model: int) -> bool:
    """Whether the first token's output hears of a change of the last token."""
    x = torch.randn(2, 10, d_model)
    moved = x.clone()
    moved[:, -1] += 1.0
    change = (call(moved) - call(x))[:, 0].abs().max()
    return bool(call(x).shape == x.shape and change > 1e-6)


def one_head(d_model: int) -> nn.ModuleDict:
    """As told: what it is compared with has a matrix more."""
    return nn.ModuleDict({name: nn.Linear(d_model, d_model) for name in ("query", "key", "value")})


def heads_of_one_kind(d_model: int, n_heads: int) -> tuple[nn.Module, nn.Module]:
    """One head and several in the same module."""
    return HeadsAttention(d_model, 1), HeadsAttention(d_model, n_heads)


def try_it(options: ChecksOptions) -> Trial:
    """The chosen claim."""
    if options.tried == "shapes":
        return _shapes()
    if options.tried == "parameters":
        return _parameters(options.d_model, options.heads)
    if options.tried == "head_mask":
        return checks_bert.head_mask(options.off)
    if options.tried == "maps":
        return checks_bert.maps(options.words)
    return checks_bag.order(options.words) if options.tried == "order" else checks_bag.padding(options.words)


def modules() -> list[tuple[str, nn.Module, Callable[[Tensor], Tensor], bool]]:
    """Name, module, how it is really called, and whether it is attention."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        linear, attention = nn.Linear(WIDTH, WIDTH), nn.MultiheadAttention(WIDTH, 4, batch_first=True)
    identity = nn.Identity()
    return [
        ("Identity", identity, identity, False),
        ("Linear", linear, linear, False),
        ("Attention", attention, lambda x: attention(x, x, x)[0], True),
    ]


def _shapes() -> Trial:
    """Both checks on two modules that are no attention and one that is."""
    with torch.random.fork_rng(devices=[]), torch.inference_mode():
        torch.manual_seed(1)
        tried = [
            (name, shapes_agree(module, WIDTH), tokens_meet(call, WIDTH), is_one, _change(call))
            for name, module, call, is_one in modules()
        ]
    wrong = [name for name, told, _, is_one, _ in tried if told != is_one]
    better = sum(meets == is_one for _, _, meets, is_one, _ in tried)
    values = {
        "passed": ", ".join(name for name, told, *_ in tried if told) or "–",
        "failed": ", ".join(name for name, told, *_ in tried if not told) or "–",
        "n": len(tried),
        "wrong": len(wrong),
        "better": better,
    }
    return Trial(
        claim=Told("pitfalls.checks.shapes.claim"),
        outcome="false" if wrong else "holds",
        verdict=Told("pitfalls.checks.shapes.wrong" if wrong else "pitfalls.checks.shapes.sound", values),
        instead=Told("pitfalls.checks.shapes.instead"),
        code=(claimed(shapes_agree), right(tokens_meet)),
        found={"modules": [[name, told, meets, change] for name, told, meets, _, change in tried]},
    )


def _change(call: Callable[[Tensor], Tensor]) -> float:
    """How far the first token's output moves with the last token, largest entry."""
    x = torch.randn(2, N_TOKENS, WIDTH)
    moved = x.clone()
    moved[:, -1] += 1.0
    return float((call(moved) - call(x))[:, 0].abs().max())


def _parameters(d_model: int, heads: int) -> Trial:
    """Counted."""
    alone = n_parameters(one_head(d_model))
    single, several = (n_parameters(net) for net in heads_of_one_kind(d_model, heads))
    equal = alone == several
    values = {"one": alone, "several": several, "heads": heads, "more": several / alone - 1, "single": single}
    return Trial(
        claim=Told("pitfalls.checks.parameters.claim"),
        outcome="holds" if equal else "false",
        verdict=Told("pitfalls.checks.parameters.equal" if equal else "pitfalls.checks.parameters.unequal", values),
        instead=Told("pitfalls.checks.parameters.instead"),
        code=(claimed(one_head), right(heads_of_one_kind)),
        found={"counts": [alone, single, several], "heads": heads},
    )
