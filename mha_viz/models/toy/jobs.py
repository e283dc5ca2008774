"""The designed heads: what each one promises, and whether it keeps its promise. NumPy only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mha_viz.arrays import BoolArray
from mha_viz.tokens import TokenSequence
from mha_viz.trace import AttentionTrace

#: The local average takes in this many tokens on each side.
NEIGHBOURS = 2

#: A head that puts less of its weight on the promised keys no longer does its job.
KEPT = 0.9


@dataclass(frozen=True)
class Job:
    """What one designed head does.

    Attributes:
        kind: "job.KIND" is its name and "job.KIND.how" how it is built, in the table of words.
        promised: TokenSequence to bool (query, key), the keys the head promises to attend to; a row without one promises
            nothing.
        offset: position of the promised key less that of the query, for the heads that look at a fixed distance.
    """

    kind: str
    promised: Callable[[TokenSequence], BoolArray]
    offset: int | None = None

    @property
    def distance(self) -> int:
        """Tokens between query and promised key; 0 where the job is not about a distance."""
        return abs(self.offset or 0)


def _distances(tokens: TokenSequence) -> np.ndarray:
    positions = np.arange(tokens.n_tokens)
    return positions[None, :] - positions[:, None]


def _at(offset: int, kind: str) -> Job:
    return Job(kind, lambda tokens: _distances(tokens) == offset, offset)


def _first(tokens: TokenSequence) -> BoolArray:
    return np.broadcast_to(np.arange(tokens.n_tokens) == 0, (tokens.n_tokens, tokens.n_tokens))


def _same_word(tokens: TokenSequence) -> BoolArray:
    ids = np.array(tokens.ids)
    return (ids[:, None] == ids[None, :]) & (_distances(tokens) != 0)


def _neighbourhood(tokens: TokenSequence) -> BoolArray:
    return np.abs(_distances(tokens)) <= NEIGHBOURS


def _everything(tokens: TokenSequence) -> BoolArray:
    return np.ones((tokens.n_tokens, tokens.n_tokens), dtype=bool)


_FIRST_SEVEN = (
    _at(-1, "previous"),
    _at(1, "next"),
    Job("first", _first),
    _at(0, "itself"),
    Job("same_word", _same_word),
    Job("local", _neighbourhood),
    Job("even", _everything),
)


def job_of(head: int) -> Job:
    """The job of a head, whatever the number of heads: seven kinds, then ever larger distances back and ahead."""
    if head < len(_FIRST_SEVEN):
        return _FIRST_SEVEN[head]
    step, ahead = divmod(head - len(_FIRST_SEVEN), 2)
    return _at(step + 2, "ahead") if ahead else _at(-step - 2, "back")


def share_kept(trace: AttentionTrace, head: int) -> float | None:
    """Mean weight that ``head`` puts on its promised keys, over the queries that have one; None if no query has.

    Weights are of a run of the designed toy; with a mask or another temperature it says what they do to the promise.
    """
    promised = job_of(head).promised(trace.query_tokens) & trace.visible[0, head]
    rows = promised.any(axis=-1)
    if not rows.any():
        return None
    on_promised = np.where(promised, trace.weights[0, head], 0.0).sum(axis=-1)
    return float(on_promised[rows].mean())
