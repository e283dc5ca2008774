"""How many torch threads a forward pass should have: alone on the machine, and beside one other busy process."""

from __future__ import annotations

import contextlib
import statistics
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import psutil
import torch

from mha_viz.models.devices import default_threads
from tests.benchmarks import both_ways
from tests.benchmarks.report import ratios, seconds, table

LENGTHS = {16: 60, 128: 30, 512: 8}  # tokens: rounds


def main() -> None:
    model = both_ways.open_ours()
    if model.device.type != "cpu":
        print("\nThreads are measured on the CPU only.")
        return
    before, cores = torch.get_num_threads(), psutil.cpu_count() or 1
    counts = sorted({1, 2, max(1, cores // 2), cores} & set(range(1, cores + 1)))
    rows = []
    for where, other in (("alone", contextlib.nullcontext), ("beside a busy process", _busy)):
        with other():
            for n_tokens, rounds in LENGTHS.items():
                rows += _rows(model, where, n_tokens, rounds, counts)
    torch.set_num_threads(before)
    header = ("", "tokens", "threads", "ms", "slowest ms", "ratio to 1 thread", "min..max")
    table(f"MiniLM by torch threads, {cores} cores (the app takes {default_threads()})", header, rows)


def _rows(model: Any, where: str, n_tokens: int, rounds: int, counts: list[int]) -> list[tuple[object, ...]]:
    tokens = both_ways.sequence(model, n_tokens)
    taken: dict[int, list[float]] = {count: [] for count in counts}
    for turn in range(rounds + 2):
        for count in counts:
            torch.set_num_threads(count)
            one = seconds(partial(model.run, tokens))
            if turn >= 2:  # the first ones start the threads
                taken[count].append(one)
    rows: list[tuple[object, ...]] = []
    for count, all_taken in taken.items():
        ratio = ratios(all_taken, taken[1])
        median, slowest = (f"{value * 1000:.1f}" for value in (statistics.median(all_taken), max(all_taken)))
        rows.append((where, n_tokens, count, median, slowest, ratio, ratio.span))
    return rows


@contextlib.contextmanager
def _busy() -> Iterator[None]:
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        try:
            yield
        finally:
            process.kill()


if __name__ == "__main__":
    main()
