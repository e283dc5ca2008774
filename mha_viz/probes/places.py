"""Where a word of a probe stands: in a text, and among the tokens of a run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from mha_viz.analysis.reading import Shown, read
from mha_viz.errors import InputError
from mha_viz.tokens import TokenSequence
from mha_viz.trace import AttentionTrace

#: Chinese, Japanese and Korean write words without blanks between them.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
#: What tokenizers write before a token, where they do not tell which text it stands for.
_MARKS = "Ġ▁ "
Group = tuple[int, ...]


class Word(NamedTuple):
    """A word of a sentence, capitals aside.

    Attributes:
        text: as typed.
        nth: which of its occurrences, from 1; None for a word that is there once.
    """

    text: str
    nth: int | None = None

    def __str__(self) -> str:
        return self.text if self.nth is None else f"{self.text}#{self.nth}"


def word_of(written: str) -> Word:
    """A word as probes are written: "cat", or "cat#2" for its second occurrence."""
    text, mark, nth = written.strip().rpartition("#")
    return Word(text, int(nth)) if mark and text and nth.isdecimal() else Word(written.strip())


def occurrences(texts: Sequence[str], word: str) -> int:
    """How often a word is in the texts, capitals aside: a whole word, or any characters of a script without blanks."""
    pattern = re.escape(word)
    if not _UNSPACED.search(word):
        pattern = rf"(?<!\w){pattern}(?!\w)"
    return sum(len(re.findall(pattern, text, re.IGNORECASE)) for text in texts) if word else 0


def check_word(texts: Sequence[str], word: Word) -> None:
    """Raises InputError if a word is not in the texts, is not there so often, or is there twice and it is not said which."""
    n = occurrences(texts, word.text)
    if n == 0:
        raise InputError("error.probe_word_missing", word=word.text, sentence=" ".join(texts))
    if word.nth is None and n > 1:
        choices = ", ".join(f"{word.text}#{nth}" for nth in range(1, n + 1))
        raise InputError("error.probe_word_twice", word=word.text, n=n, choices=choices)
    if word.nth is not None and not 1 <= word.nth <= n:
        raise InputError("error.probe_word_nth", word=word.text, got=word.nth, n=n)


def find_word(tokens: TokenSequence, word: Word) -> Group | None:
    """The positions of the tokens that a word consists of; None if no tokens make up just this word.

    A word may be several pieces, or several words of the tokenizer ("didn't", "苹果"). It must begin where a word of the
    tokenizer begins and end where one ends, except in scripts without blanks.
    """
    located = tokens.located
    texts = [
        (typed if located else token.lstrip(_MARKS).removeprefix("##")).strip().casefold()
        for token, typed in zip(tokens.tokens, tokens.surfaces, strict=True)
    ]
    target = "".join(word.text.split()).casefold()
    unspaced = bool(_UNSPACED.search(word.text))
    found = [
        group
        for start in range(tokens.n_tokens)
        if (group := _run(tokens, texts, start, target)) and (unspaced or _is_whole(tokens, group))
    ]
    nth = word.nth or 1
    return found[nth - 1] if len(found) >= nth else None


def _run(tokens: TokenSequence, texts: Sequence[str], start: int, target: str) -> Group | None:
    """The tokens from ``start`` that together read ``target``."""
    joined = ""
    for at in range(start, tokens.n_tokens):
        if tokens.special[at] or tokens.segment_ids[at] != tokens.segment_ids[start] or not texts[at]:
            return None
        joined += texts[at]
        if joined == target:
            return tuple(range(start, at + 1))
        if not target.startswith(joined):
            return None
    return None


def _is_whole(tokens: TokenSequence, group: Group) -> bool:
    """Whether neither neighbour belongs to the same word as the end of the group beside it."""
    edges = ((group[0], group[0] - 1), (group[-1], group[-1] + 1))
    return all(
        not 0 <= beside < tokens.n_tokens
        or tokens.word_ids[beside] is None
        or tokens.word_ids[beside] != tokens.word_ids[at]
        for at, beside in edges
    )


class ByWords(NamedTuple):
    """A run read by words.

    Attributes:
        reading: special tokens included; a word is attended to with the sum over its pieces, and attends with their mean.
        places: where the groups stand in it.
    """

    reading: Shown
    places: tuple[int, ...]


def by_words(trace: AttentionTrace, groups: Sequence[Group]) -> ByWords:
    """A run read by words, each group of positions being one word whatever the tokenizer thinks.

    Args:
        trace: a run.
        groups: positions, consecutive in each; two of them are equal or have none in common.
    """
    tokens = trace.query_tokens
    ids = list(tokens.word_ids)
    fresh = 1 + max((number for number in ids if number is not None), default=0)
    for number, group in enumerate(groups):
        for at in group:
            ids[at] = fresh + number
    words = replace(tokens, word_ids=tuple(ids))
    reading = read(replace(trace, query_tokens=words, key_tokens=words), "words")
    starts = [group[0] for group in reading.groups]
    return ByWords(reading, tuple(starts.index(group[0]) for group in groups))
