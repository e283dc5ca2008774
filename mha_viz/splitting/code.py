"""The lines of code that a step stands for: the kernel's own, and those of the plain NumPy layer, read from their files."""

from __future__ import annotations

import ast
import functools
from pathlib import Path
from typing import NamedTuple

from mha_viz.splitting.records import STEPS, Line

_PACKAGE = Path(__file__).resolve().parents[1]

#: How the kernel's lines of a step begin. What comes before and after it is done by the model around the kernel.
KERNEL_MARKS: dict[str, tuple[str, ...]] = {
    "x": (),
    "project": (),
    "split": ("query: torch.Tensor,", "key: torch.Tensor,", "value: torch.Tensor,"),
    "scores": ("scores = raw_scores(", "return torch.matmul(query, key", "scores.mul_(scale)"),
    "mask": (
        "dead = None",
        "if visible is not None:",
        "dead = ~visible",
        "scores.masked_fill_(",
        "below_top = scores",
    ),
    "softmax": (
        "weights = _softmax(",
        "if temperature == 1.0:",
        "return torch.softmax(scores",
        "return torch.softmax(below_top / temperature",
        "if uniform is not None:",
        "even = _softmax(",
        "weights = torch.where(uniform",
        "if dead is not None",
        "weights = weights.masked_fill(dead",
    ),
    "weigh": (
        "head_output = torch.matmul(weights",
        "if gates is not None:",
        "head_output = head_output * gates",
    ),
    "join": ("return Attended(head_output",),
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
    kernel = tuple(
        Line(number, text, text.strip().startswith(KERNEL_MARKS[step]) if KERNEL_MARKS[step] else False)
        for number, text in kernel_lines()
    )
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
