"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from mha_viz.errors import ExportError


@contextmanager
def whole_file(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write into, under a name of its own beside ``path``; it takes that name when all is written.

    Whatever goes wrong before, also when a generator that writes is given up, leaves nothing behind, and what stood at
    ``path`` stays as it was.

    Raises:
        ExportError: the folder is missing or may not be written to, ``path`` is a folder, or the disk is full.
    """
    target = Path(path)
    part = target.with_name(f".{target.name[:80]}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except OSError as problem:
        raise ExportError("error.export_file", path=target, reason=problem.strerror or problem) from problem
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
