"""The toy's tokenizer: words as they stand between blanks, and single characters for Chinese and Japanese."""

from __future__ import annotations

import unicodedata
import zlib

from mha_viz.errors import InputError, TooLongError
from mha_viz.models.text import prepared
from mha_viz.tokens import TokenSequence

#: Punctuation that ends a sentence or a clause becomes a token of its own; all else stays on its word, as typed.
_ENDINGS = ".,!?"

#: Blocks whose characters are tokens by themselves: first and last code point.
_ONE_BY_ONE = (
    (0x3000, 0x30FF),  # CJK punctuation, Hiragana, Katakana
    (0x31F0, 0x31FF),  # Katakana extensions
    (0x3400, 0x4DBF),  # CJK extension A
    (0x4E00, 0x9FFF),  # CJK unified ideographs
    (0xF900, 0xFAFF),  # CJK compatibility ideographs
    (0xFF00, 0xFFEF),  # full-width forms
    (0x20000, 0x3FFFF),  # CJK extensions B and later
)


def split(text: str) -> list[str]:
    """The tokens of a text, in order, exactly as typed."""
    tokens: list[str] = []
    for word in text.split():
        tokens += _split_word(word)
    return tokens


def _split_word(word: str) -> list[str]:
    tokens: list[str] = []
    run = ""
    for character in word:
        if _stands_alone(character):
            tokens += _peeled(run)
            run = ""
            tokens.append(character)
        elif not run and tokens and _joins_left(character):
            tokens[-1] += character
        else:
            run += character
    return tokens + _peeled(run)


def _peeled(run: str) -> list[str]:
    """A run of other scripts, its closing punctuation as a token of its own; a run of nothing else stays whole."""
    word = run.rstrip(_ENDINGS)
    ending = run[len(word) :]
    return [part for part in (word, ending) if part]


def _stands_alone(character: str) -> bool:
    return not _joins_left(character) and any(low <= ord(character) <= high for low, high in _ONE_BY_ONE)


def _joins_left(character: str) -> bool:
    """Accents, voicing marks and variation selectors belong to the character before them."""
    return unicodedata.category(character) in ("Mn", "Mc", "Me")


def word_id(word: str) -> int:
    """A number for a word that is the same in every sentence; "The" and "the" are the same word."""
    return zlib.crc32(word.casefold().encode("utf-8", "surrogatepass"))


def tokenize(text: str, pair: str | None, *, cut: bool, max_tokens: int) -> TokenSequence:
    """Both sentences' tokens one after the other, with segments 0 and 1 and no special tokens.

    Raises:
        InputError: nothing to read.
        TooLongError: more than ``max_tokens``, and ``cut`` is False.
    """
    text, pair = prepared(text, pair, cut=cut)
    first, second = split(text), split(pair or "")
    if not first:
        raise InputError("error.empty_text")
    total = len(first) + len(second)
    if total > max_tokens and not cut:
        raise TooLongError("error.too_many_tokens", got=total, limit=max_tokens)
    tokens = tuple((first + second)[:max_tokens])
    n = len(tokens)
    return TokenSequence(
        text=text,
        pair=pair,
        tokens=tokens,
        ids=tuple(word_id(token) for token in tokens),
        segment_ids=tuple(int(position >= len(first)) for position in range(n)),
        special=(False,) * n,
        unknown=(False,) * n,
        word_ids=tuple(range(n)),
        surfaces=tokens,
        padding=(False,) * n,
        cut_from=total if total > max_tokens else None,
    )
