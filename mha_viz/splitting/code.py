"""The lines of code that a step stands for: the kernel's own, and those of the plain NumPy layer, read from their files."""

from __future__ import annotations

import ast
import functools
from pathlib import Path
from typing import NamedTuple

from mha_viz.splitting.records import STEPS, Line

_PACKAGE = Path(__file__).resolve().parents[1]

#: What the kernel's lines of a step begin with, blanks left out. What comes before and after is the model's, around the kernel.
KERNEL_MARKS: dict[str, tuple[str, ...]] = {
    "x": (),
    "project": (),
    "split": ("query:torch.Tensor,", "key:torch.Tensor,", "value:torch.Tensor,"),
    "scores": ("scores=raw_scores(", "returntorch.matmul(query,key", "scores.mul_(scale)"),
    "mask": (
        "dead=None",
        "ifvisibleisnotNone:",
        "dead=~visible",
        "scores.masked_fill_(",
        "iftemperature>LARGEST",
        "allowed=",
        "returntorch.div(allowed",
        "below_top=",
        "iftemperature<SMALLEST",
        "top=",
        "returntorch.div(top",
        "returntorch.softmax(below_top/temperature",
    ),
    "softmax": (
        "weights=_softmax(",
        "iftemperature==1.0:",
        "returntorch.softmax(scores",
        "returntorch.softmax(below_top/temperature",
        "ifuniformisnotNone:",
        "even=_softmax(",
        "weights=torch.where(uniform",
        "ifdeadisnotNone",
        "weights=weights.masked_fill(dead",
    ),
    "weigh": ("head_output=torch.matmul(weights", "ifgatesisnotNone:", "head_output=head_output*gates"),
    "join": ("returnAttended(head_output",),
    "output": (),
}
_KERNEL = ("raw_scores", "attend", "_softmax")


class Code(NamedTuple):
    """Both texts of one step.

    Attributes:
        kernel: lines of the kernel.
        numpy: lines of the plain NumPy layer.
    """

    kernel: tuple[Line, ...]
    numpy: tuple[Line, ...]


@functools.cache
def code_of(step: str) -> Code:
    """The code with the step's lines on.

    Args:
        step: one of STEPS.
    """
    marks = KERNEL_MARKS[step]
    kernel = tuple(Line(number, text, text.replace(" ", "").startswith(marks)) for number, text in kernel_lines())
    return Code(kernel, _walk(step))


@functools.cache
def kernel_lines() -> tuple[tuple[int, str], ...]:
    """The kernel's functions, each line with its number in its file; descriptions left out."""
    return _lines(_PACKAGE / "attention.py", _KERNEL)


@functools.cache
def walk_lines() -> tuple[tuple[int, str], ...]:
    """The same of the plain NumPy layer."""
    return _lines(_PACKAGE / "splitting" / "walk.py", ("walk",))


def _walk(step: str) -> tuple[Line, ...]:
    """A comment that begins with a step's name begins its lines, up to the next one."""
    current, lines = None, []
    for number, text in walk_lines():
        stripped = text.strip()
        if stripped.startswith("# "):
            name = stripped[2:].partition(":")[0]
            current = name if name in STEPS else current
        elif stripped.startswith("return"):
            current = None
        lines.append(Line(number, text, current == step))
    return tuple(lines)


def _lines(file: Path, functions: tuple[str, ...]) -> tuple[tuple[int, str], ...]:
    source = file.read_text(encoding="utf-8")
    texts = source.splitlines()
    found = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    lines: list[tuple[int, str]] = []
    for name in functions:
        node = found[name]
        description = node.body[0]
        left_out = range(description.lineno, (description.end_lineno or 0) + 1)
        numbers = range(node.lineno, (node.end_lineno or 0) + 1)
        lines += [(number, texts[number - 1]) for number in numbers if number not in left_out]
    return tuple(lines)
