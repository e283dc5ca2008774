"""What can be computed of figures that have no source."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

#: Width, heads and tokens of what is tried.
WIDTH, N_HEADS, N_TOKENS = 16, 4, 6
D_K = WIDTH // N_HEADS
#: Tokens and window of the mask; the window is how many keys a query sees, itself included.
LONG, WINDOW = 24, 6
#: Lengths at which the module with a LayerNorm on its scores is tried.
LENGTHS = (8, 12, 16, 24)


def contiguous(projected: Tensor) -> Tensor:
    """Columns beside one another make a head: (token, d_model) to (head, token, d_k)."""
    return projected.view(-1, N_HEADS, D_K).transpose(0, 1)


def interleaved(projected: Tensor) -> Tensor:
    """Every fourth column makes a head."""
    return projected.view(-1, D_K, N_HEADS).permute(2, 0, 1)


def both_layouts() -> dict[str, Any]:
    """Largest differences of the output and of the maps, and both maps of head 0."""
    x, W_Q, W_K, W_V, W_O = _drawn()
    maps, output = _attend(x, [W_Q, W_K, W_V, W_O], contiguous, _beside)
    order = torch.arange(WIDTH).view(N_HEADS, D_K).T.flatten()  # where each interleaved column stands when contiguous
    moved = [*(W[:, order] for W in (W_Q, W_K, W_V)), W_O[order]]
    other_maps, other = _attend(x, moved, interleaved, _between)
    return {
        "output": float((output - other).abs().max()),
        "maps": float((maps - other_maps).abs().max()),
        "told": other_maps[0].numpy(),
        "right": maps[0].numpy(),
    }


def windowed(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    """As told: causal, and no further back than the window."""
    place = torch.arange(len(query))
    back = place[:, None] - place
    scores = query @ key.T / math.sqrt(query.shape[1])
    return scores.masked_fill((back < 0) | (back >= window), -math.inf).softmax(-1) @ value


def reach() -> dict[str, Any]:
    """How far the last token's output moves with each token, by its distance: with the window and without."""
    draw = torch.Generator().manual_seed(0)
    x = torch.randn(LONG, WIDTH, generator=draw, dtype=torch.float64)
    W_Q, W_K, W_V = torch.randn(3, WIDTH, WIDTH, generator=draw, dtype=torch.float64) / math.sqrt(WIDTH)

    def moves(window: int) -> list[float]:
        slopes = torch.func.jacrev(lambda y: windowed(y @ W_Q, y @ W_K, y @ W_V, window)[-1])(x)
        found: list[float] = torch.linalg.norm(slopes, dim=(0, 2)).tolist()
        return found[::-1]  # by distance from the last token

    told, whole = moves(WINDOW), moves(LONG)
    return {
        "window": WINDOW,
        "at": list(range(LONG)),
        "told": told,
        "right": whole,
        "beyond": max(told[WINDOW:]),
        "whole": max(whole[WINDOW:]),
    }


def normed_scores(query: Tensor, key: Tensor, norm: nn.LayerNorm, visible: Tensor | None) -> Tensor:
    """As told: weights of scores that went through the LayerNorm of the module's width."""
    scores = query @ key.T / math.sqrt(query.shape[1])
    if visible is not None:
        scores = scores.masked_fill(~visible, -math.inf)
    return norm(scores).softmax(-1)


