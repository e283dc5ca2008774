"""What stands where in a run: special tokens, punctuation, words, distances. The same for all of its layers."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mha_viz.arrays import BoolArray, FloatArray, IntArray
from mha_viz.tokens import TokenSequence
from mha_viz.trace import Reading

#: What tokenizers put before a token to say "a space comes first", where they do not tell which text it stands for.
_SPACES = "Ġ▁ "


@dataclass(frozen=True, eq=False)
class Marks:
    """What each token of a sequence is.

    Attributes:
        special: bool (token,); added by the model and no padding.
        cls: bool (token,); the special token that begins the sequence, if one does.
        sep: bool (token,); all other special tokens.
        punctuation: bool (token,); only Unicode punctuation or symbols, and not special.
        plain: bool (token,); neither special nor padding.
        segment: int (token,); 0 for the first sentence, 1 for the second.
        word: (token,) which word a token belongs to; -1 for none.
        texts: the whole word that each token belongs to, casefolded; "" for none.
    """

    special: BoolArray
    cls: BoolArray
    sep: BoolArray
    punctuation: BoolArray
    plain: BoolArray
    segment: IntArray
    word: IntArray
    texts: tuple[str, ...]


def marks_of(tokens: TokenSequence, padding: BoolArray) -> Marks:
    """What each token of a sequence is; ``padding`` is bool (token,)."""
    special = np.array(tokens.special) & ~padding
    plain = ~np.array(tokens.special) & ~padding
    begins = np.arange(tokens.n_tokens) == np.argmin(padding)  # padding may stand on the left
    texts = _texts(tokens)
    words = [
        -1 if word is None or not stays else word for word, stays in zip(tokens.word_ids, plain.tolist(), strict=True)
    ]
    return Marks(
        special=special,
        cls=special & begins,
        sep=special & ~begins,
        punctuation=np.array([_is_punctuation(text) for text in texts]) & plain,
        plain=plain,
        segment=np.array(tokens.segment_ids),
        word=np.array(words),
        texts=_words(texts, words),
    )


def _texts(tokens: TokenSequence) -> list[str]:
    """What each token stands for, as typed; where the tokenizer does not tell, as the model writes it."""
    given = tokens.surfaces if tokens.located else [token.lstrip(_SPACES) for token in tokens.tokens]
    return [text.strip() for text in given]


def _is_punctuation(text: str) -> bool:
    return bool(text) and all(unicodedata.category(character)[0] in "PS" for character in text)


def _words(texts: Sequence[str], words: Sequence[int]) -> tuple[str, ...]:
    """The whole word of each token: its pieces joined."""
    whole: dict[int, str] = {}
    for word, text in zip(words, texts, strict=True):
        whole[word] = whole.get(word, "") + text
    return tuple("" if word < 0 else whole[word].casefold() for word in words)


@dataclass(frozen=True, eq=False)
class Places:
    """What stands where, for queries and for keys.

    Attributes:
        query, key: what each token is; the same object in self-attention.
    """

    query: Marks
    key: Marks

    #: What ``columns`` adds up, by name.
    SUMS = ("special", "cls", "sep", "punctuation", "plain", "segment_0", "segment_1", "all", "position")

    @cached_property
    def columns(self) -> FloatArray:
        """float32 (key, sum): weights @ columns is the weight on each kind of key, for all kinds at once.

        The last column is each key's position, counted from the middle, so that float32 loses less.
        """
        key = self.key
        kinds = [getattr(key, name) for name in self.SUMS[:5]]
        kinds += [key.plain & (key.segment == segment) for segment in (0, 1)]
        position = np.arange(len(key.special)) - self.middle
        return np.stack([*kinds, np.ones(len(position)), position], axis=1).astype(np.float32)

    @property
    def middle(self) -> float:
        """The position that the last of ``columns`` counts from."""
        return (len(self.key.special) - 1) / 2

    @cached_property
    def distance(self) -> FloatArray:
        """float32 (query, key): tokens between the two."""
        queries, keys = np.arange(len(self.query.special)), np.arange(len(self.key.special))
        return np.abs(keys - queries[:, None]).astype(np.float32)

    @cached_property
    def plain_distance(self) -> FloatArray:
        """float32 (query, key): ``distance``, and 0 for keys that are special or padding."""
        return self.distance * self.key.plain.astype(np.float32)

    @cached_property
    def same_word(self) -> BoolArray:
        """bool (query, key): the key belongs to another word with the same text."""
        numbers: dict[str, int] = {"": -1}
        of_query, of_key = (
            np.array([numbers.setdefault(text, len(numbers)) for text in marks.texts])
            for marks in (self.query, self.key)
        )
        another = self.query.word[:, None] != self.key.word
        return (of_query[:, None] == of_key) & (of_query >= 0)[:, None] & another


def places_of(reading: Reading) -> Places:
    """What stands where in a run."""
    query = marks_of(reading.query_tokens, reading.padding)
    if reading.key_tokens is reading.query_tokens:
        return Places(query, query)
    return Places(query, marks_of(reading.key_tokens, np.array(reading.key_tokens.padding)))
