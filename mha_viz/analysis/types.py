"""A type for each head, by rules that are written out in a table: thresholds, what they look at, whose idea.

Only rows with at least two allowed keys are looked at: with a single one a head has no choice. A rule on a share also demands
at least twice what even attention over the allowed keys would give, so that short sentences and even weights are not called
anything but broad. The first rule of RULES that holds gives the name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from mha_viz.arrays import BoolArray, FloatArray, ReadOnlyArrays, expect_shape
from mha_viz.metrics import Rows, layers_of, mean_over
from mha_viz.metrics.rows import TINY
from mha_viz.trace import Reading
from mha_viz.words import say

#: A share must be at least this many times what even attention would give.
TIMES_EVEN = 2.0
#: Weights are float32: a share that is this much below a threshold has reached it.
_ROUNDING = 1e-6

NameArray = npt.NDArray[np.str_]


@dataclass(frozen=True)
class Rule:
    """When a head is of a type.

    Attributes:
        name: the type; in the table of words "type.NAME" is its title, "type.NAME.rule" the rule with its thresholds and
            "type.NAME.source" where it comes from.
        metric: the metric of the same kind in METRICS, or None. The rule takes it over the rows that can tell: with a
            choice, and with such a key.
        threshold: the least that the share must be; for "block" the least that it must be above what even attention gives.
        idea: whose idea the type is: "clark" (Clark et al. 2019), "kovaleva" (Kovaleva et al. 2019) or "ours".
        kind: "share": also at least TIMES_EVEN times what even attention gives; "above": the difference to it counts;
            "plain": the threshold alone.
    """

    name: str
    metric: str | None
    threshold: float
    idea: Literal["clark", "kovaleva", "ours"]
    kind: Literal["share", "above", "plain"] = "share"

    def holds(self, share: FloatArray, even: FloatArray) -> BoolArray:
        """bool (head,): whether the heads with these shares are of this type; False where a share is NaN."""
        compared = share - even if self.kind == "above" else share
        least = np.maximum(self.threshold, TIMES_EVEN * even) if self.kind == "share" else self.threshold
        return compared >= least - _ROUNDING

    @property
    def sentence(self) -> str:
        """The rule in words, with its thresholds."""
        return say(f"type.{self.name}.rule", threshold=f"{self.threshold:g}", times=f"{TIMES_EVEN:g}")

    @property
    def source(self) -> str:
        """Where it comes from, in words."""
        return say(f"type.{self.name}.source", idea=say(f"type.idea.{self.idea}"))


#: In the order in which they are tried. A sink comes before "same word" and "itself", because a key that gets everything
#: is for some rows the same word or the query itself; "same word" before "itself", because a head for the same word must
#: look somewhere where no word is repeated; all others before "special", which is the vaguer sink.
RULES: tuple[Rule, ...] = (
    Rule("previous", "previous", 0.5, "clark"),
    Rule("next", "next", 0.5, "clark"),
    Rule("sink", "sink", 0.5, "ours"),
    Rule("same_word", "same_word", 0.5, "ours"),
    Rule("itself", "self", 0.5, "ours"),
    Rule("special", "special", 0.6, "clark"),
    Rule("block", None, 0.25, "kovaleva", "above"),
    Rule("broad", "entropy_share", 0.9, "clark", "plain"),
)
MIXED = "mixed"
#: No query has a choice: nothing can be told.
UNTOLD = ""
#: Every name that a head can get.
TYPES: tuple[str, ...] = (*(rule.name for rule in RULES), MIXED, UNTOLD)


class _Share(NamedTuple):
    """(head,) each: what a rule looks at, and what even attention gives there. NaN where nothing can be told."""

    share: FloatArray
    even: FloatArray


@dataclass(frozen=True, eq=False)
class HeadTypes(ReadOnlyArrays):
    """The type of each head in one run.

    Attributes:
        names: str (layer, head), each one of TYPES.
        strength: float64 (layer, head), the share that decided; NaN for "mixed" and "", where none did.
        even: float64 (layer, head), what even attention gives there.

    Raises:
        RecordError: shapes differ.
    """

    names: NameArray
    strength: FloatArray
    even: FloatArray

    def __post_init__(self) -> None:
        expect_shape("strength", self.strength, self.names.shape)
        expect_shape("even", self.even, self.names.shape)
        self.freeze_arrays()


def title_of(name: str) -> str:
    """A type in words."""
    return say(f"type.{name or 'untold'}")


def types_of(trace: Reading, *, rows: Sequence[Rows] | None = None) -> HeadTypes:
    """The type of each head.

    Args:
        trace: a run, or a reading of one.
        rows: what ``metrics.layers_of`` gave, if the metrics are measured too: what is summed for both is summed once.
    """
    layers = [_of_layer(layer) for layer in (layers_of(trace) if rows is None else rows)]
    return HeadTypes(*(np.stack(arrays) for arrays in zip(*layers, strict=True)))


def _of_layer(rows: Rows) -> tuple[NameArray, FloatArray, FloatArray]:
    """Names, strength and even value of each head of a layer."""
    choice = rows.counts & (rows.n_allowed > 1)
    shares = _shares(rows, choice)
    names = np.full(rows.n_heads, MIXED, dtype="<U9")
    strength, even = np.full(rows.n_heads, np.nan), np.full(rows.n_heads, np.nan)
    names[~choice.any(axis=-1)] = UNTOLD
    for rule in RULES:
        found = rule.holds(*shares[rule.name]) & (names == MIXED)
        names[found] = rule.name
        strength[found], even[found] = shares[rule.name].share[found], shares[rule.name].even[found]
    return names, strength, even


_OFFSETS = {"previous": -1, "next": 1, "itself": 0}


def _shares(rows: Rows, choice: BoolArray) -> dict[str, _Share]:
    """What each rule looks at, over the rows in ``choice``, bool (head, query)."""
    shares = {name: _at_offset(rows, choice, offset) for name, offset in _OFFSETS.items()}
    shares["sink"] = _sink(rows, choice)
    told = choice & rows.has_same_word
    shares["same_word"] = (
        _both(rows, told, lambda of: of.on_same_word) if told.any() else _Share(*np.full((2, rows.n_heads), np.nan))
    )
    shares["special"] = _both(rows, choice, lambda of: of.on("special"))
    shares["block"] = _block(rows, choice)
    most = np.log(np.maximum(rows.n_allowed, 2))
    shares["broad"] = _both(rows, choice, lambda of: of.entropies / most)
    return shares


def _both(rows: Rows, which: BoolArray, per_row: Callable[[Rows], FloatArray]) -> _Share:
    """The same mean of the weights and of even ones; ``per_row`` gives (head, query)."""
    return _Share(*(mean_over(per_row(of), which) for of in (rows, rows.even)))


def _at_offset(rows: Rows, choice: BoolArray, offset: int) -> _Share:
    """Over the rows that have such a key: here a perfect head reads 1, not (n - 1) / n."""
    return _both(rows, choice & rows.has_offset(offset), lambda of: of.at_offset(offset))


def _sink(rows: Rows, choice: BoolArray) -> _Share:
    """The key that gets most, and what even attention gives to that one."""
    received = rows.received if np.array_equal(choice, rows.counts) else rows.received_from(choice)
    most = received.argmax(axis=-1)[:, None]
    even = rows.even.received_from(choice)
    return _Share(*(np.take_along_axis(of, most, axis=-1)[:, 0] for of in (received, even)))


def _block(rows: Rows, choice: BoolArray) -> _Share:
    """Weight within the query's own sentence, without special tokens on both sides, what is left of a row scaled to 1."""
    query, key = rows.places.query, rows.places.key
    if len(np.unique(key.segment[key.plain])) < 2:
        return _Share(*np.full((2, rows.n_heads), np.nan))

    def within(of: Rows) -> FloatArray:
        own = np.where(query.segment == 0, of.on("segment_0"), of.on("segment_1"))
        return own / np.maximum(of.on("plain"), TINY)

    left = choice & query.plain & (rows.on("plain") > TINY)
    return _both(rows, left, within)
