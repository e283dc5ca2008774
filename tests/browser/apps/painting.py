"""A causal mask of ``?n=`` tokens to paint on; says what was painted. With ``?free=1`` nothing else is hidden."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mha_viz.ui.paint import Stroke, apply_stroke, mask_painter

WORDS = ["the", "dog", "<b>barked</b>", "שלום", "at", "{key}", "an-extraordinarily-long-token", "cat", "🙂", "$x$"]

n_tokens = int(st.query_params.get("n", "8"))
labels = [WORDS[position % len(WORDS)] for position in range(n_tokens)]
painted = st.session_state.setdefault("painted", np.zeros((n_tokens, n_tokens), dtype=bool))


def take(stroke: Stroke) -> None:
    st.session_state.painted = apply_stroke(st.session_state.painted, stroke)


painted = st.session_state.painted
others = np.ones_like(painted) if "free" in st.query_params else np.tri(n_tokens, dtype=bool)
last = mask_painter(labels, others & ~painted, painted, "painter", take, titles=[f"{label}!" for label in labels])
st.session_state.strokes = st.session_state.get("strokes", 0) + (last is not None)
st.text(f"strokes {st.session_state.strokes}, painted {int(painted.sum())}, last {tuple(last) if last else None}")
st.button("another run")
