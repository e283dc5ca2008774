"""One head in one byte a cell, for sentences whose exact weights would be too much to send at once."""

from __future__ import annotations

import json

import numpy as np
import numpy.typing as npt

from mha_viz.arrays import FloatArray
from mha_viz.figures import theme
from mha_viz.figures.cells import check_place, highest_weight
from mha_viz.figures.colour import PLAIN, Colour
from mha_viz.figures.labels import hover_texts, plain_labels
from mha_viz.figures.overview import HIDDEN, HIGHEST
from mha_viz.trace import Reading

#: Tokens up to which a head is sent as exact numbers.
MOST_EXACT = 256


def codes_of(
    reading: Reading, layer: int, head: int, colour: Colour = PLAIN, highest: float | None = None
) -> tuple[npt.NDArray[np.uint8], float]:
    """uint8 (query, key): 0 to HIGHEST on the scale, HIDDEN where attending is not allowed; and the weight at its end.

    ``highest`` as of ``head_heatmap``.
    """
    check_place(reading, layer, head)
    top = highest if highest is not None else highest_weight(reading, layer, None if colour.shared else head)
    codes = np.rint(colour.share(reading.weights[layer, head], top).clip(0.0, 1.0) * HIGHEST).astype(np.uint8)
    codes[~reading.visible[layer, head]] = HIDDEN
    return codes, top


def weights_of_codes(colour: Colour, top: float) -> FloatArray:
    """(HIGHEST + 1,): the weight that each code stands for."""
    return colour.weight_at(np.arange(HIGHEST + 1) / HIGHEST, top)


def head_payload(
    reading: Reading,
    layer: int,
    head: int,
    *,
    focus: int | None,
    key: int | None,
    colour: Colour,
    highest: float | None = None,
    words: dict[str, str],
) -> bytes:
    """What the browser is sent: the length of a JSON text in four bytes, the text, then the cells.

    Args:
        reading: where the heads read.
        layer, head: from 0.
        focus, key: a row that is outlined, and a column.
        colour: how weights become colours.
        highest: as of ``head_heatmap``.
        words: the component's sentences; "{high}" in "high" is filled here.
    """
    codes, top = codes_of(reading, layer, head, colour, highest)
    tokens = reading.query_tokens
    header = {
        "n": reading.n_tokens,
        "labels": plain_labels(tokens),
        "titles": hover_texts(tokens),
        "weights": [f"{weight:.4f}" for weight in weights_of_codes(colour, top).tolist()],
        "focus": focus,
        "key": key,
        "palette": theme.stops(colour.palette),
        "words": words | {"high": theme.number(top)},
    }
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    return len(text).to_bytes(4, "little") + text + codes.tobytes()
