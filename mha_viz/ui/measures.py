"""Metrics and types of every head of the present run, computed once for all views, and how their numbers are written."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mha_viz.analysis.find import Loud, loud_key
from mha_viz.analysis.types import HeadTypes, types_of
from mha_viz.arrays import FloatArray
from mha_viz.controls import HeadId
from mha_viz.metrics import Metric, even_values, layers_of, measured
from mha_viz.ui import cache
from mha_viz.ui.run import Run
from mha_viz.words import say


class Measures(NamedTuple):
    """Numbers of a run.

    Attributes:
        values: of each metric, (layer, head).
        even: what even attention would give, of each metric.
        types: of the heads.
        loud: the key that most heads look at, if there is one.
        silenced: heads that hand nothing on.
        uniform: heads whose weights are made even.
    """

    values: dict[str, FloatArray]
    even: dict[str, FloatArray]
    types: HeadTypes
    loud: Loud | None
    silenced: frozenset[HeadId]
    uniform: frozenset[HeadId]


_NAME = "measures"


def of(ran: Run) -> Measures:
    """The numbers of a run, computed once."""
    return cache.once(_NAME, ran.choices, ran.controls, lambda: _measured(ran))


def known(ran: Run) -> Measures | None:
    """The numbers of a run if they are at hand: at 512 tokens they take half as long as the run."""
    found: Measures | None = cache.known(_NAME, ran.choices, ran.controls)
    return found


def _measured(ran: Run) -> Measures:
    rows = layers_of(ran.trace, cache.output_matrices(ran.choices))
    return Measures(
        measured(ran.trace, rows=rows),
        even_values(ran.trace, rows=rows),
        types_of(ran.trace, rows=rows),
        loud_key(ran.trace),
        ran.controls.silenced,
        ran.controls.uniform,
    )


def written(metric: Metric, value: float) -> str:
    """A number with the decimals its unit deserves; a dash where there is none."""
    if math.isnan(value):
        return "–"
    text = _signed(value, _decimals(metric, value))
    return text if metric.unit == "share" else say(f"metrics.{metric.unit}", value=text)


def explained(metric: Metric) -> str:
    """What a metric means, and what it is divided by."""
    meaning, denominator = say(f"metric.{metric.name}.meaning"), say(f"metric.{metric.name}.denominator")
    return say("metrics.help", meaning=meaning, denominator=denominator)


def plain(metric: Metric, value: float) -> str:
    """The number alone, for a small cell."""
    return "–" if math.isnan(value) else _signed(value, 2)


def _decimals(metric: Metric, value: float) -> int:
    if metric.unit != "tokens":
        return 3 if metric.unit == "share" else 2
    return 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0


def _signed(value: float, decimals: int) -> str:
    """With a true minus sign, and without one before zero."""
    return f"{round(value, decimals) + 0.0:.{decimals}f}".replace("-", "−")


def ends(metric: Metric, values: FloatArray) -> tuple[float, float]:
    """Ends of the scale of a metric: its own where it has any, else those of the values."""
    known = values[np.isfinite(values)]
    if not known.size:
        return 0.0, 1.0
    low = metric.low if metric.low is not None else min(float(known.min()), 0.0)
    return low, metric.high if metric.high is not None else max(float(known.max()), low + 1e-9)
