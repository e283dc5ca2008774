"""Weights as JSON: nested lists in the order layer, head, query, key, after what is known of them."""

from __future__ import annotations

from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from mha_viz.analysis.work import Work
from mha_viz.errors import InputError
from mha_viz.export.about import about, as_text
from mha_viz.export.parts import ALL, Chosen, Part
from mha_viz.trace import Reading

#: Weights of one file; a browser reads about as many at once.
MOST_JSON = 2_000_000
#: Rows that are written at a time.
_AT_ONCE = 64


def write_json(reading: Reading, file: BinaryIO, part: Part = ALL, revision: str = "") -> Work[None]:
    """Writes some weights as JSON, in ASCII.

    The object has ``about``, ``layers``, ``heads``, ``queries`` and ``keys`` (positions), ``query_tokens`` and ``key_tokens`` (of
    these), ``weights`` [layer][head][query][key] and ``hidden``, of the same shape: 1 where attending is not allowed, or null if
    it is everywhere.

    Args:
        reading: a run, or a reading of one.
        file: open for writing bytes.
        part: which weights.
        revision: of the model.

    Returns:
        work that yields the share that is written.

    Raises:
        InputError: more than MOST_JSON weights, or a part that is not there; when the work begins.
    """
    chosen = part.within(reading)
    if chosen.n_rows > MOST_JSON:
        raise InputError("error.export_rows_json", got=chosen.n_rows, limit=MOST_JSON)
    file.write(as_text(_told(reading, chosen, revision))[:-1].encode())
    rows = list(chosen.queries)
    places = [(layer, head) for layer in chosen.layers for head in chosen.heads]
    hides = any(not reading.visible[place][rows].all() for place in places)
    names = ("weights", "hidden") if hides else ("weights",)
    for at, name in enumerate(names):
        file.write(f', "{name}": [['.encode())
        for number, place in enumerate(places):
            if number:
                file.write(b",\n" if number % len(chosen.heads) else b"],\n[")
            for first in range(0, len(rows), _AT_ONCE):
                part_of = rows[first : first + _AT_ONCE]
                cells = reading.weights[place][part_of] if at == 0 else np.logical_not(reading.visible[place][part_of])
                file.write((b",\n" if first else b"[") + _rows(cells))
                share = (number + min(first + _AT_ONCE, len(rows)) / len(rows)) / len(places)
                yield (at + share) / len(names)
            file.write(b"]")
        file.write(b"]]")
    file.write(b"}\n" if hides else b', "hidden": null}\n')


def _told(reading: Reading, chosen: Chosen, revision: str) -> dict[str, Any]:
    queries, keys = reading.query_tokens, reading.key_tokens
    return {
        "about": about(reading, revision),
        "layers": chosen.layers,
        "heads": chosen.heads,
        "queries": [queries.number(place) for place in chosen.queries],
        "keys": [keys.number(place) for place in range(keys.n_tokens)],
        "query_tokens": [queries.tokens[place] for place in chosen.queries],
        "key_tokens": keys.tokens,
    }


def _rows(cells: npt.NDArray[Any]) -> bytes:
    """Each weight with as many digits as tell it from any other float32, each flag as 0 or 1."""
    plain = cells.astype(int) if cells.dtype == bool else cells.astype(np.float32)
    return ",\n".join(f"[{','.join(map(str, row))}]" for row in plain).encode()
