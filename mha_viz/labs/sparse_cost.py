"""What sparse attention costs, measured: whole maps, a mask over whole maps, and computations that leave cells out."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch.nn import functional

from mha_viz.attention import attend
from mha_viz.labs.blocked import Sparse, blocked, hashed, local
from mha_viz.labs.plans_cost import SPARSE_BLOCK, SPARSE_KINDS, SparseCostOptions
from mha_viz.labs.results import Row, Step, Steps
from mha_viz.masks import BlockSparse

#: Heads and their width; bytes of a number.
N_HEADS, D_K, BYTES = 2, 32, 4
#: Blocks that each block draws; rounds of hashing.
RANDOM, ROUNDS = 1, 2

Vectors = tuple[torch.Tensor, torch.Tensor, torch.Tensor]
Make = Callable[[Vectors], Sparse]


def run(options: SparseCostOptions) -> Steps:
    """Every kind at every length, shortest first; a row each. The kinds take turns, so that nothing strikes one of them alone."""
    lengths = sorted(set(options.tokens))
    whole, done = sum(length**2 for length in lengths) * (options.rounds + 1) * len(options.kinds), 0
    for length in lengths:
        vectors, made = _vectors(length), ways(length)
        seconds: dict[str, list[float]] = {kind: [] for kind in options.kinds}
        numbers: dict[str, int] = {}
        for turn in range(options.rounds + 1):
            for kind in options.kinds:
                yield Step(done / whole, live={"kind": kind, "tokens": length})
                took, numbers[kind] = _timed(made[kind][0], vectors)
                if turn > 0:  # in the first one memory is found and code is loaded
                    seconds[kind].append(took)
                done += length**2
        for kind in options.kinds:
            yield Step(done / whole, _row(kind, length, seconds[kind], numbers[kind], made[kind][1]))


def _vectors(length: int) -> Vectors:
    random = torch.Generator().manual_seed(length)
    query, key, value = torch.randn(3, N_HEADS, length, D_K, generator=random)
    return query, key, value


def _timed(make: Make, vectors: Vectors) -> tuple[float, int]:
    """Seconds of one pass, and how many weights it held."""
    with torch.inference_mode():
        begun = time.perf_counter()
        numbers = make(vectors).numbers
        return time.perf_counter() - begun, numbers


def _row(kind: str, length: int, seconds: Sequence[float], numbers: int, share: float | None) -> Row:
    """The fastest pass, since what else the computer does only makes one longer."""
    return {
        "kind": kind,
        "tokens": length,
        "seconds": float(f"{min(seconds):.4g}"),
        "bytes": BYTES * numbers,
        "share": round(share, 5) if share is not None else None,
    }


def ways(length: int) -> dict[str, tuple[Make, float | None]]:
    """Each kind: how it is computed, and the share of all cells that it leaves; None where that depends on the vectors."""
    order = np.arange(length // SPARSE_BLOCK)
    seen = BlockSparse(SPARSE_BLOCK, 1, 1, RANDOM).blocks(len(order))
    band = torch.arange(length)
    window = (band[:, None] - band[None, :]).abs() <= SPARSE_BLOCK
    in_window = float(window.float().mean())
    made: dict[str, tuple[Make, float | None]] = {
        "eager": (lambda vectors: _eager(vectors, None), 1.0),
        "masked": (lambda vectors: _eager(vectors, window), in_window),
        "sdpa": (lambda vectors: _sdpa(vectors, None), 1.0),
        "sdpa_masked": (lambda vectors: _sdpa(vectors, window), in_window),
        "window": (lambda vectors: local(*vectors, SPARSE_BLOCK), in_window),
        "blocks": (lambda vectors: blocked(*vectors, seen, SPARSE_BLOCK), float(seen.mean())),
        "buckets": (lambda vectors: hashed(vectors[0], vectors[2], SPARSE_BLOCK, ROUNDS, 0), None),
    }
    assert tuple(made) == SPARSE_KINDS
    return made


def _eager(vectors: Vectors, visible: torch.Tensor | None) -> Sparse:
    query, key, value = (tensor[None] for tensor in vectors)
    done = attend(query, key, value, scale=D_K**-0.5, visible=visible)
    return Sparse(done.head_output[0], done.weights.numel())


def _sdpa(vectors: Vectors, visible: torch.Tensor | None) -> Sparse:
    """PyTorch's own, which works in tiles and hands no weights out."""
    query, key, value = (tensor[None] for tensor in vectors)
    return Sparse(functional.scaled_dot_product_attention(query, key, value, attn_mask=visible)[0], 0)
