"""A mask to paint on: the whole mask as a grid, in which a drag, a label or the keyboard hides cells or shows them again."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from mha_viz.arrays import BoolArray, expect_shape
from mha_viz.errors import InputError
from mha_viz.figures.scripts import script
from mha_viz.ui.plain import asset
from mha_viz.words import say

#: Cells drawn on a side; where there are more tokens, a drawn cell covers several.
MOST_CELLS = 64

_COMPONENT = st.components.v2.component(
    "mha_viz.painter",
    html="<div\nclass='mha-root'></div>",
    css=asset("grid.css") + asset("paint.css"),
    js=script("ink.js") + asset("grid.js") + asset("paint_cells.js") + asset("paint.js"),
)


class Stroke(NamedTuple):
    """A rectangle of cells, painted at once.

    Attributes:
        q0, q1: its first and last query.
        k0, k1: its first and last key.
        hide: whether its cells become hidden; else the paint is taken off them.
    """

    q0: int
    q1: int
    k0: int
    k1: int
    hide: bool


def mask_painter(
    tokens_labels: Sequence[str],
    visible: BoolArray,
    painted: BoolArray,
    key: str,
    on_stroke: Callable[[Stroke], None] | None = None,
    *,
    titles: Sequence[str] | None = None,
) -> Stroke | None:
    """Shows a mask, and lets it be painted on.

    Args:
        tokens_labels: what to call each token, already shortened.
        visible: bool (query, key) of the whole mask, paint included.
        painted: bool (query, key), the cells hidden by hand.
        key: of the component.
        on_stroke: called with each finished stroke before the script runs again.
        titles: each token in full, for hovering and for the sentence below; the labels if None.

    Returns:
        the stroke that this run of the script is the answer to. One that does not fit the tokens is dropped here and
        there: it comes from an older sentence or from no painter at all.
    """
    n_tokens = len(tokens_labels)
    for name, cells in (("visible", visible), ("painted", painted)):
        expect_shape(name, cells, (n_tokens, n_tokens))
    step = max(-(-n_tokens // MOST_CELLS), 1)

    def take() -> None:
        stroke = _stroke(st.session_state[key].stroke, n_tokens)
        if stroke is not None and on_stroke is not None:
            on_stroke(stroke)

    data = {
        "n": n_tokens,
        "step": step,
        "visible": _packed(visible),
        "painted": _packed(painted),
        "labels": list(tokens_labels),
        "titles": list(titles or tokens_labels),
        "words": _words(n_tokens, step),
    }
    return _stroke(_COMPONENT(key=key, data=data, on_stroke_change=take).stroke, n_tokens)


def apply_stroke(painted: BoolArray, stroke: object) -> BoolArray:
    """The painted cells after a stroke; ``painted``, bool (query, key), is not changed.

    Args:
        stroke: a Stroke, or a mapping with the same names and values.

    Raises:
        InputError: it is no rectangle within ``painted``.
    """
    q0, q1, k0, k1, hide = read_stroke(stroke, len(painted))
    changed = painted.copy()
    changed[q0 : q1 + 1, k0 : k1 + 1] = hide
    return changed


def read_stroke(stroke: object, n_tokens: int) -> Stroke:
    """A Stroke of what a browser sent.

    Raises:
        InputError: it is no rectangle within ``n_tokens`` tokens.
    """
    fields = stroke._asdict() if isinstance(stroke, Stroke) else stroke
    if isinstance(fields, dict) and set(fields) == set(Stroke._fields):
        read = Stroke(**fields)
        whole = all(type(place) is int for place in read[:4]) and type(read.hide) is bool
        if whole and 0 <= read.q0 <= read.q1 < n_tokens and 0 <= read.k0 <= read.k1 < n_tokens:
            return read
    raise InputError("error.stroke", got=repr(stroke)[:80], last=n_tokens - 1)


def _stroke(sent: Any, n_tokens: int) -> Stroke | None:
    if sent is None:
        return None
    try:
        return read_stroke(sent, n_tokens)
    except InputError:
        return None


def _packed(cells: BoolArray) -> str:
    """One bit a cell, in the order of reading, as text."""
    return base64.b64encode(np.packbits(cells).tobytes()).decode()


def _words(n_tokens: int, step: int) -> dict[str, str]:
    """Every sentence of the component; the places in braces are filled in the browser."""
    rectangle = {"q0": "{q0}", "q1": "{q1}", "k0": "{k0}", "k1": "{k1}"}
    return {
        "name": say("paint.name", n_tokens=n_tokens),
        "hint": say("paint.hint"),
        "step": say("paint.step", step=step),
        "queries": say("paint.queries"),
        "keys": say("paint.keys"),
        "visible": say("paint.visible"),
        "other": say("paint.other"),
        "painted": say("paint.painted"),
        "through": say("paint.through"),
        "cell": say("paint.cell", q="{q}", query="{query}", k="{k}", key="{key}", state="{state}"),
        "cells": say("paint.cells", visible="{visible}", other="{other}", painted="{painted}", **rectangle),
        "will_hide": say("paint.will_hide", n_cells="{n_cells}", **rectangle),
        "will_show": say("paint.will_show", n_cells="{n_cells}", **rectangle),
    }
