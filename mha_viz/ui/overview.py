"""All heads of all layers on one canvas: a click, or Enter, chooses a head; the arrow keys reach every one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import streamlit as st

from mha_viz.controls import HeadId
from mha_viz.figures import theme
from mha_viz.figures.colour import Colour
from mha_viz.figures.overview import Caption, Thumbnails, payload
from mha_viz.figures.scripts import lean, script
from mha_viz.ui import picking, silence
from mha_viz.ui.plain import asset
from mha_viz.words import say

_COMPONENT = st.components.v2.component(
    "mha_viz.overview",
    html="<div\nclass='mha-root'></div>",
    css=lean(asset("overview.css")),
    js=lean(script("ink.js") + asset("grid.js") + asset("overview.js")),
)


def overview(
    pictures: Thumbnails,
    caption: Caption,
    order: npt.NDArray[np.int_],
    chosen: HeadId,
    colour: Colour,
    key: str,
    *,
    sorted_by_metric: bool,
    measured: str | None,
) -> None:
    """Shows the heads in their order; a chosen one becomes the view's layer and head.

    Args:
        pictures: the thumbnails.
        caption: what is written about each head.
        order: flat numbers of heads, from first to last.
        chosen: the head that is outlined.
        colour: how the cells are coloured.
        key: of the component.
        sorted_by_metric: False if ``order`` is by layer and head.
        measured: name of the metric; None while its numbers are not at hand.
    """
    n_heads = pictures.codes.shape[1]

    def take() -> None:
        picked = st.session_state[key].picked
        if isinstance(picked, int) and 0 <= picked < pictures.codes.shape[0] * n_heads:
            head = HeadId(*divmod(picked, n_heads))
            (silence.toggle if silence.clicks() else picking.choose_head)(head)

    data = payload(
        pictures,
        caption,
        order,
        chosen=chosen.layer * n_heads + chosen.head,
        sorted_by_metric=sorted_by_metric,
        palette=theme.stops(colour.palette),
        words=_words(pictures, colour, measured),
    )
    _COMPONENT(key=key, data=data, on_picked_change=take)


def notes_of(names: Sequence[str], ends: Sequence[float], colour: Colour) -> list[str]:
    """One line about each head: its type, and the end of its scale where each has its own."""
    if colour.shared:
        return list(names)
    return [
        say("overview.own_end", note=name, highest=theme.number(end)) for name, end in zip(names, ends, strict=True)
    ]


def _words(pictures: Thumbnails, colour: Colour, measured: str | None) -> dict[str, str]:
    """Every sentence of the component; the places in braces are filled in the browser."""
    n_layers, n_heads = pictures.codes.shape[:2]
    places = {"value": "{value}", "note": "{note}"}
    highest = theme.number(float(pictures.ends.max()))
    return {
        "name": say("overview.name", n_layers=n_layers, n_heads=n_heads),
        "hint": say("overview.hint"),
        "head": say("overview.head", head="{head}", metric=measured, **places) if measured else "{head}",
        "peek": say("overview.peek", metric=measured, **places) if measured else "",
        "low": "0",
        "high": highest if colour.shared else say("overview.own_high"),
        "scale": say(f"colour.scale.{colour.scale}"),
    }
