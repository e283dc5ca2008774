"""Which token of one sequence stands for which token of another.

The alignment keeps the order of both sequences. Of all that do, it is one with the most equal tokens, and among those one with
the fewest tokens left alone; a special token is never put beside a word. Tokens are told apart by where they stand: of a word
that occurs three times here and twice there, one occurrence is left over. Aligning the other way round gives the mirror image.

Two sentences that only changed places (a sentence pair and the same pair swapped) are the one case in which order is not kept.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Literal, NamedTuple

import numpy as np

from mha_viz.analysis.reading import read
from mha_viz.arrays import IntArray
from mha_viz.errors import RecordError
from mha_viz.tokens import TokenSequence
from mha_viz.trace import AttentionTrace, Reading
from mha_viz.words import say

Kind = Literal["same", "replaced", "deleted", "inserted"]
#: In the order in which they are counted in a sentence.
KINDS: tuple[Kind, ...] = ("same", "replaced", "deleted", "inserted")

_Name = tuple[bool, str]
_Match = tuple[int | None, int | None]


class AlignedPair(NamedTuple):
    """A token of A and the token of B that stands for it.

    Attributes:
        a, b: positions; None where the other side has nothing for it.
        kind: "same", "replaced", "deleted" (only A has it) or "inserted" (only B has it).
    """

    a: int | None
    b: int | None
    kind: Kind


class AlignedLine(NamedTuple):
    """A pair to be read: what stands in A and in B, "" for nothing."""

    kind: Kind
    a: str
    b: str


@dataclass(frozen=True)
class Alignment:
    """Two sequences side by side.

    Attributes:
        a, b: what was aligned.
        pairs: every token of both, each once.
        typed: whether tokens were held to be equal by what was typed, capitals aside, and not by how the model writes them.
        swapped: whether B is the sentence pair of A with its sentences in the other order.

    Raises:
        RecordError: a token is missing, or is there twice.
    """

    a: TokenSequence
    b: TokenSequence
    pairs: tuple[AlignedPair, ...]
    typed: bool = False
    swapped: bool = False

    def __post_init__(self) -> None:
        for name, tokens in (("a", self.a), ("b", self.b)):
            got = sorted(at for pair in self.pairs if (at := getattr(pair, name)) is not None)
            if got != list(range(tokens.n_tokens)):
                raise RecordError("error.lengths", what=name, got=len(got), expected=tokens.n_tokens)

    @property
    def places(self) -> tuple[IntArray, IntArray]:
        """(pair,) each: positions in A and in B, -1 for none."""
        return (
            np.array([-1 if pair.a is None else pair.a for pair in self.pairs]),
            np.array([-1 if pair.b is None else pair.b for pair in self.pairs]),
        )

    @property
    def common(self) -> tuple[AlignedPair, ...]:
        """The pairs that both have: same and replaced."""
        return tuple(pair for pair in self.pairs if pair.a is not None and pair.b is not None)

    @property
    def mirrored(self) -> Alignment:
        """B beside A."""
        turned: dict[Kind, Kind] = {"deleted": "inserted", "inserted": "deleted"}
        pairs = tuple(AlignedPair(pair.b, pair.a, turned.get(pair.kind, pair.kind)) for pair in self.pairs)
        return Alignment(self.b, self.a, pairs, self.typed, self.swapped)

    @property
    def lines(self) -> tuple[AlignedLine, ...]:
        """To be read, in order; neither shortened nor escaped."""
        return tuple(
            AlignedLine(
                pair.kind,
                "" if pair.a is None else self.a.tokens[pair.a],
                "" if pair.b is None else self.b.tokens[pair.b],
            )
            for pair in self.pairs
        )

    def count(self, kind: Kind) -> int:
        """How many pairs there are of a kind."""
        return sum(pair.kind == kind for pair in self.pairs)

    @property
    def sentence(self) -> str:
        """How many tokens are the same, replaced, deleted and inserted, in words; and how they were compared."""
        counts = say("align.counts", **{kind: self.count(kind) for kind in KINDS})
        notes = [say(f"align.{note}") for note in ("typed", "swapped") if getattr(self, note)]
        return " ".join([counts, *notes])


class AlignedRuns(NamedTuple):
    """Two runs, read so that their tokens can be aligned.

    Attributes:
        a, b: as they are, or by words where the models differ.
        alignment: of their tokens.
    """

    a: Reading
    b: Reading
    alignment: Alignment


def align_runs(a: AttentionTrace, b: AttentionTrace) -> AlignedRuns:
    """The tokens of two runs aligned; by words, as typed, where the models differ and may split words differently.

    Of one text, what counts as a word is the least that both tokenizers end at the same place: "didn't" is one word if either
    takes it for one.
    """
    if a.spec == b.spec:
        return AlignedRuns(a, b, align(a.query_tokens, b.query_tokens))
    numbers = _common_words(a.query_tokens, b.query_tokens)
    of_a, of_b = (read(_renumbered(run, ids), "words") for run, ids in zip((a, b), numbers, strict=True))
    return AlignedRuns(of_a, of_b, align(of_a.query_tokens, of_b.query_tokens, typed=True))


def _renumbered(run: AttentionTrace, word_ids: tuple[int | None, ...]) -> AttentionTrace:
    """The run with its tokens shared out to other words."""
    tokens = replace(run.query_tokens, word_ids=word_ids)
    return replace(run, query_tokens=tokens, key_tokens=tokens)


def _common_words(a: TokenSequence, b: TokenSequence) -> tuple[tuple[int | None, ...], tuple[int | None, ...]]:
    """Which word each token belongs to, where words end only where both tokenizers end one; as it was for different texts."""
    typed_a, typed_b = _typed(a), _typed(b)
    if "".join(typed_a) != "".join(typed_b) or not any(typed_a):
        return a.word_ids, b.word_ids
    ends = sorted(_word_ends(a, typed_a) & _word_ends(b, typed_b))
    return _numbers(a, typed_a, ends), _numbers(b, typed_b, ends)


def _typed(tokens: TokenSequence) -> list[str]:
    """What was typed for each token, without blanks and capitals; "" for special tokens."""
    return [
        "" if special else "".join(typed.split()).casefold()
        for typed, special in zip(tokens.surfaces, tokens.special, strict=True)
    ]


def _word_ends(tokens: TokenSequence, typed: Sequence[str]) -> set[int]:
    """The numbers of characters after which a word ends."""
    ends, at = set(), 0
    for place, text in enumerate(typed):
        at += len(text)
        following = tokens.word_ids[place + 1] if place + 1 < tokens.n_tokens else None
        if text and following != tokens.word_ids[place]:
            ends.add(at)
    return ends


def _numbers(tokens: TokenSequence, typed: Sequence[str], ends: Sequence[int]) -> tuple[int | None, ...]:
    """How many of the ends lie before each token's own; None for special tokens."""
    after = accumulate(map(len, typed))
    return tuple(None if special else bisect_left(ends, at) for special, at in zip(tokens.special, after, strict=True))


