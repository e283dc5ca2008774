"""Several heads as lines between tokens: which lines are drawn, and all that a browser needs to draw them, as bytes.

A line leads from a query to a key that it attends to. A canvas draws a few thousand of them comfortably; where more pass the
threshold, the threshold is raised, and the record says so.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mha_viz.arrays import BoolArray, FloatArray, ReadOnlyArrays
from mha_viz.controls import HeadId
from mha_viz.errors import InputError
from mha_viz.figures import theme
from mha_viz.figures.labels import LONGEST_FULL, plain_labels
from mha_viz.tokens import TokenSequence
from mha_viz.trace import Reading
from mha_viz.words import say

#: Lines that a canvas draws comfortably, and that eyes can still tell apart.
MOST_LINES = 6_000
#: How a line is drawn, after its colour.
STYLES = ("solid", "dashed", "dotted")
#: Heads that colour and style tell apart.
MOST_HEADS = len(theme.HEADS) * len(STYLES)
#: How the tokens are laid out: in two columns, or on one line with arcs.
LAYOUTS = ("sides", "arcs")
#: Bytes of all short labels together, and of all full ones. More is only reached by tokens of very many combining marks.
_LABEL_BYTES = 18_000

Whole = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class Lines(ReadOnlyArrays):
    """Lines of several heads, the strongest last, so that it is drawn on top.

    Attributes:
        heads: whose lines they are.
        query, key: uint16 (line,), the row and the column that a line joins.
        head: uint8 (line,), a place in ``heads``.
        weight: float32 (line,).
        no_key: bool (query,), rows in which none of the heads has a key.
        padding: bool (query,), rows that mean nothing.
        before, after: whether keys before and after their query may be attended to at all.
        least: the smallest weight asked for.
        most: the strongest keys of each query and head that were asked for; 0 for all.
        possible: pairs of a query and a key that it may attend to, in all heads, that a line could have been drawn for.
        highest: the largest weight among them; 0 if there are none.
        raised_to: the smallest weight drawn where MOST_LINES did not suffice for ``least``; None where they did.
        left_out: lines that are not drawn for that reason alone; none of them is stronger than ``raised_to``.
    """

    heads: tuple[HeadId, ...]
    query: Whole
    key: Whole
    head: Whole
    weight: FloatArray
    no_key: BoolArray
    padding: BoolArray
    before: bool
    after: bool
    least: float
    most: int
    possible: int
    highest: float
    raised_to: float | None
    left_out: int

    def __post_init__(self) -> None:
        self.freeze_arrays()

    @property
    def n_lines(self) -> int:
        """How many are drawn."""
        return len(self.weight)


class _Part(NamedTuple):
    """The lines of one head that pass the threshold, of those that may be drawn the strongest MOST_LINES at least."""

    query: Whole
    key: Whole
    weight: FloatArray
    n_passed: int
    possible: int
    highest: float


def lines_of(
    reading: Reading, heads: Sequence[HeadId], *, least: float, most: int, focus: int | None, key: int | None
) -> Lines:
    """The lines of some heads.

    Args:
        reading: the weights.
        heads: one to MOST_HEADS heads.
        least: the smallest weight drawn, 0 to 1. A weight of 0 never gives a line.
        most: only so many keys of each query and head, the strongest; of equal ones the first. 0 for all.
        focus: a row: only lines from it, and those to ``key``.
        key: a column: only lines to it, and those from ``focus``.

    Raises:
        InputError: no head, too many, or one that the model does not have.
    """
    chosen = tuple(heads)
    _check(reading, chosen)
    scope = _scope(reading, focus, key)
    parts = [_of_head(reading, head, scope, least, most) for head in chosen]
    numbers = np.repeat(np.arange(len(parts), dtype=np.uint8), [len(part.weight) for part in parts])
    weight = np.concatenate([part.weight for part in parts])
    kept = _fitting(weight)
    kept = kept[np.argsort(weight[kept], kind="stable")]
    left_out = sum(part.n_passed for part in parts) - len(kept)
    layers, of_layer = [head.layer for head in chosen], [head.head for head in chosen]
    before, after = _directions(reading, chosen)
    return Lines(
        heads=chosen,
        query=np.concatenate([part.query for part in parts])[kept],
        key=np.concatenate([part.key for part in parts])[kept],
        head=numbers[kept],
        weight=weight[kept],
        no_key=np.logical_and.reduce(reading.no_key[layers, of_layer]),
        padding=np.array(reading.padding),
        before=before,
        after=after,
        least=least,
        most=most,
        possible=sum(part.possible for part in parts),
        highest=max(part.highest for part in parts),
        raised_to=float(weight[kept[0]]) if left_out else None,
        left_out=left_out,
    )


def _check(reading: Reading, heads: tuple[HeadId, ...]) -> None:
    if not 1 <= len(heads) <= MOST_HEADS:
        raise InputError("error.lines_heads", got=len(heads), most=MOST_HEADS)
    n_layers, n_heads = reading.weights.shape[:2]
    missing = [head for head in heads if not (0 <= head.layer < n_layers and 0 <= head.head < n_heads)]
    if missing:
        got = ", ".join(map(str, missing))
        raise InputError("error.no_such_head", got=got, name=reading.spec.name, layers=n_layers - 1, heads=n_heads - 1)


def _scope(reading: Reading, focus: int | None, key: int | None) -> BoolArray:
    """bool (query, key): cells that a line may stand for, as far as padding and what is followed go."""
    n_query, n_key = reading.weights.shape[-2:]
    rows, columns = np.arange(n_query)[:, None], np.arange(n_key)[None, :]
    followed = (rows == focus) | (columns == key) if focus is not None or key is not None else np.True_
    return np.broadcast_to(followed & ~reading.padding[:, None], (n_query, n_key))


def _of_head(reading: Reading, head: HeadId, scope: BoolArray, least: float, most: int) -> _Part:
    weights, visible = reading.weights[head], reading.visible[head]
    possible = visible & scope
    passed = possible & (weights >= least) & (weights > 0)
    if 0 < most < weights.shape[1]:
        passed &= _strongest(np.where(visible, weights, -1.0), most)
    query, key = np.nonzero(passed)
    weight = weights[query, key]
    n_passed, highest = len(weight), float(weights.max(where=possible, initial=0.0))
    if n_passed > MOST_LINES:  # weaker ones have no chance among all heads either
        enough = weight >= np.partition(weight, n_passed - MOST_LINES)[n_passed - MOST_LINES]
        query, key, weight = query[enough], key[enough], weight[enough]
    places = query.astype(np.uint16), key.astype(np.uint16)
    return _Part(*places, weight.astype(np.float32), n_passed, int(np.count_nonzero(possible)), highest)


def _strongest(weights: FloatArray, most: int) -> BoolArray:
    """bool (query, key): the ``most`` largest of each row; of equal ones the first."""
    place = weights.shape[1] - most
    edge = np.partition(weights, place, axis=1)[:, place, None]
    above, level = weights > edge, weights == edge
    room = most - above.sum(axis=1, keepdims=True)
    return above | (level & (np.cumsum(level, axis=1) <= room))


def _fitting(weight: FloatArray) -> Whole:
    """Places of the strongest MOST_LINES.

    Of equal weights at the edge some are taken evenly from all over: the first ones would all begin at the same few queries.
    """
    if len(weight) <= MOST_LINES:
        return np.arange(len(weight))
    edge = np.partition(weight, len(weight) - MOST_LINES)[len(weight) - MOST_LINES]
    above, level = np.flatnonzero(weight > edge), np.flatnonzero(weight == edge)
    room = MOST_LINES - len(above)
    evenly = level[np.arange(room) * len(level) // room]
    return np.concatenate([above, evenly])


def _directions(reading: Reading, heads: tuple[HeadId, ...]) -> tuple[bool, bool]:
    """Whether any head lets a query see a key before it, and after it: arcs need room on that side."""
    seen = np.logical_or.reduce([reading.visible[head] for head in heads])
    return bool(np.tril(seen, -1).any()), bool(np.triu(seen, 1).any())


def payload(
    lines: Lines,
    tokens: TokenSequence,
    *,
    layout: str,
    focus: int | None,
    key: int | None,
    positions: Sequence[int] | None = None,
) -> bytes:
    """All that a browser needs to draw the lines and to name them.

    Args:
        lines: what to draw.
        tokens: of the rows and columns.
        layout: one of LAYOUTS.
        focus, key: the row and the column that are followed.
        positions: of each row's first token in the run, for sentences; the rows themselves if None.

    Returns:
        the length of a header (4 bytes, little end first), the header (JSON), then the arrays of the lines, little end first:
        weight (float32), query, key (uint16), head (uint8). At most 150 KB at 512 tokens: 9 bytes a line, and bounded labels.
    """
    labels, full = plain_labels(tokens), plain_labels(tokens, LONGEST_FULL)
    titles = [title if title != label else "" for title, label in zip(full, labels, strict=True)]
    header = {
        "n_lines": lines.n_lines,
        "labels": _bounded(labels),
        "titles": {place: title for place, title in enumerate(_bounded(titles)) if title},
        "positions": list(positions) if positions is not None else list(range(len(labels))),
        "marks": _marks(lines, tokens),
        "heads": [_drawn_as(number, head) for number, head in enumerate(lines.heads)],
        "layout": layout,
        "focus": focus,
        "key": key,
        "before": lines.before,
        "after": lines.after,
        "words": _words(),
    }
    told = json.dumps(header, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    told += b" " * (-len(told) % 4)  # the numbers begin where a browser can read them as they are
    arrays = [(lines.weight, "<f4"), (lines.query, "<u2"), (lines.key, "<u2"), (lines.head, "u1")]
    return struct.pack("<I", len(told)) + told + b"".join(array.astype(kind).tobytes() for array, kind in arrays)


def _marks(lines: Lines, tokens: TokenSequence) -> dict[str, list[int]]:
    """Rows and columns that are written in another way."""
    return {
        "no_key": np.flatnonzero(lines.no_key & ~lines.padding).tolist(),
        "padding": np.flatnonzero(lines.padding).tolist(),
        "special": [place for place, special in enumerate(tokens.special) if special],
    }


def _drawn_as(number: int, head: HeadId) -> dict[str, str]:
    round_, hue = divmod(number, len(theme.HEADS))
    return {"name": str(head), "colour": theme.HEADS[hue], "style": STYLES[round_]}


def _bounded(texts: list[str]) -> list[str]:
    """The texts; each cut to an equal share of the room if they do not fit together."""
    if sum(len(text.encode()) for text in texts) <= _LABEL_BYTES:
        return texts
    share = max(_LABEL_BYTES // len(texts), 8)
    return [
        text if len(text.encode()) <= share else text.encode()[: share - 3].decode(errors="ignore") + "…"
        for text in texts
    ]


def _words() -> dict[str, str]:
    """Every sentence of the picture; the places in braces are filled in the browser."""
    query, key = {"q": "{q}", "query": "{query}"}, {"k": "{k}", "key": "{key}"}
    end = {"token": "{token}", "at": "{at}"}
    return {
        "name": say("lines.name", n_tokens="{n_tokens}", n_heads="{n_heads}"),
        "queries": say("lines.queries"),
        "keys": say("lines.keys"),
        "line": say("lines.line", weight="{weight}", head="{head}", **query, **key),
        "from": say("lines.from", ends="{ends}", **query),
        "to": say("lines.to", ends="{ends}", **key),
        "end": say("lines.end", weight="{weight}", head="{head}", **end),
        "more": say("lines.more", more="{more}"),
        "none_from": say("lines.none_from", **query),
        "none_to": say("lines.none_to", **key),
        "no_key": say("lines.no_key", **query),
        "padding": say("lines.padding", **query),
        "hint_sides": say("lines.hint_sides"),
        "hint_arcs": say("lines.hint_arcs"),
        "show_all": say("lines.show_all"),
        "show_all_help": say("lines.show_all_help"),
        "toggle": say("lines.toggle", head="{head}"),
        "scale": say("lines.scale"),
    }
