"""The heads that read most and least like the chosen one, and whether they hand on alike too."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mha_viz.analysis.cka import few_tokens, output_similarity
from mha_viz.analysis.distances import distances_from
from mha_viz.analysis.types import title_of
from mha_viz.controls import HeadId
from mha_viz.ui import cache, measures, picking
from mha_viz.ui.run import Run
from mha_viz.words import say

_SHOWN = 5


def render(ran: Run) -> None:
    """Two short lists; a click makes a head the chosen one."""
    chosen = HeadId(ran.choices.layer, ran.choices.head)
    if ran.trace.spec.n_layers * ran.trace.spec.n_heads < 2:
        return
    apart = cache.once(repr(("from", chosen)), ran.choices, ran.controls, lambda: distances_from(ran.trace, *chosen))
    flat = chosen.layer * ran.trace.spec.n_heads + chosen.head
    order = [int(place) for place in np.argsort(apart.ravel(), kind="stable") if place != flat]
    known = [place for place in order if np.isfinite(apart.ravel()[place])]
    near, far = st.columns(2, gap="medium")
    with near:
        _list(ran, say("relatives.near"), known[:_SHOWN], apart, "near")
    with far:
        _list(ran, say("relatives.far"), known[::-1][:_SHOWN], apart, "far")
    st.caption(say("relatives.what"))
    n_tokens, d_k = int((~ran.trace.padding).sum()), ran.trace.spec.d_k
    if ran.trace.vectors is not None and few_tokens(n_tokens, d_k):
        st.caption(say("map.few_tokens", n_tokens=n_tokens, d_k=d_k))


def likeness(ran: Run) -> np.ndarray | None:
    """(head, head) linear CKA of the heads' outputs; None where the run holds no vectors."""
    if ran.trace.vectors is None:
        return None
    return cache.once("outputs", ran.choices, ran.controls, lambda: output_similarity(ran.trace))


def _list(ran: Run, title: str, places: list[int], apart: np.ndarray, name: str) -> None:
    st.markdown(title)
    n_heads = ran.trace.spec.n_heads
    alike = likeness(ran)
    flat = ran.choices.layer * n_heads + ran.choices.head
    types = measures.of(ran).types.names.ravel()
    for place in places:
        head = HeadId(*divmod(place, n_heads))
        same = (
            say("relatives.outputs", likeness=f"{alike[flat, place]:.2f}")
            if alike is not None and np.isfinite(alike[flat, place])
            else ""
        )
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.button(str(head), key=f"relative_{name}_{place}", on_click=picking.choose_head, args=(head,))
            distance = say("relatives.line", distance=f"{apart.ravel()[place]:.3f}", type=title_of(str(types[place])))
            st.markdown(f"{distance} {same}", width="content")
