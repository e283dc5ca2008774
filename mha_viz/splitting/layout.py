"""Where everything stands: whole matrices, and a card for every head, with cells as large as they can be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from mha_viz.splitting.records import HEIGHT, WIDTH, Block, Colour, Reveal, Rows, Sheet

#: Largest cell; a number of four figures fits into it.
WIDEST, HIGHEST = 46.0, 40.0
#: Room at the left for tokens' labels, and at the top for the label of a sheet.
LEFT, TOP = 170.0, 70.0


class Area(NamedTuple):
    """A part of the stage."""

    x: float
    y: float
    width: float
    height: float


#: What is left for cells.
STAGE = Area(LEFT, TOP, WIDTH - LEFT - 40.0, HEIGHT - TOP - 40.0)


@dataclass(frozen=True)
class Part:
    """One array on a head's card.

    Attributes:
        array, label, colour, reveal: as of a Sheet.
        columns: of one head.
        by_head: True for arrays (head, row, column), where a head has all columns; False where it has its own slice.
    """

    array: str
    label: str
    columns: int
    by_head: bool
    colour: Colour = "diverging"
    reveal: Reveal = "none"

    def block(self, head: int, x: float, y: float) -> Block:
        """Its block on a head's card."""
        start = 0 if self.by_head else head * self.columns
        return Block(head, start, start + self.columns, round(x, 2), round(y, 2))


class _Grid(NamedTuple):
    """Cards in rows; sizes of a card and of its cells, one width a part."""

    across: int
    card: tuple[float, float]
    widths: tuple[float, ...]
    height: float
    beside: bool
    inner: float
    title: float


def matrix(
    array: str, label: str, n_heads: int | None, shape: tuple[int, int], area: Area, rows_are: Rows = "tokens"
) -> Sheet:
    """A whole matrix in the middle of an area, its heads' columns side by side without a gap.

    Args:
        array, label: as of a Sheet.
        n_heads: whose blocks its columns are; None for one block of no head.
        shape: rows and columns.
        area: to stand in.
        rows_are: what its rows are.
    """
    rows, columns = shape
    width, height = min(area.width / columns, WIDEST), min(area.height / rows, HIGHEST)
    left, top = area.x + (area.width - columns * width) / 2, area.y + (area.height - rows * height) / 2
    each = columns // (n_heads or 1)
    blocks = tuple(
        Block(
            None if n_heads is None else at,
            at * each,
            (at + 1) * each,
            round(left + at * each * width, 2),
            round(top, 2),
        )
        for at in range(n_heads or 1)
    )
    return Sheet(array, label, blocks, _cell(width, height), rows=rows_are)


def cards(parts: list[Part], n_heads: int, rows: int, area: Area = STAGE, *, tokens: bool = True) -> tuple[Sheet, ...]:
    """The parts of every head on a card of its own; the cards in rows.

    Args:
        parts: what is on a card.
        n_heads: how many cards.
        rows: of every part.
        area: to stand in.
        tokens: whether rows are labelled with tokens: of the first part, or of all where they stand under each other.
    """
    grid = max(
        (
            _grid(parts, n_heads, rows, area, across, beside)
            for across in range(1, n_heads + 1)
            for beside in (True, False)
        ),
        key=_readable,
    )
    blocks: list[list[Block]] = [[] for _ in parts]
    for head in range(n_heads):
        column, row = head % grid.across, head // grid.across
        x, y = area.x + column * grid.card[0], area.y + row * grid.card[1] + grid.title
        taken = [part.columns * width for part, width in zip(parts, grid.widths, strict=True)]
        across = sum(taken) + grid.inner * (len(parts) - 1) if grid.beside else max(taken)
        x += max((grid.card[0] - across) / 2, 0.0) if grid.across == 1 else 0.0
        for part, width, found in zip(parts, taken, blocks, strict=True):
            found.append(part.block(head, x, y))
            if grid.beside:
                x += width + grid.inner
            else:
                y += rows * grid.height + grid.inner
    others: Rows = "none" if grid.beside else "tokens"
    labelled: list[Rows] = ["tokens", *(others for _ in parts[1:])] if tokens else ["none"] * len(parts)
    return tuple(
        Sheet(part.array, part.label, tuple(found), _cell(width, grid.height), part.colour, rows_are, part.reveal)
        for part, found, width, rows_are in zip(parts, blocks, grid.widths, labelled, strict=True)
    )


def _grid(parts: list[Part], n_heads: int, rows: int, area: Area, across: int, beside: bool) -> _Grid:
    """The grid with so many cards in a row, its parts beside or under each other."""
    width, height = area.width / across, area.height / math.ceil(n_heads / across)
    gap, title = min(0.1 * width, 40.0), min(0.29 * height, 54.0)
    n_inner = len(parts) - 1
    if beside:
        inner = min(0.04 * width, 26.0)
        room = (width - gap - n_inner * inner) / sum(part.columns for part in parts)
        widths = tuple(min(room, WIDEST) for _ in parts)
        cell_height = min((height - title - 0.06 * height) / rows, HIGHEST)
    else:
        inner = min(0.08 * height, 54.0)
        widths = tuple(min((width - gap) / part.columns, WIDEST) for part in parts)
        cell_height = min((height - title - (n_inner + 1) * inner) / (len(parts) * rows), HIGHEST)
    return _Grid(across, (width, height), widths, cell_height, beside, inner, title)


def _readable(grid: _Grid) -> tuple[float, float]:
    """Larger is better: the smaller side of the smallest cell, then its area."""
    width = min(grid.widths)
    return min(width, grid.height), width * grid.height


def _cell(width: float, height: float) -> tuple[float, float]:
    return (math.floor(width * 100) / 100, math.floor(height * 100) / 100)
