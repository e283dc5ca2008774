"""What a lab may be asked for: a frozen record a lab, checked, that a page, a command and a file write alike. Without torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, asdict, dataclass, field, fields
from typing import Any, Self

from mha_viz.errors import InputError
from mha_viz.spec import divisors
from mha_viz.words import say


def whole(default: int | tuple[int, ...], low: int, high: int) -> Any:
    """A whole number within bounds; a tuple as default: several of them."""
    return field(default=default, metadata={"kind": int, "low": low, "high": high})


def number(default: float | tuple[float, ...], low: float, high: float) -> Any:
    """A number within bounds; a tuple as default: several of them."""
    return field(default=default, metadata={"kind": float, "low": low, "high": high})


def one_of(default: str | tuple[str, ...], *allowed: str) -> Any:
    """A word of a list; a tuple as default: several of them."""
    return field(default=default, metadata={"kind": str, "allowed": allowed})


def text(default: str, longest: int) -> Any:
    """Any text up to a length, in one line."""
    return field(default=default, metadata={"kind": str, "longest": longest})


def many(entry: Field[Any]) -> bool:
    """Whether an option holds several values."""
    return isinstance(entry.default, tuple)


@dataclass(frozen=True)
class Options:
    """Base of every lab's options: made of ``whole``, ``number``, ``one_of`` and ``text``.

    Raises:
        InputError: a value that is not allowed, or none where several may stand.
    """

    @property
    def runs_code(self) -> bool:
        """Whether code that a person names is run: only where nobody else can reach the app."""
        return False

    def __post_init__(self) -> None:
        for entry in fields(self):
            got = getattr(self, entry.name)
            values = got if many(entry) else (got,)
            if not isinstance(values, tuple) or not values:
                raise InputError("error.lab_option", name=entry.name, got=got, allowed=_allowed(entry))
            for value in values:
                _check(entry, value)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """From plain values, as ``plain`` or a file gives them.

        Raises:
            InputError: an option that there is not, or a value that is not allowed.
        """
        known = {entry.name: entry for entry in fields(cls)}
        for name in given:
            if name not in known:
                raise InputError("error.lab_option_unknown", got=name, allowed=", ".join(known))
        return cls(**{name: tuple(v) if isinstance(v, list) else v for name, v in given.items()})

    def plain(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}


def _check(entry: Field[Any], value: Any) -> None:
    kind, allowed = entry.metadata["kind"], entry.metadata.get("allowed")
    right = isinstance(value, int | float if kind is float else kind) and not isinstance(value, bool)
    if right and "longest" in entry.metadata:
        right = len(value) <= entry.metadata["longest"] and (value.isprintable() or not value)
    elif right and allowed is None:
        right = entry.metadata["low"] <= value <= entry.metadata["high"]
    if not right or (allowed is not None and value not in allowed):
        raise InputError("error.lab_option", name=entry.name, got=value, allowed=_allowed(entry))


def _allowed(entry: Field[Any]) -> str:
    if "allowed" in entry.metadata:
        return ", ".join(entry.metadata["allowed"])
    if "longest" in entry.metadata:
        return say("labs.text", longest=entry.metadata["longest"])
    return f"{entry.metadata['low']} … {entry.metadata['high']}"


def check_heads(n_heads: int, d_model: int) -> None:
    """Raises InputError for a number of heads that does not divide the width."""
    if n_heads not in divisors(d_model):
        allowed = ", ".join(map(str, divisors(d_model)))
        raise InputError("error.lab_heads", n_heads=n_heads, d_model=d_model, allowed=allowed)
