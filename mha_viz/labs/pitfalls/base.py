"""What trying a claim leaves: the claim, the verdict with its numbers, the code that ran, what to do instead. Without torch."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from mha_viz.arrays import FloatArray
from mha_viz.words import say

#: What a claim came to: "pitfalls.outcome.NAME" says it.
Outcome = Literal["holds", "partly", "false", "unknown"]


class Told(NamedTuple):
    """A sentence: its key in the table of words, and what stands in it."""

    key: str
    values: Mapping[str, Any] = {}

    def __str__(self) -> str:
        return say(self.key, **self.values)


class Answer(NamedTuple):
    """One of three that computed the same.

    Attributes:
        who: "pitfalls.who.WHO" says it: "numpy", "kernel", "torch".
        weights: float64 (head, query, key); NaN where it gave none.
        head_output: float64 (head, query, d_k).
    """

    who: str
    weights: FloatArray
    head_output: FloatArray


class Snippet(NamedTuple):
    """Code that ran.

    Attributes:
        title: key: "pitfalls.code.claimed" as it is told, "pitfalls.code.right" what to write instead.
        source: its lines.
    """

    title: str
    source: str


@dataclass(frozen=True)
class Trial:
    """A claim that was tried.

    Attributes:
        claim: what is said, in our words.
        outcome: what it came to in this run; decided by the numbers, never written down beforehand.
        verdict: that in a sentence with the numbers.
        instead: what to do.
        code: what ran: the claimed lines first, then the right ones.
        found: arrays and numbers for the picture.
        answers: the right way computed by three who do not know of one another.
    """

    claim: Told
    outcome: Outcome
    verdict: Told
    instead: Told
    code: tuple[Snippet, ...] = ()
    found: Mapping[str, Any] = field(default_factory=dict)
    answers: tuple[Answer, ...] = ()


def claimed(*codes: Callable[..., Any]) -> Snippet:
    """The lines of functions that do what a tutorial does."""
    return Snippet("pitfalls.code.claimed", "\n".join(map(lines_of, codes)))


def right(*codes: Callable[..., Any]) -> Snippet:
    """The lines of functions that do it right."""
    return Snippet("pitfalls.code.right", "\n".join(map(lines_of, codes)))


def lines_of(code: Callable[..., Any]) -> str:
    """The source of a function as it ran, without docstring and types: few lines to be read at a glance."""
    source = textwrap.dedent(inspect.getsource(code))
    tree = ast.parse(source).body[0]
    assert isinstance(tree, ast.FunctionDef)
    body = tree.body[1:] if ast.get_docstring(tree) is not None else tree.body
    lines = source.splitlines()[body[0].lineno - 1 :]
    names = ", ".join(argument.arg for argument in tree.args.args)
    return "\n".join([f"def {tree.name}({names}):", *lines]) + "\n"
