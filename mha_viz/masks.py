"""Masks: which key each query may attend to. One frozen record a kind, combined with ``&``.

To add a kind: write its record with a ``name``, its fields (each with its bounds in ``metadata``) and ``visible``, and put
it in ``MASKS``. Its switch, its number fields, its place in the link and its property tests follow from that.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import ClassVar

import numpy as np

from mha_viz.arrays import BoolArray
from mha_viz.errors import InputError
from mha_viz.tokens import TokenSequence


@dataclass(frozen=True)
class Mask:
    """What all masks share. A mask never sees the model, only the tokens."""

    name: ClassVar[str]

    def __post_init__(self) -> None:
        for parameter in fields(self):
            bounds, got = parameter.metadata, getattr(self, parameter.name)
            whole = isinstance(got, int | np.integer) and not isinstance(got, bool)
            if "low" in bounds and not (whole and bounds["low"] <= got <= bounds["high"]):
                raise InputError("error.mask_parameter", mask=self.name, parameter=parameter.name, got=got, **bounds)

    def visible(self, tokens: TokenSequence) -> BoolArray:
        """bool (query, key): True where the query may attend to the key."""
        raise NotImplementedError

    def padded(self, tokens: TokenSequence) -> BoolArray:
        """bool (token,): tokens that the mask declares to be padding, whose own rows then mean nothing."""
        return np.zeros(tokens.n_tokens, dtype=bool)

    def __and__(self, other: Mask) -> Mask:
        """A key is visible where both masks let it be."""
        return AllOf(self._parts() + other._parts())

    def _parts(self) -> tuple[Mask, ...]:
        return (self,)


@dataclass(frozen=True)
class Causal(Mask):
    """A query sees itself and what stands before it."""

    name = "causal"

    def visible(self, tokens: TokenSequence) -> BoolArray:
        """bool (query, key): key <= query."""
        return _distance(tokens) <= 0


@dataclass(frozen=True)
class Padding(Mask):
    """The last tokens are padding: no query sees them.

    Attributes:
        last: how many tokens, from the end.
    """

    name = "padding"
    last: int = field(default=1, metadata={"low": 1, "high": 512})

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
    radius: int = field(default=2, metadata={"low": 0, "high": 512})

    def visible(self, tokens: TokenSequence) -> BoolArray:
        """bool (query, key): |key - query| <= radius."""
        return np.abs(_distance(tokens)) <= self.radius


@dataclass(frozen=True)
class AllOf(Mask):
    """Several masks at once; what ``&`` makes.

    Attributes:
        masks: the single ones.
    """

    name = "all_of"
    masks: tuple[Mask, ...]

    def visible(self, tokens: TokenSequence) -> BoolArray:
        """bool (query, key): visible in every one."""
        return np.logical_and.reduce([mask.visible(tokens) for mask in self.masks])

    def padded(self, tokens: TokenSequence) -> BoolArray:
        """bool (token,): padding in any one."""
        return np.logical_or.reduce([mask.padded(tokens) for mask in self.masks])

    def _parts(self) -> tuple[Mask, ...]:
        return self.masks


#: Every kind that can be switched on by itself, by the name it has in links.
MASKS: dict[str, type[Mask]] = {kind.name: kind for kind in (Causal, Padding, LocalWindow)}


def combined(masks: list[Mask]) -> Mask | None:
    """The masks joined with ``&``; None for none."""
    if not masks:
        return None
    first, *others = masks
    for other in others:
        first = first & other
    return first


def visible_cells(tokens: TokenSequence, mask: Mask | None) -> BoolArray:
    """bool (query, key): what ``mask`` lets be seen, less the sequence's own padding."""
    keys = np.broadcast_to(~np.array(tokens.padding), (tokens.n_tokens, tokens.n_tokens))
    return keys if mask is None else keys & mask.visible(tokens)


def _distance(tokens: TokenSequence) -> np.ndarray:
    """int (query, key): key position less query position."""
    positions = np.arange(tokens.n_tokens)
    return positions[None, :] - positions[:, None]
