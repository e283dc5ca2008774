"""The mask workbench: the whole mask as a picture to paint on, what it lets through, and every kind there is."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mha_viz.arrays import BoolArray
from mha_viz.controls import has_key, visible_in
from mha_viz.figures.labels import LONGEST_FULL, plain_labels
from mha_viz.figures.mask import mask_picture
from mha_viz.masks import MASKS, Painted, density, reach, visible_cells
from mha_viz.ui import focus, heatmaps, parameters, reading, state
from mha_viz.ui.choices import mask_of, masks_on
from mha_viz.ui.paint import apply_stroke, mask_painter
from mha_viz.ui.plain import as_markdown, escaped
from mha_viz.ui.run import Run
from mha_viz.words import say

_UNDO = "_painted_before"
_MOST_UNDO = 50
_COLUMNS = 4
_PAINTED_CELLS = parameters.mask_key("painted", "cells")


def render(run: Run, position: int | None) -> None:
    """The painter beside what the head does with the mask, what the mask lets through, then the kinds."""
    visible = visible_cells(run.tokens, run.choices.mask, causal=run.choices.spec.causal)
    painter, head = st.columns(2, gap="large")
    with painter:
        _paint(run, visible)
    with head:
        heatmaps.head(run, reading.raw(run))
        focus.say_where(run, reading.raw(run))
    _buttons()
    _numbers(run, visible)
    st.markdown(say("masks.kinds"))
    _kinds(run)


def _paint(run: Run, visible: BoolArray) -> None:
    mask_painter(
        plain_labels(run.tokens),
        visible,
        _painted(run),
        key="painter",
        on_stroke=lambda stroke: _take(run, stroke),
        titles=plain_labels(run.tokens, LONGEST_FULL),
    )
    if run.choices.spec.causal:
        st.caption(as_markdown(say("masks.own", name=run.choices.spec.name)))


def _painted(run: Run) -> BoolArray:
    """bool (query, key): what is hidden by hand, if painting is switched on."""
    n_tokens = run.tokens.n_tokens
    if not state.get("painted"):
        return np.zeros((n_tokens, n_tokens), dtype=bool)
    return np.logical_not(Painted(state.get(_PAINTED_CELLS)).visible(run.tokens))


def _take(run: Run, stroke: object) -> None:
    before = st.session_state.setdefault(_UNDO, [])
    before.append((state.get("painted"), state.get(_PAINTED_CELLS)))
    del before[:-_MOST_UNDO]
    state.put(_PAINTED_CELLS, Painted.of(apply_stroke(_painted(run), stroke)).cells)
    state.put("painted", True)


def _undo() -> None:
    on, cells = st.session_state[_UNDO].pop()
    state.put("painted", on)
    state.put(_PAINTED_CELLS, cells)


def _preset() -> None:
    _none()
    for name in ("causal", "padding", "window"):
        state.put(name, True)
    state.put("join", "all")


def _none() -> None:
    for name in masks_on():
        state.put(name, False)
    state.put("inverted", [])


def _numbers(run: Run, visible: BoolArray) -> None:
    n_tokens, n_layers = run.tokens.n_tokens, run.choices.spec.n_layers
    by_head = visible_in(run.choices.spec, run.tokens, run.controls)  # (layer, head, query, key)
    reached = reach(np.logical_or.reduce(by_head, axis=1), n_layers).sum(
        axis=-1
    )  # a layer tells what any of its heads has seen
    dead = int((~has_key(by_head[run.choices.layer, run.choices.head])).sum())
    cards = (
        ("density", f"{density(visible):.3f}", say("masks.cells", seen=int(visible.sum()), all=n_tokens**2)),
        ("reach", f"{reached.mean():.1f}", say("masks.of_tokens", most=int(reached.max()), n_layers=n_layers)),
        ("dead", str(dead), say("masks.of_rows", n_tokens=n_tokens)),
    )
    drawn = "".join(_card(name, value, beside) for name, value, beside in cards)
    st.html(f"<div class='mha-cards' role='list'>{drawn}</div>")


def _card(name: str, value: str, beside: str) -> str:
    title, meaning = escaped(say(f"masks.{name}")), escaped(say(f"masks.{name}.help"))
    return (
        f"<div role='listitem' class='mha-card' title='{meaning}'><span>{title}</span>"
        f"<strong>{value}</strong><small>{escaped(beside)}</small></div>"
    )


def _buttons() -> None:
    """One click for the usual compound, for undoing a stroke, and for no mask at all."""
    with st.container(horizontal=True):
        st.button(say("masks.preset"), icon=":material/layers:", on_click=_preset, help=say("masks.preset.help"))
        undone = bool(st.session_state.get(_UNDO))
        st.button(say("masks.undo"), icon=":material/undo:", on_click=_undo, disabled=not undone)
        st.button(say("masks.none"), icon=":material/layers_clear:", on_click=_none, disabled=not masks_on())
    if masks_on():
        st.pills(
            say("masks.inverted"),
            masks_on(),
            selection_mode="multi",
            key="inverted",
            format_func=lambda name: say(f"mask.{name}"),
            help=say("masks.inverted.help"),
            persist_state="session",
        )


def _kinds(run: Run) -> None:
    """A card for each kind: its picture on this sentence, density, one sentence, and its switch."""
    names = list(MASKS)
    for start in range(0, len(names), _COLUMNS):
        for name, place in zip(names[start : start + _COLUMNS], st.columns(_COLUMNS), strict=False):
            with place.container(border=True, height="stretch"):
                _kind(run, name)


def _kind(run: Run, name: str) -> None:
    cells = visible_cells(run.tokens, mask_of(name), causal=run.choices.spec.causal)
    on = bool(state.get(name))
    title, share = escaped(say(f"mask.{name}")), say("masks.share", density=f"{density(cells):.2f}")
    st.html(
        f"<div class='mha-kind'><img alt='' src=\"{mask_picture(cells)}\"><div><strong>{title}</strong>"
        f"<small>{escaped(share)}</small></div><p>{escaped(say(f'mask.{name}.help'))}</p></div>"
    )
    st.button(
        say("masks.remove") if on else say("masks.add"),
        key=f"switch_{name}",
        icon=":material/remove:" if on else ":material/add:",
        type="primary" if on else "secondary",
        on_click=state.put,
        args=(name, not on),
        width="stretch",
    )