def align(a: TokenSequence, b: TokenSequence, *, typed: bool = False) -> Alignment:
    """Two sequences side by side, as the head of this file says.

    Args:
        a, b: of one tokenizer; or words, as ``analysis.reading`` gives them.
        typed: compare what was typed, capitals aside. For tokenizers that write the same text differently.
    """
    names_a, names_b = _names(a, typed), _names(b, typed)
    if names_b < names_a:  # one direction is worked out, so that both are the same
        return align(b, a, typed=typed).mirrored
    swapped = _is_swapped(a, b)
    order = _swapped_order(b) if swapped else list(range(b.n_tokens))
    found = _matched(names_a, [names_b[at] for at in order])
    pairs = []
    for left, at in found:
        right = None if at is None else order[at]
        pairs.append(AlignedPair(left, right, _kind(left, right, names_a, names_b)))
    return Alignment(a, b, tuple(pairs), typed, swapped)


def _names(tokens: TokenSequence, typed: bool) -> list[_Name]:
    """What each token is compared by, and whether it is special."""
    located = typed and tokens.located
    texts = [
        typed_text.strip().casefold() if located and not special else token.casefold() if typed else token
        for token, typed_text, special in zip(tokens.tokens, tokens.surfaces, tokens.special, strict=True)
    ]
    return list(zip(tokens.special, texts, strict=True))


def _kind(a: int | None, b: int | None, names_a: Sequence[_Name], names_b: Sequence[_Name]) -> Kind:
    if a is None:
        return "inserted"
    if b is None:
        return "deleted"
    return "same" if names_a[a] == names_b[b] else "replaced"


def _is_swapped(a: TokenSequence, b: TokenSequence) -> bool:
    return a.pair is not None and a.text != a.pair and (a.text, a.pair) == (b.pair, b.text)


def _swapped_order(tokens: TokenSequence) -> list[int]:
    """The positions with the words of the two sentences exchanged; special tokens stay where they are."""
    plain: tuple[list[int], list[int]] = ([], [])
    for at in range(tokens.n_tokens):
        if not tokens.special[at]:
            plain[min(tokens.segment_ids[at], 1)].append(at)
    order: list[int] = []
    for at in range(tokens.n_tokens):
        if tokens.special[at]:
            order.append(at)
        elif at == plain[0][0]:
            order += plain[1]
        elif plain[1] and at == plain[1][0]:
            order += plain[0]
    # A cut pair may have lost its second sentence.
    return order if len(order) == tokens.n_tokens else list(range(tokens.n_tokens))


def _matched(a: Sequence[_Name], b: Sequence[_Name]) -> list[_Match]:
    """Places in ``a`` and ``b`` side by side, by a table of the best that the first i and j of them can reach.

    An equal pair counts more than all replaced ones together, a replaced one 1, a token left alone 0.
    """
    numbers: dict[_Name, int] = {}
    of_a, of_b = (np.array([numbers.setdefault(name, len(numbers)) for name in names]) for names in (a, b))
    special_a, special_b = (np.array([special for special, _ in names]) for names in (a, b))
    equal = of_a[:, None] == of_b
    gain = np.where(equal, len(a) + len(b) + 1, np.where(special_a[:, None] == special_b, 1, -1))
    best = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    for i in range(len(a)):
        best[i + 1, 1:] = np.maximum.accumulate(np.maximum(best[i, :-1] + gain[i], best[i, 1:]))
    matches: list[_Match] = []
    i, j = len(a), len(b)
    while i or j:
        if i and j and gain[i - 1, j - 1] > 0 and best[i, j] == best[i - 1, j - 1] + gain[i - 1, j - 1]:
            i, j = i - 1, j - 1
            matches.append((i, j))
        elif j and best[i, j] == best[i, j - 1]:
            j -= 1
            matches.append((None, j))
        else:
            i -= 1
            matches.append((i, None))
    return matches[::-1]
