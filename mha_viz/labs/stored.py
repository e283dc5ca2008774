"""Results that come with the app, shown until somebody has their own. Without torch."""

from __future__ import annotations

import functools
from pathlib import Path

from mha_viz.errors import InputError
from mha_viz.labs.results import LabResult

FOLDER = Path(__file__).resolve().parent / "stored"


@functools.cache
def stored(lab: str) -> LabResult:
    """The stored result of a lab.

    Raises:
        InputError: its file is missing or damaged; the sentence says how to make it again.
    """
    file = FOLDER / f"{lab}.json"
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError("error.lab_stored", lab=lab, file=file.name) from problem
    return LabResult.from_json(text, file.name)
