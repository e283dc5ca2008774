"""What both apps share: the cached run, the button that shows the next layer, and the clock."""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Callable
from pathlib import Path

import streamlit as st

from mha_viz.trace import AttentionTrace

BUTTON = "Next layer"
#: Begins the line of standard output with the milliseconds that showing the heads took.
CLOCK = "milliseconds"
CONFIG = {"displayModeBar": False, "displaylogo": False, "scrollZoom": False, "doubleClick": False}


@st.cache_resource
def _trace(file: str) -> AttentionTrace:
    trace: AttentionTrace = pickle.loads(Path(file).read_bytes())
    return trace


def page(show: Callable[[AttentionTrace, int], None]) -> None:
    """One layer; every click shows the next one."""
    st.set_page_config(layout="wide")
    trace = _trace(sys.argv[1])
    shown = st.session_state.get("shown", -1) + 1
    st.session_state.shown = shown
    st.button(BUTTON)
    started = time.perf_counter()
    show(trace, shown % trace.spec.n_layers)
    print(CLOCK, (time.perf_counter() - started) * 1000, flush=True)
