"""One attention layer taken apart: nine steps from X to the output, where every cell stands in each, and the code it comes from.

A pure function of a LayerTrace; NumPy alone. Whoever draws it needs only the payload.
"""

from __future__ import annotations

from mha_viz.splitting.payload import payload
from mha_viz.splitting.records import STEPS, Block, Line, Sample, Sheet, Shown, Splitting, Step
from mha_viz.splitting.steps import steps_of
from mha_viz.splitting.walk import Walked, walk

__all__ = [
    "STEPS",
    "Block",
    "Line",
    "Sample",
    "Sheet",
    "Shown",
    "Splitting",
    "Step",
    "Walked",
    "payload",
    "steps_of",
    "walk",
]
