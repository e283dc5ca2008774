"""How amounts and versions are written, the same in every language."""

from __future__ import annotations

#: Digits of a commit that name it well enough for people.
_DIGITS = 8


def size_text(n_bytes: int) -> str:
    """Bytes as people say them: "92 MB", "1.47 GB"."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= factor:
            return f"{n_bytes / factor:.{2 if unit == 'GB' else 0}f} {unit}"
    return f"{n_bytes} B"


def version_text(commit: str) -> str:
    """The first digits of a commit; "-" where there is none, as for a folder."""
    return commit[:_DIGITS] or "-"
