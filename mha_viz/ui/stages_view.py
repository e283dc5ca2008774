"""From scores to weights: the five stages of one head, and one query followed through all of them."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mha_viz import figures
from mha_viz.stages import softmax_steps, stages_of
from mha_viz.ui import cache, focus, heatmaps
from mha_viz.ui.run import Run
from mha_viz.words import say


def render(run: Run, position: int | None) -> None:
    """Formula, five heatmaps, one row as bars, and the softmax step by step."""
    layer, head = run.choices.layer, run.choices.head
    recorded = cache.layer(run.choices, run.controls, layer)
    st.latex(say("stages.formula", d_k=recorded.spec.d_k))
    alt = say("stages.alt", layer=layer, head=head)
    heatmaps.show(figures.stage_heatmaps(recorded, head, focus=position), "stages", alt)
    heatmaps.say_pooled(figures.panel_step(recorded))
    row = position if position is not None else focus.strongest_row(run.trace, run.choices.layer, run.choices.head)
    if row is None:
        return
    st.markdown(say("stages.row", position=row))
    heatmaps.show(figures.stage_bars(recorded, head, row), "stage_bars", alt)
    shown = len(figures.bar_keys(recorded, head, row))
    if shown < run.tokens.n_tokens:
        st.caption(say("stages.some", shown=shown, n_tokens=run.tokens.n_tokens))
    _softmax(recorded.visible[head, row], stages_of(recorded, head).masked[row])


def _softmax(visible: np.ndarray, masked: np.ndarray) -> None:
    if not visible.any():
        return
    scores = masked[visible].astype(np.float64)
    with st.expander(say("stages.softmax"), icon=":material/functions:"):
        steps = softmax_steps(scores, np.float32)
        st.markdown(say("stages.stable", top=f"{steps.top:.3f}", total=f"{steps.total:.4f}"))
        rows = []
        for name, dtype in (("float32", np.float32), ("float16", np.float16)):
            naive = softmax_steps(scores, dtype)
            broken = int((~np.isfinite(naive.naive_weights)).sum())
            rows.append(
                {
                    say("stages.dtype"): name,
                    say("stages.largest"): f"{np.max(naive.naive_exponentials):.4g}",
                    say("stages.broken"): broken,
                    say("stages.error"): f"{np.nanmax(np.abs(naive.weights - steps.weights)):.1e}",
                }
            )
        st.dataframe(rows, hide_index=True, width="stretch")
        st.caption(say("stages.naive"))
