"""What a lab yields and what it leaves: rows of plain values, one a trained model or measurement. Without torch.

A lab is a generator (``Steps``). It yields where it stands, a row as soon as one is done, and what can be seen of the
one at work.
"""

from __future__ import annotations

import json
import math
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from mha_viz.errors import InputError

#: Numbers, texts, None and nested lists of them, by name: what JSON holds.
Row = dict[str, Any]


class Step(NamedTuple):
    """Where a lab stands.

    Attributes:
        share: done, 0 to 1.
        row: a row that has just been finished.
        live: what there is of the row at work; replaces what was told before.
    """

    share: float
    row: Row | None = None
    live: Row | None = None


Steps = Generator[Step, None, None]


@dataclass(frozen=True)
class LabResult:
    """Rows and where they come from.

    Attributes:
        lab: a name in LABS.
        options: what was asked for, as ``Options.plain`` gives it.
        rows: what was found.
        facts: "command", "date", "machine", "python", "torch", "seconds", as far as known.
        live: what there is of the row at work.
        whole: whether everything that was asked for is there.
    """

    lab: str
    options: dict[str, Any]
    rows: tuple[Row, ...]
    facts: dict[str, Any] = field(default_factory=dict)
    live: Row | None = None
    whole: bool = True

    def to_json(self) -> str:
        """As a file holds it: one row a line."""
        head = json.dumps(
            {"lab": self.lab, "options": self.options, "facts": self.facts, "whole": self.whole}, indent=1
        )
        rows = ",\n  ".join(json.dumps(row, allow_nan=False) for row in self.rows)
        return f'{head[:-2]},\n "rows": [\n  {rows}\n ]\n}}\n'

    @classmethod
    def from_json(cls, text: str, place: object) -> LabResult:
        """The inverse of ``to_json``.

        Raises:
            InputError: that is no file of results; the sentence names ``place``.
        """
        try:
            read = json.loads(text)
            rows = tuple(dict(row) for row in read["rows"])
            return cls(str(read["lab"]), dict(read["options"]), rows, dict(read["facts"]), whole=bool(read["whole"]))
        except (ValueError, KeyError, TypeError) as problem:
            raise InputError("error.lab_file", place=place) from problem


def where(rows: Iterable[Row], **wanted: object) -> list[Row]:
    """The rows with these values."""
    return [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]


class Summary(NamedTuple):
    """One value over several seeds.

    Attributes:
        by: what the seeds have in common, such as the number of heads.
        n: how many seeds.
        mean: of the values.
        spread: their standard deviation; 0 for one seed.
        half: half of the 95% confidence interval of the mean (Student's t); None for one seed, which tells nothing of it.
        values: one a seed.
    """

    by: Any
    n: int
    mean: float
    spread: float
    half: float | None
    values: tuple[float, ...]

    @property
    def differs(self) -> bool:
        """Whether the interval leaves 0 out; of differences."""
        return self.half is not None and abs(self.mean) > self.half


#: 97.5% points of Student's t for 1 to 30 degrees of freedom (any table of it); beyond, the normal distribution's.
_T: tuple[float, ...] = (
    12.706,
    4.303,
    3.182,
    2.776,
    2.571,
    2.447,
    2.365,
    2.306,
    2.262,
    2.228,
    2.201,
    2.179,
    2.160,
    2.145,
    2.131,
)
_T += (2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042)
_NORMAL = 1.960


def half_interval(values: Sequence[float]) -> float | None:
    """Half of the 95% confidence interval of the mean of independent values; None for fewer than two."""
    n = len(values)
    if n < 2:
        return None
    t = _T[n - 2] if n - 2 < len(_T) else _NORMAL
    return t * float(np.std(values, ddof=1)) / math.sqrt(n)


def summaries(rows: Iterable[Row], by: str, value: str) -> list[Summary]:
    """One summary for each value of ``by``, in its order; rows without ``value`` are left out."""
    groups: dict[Any, list[float]] = {}
    for row in rows:
        if row.get(value) is not None:
            groups.setdefault(row[by], []).append(float(row[value]))
    return [summary_of(key, groups[key]) for key in sorted(groups)]


def summary_of(by: Any, values: Sequence[float]) -> Summary:
    """Of values, one a seed; at least one."""
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return Summary(by, len(values), float(np.mean(values)), spread, half_interval(values), tuple(values))
