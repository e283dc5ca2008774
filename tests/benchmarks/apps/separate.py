"""The heads of a layer, each in a chart of its own: no template, binary cells, tokens on hover, one colour scale."""

import plotly.graph_objects as go
import streamlit as st

from mha_viz.figures import theme
from mha_viz.figures.cells import highest_weight
from mha_viz.figures.head import HEIGHT
from mha_viz.figures.labels import hover_labels
from mha_viz.trace import AttentionTrace
from tests.benchmarks.apps import shown

COLUMNS = 4


def show(trace: AttentionTrace, layer: int, *, labelled: bool) -> None:
    """All heads, in rows that are together as high as the grid."""
    columns = st.columns(COLUMNS)
    for head in range(trace.spec.n_heads):
        with columns[head % COLUMNS]:
            st.plotly_chart(chart(trace, layer, head, labelled=labelled), key=f"head_{head}", config=shown.CONFIG)


def chart(trace: AttentionTrace, layer: int, head: int, *, labelled: bool) -> go.Figure:
    n, names = trace.n_tokens, hover_labels(trace.query_tokens)
    ticks = {"tickmode": "array", "tickvals": list(range(n)), "ticktext": names, "tickfont": {"size": 8}}
    side = 52 if labelled else 2
    figure = theme.figure(
        height=HEIGHT * COLUMNS // trace.spec.n_heads,
        title={"text": f"H{head}", "font": {"size": theme.FONT_SIZE}},
        xaxis=theme.bare_axis((-0.5, n - 0.5), **ticks) | {"showticklabels": labelled},
        yaxis=theme.bare_axis((n - 0.5, -0.5), **ticks) | {"showticklabels": labelled},
        margin={"l": side, "r": 2, "t": 24, "b": side, "autoexpand": False},
        coloraxis=theme.colour_axis(highest_weight(trace, layer), "") | {"showscale": False},
    )
    text = f"L{layer} H{head}<br>%{{y}} → %{{x}}: %{{z:.4f}}<extra></extra>"
    return figure.add_trace(go.Heatmap(z=trace.weights[layer, head], coloraxis="coloraxis", hovertemplate=text))
