"""All heads of all layers as thumbnails: a bounded number of bytes, whatever the length of the sentence.

Each cell of a thumbnail is the largest weight of the tokens it covers. The picture itself is drawn in the browser, from one
byte a cell.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mha_viz.arrays import FloatArray, compact
from mha_viz.figures.cells import block_max, pooling_step, round_up
from mha_viz.figures.colour import PLAIN, Colour
from mha_viz.trace import Reading

#: Cells of all thumbnails together, one byte each: 144 heads of 32 x 32.
MOST_CELLS = 147_456
#: Cells on a side of a thumbnail.
MOST_SIDE = 32
#: The byte of a cell in which every pair of tokens is hidden; 0 to HIGHEST are colours.
HIDDEN, HIGHEST = 255, 254


class Thumbnails(NamedTuple):
    """All heads, pooled.

    Attributes:
        codes: uint8 (layer, head, row, column): 0 to HIGHEST from no weight to the end of the scale, HIDDEN where nothing may be
            attended to.
        step: tokens that a cell covers on each side; 1 if every cell is one pair of tokens.
        ends: float64 (layer, head), the weight at the end of each head's scale; all the same if the scale is shared.
    """

    codes: npt.NDArray[np.uint8]
    step: int
    ends: FloatArray


def most_side(n_layers: int, n_heads: int) -> int:
    """Cells on a side of each thumbnail that keep all of them within MOST_CELLS."""
    return min(MOST_SIDE, max(math.isqrt(MOST_CELLS // (n_layers * n_heads)), 4))


def thumbnails(reading: Reading, colour: Colour = PLAIN) -> Thumbnails:
    """Every head of every layer.

    Args:
        reading: where the heads read.
        colour: linear, root or log, shared by all heads of all layers or for each head its own.
    """
    n_layers, n_heads, n_tokens, _ = reading.weights.shape
    step = pooling_step(n_tokens, most_side(n_layers, n_heads))
    # Hidden cells weigh exactly 0, so that they never are the largest.
    cells = np.stack([block_max(of_layer, step) for of_layer in reading.weights])
    largest = cells.max(axis=(-2, -1)).astype(np.float64)
    if colour.shared:
        largest = np.full_like(largest, largest.max())
    ends = np.minimum(np.vectorize(round_up, otypes=[float])(largest), 1.0)
    codes = np.empty(cells.shape, dtype=np.uint8)
    for place in np.ndindex(ends.shape):
        codes[place] = np.rint(colour.share(cells[place], float(ends[place])) * HIGHEST)
    visible = compact(reading.visible)
    if not visible.all():
        full = np.broadcast_to(visible, (*visible.shape[:2], n_tokens, n_tokens))
        codes[np.broadcast_to(~block_max(full, step), codes.shape)] = HIDDEN
    return Thumbnails(codes, step, ends)


class Caption(NamedTuple):
    """What is written about each head; (layer, head) arrays and one list of texts, flat.

    Attributes:
        values: the metric as text.
        shares: how long its bar is, 0 to 1; NaN for none.
        notes: one more line about each head, for pointing at it.
        faint: True for heads that the filter leaves out.
    """

    values: Sequence[str]
    shares: FloatArray
    notes: Sequence[str]
    faint: npt.NDArray[np.bool_]

    @classmethod
    def none(cls, count: int) -> Caption:
        """Nothing about ``count`` heads."""
        return cls([""] * count, np.full(count, np.nan), [""] * count, np.zeros(count, dtype=bool))


def payload(
    pictures: Thumbnails,
    caption: Caption,
    order: npt.NDArray[np.int_],
    *,
    chosen: int,
    sorted_by_metric: bool,
    palette: Sequence[str],
    words: dict[str, str],
) -> bytes:
    """What the browser is sent: the length of a JSON text in four bytes, the text, then the cells of all heads by layer.

    Args:
        pictures: the thumbnails.
        caption: what is written about them.
        order: flat numbers of heads, layer * n_heads + head, from first to last.
        chosen: the head that is outlined.
        sorted_by_metric: False if ``order`` is by layer and head.
        palette: colours from low to high, "#rrggbb".
        words: the component's sentences.
    """
    n_layers, n_heads, side, _ = pictures.codes.shape
    header: dict[str, Any] = {
        "layers": n_layers,
        "heads": n_heads,
        "side": side,
        "order": order.tolist(),
        "sorted": sorted_by_metric,
        "chosen": chosen,
        "values": list(caption.values),
        "shares": [None if math.isnan(share) else round(share, 3) for share in caption.shares.ravel().tolist()],
        "notes": list(caption.notes),
        "faint": np.flatnonzero(caption.faint).tolist(),
        "palette": list(palette),
        "words": words,
    }
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    return len(text).to_bytes(4, "little") + text + pictures.codes.tobytes()
