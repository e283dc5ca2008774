"""What sparse attention costs, measured: whole maps, a mask over whole maps, and computations that leave cells out."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import torch
from torch.nn import functional

from mha_viz.attention import attend
from mha_viz.labs.blocked import Sparse, blocked, hashed, local
from mha_viz.labs.plans import SPARSE_KINDS, SparseCostOptions
from mha_viz.labs.results import Row, Step, Steps
from mha_viz.masks import BlockSparse

#: Tokens of a block, of a hashed chunk, and of a window's radius; heads and their width.
BLOCK, N_HEADS, D_K = 16, 2, 32
#: Blocks that each block draws; rounds of hashing.
RANDOM, ROUNDS = 1, 2

Vectors = tuple[torch.Tensor, torch.Tensor, torch.Tensor]
Make = Callable[[Vectors], Sparse]


def run(options: SparseCostOptions) -> Steps:
    """Every kind at every length, shortest first; a row each."""
    todo = [(length, kind) for length in sorted(set(options.tokens)) for kind in options.kinds]
    whole = sum(length**2 for length, _ in todo)
    done = 0
    for length, kind in todo:
        yield Step(done / whole, live={"kind": kind, "tokens": length})
        row = measured(kind, length, options.rounds)
        done += length**2
        yield Step(done / whole, row)


def measured(kind: str, length: int, rounds: int) -> Row:
    """The fastest of a few passes, since what else the computer does only makes one longer, and the bytes of the weights."""
    random = torch.Generator().manual_seed(length)
    vectors = tuple(torch.randn(N_HEADS, length, D_K, generator=random) for _ in range(3))
    make, share = ways(length)[kind]
    seconds, numbers = [], 0
    with torch.inference_mode():
        make((vectors[0], vectors[1], vectors[2]))  # memory is found and code is loaded before anything is measured
        for _ in range(rounds):
            begun = time.perf_counter()
            numbers = make((vectors[0], vectors[1], vectors[2])).numbers
            seconds.append(time.perf_counter() - begun)
    return {
        "kind": kind,
        "tokens": length,
        "seconds": float(f"{min(seconds):.4g}"),
        "bytes": 4 * numbers,
        "share": round(share, 5) if share is not None else None,
    }


def ways(length: int) -> dict[str, tuple[Make, float | None]]:
    """Each kind: how it is computed, and the share of all cells that it leaves; None where that depends on the vectors."""
    order = np.arange(length // BLOCK)
    seen = BlockSparse(BLOCK, 1, 1, RANDOM).blocks(len(order))
    band = torch.arange(length)
    window = (band[:, None] - band[None, :]).abs() <= BLOCK
    in_window = float(window.float().mean())
    made: dict[str, tuple[Make, float | None]] = {
        "eager": (lambda vectors: _eager(vectors, None), 1.0),
        "masked": (lambda vectors: _eager(vectors, window), in_window),
        "sdpa": (lambda vectors: _sdpa(vectors, None), 1.0),
        "sdpa_masked": (lambda vectors: _sdpa(vectors, window), in_window),
        "window": (lambda vectors: local(*vectors, BLOCK), in_window),
        "blocks": (lambda vectors: blocked(*vectors, seen, BLOCK), float(seen.mean())),
        "buckets": (lambda vectors: hashed(vectors[0], vectors[2], BLOCK, ROUNDS, 0), None),
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
