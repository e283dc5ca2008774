"""The packaged BERT in half precision: its weights rounded, or multiplied in half precision as autocast does."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import torch

from mha_viz.labs.plans_cost import PrecisionOptions
from mha_viz.labs.results import Row, Step, Steps
from mha_viz.labs.rounding import LENGTH, Base, base, bytes_of, drift, file_bytes, text_to_time, times
from mha_viz.labs.rounding import reading as read
from mha_viz.labs.steps import part_of, told
from mha_viz.models.huggingface.changed import Changed

#: What a pass is made within.
Around = Callable[[], AbstractContextManager[object]]


def run(options: PrecisionOptions) -> Steps:
    """A row for float32 and one for each kind."""
    yield Step(0.0)
    found = base(options.sentences)
    yield Step(0.05, _about(found) | _sizes(found.plain) | drift(found.readings, found.readings))
    for number, kind in enumerate(options.kinds):
        each = 0.95 / len(options.kinds)
        yield from _kind(found, kind, options.rounds, 0.05 + number * each, each)


def _about(found: Base) -> Row:
    n_tokens = sum(tokens.n_tokens for tokens in found.sequences)
    return {"kind": "float32", "sentences": len(found.sequences), "tokens": n_tokens, "length": LENGTH}


def _sizes(changed: Changed) -> Row:
    return {"bytes": sum(bytes_of(changed.network).values()), "file": file_bytes(changed.network)}


def halved(plain: Changed, kind: str) -> tuple[Changed, Around]:
    """A copy in a kind of half precision, and what its passes are made within.

    Args:
        plain: in float32; not changed.
        kind: one of ``plans.HALVES``.
    """
    dtype: torch.dtype = getattr(torch, kind.removeprefix("autocast_"))
    changed = Changed(plain.network)
    if kind.startswith("autocast_"):  # the weights stay, each product rounds what goes into it
        return changed, lambda: torch.autocast("cpu", dtype)
    changed.network.to(dtype)
    return changed, nullcontext


def _kind(found: Base, kind: str, rounds: int, begun: float, share: float) -> Steps:
    started = time.monotonic()
    changed, around = halved(found.plain, kind)
    after = []
    for number, tokens in enumerate(found.sequences):
        with around():
            after.append(read(changed, tokens))
        yield Step(begun + share / 2 * (number + 1) / len(found.sequences))
    ids = text_to_time()

    def half() -> None:
        with around():
            changed.read(ids)

    work = times(lambda: found.plain.read(ids), half, rounds)
    timing = yield from told(part_of(work, begun + share / 2, share / 2))
    row = _about(found) | {"kind": kind} | _sizes(changed) | drift(found.readings, after) | timing
    yield Step(min(begun + share, 1.0), row | {"seconds": round(time.monotonic() - started, 1)})
