"""Work that tells how far it is, as a part of a lab. Without torch."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

from mha_viz.analysis.work import Work
from mha_viz.labs.results import Row, Step

Result = TypeVar("Result")


def part_of(work: Work[Result], begun: float, share: float) -> Generator[float, None, Result]:
    """Work as a part of larger work: ``share`` of it, from ``begun`` on."""
    while True:
        try:
            part = next(work)
        except StopIteration as end:
            result: Result = end.value
            return result
        yield begun + part * share


def told(work: Work[Result], live: Row | None = None) -> Generator[Step, None, Result]:
    """Work as steps of a lab; ``live`` says what it is at."""
    while True:
        try:
            yield Step(min(next(work), 1.0), live=live)
        except StopIteration as end:
            result: Result = end.value
            return result
