"""Which files there are, told by their ending."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from mha_viz.analysis.work import Work
from mha_viz.errors import InputError
from mha_viz.export.files import whole_file
from mha_viz.export.jsons import write_json
from mha_viz.export.npz import write_npz
from mha_viz.export.parts import ALL, Part
from mha_viz.export.tables import write_csv, write_parquet
from mha_viz.trace import Reading

#: Endings of files of numbers, and of pictures.
NUMBERS = ("npz", "csv", "parquet", "json")
PICTURES = ("png", "svg", "pdf", "html")


def ending_of(path: str | Path) -> str:
    """The ending of a file's name, which says what it is to be.

    Raises:
        InputError: none, or one that is not known.
    """
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in (*NUMBERS, *PICTURES):
        known = ", ".join(f".{known}" for known in (*PICTURES, *NUMBERS))
        raise InputError("error.export_ending", got=Path(path).name, known=known)
    return ending


def write_numbers(reading: Reading, kind: str, file: BinaryIO, part: Part = ALL, revision: str = "") -> Work[None]:
    """Writes weights as one of NUMBERS; NPZ always holds all of them.

    Raises:
        InputError: too many for this kind, or a part that is not there.
    """
    if kind == "npz":
        return write_npz(reading, file, revision)
    write = {"csv": write_csv, "parquet": write_parquet, "json": write_json}[kind]
    return write(reading, file, part, revision)


def numbers_file(reading: Reading, path: str | Path, part: Part = ALL, revision: str = "") -> Work[Path]:
    """Writes weights into a file of the kind that its ending says, as a whole or not at all.

    Args:
        reading: a run, or a reading of one.
        path: ends with one of NUMBERS.
        part: which weights; NPZ always holds all of them.
        revision: of the model.

    Returns:
        work that yields the share that is done and returns the path.

    Raises:
        InputError: another ending, too many weights for it, or a part that is not there; when the work begins.
        ExportError: the file cannot be written.
    """
    kind = ending_of(path)
    if kind not in NUMBERS:
        raise InputError("error.export_ending", got=Path(path).name, known=", ".join(f".{name}" for name in NUMBERS))
    with whole_file(path) as file:
        yield from write_numbers(reading, kind, file, part, revision)
    return Path(path)
