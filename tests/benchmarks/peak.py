"""Peak memory of one run above the loaded model, in MB; in a process of its own: python -m tests.benchmarks.peak ours 512"""

from __future__ import annotations

import functools
import gc
import sys
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks import both_ways

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
SMALL = 16  # tokens of the run that loads what the first run loads


def _megabytes(field: str) -> float:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(f"{field}:"))
    return int(line.split()[1]) / 1024


def _runner(way: str, n_tokens: int) -> tuple[Callable[[], object], Callable[[], object]]:
    """A small run, and the one to measure; only the model of that way is kept."""
    model = both_ways.open_ours()
    small, large = (both_ways.sequence(model, n) for n in (SMALL, n_tokens))
    run = model.run if way == "ours" else functools.partial(both_ways.run_eager, both_ways.open_eager(model.device))
    return functools.partial(run, small), functools.partial(run, large)


def main() -> None:
    run_small, run_large = _runner(sys.argv[1], int(sys.argv[2]))
    run_small()
    gc.collect()
    _RESET.write_text("5")  # the peak so far is that of loading; see proc(5)
    before = _megabytes("VmRSS")
    kept = run_large()
    print(_megabytes("VmHWM") - before)
    del kept


if __name__ == "__main__":
    main()
