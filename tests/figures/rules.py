"""What figures of several pictures keep to, read from what is sent to the browser; and runs to draw."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
import plotly.graph_objects as go

from mha_viz import AttentionTrace, Controls, LayerTrace, TokenSequence, open_model

MODEL = open_model("toy", n_heads=4)
SENTENCE = "the cat sat on the mat"
#: Streamlit replaces these in everything it sends.
PLACEHOLDER = re.compile(r"#0000\d\d")


def tokens(text: str | int = SENTENCE) -> TokenSequence:
    return MODEL.tokenize(text if isinstance(text, str) else " ".join(f"w{i}" for i in range(text)))


def run(controls: Controls | None = None, text: str | int = SENTENCE) -> AttentionTrace:
    return MODEL.run(tokens(text), controls or Controls())


def layer(controls: Controls | None = None, text: str | int = SENTENCE) -> LayerTrace:
    return MODEL.inspect_layer(tokens(text), controls or Controls(), 0)


def sizes(value: Any) -> Iterator[float]:
    """Every font size anywhere in a figure."""
    if isinstance(value, dict):
        for name, part in value.items():
            if name.endswith("font") and isinstance(part, dict) and "size" in part:
                yield part["size"]
            yield from sizes(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from sizes(part)


def heatmaps(figure: go.Figure) -> list[go.Heatmap]:
    return [trace for trace in figure.data if isinstance(trace, go.Heatmap)]


def cells(trace: go.Heatmap) -> np.ndarray:
    return np.asarray(trace.z, dtype=np.float32)


def picture(figure: go.Figure) -> str:
    """The one picture of hatching, as SVG that parses; "" if there is none."""
    if not figure.layout.images:
        return ""
    (image,) = figure.layout.images
    return svg(image.source)


def svg(address: str) -> str:
    prefix, _, body = address.partition(",")
    assert prefix == "data:image/svg+xml"
    assert "#" not in body
    assert '"' not in address
    ElementTree.fromstring(unquote(body))
    return unquote(body)


def hover_texts(axis: go.layout.XAxis, place: float) -> list[str]:
    """What Plotly shows for a place: the text of the tick within a ten-thousandth of the axis."""
    low, high = axis.range
    near = abs(high - low) / 10_000
    return [text for value, text in zip(axis.tickvals, axis.ticktext, strict=True) if abs(value - place) < near]


def check(figure: go.Figure) -> None:
    """Fails if a figure breaks a rule that all of them have."""
    values = figure.to_plotly_json()
    assert min(sizes(values)) >= 14
    assert figure.layout.height is not None
    assert figure.layout.width is None
    assert figure.layout.paper_bgcolor == figure.layout.plot_bgcolor == "rgba(0,0,0,0)"
    for name, axis in values["layout"].items():
        if name.startswith(("xaxis", "yaxis")):
            assert np.isfinite(axis["range"]).all()
            assert axis["range"][0] != axis["range"][1]
            assert all(isinstance(place, int | float) for place in axis.get("tickvals", []))
            assert len(axis.get("tickvals", [])) == len(axis.get("ticktext", []))
        if name.startswith("coloraxis"):
            assert axis["cmin"] < axis["cmax"]
    picture(figure)
    sent = figure.to_json()
    assert sent.encode("utf-8")
    assert not PLACEHOLDER.search(sent)
