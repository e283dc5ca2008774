"""What all masks share, and how they combine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from mha_viz.arrays import BoolArray
from mha_viz.errors import InputError
from mha_viz.tokens import TokenSequence


@dataclass(frozen=True)
class Mask:
    """Which key each query may attend to. A mask never sees the model, only the tokens.

    Attributes:
        name: for links and for MASKS; "mask.NAME" is its title and "mask.NAME.help" its explanation, in the table of words.
    """

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
        return AllOf((*_parts(self, AllOf), *_parts(other, AllOf)))

    def __or__(self, other: Mask) -> Mask:
        """A key is visible where either mask lets it be."""
        return AnyOf((*_parts(self, AnyOf), *_parts(other, AnyOf)))

    def __invert__(self) -> Mask:
        """A key is visible where this mask hides it."""
        return self.mask if isinstance(self, Not) else Not(self)


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


@dataclass(frozen=True)
class AnyOf(Mask):
    """One of several masks suffices; what ``|`` makes.

    Attributes:
        masks: the single ones.
    """

    name = "any_of"
    masks: tuple[Mask, ...]

    def visible(self, tokens: TokenSequence) -> BoolArray:
        """bool (query, key): visible in at least one."""
        return np.logical_or.reduce([mask.visible(tokens) for mask in self.masks])

    def padded(self, tokens: TokenSequence) -> BoolArray:
        """bool (token,): padding in every one."""
        return np.logical_and.reduce([mask.padded(tokens) for mask in self.masks])


@dataclass(frozen=True)
class Not(Mask):
    """A mask turned round; what ``~`` makes. It declares no padding.

    Attributes:
        mask: the one turned round.
    """

    name = "not"
    mask: Mask

    def visible(self, tokens: TokenSequence) -> BoolArray:
        """bool (query, key): hidden in the other."""
        return np.logical_not(self.mask.visible(tokens))


def joined(masks: Sequence[Mask], how: type[AllOf] | type[AnyOf] = AllOf) -> Mask | None:
    """The masks as one; None for none, the mask itself for one."""
    if len(masks) < 2:
        return masks[0] if masks else None
    return how(tuple(masks))


def _parts(mask: Mask, kind: type[AllOf] | type[AnyOf]) -> tuple[Mask, ...]:
    return mask.masks if isinstance(mask, kind) else (mask,)


def visible_cells(tokens: TokenSequence, mask: Mask | None, *, causal: bool = False) -> BoolArray:
    """bool (query, key): what ``mask`` lets be seen, less the sequence's own padding.

    Args:
        causal: whether the model hides what comes after a token, whatever the mask says.
    """
    keys = np.broadcast_to(~np.array(tokens.padding), (tokens.n_tokens, tokens.n_tokens))
    if causal:
        keys = np.tril(keys)
    return keys if mask is None else keys & mask.visible(tokens)
