"""What attention costs as one thing grows: time and memory measured, beside multiply-adds and bytes by formula.

Every way to compute attention runs at every size, in rounds that go through all of them. What cannot run is a row that says why.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Generator, Mapping, Sequence

import torch

from mha_viz.labs.allocated import peak_bytes
from mha_viz.labs.attending import forget_shapes, passes
from mha_viz.labs.cost_formula import MOST_BYTES, PASSES, Size, map_bytes, operations
from mha_viz.labs.cost_formula import peak_bytes as formula
from mha_viz.labs.growth_sizes import sizes_of
from mha_viz.labs.plans_cost import GrowthOptions
from mha_viz.labs.results import Row, Step, Steps
from mha_viz.labs.steps import part_of, told
from mha_viz.labs.timing import Taken, timed
from mha_viz.models.devices import available

_FLEX = {"flex", "compiled"}
#: Characters of what PyTorch says where something cannot run.
_TOLD = 200


def run(options: GrowthOptions) -> Steps:
    """A row for each axis, size, kind and pass; sizes from small to large, all rows of one size together."""
    device = torch.device(next(name for name in available() if name != "mps"))  # which does not count its memory's peak
    jobs = [(axis, size) for axis in options.axes for size in sizes_of(axis, options)]
    weights = [operations(size, "forward") + 10 * map_bytes(size) + 1e8 for _, size in jobs]
    done, refused = 0.0, _refused(options, device)
    for (axis, size), weight in zip(jobs, weights, strict=True):
        begun, share = done, weight / sum(weights)
        rows = yield from told(
            part_of(_rows(size, options, device, refused), begun, share), {"axis": axis, **size._asdict()}
        )
        done = min(begun + share, 1.0)
        for row in rows:
            yield Step(done, {"axis": axis} | row)


def _refused(options: GrowthOptions, device: torch.device) -> dict[tuple[str, str], str]:
    """Kinds and passes that cannot run on this device at any size, and what PyTorch says.

    Flex attention is tried uncompiled, once: a compiled one that failed would run uncompiled from then on.
    """
    wanted = [kind for kind in options.kinds if kind in _FLEX]
    if not wanted:
        return {}
    size = Size(16, 1, 16, 1)
    row = _about("flex", "training", size, device)
    _tried(row, passes("flex", size, device)["training"], device)
    return {(kind, "training"): row["error"] for kind in wanted if row["error"] is not None}


def _rows(
    size: Size, options: GrowthOptions, device: torch.device, refused: Mapping[tuple[str, str], str]
) -> Generator[float, None, list[Row]]:
    """All kinds and passes at one size."""
    if set(options.kinds) & _FLEX:
        forget_shapes()
    rows: list[Row] = []
    calls: list[Callable[[], object]] = []
    for kind in options.kinds:
        made = passes(kind, size, device)
        for passed in PASSES:
            row = _about(kind, passed, size, device) | {"error": refused.get((kind, passed))}
            rows.append(row)
            if row["error"] is None and row["formula"] <= MOST_BYTES and _tried(row, made[passed], device):
                calls.append(made[passed])
            yield 0.3 * len(rows) / (len(options.kinds) * len(PASSES))
    if not calls:
        return rows
    found = yield from part_of(timed(calls, options.rounds, gradients=True, device=device), 0.3, 0.7)
    for row, own in zip((row for row in rows if row["peak"] is not None), found, strict=True):
        row |= _times(own, options.rounds)
    return rows


def _about(kind: str, passed: str, size: Size, device: torch.device) -> Row:
    row: Row = {"kind": kind, "pass": passed, **size._asdict()}
    del row["batch"]
    row |= {"operations": operations(size, passed), "maps": map_bytes(size), "formula": formula(kind, passed, size)}
    return row | {"peak": None, "ms": None, "clock_ms": None, "error": None, "device": device.type}


def _tried(row: Row, call: Callable[[], object], device: torch.device) -> bool:
    """Whether it runs; its memory and what PyTorch says go into the row."""
    try:
        call()  # compiles, and fills what is filled once
        row["peak"] = peak_bytes(call, device)
    except Exception as problem:  # noqa: BLE001 - a missing compiler, a missing backward pass: each has an error of its own
        lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
        row["error"] = f"{type(problem).__name__}: {' '.join(lines[:1])}"[:_TOLD]
    return row["peak"] is not None


def _times(taken: Sequence[Taken], rounds: int) -> Row:
    """Milliseconds: one number a repeat, the median of the calls that belong to it; on the clock the median of all."""
    each = len(taken) // rounds
    works = [statistics.median(one.work for one in taken[start : start + each]) for start in range(0, len(taken), each)]
    return {
        "ms": [float(f"{1000 * work:.4g}") for work in works],
        "clock_ms": float(f"{1000 * statistics.median(one.passed for one in taken):.4g}"),
    }
