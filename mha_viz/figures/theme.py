"""The only colours and sizes of the figures. They must read on white and on near-black, since the page's theme can change
without a rerun."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote

import plotly.graph_objects as go

#: Viridis: told apart by colour-blind people, even in lightness, and with no grey in it, which is kept for hidden cells.
COLOUR_SCALE = "Viridis"
#: The chosen head or token.
ACCENT = "#E8590C"

FONT_SIZE = 14
#: Room a character takes at FONT_SIZE, for margins that do not depend on what the browser measures.
CHARACTER_WIDTH = 7.8

_TRANSPARENT = "rgba(0,0,0,0)"


class Box(NamedTuple):
    """A rectangle of cells: its left and top edge, width and height, in cells."""

    x: float
    y: float
    width: float
    height: float


class Hatching(NamedTuple):
    """Lines of a colour, ``step`` of the hatched picture's side apart."""

    colour: str
    step: float


HIDDEN = Hatching("#868e96", 0.035)
NO_KEY = Hatching("#e03131", 0.018)


def figure(**layout: object) -> go.Figure:
    """An empty figure in the project's look: no template, no background, no grid."""
    base = {
        "template": "none",
        "paper_bgcolor": _TRANSPARENT,
        "plot_bgcolor": _TRANSPARENT,
        "font": {"size": FONT_SIZE},
        "hoverlabel": {"font": {"size": FONT_SIZE}, "namelength": -1},
        "showlegend": False,
        "dragmode": False,
    }
    return go.Figure(layout={**base, **layout})


def hatched(areas: dict[Hatching, list[Box]], extent: Box, side: float | None = None) -> dict[str, object]:
    """A picture with boxes hatched, to lie under the cells of ``extent``: it shows where a cell is not drawn.

    Args:
        areas: what to hatch how. All in one picture: Plotly drops a second one of the same place.
        extent: of the picture, in cells.
        side: cells that the lines' distance is measured by; the longer side of ``extent`` if None.
    """
    side = side or max(extent.width, extent.height)
    parts = [_hatched_part(f"p{i}", kind, boxes, extent, side) for i, (kind, boxes) in enumerate(areas.items())]
    svg = (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {extent.width:g} {extent.height:g}' "
        f"preserveAspectRatio='none'>{''.join(parts)}</svg>"
    )
    return {
        "source": "data:image/svg+xml," + quote(svg, safe=" =:/'().,-;?!"),
        "xref": "x",
        "yref": "y",
        "x": extent.x,
        "y": extent.y,
        "sizex": extent.width,
        "sizey": extent.height,
        "sizing": "stretch",
        "layer": "below",
    }


def _hatched_part(name: str, kind: Hatching, boxes: list[Box], extent: Box, side: float) -> str:
    step = kind.step * side
    path = "".join(f"M{b.x - extent.x:g} {b.y - extent.y:g}h{b.width:g}v{b.height:g}h{-b.width:g}z" for b in boxes)
    return (
        f"<pattern id='{name}' width='{step:g}' height='{step:g}' patternUnits='userSpaceOnUse'>"
        f"<path d='M0 {step:g}L{step:g} 0' stroke='{kind.colour}' stroke-width='{step / 8:.2g}'/></pattern>"
        f"<path d='{path}' fill='{kind.colour}' fill-opacity='.2'/><path d='{path}' fill='url(#{name})'/>"
    )


def outline(box: Box, width: int = 3) -> dict[str, object]:
    """The accent around something chosen."""
    return {
        "type": "rect",
        "x0": box.x,
        "y0": box.y,
        "x1": box.x + box.width,
        "y1": box.y + box.height,
        "line": {"color": ACCENT, "width": width},
        "fillcolor": _TRANSPARENT,
    }


def colour_axis(highest: float, title: str) -> dict[str, object]:
    """One scale from 0 to ``highest``, printed beside the figure."""
    bar = {
        "title": {"text": title, "side": "right", "font": {"size": FONT_SIZE}},
        "thickness": 14,
        "outlinewidth": 0,
        "tickfont": {"size": FONT_SIZE},
        "nticks": 6,
        "xpad": 4,
    }
    return {"cmin": 0.0, "cmax": highest, "colorscale": COLOUR_SCALE, "colorbar": bar}


def bare_axis(span: tuple[float, float], **more: object) -> dict[str, object]:
    """An axis without lines, ticks or labels, of a fixed range."""
    return {
        "range": list(span),
        "showgrid": False,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "showticklabels": False,
        "fixedrange": True,
        **more,
    }
