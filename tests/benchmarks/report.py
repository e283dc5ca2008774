"""What all benchmarks share: interleaved timing, ratios of pairs, and tables."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Spread(NamedTuple):
    """Ratios of pairs that were measured one right after the other, so that what else the machine does falls on both."""

    median: float
    least: float
    most: float

    def __str__(self) -> str:
        return f"{self.median:.2f}"

    @property
    def span(self) -> str:
        return f"{self.least:.2f}..{self.most:.2f}"


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> Spread:
    pairs = [a / b for a, b in zip(ours, theirs, strict=True)]
    return Spread(statistics.median(pairs), min(pairs), max(pairs))


def seconds(call: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Time of one call; the result is dropped after the clock is read."""
    started = clock()
    result = call()
    taken = clock() - started
    del result
    return taken


def interleaved(
    ours: Callable[[], object],
    theirs: Callable[[], object],
    pairs: int,
    longest: float,
    warm_ups: int = 3,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[list[float], list[float]]:
    """Seconds of each call, A B A B ...: so many pairs, or as many as fit into ``longest`` seconds."""
    for _ in range(warm_ups):
        ours()
        theirs()
    taken: list[tuple[float, float]] = []
    until = time.monotonic() + longest
    while not taken or (len(taken) < pairs and time.monotonic() < until):
        taken.append((seconds(ours, clock), seconds(theirs, clock)))
    return [a for a, _ in taken], [b for _, b in taken]


def milliseconds(values: Sequence[float]) -> str:
    """The median of some seconds."""
    return f"{statistics.median(values) * 1000:.1f}"


def verdict(met: bool) -> str:
    return "met" if met else "missed"


def table(title: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Prints right-aligned columns under a title."""
    cells = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    print(f"\n{title}")
    for row in cells:
        print("  " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)), flush=True)
