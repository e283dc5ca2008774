"""What every figure of the package keeps to, read from what is sent to the browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
import plotly.graph_objects as go

SMALLEST_FONT = 14


def sent(figure: go.Figure) -> dict[str, Any]:
    """The figure as plain Python values, arrays as they are."""
    return figure.to_plotly_json()


def fonts(value: Any) -> Iterator[float]:
    """Every font size anywhere in a figure."""
    if isinstance(value, dict):
        for name, part in value.items():
            if name.endswith("font") and isinstance(part, dict) and "size" in part:
                yield part["size"]
            yield from fonts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from fonts(part)


def heatmaps(figure: go.Figure) -> list[go.Heatmap]:
    return [trace for trace in figure.data if isinstance(trace, go.Heatmap)]


def cells(trace: go.Heatmap) -> np.ndarray:
    return np.asarray(trace.z, dtype=np.float32)


def hatched(figure: go.Figure) -> list[ElementTree.Element]:
    """The pictures under the cells, read as SVG."""
    pictures = []
    for image in figure.layout.images:
        prefix, _, svg = image.source.partition(",")
        assert prefix == "data:image/svg+xml"
        assert "#" not in svg  # would end the address
        pictures.append(ElementTree.fromstring(unquote(svg)))
    return pictures


def check(figure: go.Figure) -> None:
    """Fails if a figure breaks a rule that all of them have."""
    values = sent(figure)
    sizes = list(fonts(values))
    assert sizes
    assert min(sizes) >= SMALLEST_FONT
    assert figure.layout.height is not None
    assert figure.layout.width is None
    axes = [axis for name, axis in values["layout"].items() if name.startswith(("xaxis", "yaxis"))]
    for axis in axes:
        low, high = axis["range"]
        assert np.isfinite([low, high]).all()
        assert low != high
        assert all(isinstance(place, int | float) for place in axis.get("tickvals", []))
        assert len(axis.get("tickvals", [])) == len(axis.get("ticktext", []))
    for trace in heatmaps(figure):
        assert trace.coloraxis == "coloraxis"
        assert trace.x is None
        assert trace.y is None
    assert [name for name in values["layout"] if name.startswith("coloraxis")] == ["coloraxis"]
    assert figure.layout.coloraxis.cmin == 0.0
    shown = [cells(trace) for trace in heatmaps(figure)]
    highest = max((np.nanmax(z) for z in shown if not np.isnan(z).all()), default=0.0)
    assert highest <= figure.layout.coloraxis.cmax * (1 + 1e-6)
    assert figure.layout.coloraxis.cmax <= 1.0
    hatched(figure)
    assert figure.to_json().encode("utf-8")
