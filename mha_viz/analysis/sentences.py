"""A small set of sentences that the types of a model's heads can be counted on. Written for this project."""

from __future__ import annotations

from typing import NamedTuple

from mha_viz.words import say


class Item(NamedTuple):
    """A sentence, or a pair of them.

    Attributes:
        text: the sentence, or the first of two.
        pair: the second one, or None.
    """

    text: str
    pair: str | None = None


#: Statements, questions, repeated words, lists, pronouns, numbers, and pairs of sentences.
SENTENCES: tuple[Item, ...] = tuple(Item(*line.split("\t")) for line in say("types.sentences").splitlines())
