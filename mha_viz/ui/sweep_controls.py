"""What a visitor asks of the sweep over head counts."""

from __future__ import annotations

import re

import streamlit as st

from mha_viz.errors import InputError
from mha_viz.labs.plans import D_MODEL, PRECISIONS, TASKS, SweepOptions
from mha_viz.spec import divisors
from mha_viz.ui import sweep_told, views
from mha_viz.words import say

_DEFAULT = SweepOptions()


def options() -> SweepOptions:
    """What the visitor asks for.

    Raises:
        InputError: head counts that are none.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        task = views.pick("sweep_task", say("sweep.task"), TASKS, TASKS[0], lambda name: say(f"lookups.task.{name}"))
        seeds, heads = _seeds(), _heads_text()
        with st.popover(say("sweep.more"), icon=":material/tune:"):
            steps, noise, margin, patience = _more()
        mixed = st.toggle(say("sweep.mixed"), key="sweep_mixed", help=say("sweep.mixed.help"), persist_state="session")
    return SweepOptions(
        tasks=(str(task),),
        heads=_heads(heads),
        seeds=seeds,
        steps=steps,
        noise=noise,
        margin=margin,
        patience=patience,
        precisions=PRECISIONS if mixed else PRECISIONS[:1],
    )


def _seeds() -> int:
    return int(
        st.number_input(
            say("sweep.seeds"),
            1,
            20,
            _DEFAULT.seeds,
            key="sweep_seeds",
            width=130,
            help=say("sweep.seeds.help"),
            persist_state="session",
        )
    )


def _heads_text() -> str:
    """Typed, so that any number can be asked for and is answered."""
    return str(
        st.text_input(
            say("sweep.heads"),
            sweep_told.listed(_DEFAULT.heads),
            key="sweep_heads",
            width=200,
            help=say("sweep.heads.help", d_model=D_MODEL, allowed=sweep_told.listed(divisors(D_MODEL))),
            persist_state="session",
        )
    )


def _more() -> tuple[int, float, float, int]:
    """Steps, noise, margin, patience."""
    steps = st.number_input(
        say("sweep.steps"), 20, 2_000, _DEFAULT.steps, step=20, key="sweep_steps", persist_state="session"
    )
    noise = st.slider(
        say("sweep.noise"),
        0.0,
        1.0,
        _DEFAULT.noise,
        step=0.05,
        key="sweep_noise",
        help=say("sweep.noise.help"),
        persist_state="session",
    )
    margin = st.number_input(
        say("sweep.margin"),
        0.0,
        0.5,
        _DEFAULT.margin,
        step=0.005,
        format="%.3f",
        key="sweep_margin",
        help=say("sweep.margin.help"),
        persist_state="session",
    )
    patience = st.number_input(
        say("sweep.patience"),
        1,
        5,
        _DEFAULT.patience,
        key="sweep_patience",
        help=say("sweep.patience.help"),
        persist_state="session",
    )
    return int(steps), float(noise), float(margin), int(patience)


def _heads(text: str) -> tuple[int, ...]:
    """Head counts as they are typed.

    Raises:
        InputError: something else than whole numbers.
    """
    parts = re.split(r"[\s,;.]+", text.strip(" ,;."))
    if not all(re.fullmatch(r"[0-9]{1,4}", part) for part in parts):
        raise InputError("error.sweep_heads", got=text.strip())
    return tuple(sorted({int(part) for part in parts}))
