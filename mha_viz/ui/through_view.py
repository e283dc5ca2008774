"""Attention followed through the layers: rollout, flow, weights beside norms, averages of heads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import streamlit as st

from mha_viz import figures
from mha_viz.analysis.flow import flow
from mha_viz.analysis.rollout import average, reachable, rollout, spread
from mha_viz.arrays import BoolArray, FloatArray
from mha_viz.controls import HeadId
from mha_viz.errors import InputError
from mha_viz.figures.labels import token_text, visible_text
from mha_viz.ui import cache, heads_box, heatmaps, link, norms_view, notices, state, work
from mha_viz.ui.choices import current_colour, named_head
from mha_viz.ui.plain import as_markdown
from mha_viz.ui.run import Run
from mha_viz.words import say

#: The slider shows the last layer as a number where the parameter, and so the link, says None: whatever model comes next.
_SLIDER = "_through_slider"
#: So many times the middle value the largest must be before other colours are offered.
_OUTSHONE = 20


def _rollout(run: Run, position: int | None) -> None:
    """The square after the chosen layer, and one token's row after every layer."""
    after, seen = rollout(run.trace), reachable(run.trace)
    picture, beside = st.columns([3, 2], gap="medium")
    with beside:
        layer = _choose_layer(run)
        _rows(run, after, position, layer)
    with picture:
        st.markdown(say("through.rollout_title", layer=layer))
        alt = say("through.rollout_alt", layer=layer, n_tokens=run.tokens.n_tokens)
        _square(run, "rollout", after[layer], seen[layer], position, alt)
        _offer_log(after[layer][seen[layer]])
    st.caption(say("through.residual"))
    st.markdown(_alike(run, after, layer))
    _say_early(run)


def _flow(run: Run, position: int | None) -> None:
    """The same square of flow, if the sentence is short enough."""
    picture, beside = st.columns([3, 2], gap="medium")
    with beside:
        layer = _choose_layer(run)
        st.caption(say("through.pipes"))
    key = f"{layer} {cache.view_key(run.choices, run.controls)}"
    with picture:
        st.markdown(say("through.flow_title", layer=layer))
        try:
            flows = work.result("flow", key, lambda: flow(run.trace, layer))
        except InputError as problem:
            st.info(as_markdown(str(problem)), icon=":material/info:")
            return
        if flows is None:
            return
        alt = say("through.flow_alt", layer=layer, n_tokens=run.tokens.n_tokens)
        _square(run, "flow", flows, reachable(run.trace)[layer], position, alt)
    with beside:
        rows = flows[~run.trace.padding] if position is None else flows[[position]]
        where = say("through.even_all") if position is None else say("through.even_one", token=_name(run, position))
        low, high = (f"{value:.3f}" for value in (rows.min(initial=1.0), rows.max(initial=0.0)))
        st.markdown(say("through.even", where=where, low=low, high=high, even=f"{1 / run.tokens.n_tokens:.3f}"))
        _say_early(run)


def _average(run: Run, position: int | None) -> None:
    """The mean of the chosen heads, or of all heads of the layer."""
    picture, beside = st.columns([3, 2], gap="medium")
    layer, n_heads = run.choices.layer, run.trace.spec.n_heads
    with beside:
        chosen = _choose_heads(run)
        st.caption(say("through.average_what"))
    heads = chosen or [HeadId(layer, head) for head in range(n_heads)]
    title = say("through.average_layer", n_heads=n_heads, layer=layer)
    if chosen:
        title = say("through.average_title", n_heads=len(heads))
    seen = np.any([run.trace.visible[head] for head in heads], axis=0)
    figure = figures.square_heatmap(
        average(run.trace, heads), run.tokens, run.tokens, focus=position, visible=seen, colour=current_colour()
    )
    with picture:
        st.markdown(title)
        alt = say("through.average_alt", n_heads=len(heads), n_tokens=run.tokens.n_tokens)
        heatmaps.show(figure, "mean_of_heads", alt)


