"""Edits made in a sequence of tokens, whatever the model. No torch here.

Places keep what is told of places: a token that moves takes its number, its text and its surface along; word and segment belong
to where it stands. All pieces of a word that is put in place of a token belong to the word of that token.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from mha_viz.edits import DropToken, Edit, Edits, MaskToken, PutWord, SwapTokens
from mha_viz.errors import InputError, TooLongError
from mha_viz.spec import ModelSpec
from mha_viz.tokens import TokenSequence


class Piece(NamedTuple):
    """A token to stand in a sequence; the fields are those of TokenSequence."""

    token: str
    number: int
    unknown: bool
    surface: str


class Entry(NamedTuple):
    """What stands at one place of a sequence."""

    piece: Piece
    segment: int
    special: bool
    word: int | None
    padding: bool


#: A word to its pieces, at a place of a sequence: the same word may be another token at the start of a text.
Pieces = Callable[[str, TokenSequence, int], Sequence[Piece]]


def edited(
    tokens: TokenSequence, edits: Edits, spec: ModelSpec, mask_token: tuple[str, int] | None, pieces: Pieces
) -> TokenSequence:
    """The sequence with all steps made, one after the other.

    Args:
        tokens: as the model's ``tokenize`` gave it.
        edits: the steps.
        spec: the model.
        mask_token: the model's, and its number; None if it has none.
        pieces: the model's word pieces.

    Raises:
        InputError: no token at such a position; a special token, which must stay; a model without a mask token; a word
            that the model skips; nothing left.
        TooLongError: more tokens than the model reads.
    """
    for step in edits.steps:
        tokens = _made(tokens, step, spec, mask_token, pieces)
    return tokens


def _made(
    tokens: TokenSequence, step: Edit, spec: ModelSpec, mask_token: tuple[str, int] | None, pieces: Pieces
) -> TokenSequence:
    _check(tokens, step)
    entries = _entries(tokens)
    at = step.positions[0]
    old = entries[at]
    if isinstance(step, MaskToken):
        if mask_token is None:
            raise InputError("error.no_mask_token", name=spec.name)
        token, number = mask_token
        entries[at] = old._replace(piece=Piece(token, number, False, token if tokens.located else ""))
    elif isinstance(step, SwapTokens):
        other = entries[step.second]
        entries[at], entries[step.second] = old._replace(piece=other.piece), other._replace(piece=old.piece)
    elif isinstance(step, PutWord):
        put = pieces(step.word, tokens, at)
        if not put:
            raise InputError("error.edit_skipped", name=spec.name, word=step.word)
        entries[at : at + 1] = [old._replace(piece=piece) for piece in put]
    elif isinstance(step, DropToken):
        del entries[at]
        entries = _counted_anew(entries, old.word)
    if len(entries) > spec.max_tokens:
        raise TooLongError("error.edit_too_long", got=len(entries), limit=spec.max_tokens)
    if all(entry.special for entry in entries):
        raise InputError("error.edit_nothing_left", position=at)
    return _sequence(tokens, entries)


def _check(tokens: TokenSequence, step: Edit) -> None:
    """Raises InputError unless the step names tokens that are there and may change."""
    for position in step.positions:
        if position >= tokens.n_tokens:
            raise InputError("error.no_such_token", got=position, last=tokens.n_tokens - 1)
        if tokens.special[position]:
            raise InputError("error.edit_special", token=tokens.tokens[position], position=position)


def _entries(tokens: TokenSequence) -> list[Entry]:
    pieces = map(Piece, tokens.tokens, tokens.ids, tokens.unknown, tokens.surfaces)
    return list(map(Entry, pieces, tokens.segment_ids, tokens.special, tokens.word_ids, tokens.padding))


def _counted_anew(entries: list[Entry], lost: int | None) -> list[Entry]:
    """Words after one that has lost its last piece are counted one less."""
    if lost is None or any(entry.word == lost for entry in entries):
        return entries
    return [
        entry if entry.word is None or entry.word < lost else entry._replace(word=entry.word - 1) for entry in entries
    ]


def _sequence(tokens: TokenSequence, entries: Sequence[Entry]) -> TokenSequence:
    pieces = [entry.piece for entry in entries]
    return replace(
        tokens,
        tokens=tuple(piece.token for piece in pieces),
        ids=tuple(piece.number for piece in pieces),
        unknown=tuple(piece.unknown for piece in pieces),
        surfaces=tuple(piece.surface for piece in pieces),
        segment_ids=tuple(entry.segment for entry in entries),
        special=tuple(entry.special for entry in entries),
        word_ids=tuple(entry.word for entry in entries),
        padding=tuple(entry.padding for entry in entries),
    )
