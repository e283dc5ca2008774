"""The steps as one dictionary for JSON, and their numbers as bytes: all that a renderer needs."""

from __future__ import annotations

from typing import Any

import numpy as np

from mha_viz.splitting.records import Line, Sheet, Splitting, Step

VERSION = 1
#: Fields of a step that hold its code.
_TEXTS = ("code", "numpy")


def payload(splitting: Splitting) -> tuple[dict[str, Any], bytes]:
    """A dictionary without NaN or infinity, and float32 numbers, little end first.

    Args:
        splitting: the steps.

    Returns:
        the dictionary, whose ``arrays`` say where in the bytes each begins, counted in numbers; the bytes.
    """
    arrays, numbers = _arrays(splitting)
    sample = splitting.sample
    told = {
        "version": VERSION,
        "model": splitting.model,
        "layer": splitting.layer,
        "tokens": list(splitting.tokens),
        "n_tokens": splitting.n_tokens,
        "d_model": splitting.d_model,
        "n_heads": splitting.n_heads,
        "d_k": splitting.d_k,
        "shown": {"rows": list(sample.rows), "columns": list(sample.columns), "note": sample.note},
        "arrays": arrays,
        # Each text once: nine copies would be most of what is sent. A step names the places of its lines.
        "code": {text: [_line(line) for line in getattr(splitting.steps[0], text)] for text in _TEXTS},
        "steps": [_step(step) for step in splitting.steps],
        "query_row": {
            "position": splitting.query_row,
            "row": sample.rows.index(splitting.query_row),
            "head": splitting.focus,
        },
    }
    return told, numbers


def _arrays(splitting: Splitting) -> tuple[dict[str, dict[str, Any]], bytes]:
    """Where each array begins, and all their numbers; the same numbers in another place are written once."""
    arrays: dict[str, dict[str, Any]] = {}
    parts: list[bytes] = []
    offset = 0
    for name, shown in splitting.arrays.items():
        entry: dict[str, Any] = {
            "offset": offset,
            "shape": list(shown.values.shape),
            "low": shown.low,
            "high": shown.high,
            "meaning": shown.meaning,
        }
        if shown.same_as is None:
            parts.append(np.ascontiguousarray(shown.values, dtype="<f4").tobytes())
            offset += shown.values.size
        else:
            entry |= {"offset": arrays[shown.same_as]["offset"], "same_as": shown.same_as}
        arrays[name] = entry
    return arrays, b"".join(parts)


def _step(step: Step) -> dict[str, Any]:
    texts = {name: getattr(step, name) for name in ("name", "title", "caption", "formula", "shape", "speech")}
    lit = {text: [at for at, line in enumerate(getattr(step, text)) if line.on] for text in _TEXTS}
    return texts | {
        "lit": lit,
        "sheets": [_sheet(sheet) for sheet in step.sheets],
    }


def _line(line: Line) -> dict[str, Any]:
    return {"number": line.number, "text": line.text}


def _sheet(sheet: Sheet) -> dict[str, Any]:
    return {
        "array": sheet.array,
        "label": sheet.label,
        "blocks": [
            {"head": block.head, "columns": [block.start, block.end], "x": block.x, "y": block.y}
            for block in sheet.blocks
        ],
        "cell": list(sheet.cell),
        "colour": sheet.colour,
        "rows": sheet.rows,
        "reveal": sheet.reveal,
    }
