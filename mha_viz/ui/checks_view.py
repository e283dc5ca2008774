"""The badge: measured on this very run, that the numbers are right; and how long it all took."""

from __future__ import annotations

import streamlit as st

from mha_viz.ui import heatmaps
from mha_viz.ui.plain import escaped
from mha_viz.ui.run import Run
from mha_viz.words import say


def render(run: Run) -> None:
    """A line of checks, a line of times, and what the picture does not say. The run would not be here had a check failed."""
    checks = [f"<span class='mha-check'>{escaped(text)}</span>" for text in _checks(run)]
    title = f"<strong title='{escaped(say('checks.help'))}'>{escaped(say('checks.title'))}</strong>"
    notes = " · ".join(escaped(text) for text in (*_conditions(run), say("heads.reads")))
    st.html(f"<div class='mha-badge' role='status'>{title}{''.join(checks)}<br><small>{notes}</small></div>")


def _checks(run: Run) -> list[str]:
    checks = run.trace.checks
    texts = [say("checks.rows", error=f"{checks.row_sum_error:.0e}", tolerance=f"{checks.tolerance:.0e}")]
    if checks.rows_without_key:
        texts.append(say("checks.no_key", rows=checks.rows_without_key))
    texts.append(
        say("checks.hidden", cells=checks.hidden_cells) if checks.hidden_cells else say("checks.nothing_hidden")
    )
    return [*texts, say("checks.numbers"), say("checks.eval")]


def _conditions(run: Run) -> list[str]:
    conditions = run.trace.conditions
    forward = say("time.forward", milliseconds=f"{conditions.seconds * 1e3:.1f}")
    return [
        say("checks.device", device=conditions.device, name=conditions.device_name, dtype=conditions.dtype),
        f"{forward} ({say('time.cached') if run.cached else say('time.fresh')})",
        say("time.figure", milliseconds=f"{heatmaps.seconds() * 1e3:.0f}"),
    ]
