"""Style sheets and scripts of the figures, read as package files; the app's own components use some of them too."""

from __future__ import annotations

import functools
from pathlib import Path

_FRONTEND = Path(__file__).parent / "frontend"


@functools.cache
def script(name: str) -> str:
    """The text of a file in the folder frontend.

    Args:
        name: of the file, with its ending.
    """
    return (_FRONTEND / name).read_text(encoding="utf-8")
