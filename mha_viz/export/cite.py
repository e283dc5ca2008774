"""How to cite the program."""

from __future__ import annotations

from typing import NamedTuple

from mha_viz.version import NAME, VERSION, YEAR
from mha_viz.words import say


class Citation(NamedTuple):
    """Two ways to write the same.

    Attributes:
        plain: a sentence.
        bibtex: an entry.
    """

    plain: str
    bibtex: str


def citation() -> Citation:
    """Name, version and year: what is known of the program, and nothing else."""
    values = {"name": NAME, "version": VERSION, "year": YEAR}
    entry = {
        "title": say("cite.title", name=f"{{{NAME.replace('_', chr(92) + '_')}}}"),
        "version": VERSION,
        "year": YEAR,
    }
    lines = [f"  {field} = {{{value}}}," for field, value in entry.items()]
    return Citation(say("cite.plain", **values), "\n".join([f"@software{{{NAME}_{YEAR},", *lines, "}"]) + "\n")
