"""Temperature twice: inside the model, and as a repaint of recorded scores; and where the two differ."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from mha_viz import figures
from mha_viz.controls import Controls
from mha_viz.figures.labels import LONGEST_FULL, plain_labels, token_text, visible_text
from mha_viz.stages import repainted, stages_of
from mha_viz.trace import LayerTrace
from mha_viz.ui import cache, focus, heatmaps, reading
from mha_viz.ui.repaint import repainter
from mha_viz.ui.run import Run
from mha_viz.ui.sidebar import temperature_text
from mha_viz.words import say


def render(run: Run, position: int | None) -> None:
    """Both pictures side by side, then the layers, then one query's entropy."""
    unchanged = replace(run.controls, temperature=1.0)
    recorded = cache.layer(run.choices, unchanged, run.choices.layer)
    inside, repaint = st.columns(2, gap="large")
    with inside:
        st.markdown(say("temperature.inside", temperature=temperature_text(run.choices.temperature)))
        st.caption(say("temperature.inside.help"))
        heatmaps.head(run, reading.raw(run))
    with repaint:
        st.markdown(say("temperature.repaint"))
        st.caption(say("temperature.repaint.help"))
        _repaint(run, recorded, position)
    layers, curve = st.columns(2, gap="large")
    with layers:
        _layers(run, unchanged)
    with curve:
        _curve(run, recorded, position)


def _repaint(run: Run, recorded: LayerTrace, position: int | None) -> None:
    head = run.choices.head
    scaled = recorded.scores[head] / np.sqrt(recorded.spec.d_k)
    scores = np.where(recorded.visible[head], scaled, np.nan).astype(np.float32)
    repainter(
        run.choices.layer,
        head,
        scores,
        plain_labels(run.tokens),
        position,
        key="repainter",
        titles=plain_labels(run.tokens, LONGEST_FULL),
    )


def _layers(run: Run, unchanged: Controls) -> None:
    """Largest difference between the run with the temperature inside and the repaint of the run without it."""
    temperature = run.choices.temperature
    differences, changed = [], []
    for layer in range(run.choices.spec.n_layers):
        recorded = cache.layer(run.choices, unchanged, layer)
        acts = run.controls.acts_in(layer)
        plain = repainted(recorded, temperature) if acts else recorded.weights
        if run.controls.heads is not None:
            heads = np.isin(np.arange(recorded.spec.n_heads), sorted(run.controls.heads))
            plain = np.where(heads[:, None, None], plain, recorded.weights)
        differences.append(float(np.abs(run.trace.weights[layer] - plain).max()))
        if acts and temperature != 1.0:
            changed.append(layer)
    st.markdown(say("temperature.layers"))
    heatmaps.show(figures.layer_difference(differences, changed), "layer_difference", say("temperature.layers.alt"))
    st.caption(say("temperature.layers.help"))


def _curve(run: Run, recorded: LayerTrace, position: int | None) -> None:
    layer, head = run.choices.layer, run.choices.head
    row = position if position is not None else focus.strongest_row(run.trace, layer, head)
    if row is None or not recorded.visible[head, row].any():
        return
    masked = stages_of(recorded, head).masked[row]
    scores = np.where(recorded.visible[head, row], masked, -np.inf)
    query = visible_text(token_text(run.tokens, row))
    st.markdown(say("temperature.curve", position=row))
    figure = figures.entropy_curve(scores, run.choices.temperature, int(recorded.visible[head, row].sum()))
    heatmaps.show(figure, "entropy_curve", say("temperature.curve.alt", query=query))
    st.caption(say("temperature.curve.help"))
