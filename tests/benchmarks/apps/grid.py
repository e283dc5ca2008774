"""All heads of a layer as the project shows them: one figure."""

import streamlit as st

from mha_viz import figures
from mha_viz.trace import AttentionTrace
from tests.benchmarks.apps import shown


def show(trace: AttentionTrace, layer: int) -> None:
    st.plotly_chart(figures.head_grid(trace, layer), key="grid", config=shown.CONFIG)


shown.page(show)
