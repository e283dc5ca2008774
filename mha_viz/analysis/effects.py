"""What a change did to what a model says: embedding, fills of a gap, classes; before, after and the difference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from mha_viz.arrays import FloatArray, ReadOnlyArrays, expect_shape
from mha_viz.errors import RecordError
from mha_viz.trace import AttentionTrace
from mha_viz.words import say

#: A cosine this close to 1 is that of an embedding that did not change: outputs are float32.
_ROUNDING = 1e-6


class Classifier(Protocol):
    """Anything that tells classes by a sentence's embedding."""

    @property
    def names(self) -> tuple[str, ...]:
        """What its classes are called."""
        ...

    def probabilities(self, embedding: FloatArray) -> FloatArray:
        """(d_model,) to float64 (class,)."""
        ...


@dataclass(frozen=True, eq=False)
class EmbeddingEffect(ReadOnlyArrays):
    """A sentence's embedding: the mean of its last hidden states, special tokens included, padding left out.

    Attributes:
        before, after: float64 (d_model,).
        cosine: of the two, -1 to 1; NaN where one of them is 0.
    """

    before: FloatArray
    after: FloatArray
    cosine: float

    def __post_init__(self) -> None:
        self.freeze_arrays()

    @property
    def difference(self) -> FloatArray:
        """float64 (d_model,): after - before."""
        return self.after - self.before

    @property
    def sentence(self) -> str:
        """The effect in words."""
        if np.isnan(self.cosine):
            return say("effect.embedding.none")
        if self.cosine >= 1 - _ROUNDING:
            return say("effect.embedding.same")
        return say("effect.embedding", cosine=self.cosine)


class Chance(NamedTuple):
    """One possible answer.

    Attributes:
        number: of the entry of the vocabulary, or of the class.
        name: what it is called.
        before, after: its probability, 0 to 1.
    """

    number: int
    name: str
    before: float
    after: float

    @property
    def difference(self) -> float:
        """after - before."""
        return self.after - self.before


@dataclass(frozen=True)
class FillEffect:
    """What a model puts into one gap, or after the last token.

    Attributes:
        position_before, position_after: where the gap is in each of the two sequences.
        fills: the likeliest before and the likeliest after, each once, the likeliest after first.
        goes_on: whether these are words for what follows the token at that position, not for the token itself.
    """

    position_before: int
    position_after: int
    fills: tuple[Chance, ...]
    goes_on: bool = False

    @property
    def sentence(self) -> str:
        """The effect in words."""
        return _sentence("next" if self.goes_on else "fill", self.fills, position=self.position_after)


@dataclass(frozen=True)
class ClassEffect:
    """How likely each class is.

    Attributes:
        classes: all of them, in the order of their numbers.
    """

    classes: tuple[Chance, ...]

    @property
    def sentence(self) -> str:
        """The effect in words."""
        return _sentence("class", self.classes)


@dataclass(frozen=True)
class Effect:
    """What a change did, as far as the model says anything.

    Attributes:
        embedding: of the sentence.
        fills: one a gap; () where the model fills none, or the two sequences do not have equally many.
        classes: None where neither the model nor a classifier tells any.
    """

    embedding: EmbeddingEffect
    fills: tuple[FillEffect, ...] = ()
    classes: ClassEffect | None = None


def mean_pooled(trace: AttentionTrace) -> FloatArray:
    """float64 (d_model,): the mean of the last hidden states, special tokens included, padding left out; 0 if all is padding.

    Raises:
        RecordError: the trace has no output, as weights from elsewhere may have none.
    """
    if trace.output is None:
        raise RecordError("error.effect_no_output", name=trace.spec.name)
    real = ~trace.padding
    if not real.any():
        return np.zeros(trace.spec.d_model)
    return trace.output[real].astype(np.float64).mean(axis=0)


def effect_of(
    before: AttentionTrace,
    after: AttentionTrace,
    name_of: Callable[[int], str],
    *,
    classifier: Classifier | None = None,
    most: int = 5,
) -> Effect:
    """What changed between two runs of one model: by controls, by edits of the tokens, or both.

    Args:
        before, after: the runs.
        name_of: names an entry of the answers, ``AttentionModel.answer_name``; asked only where there are answers.
        classifier: tells classes by the embedding, for a model that tells none itself.
        most: fills of each run that are kept.

    Raises:
        RecordError: the runs are of different models, or the classifier is for another one.
    """
    if before.spec != after.spec:
        raise RecordError("error.effect_models", before=before.spec.name, after=after.spec.name)
    one, other = mean_pooled(before), mean_pooled(after)
    classes = None
    if before.answer is not None and after.answer is not None and before.answer.kind == "classes":
        if before.answer.logits.shape[1] > 1:  # a single number is no choice between classes
            classes = _classes(_softmax(before.answer.logits[0]), _softmax(after.answer.logits[0]), name_of)
    elif classifier is not None:
        names = classifier.names
        classes = _classes(classifier.probabilities(one), classifier.probabilities(other), lambda at: names[at])
    return Effect(EmbeddingEffect(one, other, cosine(one, other)), _fills(before, after, name_of, most), classes)


def cosine(one: FloatArray, other: FloatArray) -> float:
    """Of two vectors; NaN where one of them is 0.

    Raises:
        RecordError: they are not equally long.
    """
    expect_shape("other", other, one.shape)
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(np.clip(one @ other / lengths, -1.0, 1.0)) if lengths > 0 else float("nan")


def _classes(before: FloatArray, after: FloatArray, name_of: Callable[[int], str]) -> ClassEffect:
    return ClassEffect(_chances(range(len(before)), before, after, name_of))


def _fills(
    before: AttentionTrace, after: AttentionTrace, name_of: Callable[[int], str], most: int
) -> tuple[FillEffect, ...]:
    """Gaps of the two runs in their order."""
    if before.answer is None or after.answer is None or before.answer.kind != "tokens":
        return ()
    if len(before.answer.positions) != len(after.answer.positions):
        return ()
    effects = []
    for gap, (place, other_place) in enumerate(zip(before.answer.positions, after.answer.positions, strict=True)):
        one, other = _softmax(before.answer.logits[gap]), _softmax(after.answer.logits[gap])
        best = {int(number) for of in (one, other) for number in np.argsort(-of, kind="stable")[:most]}
        numbers = sorted(best, key=lambda number: (-other[number], number))
        effects.append(FillEffect(place, other_place, _chances(numbers, one, other, name_of), before.spec.causal))
    return tuple(effects)


def _chances(
    numbers: range | list[int], before: FloatArray, after: FloatArray, name_of: Callable[[int], str]
) -> tuple[Chance, ...]:
    return tuple(Chance(number, name_of(number), float(before[number]), float(after[number])) for number in numbers)


def _softmax(logits: FloatArray) -> FloatArray:
    """float64, of one row."""
    odds = np.exp(logits.astype(np.float64) - float(logits.max()))
    return odds / odds.sum()


def _sentence(kind: str, chances: tuple[Chance, ...], **values: object) -> str:
    """The likeliest answer before and after."""
    was, now = max(chances, key=lambda one: one.before), max(chances, key=lambda one: one.after)
    if was.number == now.number:
        return say(f"effect.{kind}.same", after=now.name, p_before=now.before, p_after=now.after, **values)
    return say(
        f"effect.{kind}.other", before=was.name, p_before=was.before, after=now.name, p_after=now.after, **values
    )
