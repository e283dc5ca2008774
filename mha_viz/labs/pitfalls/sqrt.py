"""What 1 / sqrt(d_k) does, and what a second one does."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor

from mha_viz.labs.nets import HeadsAttention
from mha_viz.labs.options import Options, one_of, whole
from mha_viz.labs.pitfalls.base import Outcome, Told, Trial, claimed, right
from mha_viz.labs.pitfalls.three import three

WIDTHS = (4, 16, 64, 256, 1024)
#: Sequences and their queries: 2,048 rows of weights for each width.
N_SEQUENCES, N_QUERIES = 64, 32
CLAIMS = ("vanishes", "twice")
N_HEADS = 8
#: From this share of the entropy on a map is as good as even; what is left of a gradient that is less, or has vanished.
EVEN, LESS, VANISHED = 0.995, 0.5, 0.1


@dataclass(frozen=True)
class SqrtOptions(Options):
    """What is claimed, of how many keys; the width of a head is for the second claim."""

    claim: str = one_of("vanishes", *CLAIMS)
    keys: int = whole(32, 2, 256)
    d_k: int = whole(64, 1, 128)


CASES = tuple(SqrtOptions(claim) for claim in CLAIMS)


class Softened(NamedTuple):
    """Means over rows.

    Attributes:
        entropy: as a share of the largest that is possible.
        largest: the largest weight.
        jacobian: Frobenius norm of diag(p) - p p^T: how much of a change of the scores reaches the weights.
    """

    entropy: float
    largest: float
    jacobian: float


def weights_unscaled(query: Tensor, key: Tensor) -> Tensor:
    """(sequence, query, d_k) and (sequence, key, d_k) to weights, (sequence, query, key)."""
    scores = query @ key.transpose(-2, -1)
    return scores.softmax(-1)


def weights_scaled(query: Tensor, key: Tensor) -> Tensor:
    """The same, divided by sqrt(d_k)."""
    scores = query @ key.transpose(-2, -1)
    return (scores / math.sqrt(query.shape[-1])).softmax(-1)


def start_as_told(attention: HeadsAttention) -> None:
    """As told: an extra 1 / sqrt(d_k) on what each matrix begins with."""
    for matrix in (attention.query, attention.key, attention.value, attention.out):
        torch.nn.init.normal_(matrix.weight, std=matrix.in_features**-0.5)
        matrix.weight.data /= math.sqrt(attention.d_k)


def start_right(attention: HeadsAttention) -> None:
    """Variance 1 / d_model: what comes out is as large as what goes in."""
    for matrix in (attention.query, attention.key, attention.value, attention.out):
        torch.nn.init.normal_(matrix.weight, std=matrix.in_features**-0.5)


def softened(weights: Tensor) -> Softened:
    """Of rows of weights, (..., key)."""
    entropy = torch.special.entr(weights).sum(-1).mean() / math.log(weights.shape[-1])
    squares = weights.square().sum(-1)
    # ||diag(p) - p p^T||_F^2 = sum p^2 - 2 sum p^3 + (sum p^2)^2
    norm = (squares - 2 * weights.pow(3).sum(-1) + squares.square()).clamp_min(0).sqrt()
    return Softened(float(entropy), float(weights.amax(-1).mean()), float(norm.mean()))


def try_it(options: SqrtOptions) -> Trial:
    """One factor of 1 / sqrt(d_k), or two."""
    return _vanishes(options) if options.claim == "vanishes" else _twice(options)


@torch.no_grad()
def _vanishes(options: SqrtOptions) -> Trial:
    """Rows of weights from independent numbers of variance 1, for every width of a head."""
    found = [_measured(d_k, options.keys) for d_k in WIDTHS]
    shares = [row["unscaled"].jacobian / row["scaled"].jacobian for row in found]
    less = [d_k for d_k, share in zip(WIDTHS, shares, strict=True) if share < 1]
    more = [d_k for d_k in WIDTHS if d_k not in less]
    falls = bool(less) and shares[-1] < 0.5
    outcome: Outcome = "false" if not falls else "partly" if more else "holds"
    last = found[-1]
    values = {"d_k": WIDTHS[-1], "unscaled": last["unscaled"].jacobian, "scaled": last["scaled"].jacobian}
    values |= {"more": ", ".join(map(str, more)), "first": less[0] if less else 0, "entropy": last["unscaled"].entropy}
    verdicts = {
        "false": "pitfalls.sqrt.vanishes.same",
        "partly": "pitfalls.sqrt.vanishes.wide",
        "holds": "pitfalls.sqrt.vanishes.always",
    }
    draw = torch.Generator().manual_seed(0)
    query, key = (torch.randn(1, options.keys, options.d_k, generator=draw, dtype=torch.float64) for _ in range(2))
    return Trial(
        claim=Told("pitfalls.sqrt.vanishes.claim"),
        outcome=outcome,
        verdict=Told(verdicts[outcome], values),
        instead=Told("pitfalls.sqrt.vanishes.instead"),
        code=(claimed(weights_unscaled), right(weights_scaled)),
        found={"rows": found},
        answers=three(query.numpy(), key.numpy(), key.numpy()),
    )


def _measured(d_k: int, keys: int) -> dict[str, Any]:
    """Variance of the scores, and what both ways make of them."""
    draw = torch.Generator().manual_seed(0)
    query = torch.randn(N_SEQUENCES, N_QUERIES, d_k, generator=draw)
    key = torch.randn(N_SEQUENCES, keys, d_k, generator=draw)
    return {
        "d_k": d_k,
        "variance": float((query @ key.transpose(-2, -1)).var()),
        "unscaled": softened(weights_unscaled(query, key).double()),
        "scaled": softened(weights_scaled(query, key).double()),
    }


def _twice(options: SqrtOptions) -> Trial:
    """What a layer begins with: its scores, its map, and the gradient that reaches W_Q."""
    told, ours = _started(start_as_told, options), _started(start_right, options)
    lost = told["gradient"] / ours["gradient"]
    outcome: Outcome = "partly" if lost < LESS else "holds"
    if told["share"] > EVEN and lost < VANISHED:
        outcome = "false"
    verdicts = {
        "false": "pitfalls.sqrt.twice.even",
        "partly": "pitfalls.sqrt.twice.less",
        "holds": "pitfalls.sqrt.twice.fine",
    }
    values = {"told": told["std"], "ours": ours["std"], "share": told["share"], "our_share": ours["share"]}
    values |= {"gradient": told["gradient"], "our_gradient": ours["gradient"]}
    return Trial(
        claim=Told("pitfalls.sqrt.twice.claim"),
        outcome=outcome,
        verdict=Told(verdicts[outcome], values),
        instead=Told("pitfalls.sqrt.twice.instead"),
        code=(claimed(start_as_told), right(start_right)),
        found={"told": told, "ours": ours},
    )


def _started(start: Any, options: SqrtOptions) -> dict[str, Any]:
    """A layer of N_HEADS heads that begins so, on tokens of independent numbers of variance 1."""
    with torch.random.fork_rng(devices=[]), torch.enable_grad():
        torch.manual_seed(0)
        d_model = N_HEADS * options.d_k
        layer = HeadsAttention(d_model, N_HEADS, bias=False)
        start(layer)
        x = torch.randn(4, options.keys, d_model)
        output, attended = layer(x)
        target = torch.randn(output.shape)
        (output - target).square().mean().backward()
    weights = attended.weights.detach()
    logs = weights.double().log()
    spread = (logs - logs.mean(-1, keepdim=True)).square().mean().sqrt()  # a row's scores, up to a constant
    slope = layer.query.weight.grad
    assert slope is not None
    return {
        "std": float(spread),
        "share": softened(weights.double()).entropy,
        "gradient": float(slope.norm()),
        "map": weights[0, 0].double().numpy(),
    }
