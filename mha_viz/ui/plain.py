"""User text on the page: never through Markdown, which would format it, draw "$x$" as mathematics and fetch images."""

from __future__ import annotations

import functools
import html
import re
from pathlib import Path

_FRONTEND = Path(__file__).parent / "frontend"
_RECOGNISED = re.compile(r"(?<=[:@])|(?=[.][^\W\d])")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$:<>&\"'])")


def escaped(text: str) -> str:
    """Text for st.html."""
    return html.escape(text)


def as_markdown(text: str) -> str:
    """Text that Markdown shows as it is: every character that could mean something is escaped.

    Addresses and ":name:" are recognised after the escapes are gone; an invisible space within keeps them text.
    """
    return _MARKDOWN.sub(r"\\\1", _RECOGNISED.sub("\u200b", text))


@functools.cache
def asset(name: str) -> str:
    """A style sheet or script of the folder frontend."""
    return (_FRONTEND / name).read_text(encoding="utf-8")


def icon_file() -> str:
    """Path of the browser tab's icon. A Material symbol or an emoji would be fetched from another server."""
    return str(_FRONTEND / "icon.png")


def shortened(text: str, longest: int) -> str:
    """A sentence on one line, cut after so many characters; still to be escaped."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