def lengths() -> list[list[Any]]:
    """[tokens, "runs" or "fails" without a mask, "finite", "nan" or "fails" with a causal one]."""
    norm = nn.LayerNorm(WIDTH).double()
    rows: list[list[Any]] = []
    for n in LENGTHS:
        x = torch.randn(n, WIDTH, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
        causal = torch.ones(n, n, dtype=torch.bool).tril()
        rows.append([n, _went(x, norm, None), _went(x, norm, causal)])
    return rows


def _went(x: Tensor, norm: nn.LayerNorm, visible: Tensor | None) -> str:
    try:
        with torch.inference_mode():
            weights = normed_scores(x, x, norm, visible)
    except RuntimeError:
        return "fails"
    if visible is None:
        return "runs"
    return "finite" if bool(weights.isfinite().all()) else "nan"


def shape_kept(call: Callable[[Tensor], Tensor], x: Tensor) -> bool:
    """As told: nothing is wrong if the shape stays."""
    return call(x).shape == x.shape


def gradients_calm(call: Callable[[Tensor], Tensor], x: Tensor) -> bool:
    """As told: nothing is wrong if gradients do not explode."""
    (slope,) = torch.autograd.grad(call(x).sum(), x)
    return bool(slope.std() < 1e3 and slope.mean().abs() < 1e2)


def faults_found() -> list[tuple[str, bool]]:
    """Each planted fault, and whether one of the two checks sees it."""
    x = torch.randn(2, N_TOKENS, WIDTH, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    found = []
    for name, call in faults().items():
        read = x.clone().requires_grad_()
        found.append((name, not (shape_kept(call, read) and gradients_calm(call, read))))
    return found


def faults() -> dict[str, Callable[[Tensor], Tensor]]:
    """(batch, token, d_model) to the same, each wrong in one way; "pitfalls.sources.fault.NAME" says in which."""
    _, W_Q, W_K, W_V, W_O = _drawn()
    causal = torch.ones(N_TOKENS, N_TOKENS, dtype=torch.bool).tril()

    def heads(y: Tensor) -> Tensor:
        return y.view(*y.shape[:-1], N_HEADS, D_K).transpose(-3, -2)

    def attend(x: Tensor, weigh: Callable[[Tensor], Tensor], *, mixed: bool = False) -> Tensor:
        scores = heads(x @ W_Q) @ heads(x @ W_K).transpose(-2, -1) / math.sqrt(D_K)
        output = weigh(scores) @ heads(x @ W_V)  # (batch, head, token, d_k)
        return (output if mixed else output.transpose(-3, -2)).reshape(x.shape) @ W_O

    def ones_and_infinity(scores: Tensor) -> Tensor:
        mask = torch.ones(N_TOKENS, N_TOKENS, dtype=scores.dtype).masked_fill(~causal, -math.inf)
        return scores.masked_fill(mask == 0, -math.inf).softmax(-1)

    return {
        "nothing": lambda x: x,
        "linear": lambda x: x @ W_V @ W_O,
        "over_queries": lambda x: attend(x, lambda scores: scores.softmax(-2)),
        "no_softmax": lambda x: attend(x, lambda scores: scores),
        "open_mask": lambda x: attend(x, ones_and_infinity),
        "after_softmax": lambda x: attend(x, lambda scores: scores.softmax(-1) * causal),
        "heads_mixed": lambda x: attend(x, lambda scores: scores.softmax(-1), mixed=True),
        "extra_scale": lambda x: attend(x, lambda scores: (scores / D_K**3).softmax(-1)),
        "dead": lambda x: 0 * attend(x, lambda scores: scores.softmax(-1)),
        "shape": lambda x: attend(x, lambda scores: scores.softmax(-1))[..., :-1],
    }


def _drawn() -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    draw = torch.Generator().manual_seed(0)
    x = torch.randn(N_TOKENS, WIDTH, generator=draw, dtype=torch.float64)
    W_Q, W_K, W_V, W_O = torch.randn(4, WIDTH, WIDTH, generator=draw, dtype=torch.float64) / math.sqrt(WIDTH)
    return x, W_Q, W_K, W_V, W_O


def _attend(
    x: Tensor, matrices: Sequence[Tensor], cut: Callable[[Tensor], Tensor], joined: Callable[[Tensor], Tensor]
) -> tuple[Tensor, Tensor]:
    """Weights (head, query, key) and the output, with projections cut into heads and joined in one way."""
    query, key, value = (cut(x @ W) for W in matrices[:3])
    weights = (query @ key.transpose(-2, -1) / math.sqrt(D_K)).softmax(-1)
    return weights, joined(weights @ value) @ matrices[3]


def _beside(heads: Tensor) -> Tensor:
    """The inverse of ``contiguous``."""
    return heads.transpose(0, 1).flatten(1)


def _between(heads: Tensor) -> Tensor:
    """The inverse of ``interleaved``."""
    return heads.permute(1, 2, 0).flatten(1)
