"""One head of a long sentence on a canvas. Pointing names cells; a click makes one the view's query and key."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import streamlit as st

from mha_viz import figures
from mha_viz.analysis.reading import Shown
from mha_viz.figures.bytes import head_payload
from mha_viz.figures.colour import Colour
from mha_viz.figures.scripts import lean, script
from mha_viz.ui import picking, pictures, reading
from mha_viz.ui.plain import asset
from mha_viz.words import say

if TYPE_CHECKING:
    import plotly.graph_objects as go

_COMPONENT = st.components.v2.component(
    "mha_viz.cells",
    html="<div\nclass='mha-root'></div>",
    css=lean(asset("grid.css") + asset("cells.css")),
    js=lean(script("ink.js") + asset("grid.js") + asset("cells.js")),
)


def cells(shown: Shown, layer: int, head: int, colour: Colour, key: str, *, highest: float | None = None) -> None:
    """Shows one head, one byte a cell.

    Args:
        shown: the weights as they are read.
        layer, head: from 0.
        colour: how weights become colours.
        key: of the component.
        highest: weight at the end of the colour scale, if it is not the picture's own.
    """

    def take() -> None:
        picked = st.session_state[key].picked
        if isinstance(picked, list) and len(picked) == 2 and all(type(place) is int for place in picked):
            picking.choose_cell(*picked)

    focus, column = reading.focus_place(shown), reading.key_place(shown)
    words = {
        "name": say("cells.name", layer=layer, head=head, n_tokens=shown.n_tokens),
        "queries": say("paint.queries"),
        "keys": say("paint.keys"),
        "cell": say("cells.cell", query="{query}", key="{key}", weight="{weight}"),
        "hidden": say("cells.hidden", query="{query}", key="{key}"),
        "step": say("repaint.step", step="{step}"),
        "hint": say("cells.hint"),
    }
    data = head_payload(shown, layer, head, focus=focus, key=column, colour=colour, highest=highest, words=words)
    pictures.note(key, words["name"], functools.partial(_print, shown, layer, head, focus, colour))
    _COMPONENT(key=key, data=data, on_picked_change=take)


def _print(shown: Shown, layer: int, head: int, focus: int | None, colour: Colour) -> go.Figure:
    """The same cells as a figure, for a file."""
    return figures.print_cells(shown, layer, head, focus=focus, colour=colour)
