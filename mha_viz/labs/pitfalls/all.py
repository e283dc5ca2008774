"""Every claim of every pitfall, one after another."""

from __future__ import annotations

from mha_viz.labs.pitfalls.registry import cases, try_it
from mha_viz.labs.plans_tried import PitfallOptions
from mha_viz.labs.results import Row, Step, Steps


def run(options: PitfallOptions) -> Steps:
    """A row each: the claim, what it came to, and the sentence with its numbers."""
    jobs = [(name, case) for name in options.pitfalls for case in cases(name)]
    for number, (name, case) in enumerate(jobs):
        yield Step(number / len(jobs), live={"pitfall": name})
        trial = try_it(name, case)
        row: Row = {"pitfall": name, "case": case.plain(), "outcome": trial.outcome}
        for part in ("claim", "verdict"):
            told = getattr(trial, part)
            row |= {part: {"key": told.key, "values": dict(told.values)}}
        yield Step((number + 1) / len(jobs), row)
