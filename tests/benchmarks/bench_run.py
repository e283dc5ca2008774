"""model.run on MiniLM against Hugging Face eager with output_attentions=True, stacked into one NumPy array."""

from __future__ import annotations

import statistics
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import torch

from tests.benchmarks import both_ways
from tests.benchmarks.report import interleaved, milliseconds, ratios, table, verdict

ROOT = Path(__file__).resolve().parents[2]
#: Tokens: (pairs, largest ratio wanted).
LENGTHS = {16: (400, 1.0), 64: (250, 1.0), 128: (150, 1.0), 512: (30, 0.9)}
#: Seconds that each length may take; a busy machine makes fewer pairs of it.
LONGEST = 12.0
#: At this many tokens: peak memory, and the largest ratio wanted.
MEMORY_TOKENS, MEMORY_PAIRS, MEMORY_RATIO = 512, 2, 1.2


def measure_time() -> None:
    ours = both_ways.open_ours()
    eager = both_ways.open_eager(ours.device)
    rows = []
    for n_tokens, (pairs, target) in LENGTHS.items():
        tokens = both_ways.sequence(ours, n_tokens)
        run, run_eager = partial(ours.run, tokens), partial(both_ways.run_eager, eager, tokens)
        same = np.abs(run().weights - run_eager()).max()
        a, b = interleaved(run, run_eager, pairs, LONGEST)
        ratio = ratios(a, b)
        met = verdict(ratio.median <= target)
        rows.append((n_tokens, milliseconds(a), milliseconds(b), ratio, ratio.span, target, met, len(a), f"{same:.0e}"))
    header = ("tokens", "ours ms", "eager ms", "ratio", "min..max", "target", "", "pairs", "weights differ by")
    where = f"{ours.device}, {torch.get_num_threads()} threads"
    table(f"MiniLM to every weight as one NumPy array, against Hugging Face eager ({where})", header, rows)


def measure_memory() -> None:
    if not Path("/proc/self/clear_refs").exists():
        print("\nPeak memory is measured on Linux only.")
        return
    peaks = [(_peak("ours"), _peak("eager")) for _ in range(MEMORY_PAIRS)]
    ours, eager = ([pair[way] for pair in peaks] for way in (0, 1))
    ratio = ratios(ours, eager)
    row = (
        MEMORY_TOKENS,
        f"{statistics.median(ours):.0f}",
        f"{statistics.median(eager):.0f}",
        ratio,
        ratio.span,
        MEMORY_RATIO,
        verdict(ratio.median <= MEMORY_RATIO),
    )
    header = ("tokens", "ours MB", "eager MB", "ratio", "min..max", "target", "")
    table("Peak memory above the loaded model, the result included; each in a process of its own", header, [row])


def _peak(way: str) -> float:
    command = [sys.executable, "-m", "tests.benchmarks.peak", way, str(MEMORY_TOKENS)]
    return float(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    measure_time()
    measure_memory()


if __name__ == "__main__":
    main()
