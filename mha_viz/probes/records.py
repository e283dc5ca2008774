"""Probes: a sentence, and what is expected of a model that reads it, as data that can be checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from mha_viz.controls import HeadId
from mha_viz.errors import InputError
from mha_viz.probes.places import Word, check_word
from mha_viz.words import say

#: What probes are about; "probe.kind.NAME" in the table of words is the title.
KINDS = (
    "coreference",
    "meaning",
    "agreement",
    "determiner",
    "object",
    "passive",
    "possessive",
    "preposition",
    "particle",
    "repeated",
    "position",
    "special",
    "own",
)

Verdict = Literal["holds", "not", "untried"]


@dataclass(frozen=True)
class PairClaim:
    """A head gives much of the weight of one word to another word, or to several.

    Attributes:
        query: the word that attends.
        keys: the words attended to; their weights are added, and so are their chances.
        times: how many times chance it must be at least, in the best head, or in ``head``.
        among: the pair must be among this share of all word pairs of the sentence, ordered by the times chance of each pair's
            best head. With many heads some head exceeds chance for almost any pair. None: not asked for.
        over: a rival; no head may give it more times chance than the best head gives to the keys. None for none. It should not
            stand beside the query, where a head that looks at neighbours decides.
        head: one head by its number, of the model that the probe was published for; None for whichever is best.
        top: whether the key must also get more than any other word, special tokens aside.
    """

    query: Word
    keys: tuple[Word, ...]
    times: float
    among: float | None = None
    over: Word | None = None
    head: HeadId | None = None
    top: bool = False


@dataclass(frozen=True)
class MarginClaim:
    """In some head a word attends to another one more in this sentence than in the other one of a minimal pair.

    Attributes:
        query, key: the words.
        other: the other sentence.
        margin: how much larger the weight must be at least, in the best head.
        among: as in PairClaim, of the pairs of words of both sentences ordered by that difference.
        other_query: the word that stands for the query in the other sentence; the same word if None.
    """

    query: Word
    key: Word
    other: str
    margin: float
    among: float | None = None
    other_query: Word | None = None


@dataclass(frozen=True)
class MetricClaim:
    """A metric of METRICS is at least so large in some head; or in the mean of each of some layers.

    Attributes:
        metric: a name in METRICS, a share.
        share: the least; in some head also at least twice what even attention gives.
        layers: of the model that the probe was published for, from 0; None for any head.
    """

    metric: str
    share: float
    layers: tuple[int, ...] | None = None


@dataclass(frozen=True)
class OffsetClaim:
    """In some head the key that gets most stands at one offset from its query, for at least such a share of the words.

    Attributes:
        offset: key - query, in tokens.
        share: the least.
    """

    offset: int
    share: float


@dataclass(frozen=True)
class MeaningClaim:
    """The output of a word is more alike between two sentences with the same meaning than between two meanings.

    Attributes:
        word: in all three sentences.
        other: a sentence with another meaning.
        same: a sentence with the same meaning.
        margin: how much larger the cosine must be at least.
    """

    word: Word
    other: str
    same: str
    margin: float = 0.0


Claim = PairClaim | MarginClaim | MetricClaim | OffsetClaim | MeaningClaim


@dataclass(frozen=True)
class Probe:
    """A sentence and what is expected of it.

    Attributes:
        id: short and unique.
        kind: one of KINDS.
        sentence, pair: what is read; ``pair`` is a second sentence for models that read two, or None.
        claim: what is expected, as data.
        text: what is expected, in words.
        source: where it comes from, in words.
        model: the model that it was published for; None if for none in particular.
        published_head: the head as the source names it, which may count from 1; "" for none.

    Raises:
        InputError: there is no such kind; a word is not in its sentence, or is there several times and it is not said which.
    """

    id: str
    kind: str
    sentence: str
    claim: Claim
    text: str
    source: str
    pair: str | None = None
    model: str | None = None
    published_head: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError("error.probe_kind", id=self.id, got=self.kind, allowed=", ".join(KINDS))
        for texts, words in self._readings():
            for word in words:
                check_word(texts, word)

    def _readings(self) -> list[tuple[tuple[str, ...], tuple[Word, ...]]]:
        """The texts that are read together, and the words that must be in them."""
        texts = (self.sentence,) if self.pair is None else (self.sentence, self.pair)
        claim = self.claim
        if isinstance(claim, PairClaim):
            return [(texts, (claim.query, *claim.keys, *([claim.over] if claim.over else [])))]
        if isinstance(claim, MarginClaim):
            query = claim.other_query or claim.query
            return [(texts, (claim.query, claim.key)), ((claim.other,), (query, claim.key))]
        if isinstance(claim, MeaningClaim):
            return [((text,), (claim.word,)) for text in (self.sentence, claim.other, claim.same)]
        return [(texts, ())]

    @property
    def title(self) -> str:
        """What it is about, in words."""
        return say(f"probe.kind.{self.kind}")

    def published_elsewhere(self, model: str) -> bool:
        """Whether it was published for another model than ``model``."""
        return self.model is not None and not same_model(self.model, model)


def same_model(published: str, loaded: str) -> bool:
    """Whether two names mean one model: "google-bert/bert-base-uncased" is "bert-base-uncased"."""
    return published.rpartition("/")[2].casefold() == loaded.rpartition("/")[2].casefold()


class Strength(NamedTuple):
    """One head, and how strongly it does what is claimed.

    Attributes:
        head: which.
        value: its weight, difference of weights or share.
        times: times chance, or times what even attention gives; NaN where there is no such number.
        rank: which of the query's keys the key is, 1 for the strongest, special tokens included; 0 where that does not apply.
    """

    head: HeadId
    value: float
    times: float
    rank: int


class Luck(NamedTuple):
    """How the same measure comes out for the other pairs of words of the sentence: ``rank`` 1 means that none is stronger."""

    rank: int
    n: int


class ContextWord(NamedTuple):
    """A word and the weight that it gets, a mean over all heads."""

    word: str
    weight: float


@dataclass(frozen=True)
class Outcome:
    """What came of one probe.

    Attributes:
        probe, model: which, run on what.
        verdict: "holds", "not" (it does not) or "untried": it could not be run here, which says nothing against it.
        reason: why it was not tried, in words; "" otherwise.
        measured, expected: the numbers compared; NaN if untried. Their unit is the claim's: times chance, a difference of
            weights, a share, or a difference of cosines.
        strongest: all heads that reach what is expected, and the best one in any case, best first; () where no heads are ranked.
        luck: the pair among all pairs of words; None where it does not apply.
        same_offset: the pair among those whose words stand equally far apart, in the same direction: heads that only look at a
            neighbour make all neighbours strong.
        shortfalls: what is not as expected: "below", "common", "rival", "not_top" or "even".
        contexts: for meanings: the words that the word attends to most, in each of the first two sentences.
        n_heads: heads that the best one was chosen from.
    """

    probe: Probe
    model: str
    verdict: Verdict
    reason: str = ""
    measured: float = float("nan")
    expected: float = float("nan")
    strongest: tuple[Strength, ...] = ()
    luck: Luck | None = None
    same_offset: Luck | None = None
    shortfalls: tuple[str, ...] = ()
    contexts: tuple[tuple[ContextWord, ...], ...] = ()
    n_heads: int = 0

    @property
    def head(self) -> HeadId | None:
        """The best head."""
        return self.strongest[0].head if self.strongest else None

    @property
    def title(self) -> str:
        """The verdict in a word or two."""
        return say(f"probe.verdict.{self.verdict}")
