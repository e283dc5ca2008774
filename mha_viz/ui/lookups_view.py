"""Several look-ups at once: what each number of heads reaches, beside the best that is possible."""

from __future__ import annotations

import streamlit as st

from mha_viz.figures.trials import Level, Points, scores
from mha_viz.labs.plans import LookupOptions
from mha_viz.labs.results import LabResult, summaries, where
from mha_viz.ui import heatmaps, labs
from mha_viz.words import say


def render() -> None:
    """The options, and what the trainings gave."""
    seeds = int(st.number_input(say("lookups.seeds"), 1, 20, 1, key="lookups_seeds", width=160))
    labs.show("lookups", LookupOptions(seeds=seeds), _draw, say("lookups.about", seconds=10 * seeds))


def _draw(result: LabResult) -> None:
    rows = where(result.rows, task="values")
    found = summaries(rows, "heads", "score")
    points = Points(say("lookups.reached"), [one.values for one in found], [one.half for one in found])
    best = Level(say("lookups.best"), [rows_of["best"] for rows_of in (where(rows, heads=one.by)[0] for one in found)])
    figure = scores([points], [str(one.by) for one in found], say("lookups.heads"), "R²", levels=[best], span=(0, 1.05))
    heatmaps.show(figure, "lookup_scores", say("lookups.alt"))
