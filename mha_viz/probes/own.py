"""Probes that a person writes: in a line, or in the fields of a form."""

from __future__ import annotations

import math

from mha_viz.errors import InputError
from mha_viz.probes.places import word_of
from mha_viz.probes.records import PairClaim, Probe
from mha_viz.words import say

#: Between the parts of a line, and between the two words.
_BAR, _ARROW = "|", "->"
#: Times chance, where it is not said.
TIMES = 2.0


def own_probe(sentence: str, query: str, key: str, times: float = TIMES, *, pair: str | None = None) -> Probe:
    """A probe from the fields of a form: some head gives at least ``times`` times chance from ``query`` to ``key``.

    Args:
        sentence: what is read.
        query, key: words of it; "cat#2" is the second "cat".
        times: times chance.
        pair: a second sentence, or None.

    Raises:
        InputError: no sentence or no word; a word is not in it, or is there several times and it is not said which; both are the
            same word; a number that is not above 0.
    """
    sentence, words = sentence.strip(), (word_of(query), word_of(key))
    if not sentence or not all(word.text for word in words):
        raise InputError("error.probe_empty")
    if not math.isfinite(times) or times <= 0:
        raise InputError("error.probe_times", got=times)
    asked, wanted = words
    claim = PairClaim(asked, (wanted,), times)
    text = say("probe.own", query=asked, key=wanted, times=f"{times:g}")
    name = f"own:{asked}>{wanted}"
    probe = Probe(name, "own", sentence, claim, text, say("probe.own.source"), pair=pair or None)
    if asked.text.casefold() == wanted.text.casefold() and (asked.nth or 1) == (wanted.nth or 1):
        raise InputError("error.probe_same_word", word=asked)
    return probe


def parse_line(line: str) -> Probe:
    """A probe from a line: "sentence | query -> key" or "sentence | query -> key | times".

    Raises:
        InputError: another form, or as ``own_probe``.
    """
    parts = [part.strip() for part in line.split(_BAR)]
    words = parts[1].split(_ARROW) if len(parts) in (2, 3) else []
    if len(words) != 2:
        raise InputError("error.probe_line", got=line.strip())
    try:
        times = float(parts[2]) if len(parts) == 3 else TIMES
    except ValueError as error:
        raise InputError("error.probe_times", got=parts[2]) from error
    return own_probe(parts[0], words[0], words[1], times)
