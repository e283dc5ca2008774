"""A real classifier for MiniLM, which has none itself: logistic regression on the mean-pooled embedding, spam or not.

``tools/train_spam.py`` made spam.json beside this file: coefficients and figures, no text of any message.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mha_viz.arrays import FloatArray, ReadOnlyArrays
from mha_viz.errors import ModelError, RecordError
from mha_viz.words import say

FILE = Path(__file__).with_name("spam.json")
#: What the file calls the classes, in the order of the probabilities.
CLASSES = ("ham", "spam")


@dataclass(frozen=True)
class HeldOut:
    """How good it is on messages that it was not trained on.

    Attributes:
        n: how many there are, and ``n_spam`` of them spam.
        accuracy: share that is told rightly.
        balanced_accuracy: mean of the shares of either class.
        f1: of spam.
    """

    n: int
    n_spam: int
    accuracy: float
    balanced_accuracy: float
    f1: float

    @property
    def always_ham(self) -> float:
        """Accuracy of whoever always says "no spam"."""
        return 1 - self.n_spam / self.n


@dataclass(frozen=True, eq=False)
class SpamClassifier(ReadOnlyArrays):
    """p(spam) = 1 / (1 + exp(-(embedding . coefficients + intercept))).

    Attributes:
        coefficients: float64 (d_model,).
        intercept: of the same.
        model, revision, sha256: of the weights whose embeddings it was trained on.
        held_out: figures.
        facts: where it came from: seed, counts, the data file's checksum, versions.
    """

    coefficients: FloatArray
    intercept: float
    model: str
    revision: str
    sha256: str
    held_out: HeldOut
    facts: dict[str, Any]

    def __post_init__(self) -> None:
        self.freeze_arrays()

    @property
    def names(self) -> tuple[str, ...]:
        """The classes in words."""
        return tuple(say(f"spam.class.{name}") for name in CLASSES)

    def probabilities(self, embedding: FloatArray) -> FloatArray:
        """(d_model,), mean-pooled, to float64 (class,) in the order of CLASSES.

        Raises:
            RecordError: an embedding of another width.
        """
        if embedding.shape != self.coefficients.shape:
            expected = len(self.coefficients)
            raise RecordError("error.spam_width", got=embedding.size, expected=expected, model=self.model)
        score = float(embedding.astype(np.float64) @ self.coefficients) + self.intercept
        odds = np.exp(-abs(score))  # of the less likely class; never overflows
        likely, other = 1 / (1 + odds), odds / (1 + odds)
        return np.array([other, likely] if score >= 0 else [likely, other])

    @property
    def sentence(self) -> str:
        """What it is and how good."""
        held = self.held_out
        return say(
            "spam.what",
            model=self.model,
            n_train=self.facts["n_train"],
            n_test=held.n,
            accuracy=held.accuracy,
            balanced=held.balanced_accuracy,
            f1=held.f1,
            always=held.always_ham,
        )


def read_spam(file: Path) -> SpamClassifier:
    """A trained classifier from its file.

    Raises:
        ModelError: it cannot be read.
    """
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        if content["classes"] != list(CLASSES):
            raise ValueError(content["classes"])
        return SpamClassifier(
            coefficients=np.array(content["coefficients"], dtype=np.float64).reshape(-1),
            intercept=float(content["intercept"]),
            model=str(content["model"]),
            revision=str(content["revision"]),
            sha256=str(content["sha256"]),
            held_out=HeldOut(**content["held_out"]),
            facts=dict(content["facts"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise ModelError("error.spam_file", reason=f"{type(problem).__name__} {problem}") from problem


@functools.cache
def spam_classifier() -> SpamClassifier:
    """The classifier that comes with the app, read once.

    Raises:
        ModelError: its file cannot be read.
    """
    return read_spam(FILE)
