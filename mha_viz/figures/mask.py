"""A mask as a small picture, for cards."""

from __future__ import annotations

import numpy as np

from mha_viz.arrays import BoolArray, FloatArray
from mha_viz.figures import theme
from mha_viz.figures.cells import pooling_step, runs

#: Cells on a side; of more tokens several are pooled into one.
MOST_CELLS = 48
#: How strong a cell is of which only a part is visible.
_PARTLY = 0.5


def mask_picture(visible: BoolArray) -> str:
    """A mask as an address that holds an SVG of it, for an image of any square size.

    Args:
        visible: bool (query, key).

    Returns:
        "data:image/svg+xml,...", without double quotes. A visible cell is filled, a hidden one hatched grey. Above
        ``MOST_CELLS`` tokens a cell stands for several: filled if all that it covers are visible, half as strongly if only
        some are, so that neither a single hidden key nor a single visible one disappears.
    """
    shares = _shares(visible, pooling_step(max(visible.shape), MOST_CELLS))
    n_rows, n_columns = shares.shape
    extent = theme.Box(0, 0, n_columns, n_rows)
    parts = []
    for strength, cells in ((1.0, shares == 1.0), (_PARTLY, (shares > 0.0) & (shares < 1.0))):
        boxes = _boxes(cells)
        if boxes:
            path = theme.svg_path(boxes, extent)
            parts.append(f"<path d='{path}' fill='{theme.VISIBLE}' fill-opacity='{strength:g}'/>")
    hidden = _boxes(shares < 1.0)
    if hidden:
        parts.insert(0, theme.hatched_part("h", theme.HIDDEN, hidden, extent, 2 * max(n_rows, n_columns)))
    return theme.svg_address("".join(parts), n_columns, n_rows, " shape-rendering='crispEdges'")


def _shares(visible: BoolArray, step: int) -> FloatArray:
    """Share of the cells that are visible in each block of ``step`` by ``step``, (row, column)."""
    counts = np.stack([visible, np.ones_like(visible)]).astype(np.int64)
    for axis in (1, 2):
        counts = np.add.reduceat(counts, np.arange(0, counts.shape[axis], step), axis=axis)
    return counts[0] / counts[1]


def _boxes(cells: BoolArray) -> list[theme.Box]:
    """The True cells as rectangles: equal rows that follow each other are one."""
    boxes = []
    first = 0
    for row in range(1, len(cells) + 1):
        if row == len(cells) or not np.array_equal(cells[row], cells[first]):
            boxes += [theme.Box(start, first, length, row - first) for start, length in runs(cells[first])]
            first = row
    return boxes
