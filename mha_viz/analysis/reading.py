"""Readings of a run: by pieces or by words, with special tokens, without them, or without them and renormalised.

One rule everywhere (Clark et al. 2019): the weight to a word is the sum over its pieces, the weight from a word the mean over
its pieces. Rows that sum to 1 still do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np

from mha_viz.arrays import BoolArray, FloatArray, compact, freeze
from mha_viz.controls import has_key
from mha_viz.errors import InputError
from mha_viz.tokens import TokenSequence
from mha_viz.trace import AttentionTrace, Reading

#: What rows and columns stand for.
LEVELS = ("pieces", "words")
#: What is done with special tokens.
SPECIALS = ("raw", "hidden", "renormalised")

Groups = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class Shown(Reading):
    """The weights of a run as somebody wants to read them. Metrics and checks are always of the run itself.

    Attributes:
        groups: positions in the run that each row and column stands for.
        padded: bool (query,), rows that are padding.
        removed: float32 (layer, head, query), the share of a row's weight that lies on tokens left out; None if none are.
        level: one of LEVELS.
        specials: one of SPECIALS.
    """

    groups: Groups
    padded: BoolArray
    removed: FloatArray | None
    level: str
    specials: str

    def __post_init__(self) -> None:
        self.freeze_arrays()

    @property
    def padding(self) -> BoolArray:
        """(query,) True for queries that are padding."""
        return self.padded

    def place_of(self, position: int | None) -> int | None:
        """The row or column that a token of the run stands in; None for one that is left out."""
        return next((place for place, group in enumerate(self.groups) if position in group), None)

    def position_of(self, place: int) -> int:
        """The first token of the run that a row or column stands for."""
        return self.groups[place][0]


class _Part(NamedTuple):
    weights: FloatArray
    visible: BoolArray
    no_key: BoolArray


def read(trace: AttentionTrace, level: str = "pieces", specials: str = "raw") -> Shown:
    """A run's weights by pieces or words, with or without special tokens.

    Args:
        trace: a run.
        level: "pieces" (tokens as the model reads them) or "words". A word's row is the mean over its pieces that have a key; a
            word may be attended to if any of its pieces may, by any of the asking word's pieces.
        specials: "raw"; "hidden": special tokens are left out as queries and keys, so that rows no longer sum to 1;
            "renormalised": each row is divided by what is left of it. A row that nothing is left of counts as one without a key.

    Raises:
        InputError: only special tokens are there, and they are to be left out; no such level or state.
    """
    if level not in LEVELS or specials not in SPECIALS:
        raise InputError("error.reading", got=f"{level}, {specials}", allowed=", ".join(LEVELS + SPECIALS))
    tokens = trace.query_tokens
    groups = _words(tokens) if level == "words" else tuple((position,) for position in range(tokens.n_tokens))
    kept = [place for place, group in enumerate(groups) if specials == "raw" or not tokens.special[group[0]]]
    if not kept:
        raise InputError("error.only_special")
    part = _Part(trace.weights, trace.visible, trace.no_key)
    if len(groups) < tokens.n_tokens:
        part = _by_words(part, [group[0] for group in groups])
    removed = None
    if len(kept) < len(groups):
        part, removed = _without(part, kept, renormalise=specials == "renormalised")
    chosen = tuple(groups[place] for place in kept)
    shown = tokens if len(chosen) == tokens.n_tokens else _joined(tokens, chosen)
    padded = freeze(np.array([bool(trace.padding[list(group)].all()) for group in chosen]))
    return Shown(trace.spec, shown, shown, trace.controls, *part, chosen, padded, removed, level, specials)


def _words(tokens: TokenSequence) -> Groups:
    """Positions of each word's pieces; a special token is a word of its own."""

    def word(position: int) -> tuple[bool, int]:
        number = tokens.word_ids[position]
        return number is not None, position if number is None else number

    return tuple(tuple(positions) for _, positions in groupby(range(tokens.n_tokens), key=word))


def _by_words(part: _Part, starts: Sequence[int]) -> _Part:
    """Sums over the keys of a word, means over its queries."""
    n_tokens = part.weights.shape[-1]
    visible = compact(part.visible)
    for axis in (-2, -1):
        if visible.shape[axis] == n_tokens:
            visible = np.logical_or.reduceat(visible, starts, axis=axis)
    asking = np.logical_not(compact(part.no_key))
    if asking.shape[-1] != n_tokens:
        asking = np.broadcast_to(asking, (*asking.shape[:-1], n_tokens))
    n_asking = np.add.reduceat(asking.astype(np.float32), starts, axis=-1)  # (layer, head, word)
    rows = np.add.reduceat(np.add.reduceat(part.weights, starts, axis=-1), starts, axis=-2)
    weights = rows / np.maximum(n_asking, 1.0)[..., None]
    shape = weights.shape
    return _Part(weights, np.broadcast_to(visible, shape), np.broadcast_to(n_asking == 0, shape[:-1]))


def _without(part: _Part, kept: Sequence[int], *, renormalise: bool) -> tuple[_Part, FloatArray]:
    """Only the kept rows and columns, and the share of each row's weight that went."""
    weights = part.weights[..., kept, :][..., kept]
    visible = part.visible[..., kept, :][..., kept]
    left = np.einsum("...k->...", weights)
    removed = np.where(part.no_key[..., kept], 0.0, 1.0 - left).astype(np.float32)
    no_key = np.logical_not(has_key(visible))
    if renormalise:
        no_key = no_key | (left == 0)
        weights = weights / np.where(left > 0, left, 1.0)[..., None]
    return _Part(weights, visible, no_key), removed.clip(0.0, 1.0)


def _joined(tokens: TokenSequence, groups: Groups) -> TokenSequence:
    """The tokens of the groups; a word of several pieces is written as it was typed."""

    def firsts(values: Sequence[object]) -> tuple:  # type: ignore[type-arg]
        return tuple(values[group[0]] for group in groups)

    surfaces = tuple("".join(tokens.surfaces[position] for position in group) for group in groups)
    texts = tuple(_text(tokens, group, typed) for group, typed in zip(groups, surfaces, strict=True))
    return TokenSequence(
        text=tokens.text,
        pair=tokens.pair,
        tokens=texts,
        ids=firsts(tokens.ids),
        segment_ids=firsts(tokens.segment_ids),
        special=firsts(tokens.special),
        unknown=tuple(len(group) == 1 and tokens.unknown[group[0]] for group in groups),
        word_ids=firsts(tokens.word_ids),
        surfaces=surfaces,
        padding=firsts(tokens.padding),
        cut_from=tokens.cut_from,
        numbers=tuple(group[0] for group in groups),
    )


def _text(tokens: TokenSequence, group: tuple[int, ...], typed: str) -> str:
    if len(group) == 1:
        return tokens.tokens[group[0]]
    return typed or "".join(tokens.tokens[position].removeprefix("##") for position in group)
