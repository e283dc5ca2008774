"""The only colours and sizes of the figures. They must read on white and on near-black, since the page's theme can change
without a rerun."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote

import plotly.colors
import plotly.graph_objects as go

#: Colours from low to high, by name: told apart by colour-blind people and even in lightness. Inferno's own first colour,
#: #000004, is one that Streamlit replaces.
PALETTES = {
    "viridis": "Viridis",
    "cividis": "Cividis",
    "inferno": ["rgb(0,0,4)", *plotly.colors.sequential.Inferno[1:]],
}
#: From below zero over zero to above it; also told apart by colour-blind people.
DIVERGING = ["#053061", "#2166ac", "#67a9cf", "#d1e5f0", "#f8f8f5", "#fee0b6", "#f1a340", "#b35806", "#7f3b08"]
BELOW, ABOVE = "#4393c3", "#e08214"
#: The chosen head or token.
ACCENT = "#E8590C"
#: What a query may see, and weights drawn as bars or lines.
VISIBLE = "#1f9e89"
#: Heads, told apart by colour-blind people, with a contrast of 3 on white and on near-black.
HEADS = ["#0072b2", "#d55e00", "#009e73", "#b3599a", "#b07c00", "#2e93c9", "#8a63d2", "#7a8288"]
#: Types of heads: as HEADS, but the last is no grey, which stands for no type in particular.
TYPES = [*HEADS[:7], "#a61e4d"]
#: What a check came to, behind a white sign; told apart by colour-blind people.
OUTCOMES = {"passed": "#00795a", "failed": "#b54a00", "impossible": "#5c636a"}
#: Of figures on paper: the ground and the text.
PAPER, INK = "#ffffff", "#1f2328"
#: Lines that help to read.
GUIDE = "#868e96"

FONT_SIZE = 14
#: Axes with lines that numbers are read off by.
READING_LINES = {
    "gridcolor": "rgba(134,142,150,.25)",
    "zeroline": False,
    "tickfont": {"size": FONT_SIZE},
    "fixedrange": True,
}
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


def stops(palette: str) -> list[str]:
    """The colours of a palette from low to high, as "#rrggbb"."""
    colours = PALETTES[palette]
    if isinstance(colours, str):
        colours = [colour for _, colour in plotly.colors.get_colorscale(colours)]
    return [_hex(colour) for colour in colours]


def _hex(colour: str) -> str:
    if colour.startswith("#"):
        return colour
    return "#{:02x}{:02x}{:02x}".format(*(int(float(part)) for part in plotly.colors.unlabel_rgb(colour)))


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
    parts = [hatched_part(f"p{i}", kind, boxes, extent, side) for i, (kind, boxes) in enumerate(areas.items())]
    return {
        "source": svg_address("".join(parts), extent.width, extent.height),
        "xref": "x",
        "yref": "y",
        "x": extent.x,
        "y": extent.y,
        "sizex": extent.width,
        "sizey": extent.height,
        "sizing": "stretch",
        "layer": "below",
    }


def svg_address(parts: str, width: float, height: float, attributes: str = "") -> str:
    """A picture of ``width`` by ``height`` units, stretched to where it is shown, as an address that holds all of it."""
    svg = (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:g} {height:g}' "
        f"preserveAspectRatio='none'{attributes}>{parts}</svg>"
    )
    return "data:image/svg+xml," + quote(svg, safe=" =:/'().,-;?!")


def svg_path(boxes: list[Box], extent: Box) -> str:
    """The boxes as one path, from the top left corner of ``extent``."""
    return "".join(f"M{b.x - extent.x:g} {b.y - extent.y:g}h{b.width:g}v{b.height:g}h{-b.width:g}z" for b in boxes)


def hatched_part(name: str, kind: Hatching, boxes: list[Box], extent: Box, side: float) -> str:
    """SVG of hatched boxes; ``name`` is unique in its picture."""
    step = kind.step * side
    path = svg_path(boxes, extent)
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


def colour_axis(highest: float, title: str, palette: str = "viridis") -> dict[str, object]:
    """One scale from 0 to ``highest``, printed beside the figure."""
    bar = {
        "title": {"text": title, "side": "right", "font": {"size": FONT_SIZE}},
        "thickness": 14,
        "outlinewidth": 0,
        "tickfont": {"size": FONT_SIZE},
        "nticks": 6,
        "xpad": 4,
    }
    return {"cmin": 0.0, "cmax": highest, "colorscale": PALETTES[palette], "colorbar": bar}


def colour_axis_below(low: float, high: float, colours: object, left: float, width: float) -> dict[str, object]:
    """A scale below the figure, with its ends and its middle printed; ``left`` and ``width`` are shares of the figure."""
    places = [low, (low + high) / 2, high]
    bar = {
        "orientation": "h",
        "x": left,
        "len": width,
        "xanchor": "left",
        "xpad": 0,
        "y": 0,
        "yanchor": "top",
        "ypad": 6,
        "thickness": 10,
        "outlinewidth": 0,
        "tickmode": "array",
        "tickvals": places,
        "ticktext": [number(place) for place in places],
        "tickfont": {"size": FONT_SIZE},
    }
    return {"cmin": low, "cmax": high, "colorscale": colours, "colorbar": bar}


def number(value: float) -> str:
    """A number in at most three figures, as short as it can be: 0.25, −12.3, 1.7e5."""
    figures, _, power = f"{value:.3g}".partition("e")
    return (f"{figures}e{int(power)}" if power else figures).replace("-", "−")


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
