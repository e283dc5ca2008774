"""The badge: measured on this very run, that the numbers are right; and how long it all took."""

from __future__ import annotations

import streamlit as st

from mha_viz.controls import Controls, HeadId
from mha_viz.models import HubOptions
from mha_viz.ui import cache, heatmaps, own_page
from mha_viz.ui.plain import escaped
from mha_viz.ui.run import Run
from mha_viz.words import say
from mha_viz.words.amounts import version_text

_HELD = "_held_against"


def render(run: Run) -> None:
    """A line of checks, a line of times, and what the picture does not say. The run would not be here had a check failed."""
    checks = [f"<span class='mha-check'>{escaped(text)}</span>" for text in _checks(run)]
    title = f"<strong title='{escaped(say('checks.help'))}'>{escaped(say('checks.title'))}</strong>"
    notes = " · ".join(escaped(text) for text in (*_conditions(run), say("heads.reads")))
    st.html(f"<div class='mha-badge' role='status'>{title}{''.join(checks)}<br><small>{notes}</small></div>")
    if run.choices.has_model:
        _against_reference(run)


def _against_reference(run: Run) -> None:
    """A button that runs the same sentence through code of others, and what came of it, until the view changes."""
    view = cache.view_key(run.choices, run.controls)
    reference = "toy" if run.choices.source == "toy" else "hugging_face"
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(say(f"agreement.{reference}"), icon=":material/balance:", help=say(f"agreement.{reference}.help")):
            st.session_state[_HELD] = view
        if st.session_state.get(_HELD) != view:
            return
        with st.spinner(say("agreement.running"), show_time=True):
            agreement = cache.agreement(run.choices, run.controls)
        result = "equal" if agreement.weights == 0 else "passed" if agreement.passed else "failed"
        verdict = say(
            f"agreement.{result}",
            reference=say(agreement.reference),
            weights=f"{agreement.weights:.1e}",
            head=HeadId(agreement.layer, agreement.head),
            output=f"{agreement.output:.1e}",
            tolerance=f"{agreement.tolerance:.0e}",
        )
        changed = run.controls != Controls()
        note = "" if not changed else say("agreement.masked" if agreement.masked else "agreement.unchanged")
        kind = "mha-check" if agreement.passed else "mha-wrong"
        st.html(
            f"<div class='mha-badge' role='status'><span class='{kind}'>{escaped(verdict)}</span> {escaped(note)}</div>"
        )


def _checks(run: Run) -> list[str]:
    checks = run.trace.checks
    texts = [say("checks.rows", error=f"{checks.row_sum_error:.0e}", tolerance=f"{checks.tolerance:.0e}")]
    if checks.rows_without_key:
        texts.append(say("checks.no_key", rows=checks.rows_without_key))
    texts.append(
        say("checks.hidden", cells=checks.hidden_cells) if checks.hidden_cells else say("checks.nothing_hidden")
    )
    return [*texts, say("checks.numbers"), *([say("checks.eval")] if run.choices.has_model else [])]


def _conditions(run: Run) -> list[str]:
    if run.choices.stored is not None:
        return own_page.conditions(run.choices.stored)
    conditions = run.trace.conditions
    model = [run.trace.spec.name]
    if isinstance(run.choices.options, HubOptions) and run.choices.options.revision:
        model = [say("checks.revision", name=run.trace.spec.name, revision=version_text(run.choices.options.revision))]
    forward = say("time.forward", milliseconds=f"{conditions.seconds * 1e3:.1f}")
    own = [say("checks.own_mask")] if run.trace.spec.causal else []
    return [
        *model,
        *own,
        say("checks.device", device=conditions.device, name=conditions.device_name, dtype=conditions.dtype),
        f"{forward} ({say('time.cached') if run.cached else say('time.fresh')})",
        say("time.figure", milliseconds=f"{heatmaps.seconds() * 1e3:.0f}"),
    ]
