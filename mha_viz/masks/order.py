"""Masks by order and distance."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mha_viz.arrays import BoolArray
from mha_viz.masks.base import Mask
from mha_viz.masks.grid import LARGEST, distance
from mha_viz.tokens import TokenSequence


@dataclass(frozen=True)
class Causal(Mask):
    """A query sees itself and what stands before it."""

    name = "causal"

    def visible(self, tokens: TokenSequence) -> BoolArray:
        """bool (query, key): key <= query."""
        return distance(tokens) <= 0


@dataclass(frozen=True)
class Padding(Mask):
    """The last tokens are padding: no query sees them.

    Attributes:
        last: how many tokens, from the end.
    """

    name = "padding"
    last: int = field(default=1, metadata={"low": 1, "high": LARGEST})

    def visible(self, tokens: TokenSequence) -> BoolArray:
        """bool (query, key): key < n_tokens - last."""
        return np.broadcast_to(~self.padded(tokens), (tokens.n_tokens, tokens.n_tokens))

    def padded(self, tokens: TokenSequence) -> BoolArray:
        """bool (token,): the last ones."""
        return np.arange(tokens.n_tokens) >= tokens.n_tokens - self.last


@dataclass(frozen=True)
class LocalWindow(Mask):
    """A query sees only its neighbourhood.

    Attributes:
        radius: the farthest visible distance in tokens; 0 leaves only the token itself.
    """

    name = "window"
    radius: int = field(default=2, metadata={"low": 0, "high": LARGEST})

    def visible(self, tokens: TokenSequence) -> BoolArray:
        """bool (query, key): |key - query| <= radius."""
        return np.abs(distance(tokens)) <= self.radius


@dataclass(frozen=True)
class DilatedWindow(Mask):
    """A neighbourhood with gaps: as many tokens as a window, from farther away (Beltagy et al. 2020, Longformer).

    Attributes:
        radius: tokens visible on each side.
        step: distance between one visible token and the next.
    """

    name = "dilated"
    radius: int = field(default=2, metadata={"low": 0, "high": LARGEST})
    step: int = field(default=2, metadata={"low": 1, "high": LARGEST})

    def visible(self, tokens: TokenSequence) -> BoolArray:
        """bool (query, key): the distance is a multiple of step, and at most radius steps."""
        away = np.abs(distance(tokens))
        return (away % self.step == 0) & (away <= self.radius * self.step)


@dataclass(frozen=True)
class Strided(Mask):
    """A token sees every stride-th token from itself, both ways (Child et al. 2019, without their local part).

    Attributes:
        stride: distance between one visible token and the next.
    """

    name = "strided"
    stride: int = field(default=3, metadata={"low": 1, "high": LARGEST})

    def visible(self, tokens: TokenSequence) -> BoolArray:
        """bool (query, key): the distance is a multiple of stride."""
        return distance(tokens) % self.stride == 0


@dataclass(frozen=True)
class GlobalTokens(Mask):
    """The first tokens see everything and are seen by all; the others see nothing else.

    Attributes:
        first: how many tokens are global.
    """

    name = "global"
    first: int = field(default=1, metadata={"low": 1, "high": LARGEST})

    def visible(self, tokens: TokenSequence) -> BoolArray:
        """bool (query, key): query or key is one of the first."""
        is_global = np.arange(tokens.n_tokens) < self.first
        return is_global[:, None] | is_global[None, :]
