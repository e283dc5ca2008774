"""Random scores of ``?n=`` tokens to repaint, hidden by a causal mask and, with ``?dead=1``, one row without a key."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mha_viz.ui.repaint import repainter

WORDS = ["the", "dog", "<b>barked</b>", "שלום", "at", "{key}", "an-extraordinarily-long-token", "cat", "🙂", "$x$"]

n_tokens = int(st.query_params.get("n", "8"))
labels = [WORDS[position % len(WORDS)] for position in range(n_tokens)]
scores = np.random.default_rng(0).normal(size=(n_tokens, n_tokens)).astype(np.float32) * 2
scores[~np.tri(n_tokens, dtype=bool)] = np.nan
if "dead" in st.query_params:
    scores[2] = np.nan
focus = int(st.query_params["focus"]) if "focus" in st.query_params else None
runs = st.session_state.runs = st.session_state.get("runs", 0) + 1
repainter(3, 7, scores, labels, focus, "repainter")
st.text(f"runs {runs}")
