"""The splitting animation of ``?heads=`` heads of the toy, and what it told; one button runs the script again, one asks for two
heads."""

from __future__ import annotations

import streamlit as st

import mha_viz
from mha_viz.figures.animation import View, animation_data, component_script, stylesheet

SENTENCE = "the <b>cat</b> sat on the mat"
_COMPONENT = st.components.v2.component(
    "tests.splitting", html="<div\nclass='mha-split'></div>", css=stylesheet(), js=component_script()
)

heads = st.session_state.setdefault("n_heads", int(st.query_params.get("heads", "4")))
model = mha_viz.open_model("toy", n_heads=heads)
layer = model.inspect_layer(model.tokenize(SENTENCE), mha_viz.Controls(mask=mha_viz.Causal()), 0)
view = View(step=st.query_params.get("step", "x"), motion=st.query_params.get("motion", "play"))
sent = _COMPONENT(key="splitting", data=animation_data([layer], 2, view), on_view_change=lambda: None).view
runs = st.session_state.runs = st.session_state.get("runs", 0) + 1
told = f"{sent['step']} {sent['head']} {sent['scope']} {sent['motion']}" if sent else None
st.text(f"runs {runs}, told {told}")
st.button("another run")
if st.button("two heads"):
    st.session_state.n_heads = 2
    st.rerun()
