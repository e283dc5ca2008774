"""What examining a module leaves: for each check passed, failed or not possible, and why. Without torch."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from mha_viz.labs.pitfalls.base import Told
from mha_viz.labs.results import Row

#: In the order of the table; "examine.check.NAME" says what each asks.
CHECKS = (
    "called",
    "shapes",
    "masks",
    "polarity",
    "no_key",
    "batch_heads",
    "rows",
    "parity",
    "gradients",
    "float16",
    "bfloat16",
    "device",
    "repeat",
    "training",
)
#: "examine.module.NAME"; the visitor's own, and those that came with the app.
OURS = ("torch", "toy", "minilm")
MODULES = ("own", *OURS)

#: "examine.outcome.NAME".
Outcome = Literal["passed", "failed", "impossible"]
OUTCOMES: tuple[Outcome, ...] = ("passed", "failed", "impossible")


class Finding(NamedTuple):
    """What a check came to.

    Attributes:
        outcome: "impossible" where the module has not what the check needs.
        why: in a sentence with the numbers.
        todo: key of the sentence that says what to do; None where nothing is to be done.
    """

    outcome: Outcome
    why: Told
    todo: str | None = None


class Trouble(Exception):  # noqa: N818 - it is told, and is no error of the app
    """A module that cannot be examined, or a check that cannot be made, and why."""

    def __init__(self, key: str, todo: str | None = None, /, **values: Any) -> None:
        super().__init__(key, values)
        self.told, self.todo = Told(key, values), todo


def passed(key: str, /, **values: Any) -> Finding:
    """Nothing wrong was found."""
    return Finding("passed", Told(key, values))


def failed(key: str, todo: str, /, **values: Any) -> Finding:
    """Something is wrong, and ``todo`` says what to do."""
    return Finding("failed", Told(key, values), todo)


def impossible(key: str, todo: str | None = None, /, **values: Any) -> Finding:
    """The module has not what the check needs."""
    return Finding("impossible", Told(key, values), todo)


def row_of(module: str, name: str, check: str, finding: Finding) -> Row:
    """A finding as a lab's row."""
    why = {"key": finding.why.key, "values": dict(finding.why.values)}
    return {
        "module": module,
        "name": name,
        "check": check,
        "outcome": finding.outcome,
        "why": why,
        "todo": finding.todo,
    }


def far(number: float) -> str:
    """A difference as it is written in a sentence."""
    if 1e-3 <= number < 1e3:
        return f"{number:.2g}" if number < 100 else f"{number:.0f}"
    return f"{number:.1e}" if number else "0"