def _choose_heads(run: Run) -> list[HeadId]:
    """The box of heads; those of a link that the model does not have are told and left out."""
    spec = run.trace.spec
    heads_box.bound("average", spec)
    notices.link_refused(link.refused())
    heads_box.choose("average", spec, "through.heads", say("through.heads_all", layer=run.choices.layer))
    return [named_head(name) for name in state.get("average")]


#: What each view draws.
SHOW: dict[str, Callable[[Run, int | None], None]] = {
    "rollout": _rollout,
    "flow": _flow,
    "norms": norms_view.render,
    "average": _average,
}


def _choose_layer(run: Run) -> int:
    """The slider of layers; a model of one layer has none."""
    last = run.trace.spec.n_layers - 1
    wanted = state.get("through_layer")
    if state.bound("through_layer", last):
        link.refuse("through_layer", wanted)
        notices.link_refused(link.refused())
    layer = last if state.get("through_layer") is None else int(state.get("through_layer"))
    if last == 0:
        st.caption(say("through.one_layer"))
        return 0
    st.session_state[_SLIDER] = layer
    st.slider(say("through.layer"), 0, last, key=_SLIDER, on_change=_moved, args=(last,))
    return layer


def _moved(last: int) -> None:
    layer = st.session_state[_SLIDER]
    state.put("through_layer", None if layer == last else layer)


def _square(run: Run, key: str, values: FloatArray, seen: BoolArray, position: int | None, alt: str) -> None:
    colour = current_colour()
    hover = say("through.hover", query="%{y}", key="%{x}", weight=colour.hover)
    figure = figures.square_heatmap(
        values,
        run.tokens,
        run.tokens,
        title=say("figure.share"),
        hover=hover,
        focus=position,
        visible=seen,
        colour=colour,
    )
    heatmaps.show(figure, key, alt)


def _offer_log(values: FloatArray) -> None:
    """Of a picture in which one key outshines the rest: colours that tell the rest apart."""
    if state.get("scale") != "linear" or np.median(values) * _OUTSHONE > values.max():
        return
    st.caption(say("through.outshone", times=_OUTSHONE))
    notices.button(notices.Step("sink.log", ":material/contrast:", ("scale", "log")))


def _rows(run: Run, after: FloatArray, position: int | None, layer: int) -> None:
    """What the followed token has of the input after each layer; without one, the average of all."""
    counts = ~run.trace.padding
    if position is not None:
        rows = after[:, position]
        st.markdown(say("through.rows_one", token=_name(run, position)))
    else:
        rows = after[:, counts].mean(axis=1) if counts.any() else after.mean(axis=1)
        st.markdown(say("through.rows_all"))
    figure = figures.layer_rows(rows, run.tokens, chosen=layer, colour=current_colour())
    alt = say("through.rows_alt", n_layers=len(rows), n_tokens=run.tokens.n_tokens)
    heatmaps.show(figure, "through_rows", alt)
    shown = len(figures.row_keys(rows))
    if shown < run.tokens.n_tokens:
        st.caption(say("through.rows_some", shown=shown, n_tokens=run.tokens.n_tokens))


def _alike(run: Run, after: FloatArray, layer: int) -> str:
    """How far the rows are apart after the chosen layer, beside after the first."""
    first, now = (spread(after[number], ~run.trace.padding) for number in (0, layer))
    if layer == 0:
        return say("through.apart", now=f"{now:.4f}")
    key = "through.alike" if now < first else "through.not_alike"
    return say(key, first=f"{first:.4f}", now=f"{now:.4f}", layer=layer)


def _say_early(run: Run) -> None:
    """Of a model or a mask that lets no token see what comes after it."""
    later = np.triu(np.ones(run.trace.weights.shape[-2:], dtype=bool), 1)
    if run.tokens.n_tokens > 1 and not any((layer & later).any() for layer in run.trace.visible):
        st.info(say("through.early"), icon=":material/info:")


def _name(run: Run, position: int) -> str:
    return as_markdown(f"“{visible_text(token_text(run.tokens, position))}” ({position})")
