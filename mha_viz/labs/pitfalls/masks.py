"""Masks that hide nothing, or the wrong thing."""

from __future__ import annotations

from dataclasses import dataclass

from mha_viz.labs.options import Options, one_of, whole
from mha_viz.labs.pitfalls.base import Trial
from mha_viz.labs.pitfalls.masks_matrix import WAYS, device, matrix
from mha_viz.labs.pitfalls.masks_shape import LONG, MOST_BATCH, batch, joined
from mha_viz.labs.pitfalls.masks_small import PRECISIONS, half, weak

CLAIMS = (*WAYS, "batch", "half", "weak", "device", "compound")
SIDES = ("right", "left")


@dataclass(frozen=True)
class MasksOptions(Options):
    """Which claim, and what its own controls say; the others are not read."""

    claim: str = one_of("compared", *CLAIMS)
    batch: int = whole(2, 1, MOST_BATCH)
    precision: str = one_of("float16", *PRECISIONS)
    size: int = whole(1, 1, 100_000)
    side: str = one_of("right", *SIDES)
    pads: int = whole(7, 0, LONG - 1)


CASES = (
    *(MasksOptions(claim=claim) for claim in CLAIMS),
    MasksOptions(claim="batch", batch=3),
    MasksOptions(claim="weak", size=10_000),
    MasksOptions(claim="compound", side="left", pads=4),
)


def try_it(options: MasksOptions) -> Trial:
    """One way to mask, compared with the right one."""
    if options.claim in WAYS:
        return matrix(options.claim)
    if options.claim == "batch":
        return batch(options.batch)
    if options.claim == "half":
        return half(options.precision)
    if options.claim == "weak":
        return weak(options.size)
    return device() if options.claim == "device" else joined(options.side, options.pads)
