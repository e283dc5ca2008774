"""From a text to what the model reads: tokens with their places in the text, whatever kind of tokenizer a model has.

A fast tokenizer tells which part of the text each token stands for. A slow one does not: then every token counts as a word of
its own, and labels show tokens only as the model writes them.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

from mha_viz.errors import InputError, TooLongError
from mha_viz.models.editing import Piece
from mha_viz.models.huggingface.bytes import SPACE, readable_token, writes_bytes, written_token
from mha_viz.models.text import prepared, readable
from mha_viz.spec import ModelSpec
from mha_viz.tokens import TokenSequence

#: How people write a masked word; RoBERTa and others call theirs otherwise.
_MASK = "[MASK]"
#: How tokens begin that do not begin a word, or that carry the space before it, in the vocabularies there are.
_MARKS = ("##", SPACE, "\u2581")
#: Special tokens that frame a text, as opposed to [MASK] and [UNK], which stand for something in it.
_FRAME = ("cls_token", "sep_token", "pad_token", "bos_token", "eos_token")


@dataclass(frozen=True)
class _Encoded:
    """One text, or two, as a tokenizer gives them; every tuple has an entry a token.

    Attributes:
        ids: numbers in the vocabulary.
        added: whether the tokenizer added the token.
        sequences: 0 or 1 for tokens of the first or second text, None for added ones.
        words: word of its text.
        surfaces: part of the text.
    """

    ids: tuple[int, ...]
    added: tuple[bool, ...]
    sequences: tuple[int | None, ...]
    words: tuple[int | None, ...]
    surfaces: tuple[str, ...]


class Tokenizer:
    """A transformers tokenizer, safe for threads, that gives TokenSequences.

    Args:
        tokenizer: of transformers.
        spec: of its model.

    Attributes:
        padding: what fills up a sequence, and its number; a model without such a token takes its end token, which is never a
            key either.
        special_names: special tokens that ``read_special`` finds.
        locates: whether tokens come with their place in the text.
        mask: the token that stands for a masked word, and its number; None if there is none.
    """

    def __init__(self, tokenizer: Any, spec: ModelSpec) -> None:
        self._tokenizer = tokenizer
        self._spec = spec
        self._lock = threading.Lock()  # a fast tokenizer's settings are shared, and changed by each call
        self.locates = bool(tokenizer.is_fast)
        self._in_bytes = writes_bytes(tokenizer)
        frame = [getattr(tokenizer, name, None) for name in _FRAME]
        self._frame_ids = {tokenizer.convert_tokens_to_ids(token) for token in frame if token is not None}
        filler = tokenizer.pad_token or tokenizer.eos_token or tokenizer.convert_ids_to_tokens(0)
        self.padding = (filler, int(tokenizer.convert_tokens_to_ids(filler)))
        self.special_names = tuple(tokenizer.all_special_tokens)
        self._mask: str | None = tokenizer.mask_token
        self.mask = None if self._mask is None else (self._mask, int(tokenizer.mask_token_id))
        if self._mask is not None:
            self.special_names = tuple(dict.fromkeys((*self.special_names, _MASK)))

    def tokenize(self, text: str, pair: str | None, *, cut: bool, read_special: bool) -> TokenSequence:
        """As AttentionModel.tokenize."""
        text, pair = prepared(text, pair, cut=cut)
        if read_special and self._mask is not None:
            text, pair = text.replace(_MASK, self._mask), pair and pair.replace(_MASK, self._mask)
        encoded, total = self._within_limit(text, pair, cut=cut, read_special=read_special)
        if all(encoded.added):
            raise InputError("error.no_tokens", name=self._spec.name)
        special = tuple(
            added or (read_special and number in self._frame_ids)
            for added, number in zip(encoded.added, encoded.ids, strict=True)
        )
        unknown = self._tokenizer.unk_token_id
        n_tokens = len(encoded.ids)
        return TokenSequence(
            text=text,
            pair=pair,
            tokens=tuple(self._written(encoded.ids)),
            ids=encoded.ids,
            segment_ids=_segments(encoded.sequences),
            special=special,
            unknown=tuple(number == unknown and not self._in_bytes for number in encoded.ids),
            word_ids=_running_words(encoded),
            surfaces=encoded.surfaces,
            padding=(False,) * n_tokens,
            cut_from=total if total > self._spec.max_tokens else None,
        )

    def word(self, number: int) -> str:
        """An entry of the vocabulary, as ``tokenize`` writes it."""
        return self._written((number,))[0]

    def pieces(self, word: str, replaced: int, *, first: bool, located: bool) -> list[Piece]:
        """What stands for a word put in place of a token.

        Args:
            word: as typed; one that begins like a piece in the middle of a word ("##s"), or with the vocabulary's sign for a
                space, and is in the vocabulary as it stands, is that one token.
            replaced: the number of the token whose place it takes: where that one carries the space before it, so does the word.
            first: whether nothing of the text stands before it.
            located: whether the sequence tells surfaces.
        """
        word = readable(word)
        unknown = self._tokenizer.unk_token_id
        if word.startswith(_MARKS) and self._raw(word) in self._tokenizer.get_vocab():
            ids, surfaces = [int(self._tokenizer.convert_tokens_to_ids(self._raw(word)))], [word]
        else:
            spaced = self._in_bytes and not first and self._carries_space(replaced)
            encode = self._encode_fast if self.locates else self._encode_slow
            with self._lock:
                encoded = encode(f" {word}" if spaced else word, None, False, add_special_tokens=False)
            ids, surfaces = list(encoded.ids), list(encoded.surfaces)
        return [
            Piece(token, number, number == unknown and not self._in_bytes, surface if located else "")
            for token, number, surface in zip(self._written(tuple(ids)), ids, surfaces, strict=True)
        ]

    def _carries_space(self, number: int) -> bool:
        raw = str(self._tokenizer.convert_ids_to_tokens(number))
        return raw.startswith(SPACE) or number == self._tokenizer.mask_token_id

    def _raw(self, word: str) -> str:
        """A typed token as the vocabulary writes it."""
        return written_token(word) if self._in_bytes else word

    def _written(self, ids: tuple[int, ...]) -> list[str]:
        tokens = self._tokenizer.convert_ids_to_tokens(list(ids))
        return [readable_token(token) for token in tokens] if self._in_bytes else tokens

    def _within_limit(self, text: str, pair: str | None, *, cut: bool, read_special: bool) -> tuple[_Encoded, int]:
        """The text within the model's limit, and how many tokens there were before cutting."""
        limit = self._spec.max_tokens
        encode = self._encode_fast if self.locates else self._encode_slow
        with self._lock:
            encoded = encode(text, pair, read_special)
            total = len(encoded.ids)
            if total > limit:
                if not cut:
                    raise TooLongError("error.too_many_tokens", got=total, limit=limit)
                encoded = encode(text, pair, read_special, truncation=True, max_length=limit)
        return encoded, total

    def _encode_fast(self, text: str, pair: str | None, read_special: bool, **options: Any) -> _Encoded:
        options |= {"split_special_tokens": not read_special, "return_offsets_mapping": True, "verbose": False}
        encoding = self._tokenizer(text, pair, **options).encodings[0]
        texts = (text, pair or "")
        return _Encoded(
            ids=tuple(encoding.ids),
            added=tuple(map(bool, encoding.special_tokens_mask)),
            sequences=tuple(encoding.sequence_ids),
            words=tuple(encoding.word_ids),
            surfaces=tuple(
                "" if sequence is None else texts[sequence][start:end]
                for (start, end), sequence in zip(encoding.offsets, encoding.sequence_ids, strict=True)
            ),
        )

    def _encode_slow(self, text: str, pair: str | None, read_special: bool, **options: Any) -> _Encoded:
        options |= {"split_special_tokens": not read_special, "return_special_tokens_mask": True, "verbose": False}
        encoding = self._tokenizer(text, pair, **options)
        added = tuple(map(bool, encoding["special_tokens_mask"]))
        sequences = self._sequences_of(added, pair is not None)
        n_tokens = len(added)
        return _Encoded(
            ids=tuple(encoding["input_ids"]),
            added=added,
            sequences=sequences,
            words=tuple(None if sequence is None else at for at, sequence in enumerate(sequences)),
            surfaces=("",) * n_tokens,
        )

    def _sequences_of(self, added: tuple[bool, ...], has_pair: bool) -> tuple[int | None, ...]:
        """A slow tokenizer does not say where the second text begins: it is after the added tokens in the middle."""
        sequences: list[int | None] = []
        current, last = 0, added[0] if added else False
        for at, is_added in enumerate(added):
            began = at > 0 and last and not is_added and any(number is not None for number in sequences)
            current = 1 if has_pair and began else current
            sequences.append(None if is_added else current)
            last = is_added
        return tuple(sequences)


def _segments(sequences: tuple[int | None, ...]) -> tuple[int, ...]:
    """0 for the first text and what is around it, 1 from the second text on."""
    segments: list[int] = []
    for sequence in sequences:
        before = segments[-1] if segments else 0
        segments.append(before if sequence is None else sequence)
    return tuple(segments)


def _running_words(encoded: _Encoded) -> tuple[int | None, ...]:
    """Words of the second text go on counting where the first ends."""
    pairs = list(zip(encoded.words, encoded.sequences, strict=True))
    first = [word for word, sequence in pairs if sequence == 0 and word is not None]
    offset = max(first, default=-1) + 1
    return tuple(word + offset if word is not None and sequence == 1 else word for word, sequence in pairs)
