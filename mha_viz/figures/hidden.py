"""What is hidden in a head, as areas to hatch."""

from __future__ import annotations

from mha_viz.arrays import BoolArray
from mha_viz.figures.cells import runs
from mha_viz.figures.theme import HIDDEN, NO_KEY, Box, Hatching


def hidden_areas(visible: BoolArray, left: float = -0.5, top: float = -0.5) -> dict[Hatching, list[Box]]:
    """Areas to hatch under a heatmap of ``visible``, (query, key), whose top left corner is given, in cells.

    Rows with a key are hatched grey from end to end, their visible cells lying on top; rows without a key red. Nothing if
    all is visible.
    """
    if visible.all():
        return {}
    with_key: BoolArray = visible.max(axis=-1)
    areas = {
        kind: [Box(left, top + first, visible.shape[1], length) for first, length in runs(rows)]
        for kind, rows in ((HIDDEN, with_key), (NO_KEY, ~with_key))
    }
    return {kind: boxes for kind, boxes in areas.items() if boxes}
