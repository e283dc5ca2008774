"""Masks by blocks of neighbouring tokens."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mha_viz.arrays import BoolArray
from mha_viz.masks.base import Mask
from mha_viz.masks.grid import LARGEST, distance
from mha_viz.tokens import TokenSequence


@dataclass(frozen=True)
class BlockDiagonal(Mask):
    """The sequence is cut into blocks; a token sees its own block.

    Attributes:
        size: tokens of a block; the last one may be shorter.
    """

    name = "blocks"
    size: int = field(default=4, metadata={"low": 1, "high": LARGEST})

    def visible(self, tokens: TokenSequence) -> BoolArray:
        """bool (query, key): both in the same block."""
        block = np.arange(tokens.n_tokens) // self.size
        return block[:, None] == block[None, :]


@dataclass(frozen=True)
class BlockSparse(Mask):
    """Blocks that see their neighbours, a few global blocks and a few random ones (Zaheer et al. 2020, BigBird).

    Attributes:
        size: tokens of a block; the last one may be shorter.
        radius: blocks visible on each side of a block.
        global_blocks: the first blocks, which see everything and are seen by all.
        random_blocks: further blocks that each block sees, drawn from the rest.
        seed: of the draw.
    """

    name = "sparse"
    size: int = field(default=2, metadata={"low": 1, "high": LARGEST})
    radius: int = field(default=1, metadata={"low": 0, "high": LARGEST})
    global_blocks: int = field(default=1, metadata={"low": 0, "high": LARGEST})
    random_blocks: int = field(default=1, metadata={"low": 0, "high": LARGEST})
    seed: int = field(default=0, metadata={"low": 0, "high": 2**31 - 1})

    def visible(self, tokens: TokenSequence) -> BoolArray:
        """bool (query, key): the key's block is seen by the query's."""
        block = np.arange(tokens.n_tokens) // self.size
        return self.blocks(int(block[-1]) + 1)[np.ix_(block, block)]

    def blocks(self, n_blocks: int) -> BoolArray:
        """bool (query block, key block)."""
        order = np.arange(n_blocks)
        seen = np.abs(order[:, None] - order[None, :]) <= self.radius
        seen[: self.global_blocks] = seen[:, : self.global_blocks] = True
        random = np.random.default_rng(self.seed)
        for row in seen:
            rest = np.flatnonzero(~row)
            row[random.choice(rest, min(self.random_blocks, len(rest)), replace=False)] = True
        return seen


@dataclass(frozen=True)
class Segments(Mask):
    """The sequence is read in segments, with what is kept of those before: Transformer-XL (Dai et al. 2019) as one mask.

    Attributes:
        size: tokens of a segment; the last one may be shorter.
        memory: segments before a token's own that it still sees; with 0 it sees its own alone.
    """

    name = "segments"
    size: int = field(default=4, metadata={"low": 1, "high": LARGEST})
    memory: int = field(default=1, metadata={"low": 0, "high": LARGEST})

    def visible(self, tokens: TokenSequence) -> BoolArray:
        """bool (query, key): not later, and at most ``memory`` segments before the query's."""
        segment = np.arange(tokens.n_tokens) // self.size
        return (distance(tokens) <= 0) & (segment[:, None] - segment[None, :] <= self.memory)
