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


def lean(text: str) -> str:
    """Without indentation and without lines that are comments: a component's script goes along with every picture.

    Args:
        text: in which no text in quotes runs over several lines.
    """
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not _is_comment(line))


def _is_comment(line: str) -> bool:
    return line.startswith("//") or (line.startswith("/*") and line.endswith("*/"))
