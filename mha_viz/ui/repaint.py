"""Recorded scores of one head, softmaxed again at any temperature in the browser, at the pace of the slider."""

from __future__ import annotations

import base64
from collections.abc import Sequence

import numpy as np
import streamlit as st

from mha_viz.arrays import FloatArray, expect_shape
from mha_viz.figures.scripts import script
from mha_viz.ui.plain import asset
from mha_viz.words import say

_COMPONENT = st.components.v2.component(
    "mha_viz.repainter",
    html="<div\nclass='mha-root'></div>",
    css=asset("grid.css") + asset("repaint.css"),
    js=script("ink.js") + asset("grid.js") + asset("softmax.js") + asset("repaint.js"),
)
_MOST_NAMED = 6


def repainter(
    layer: int,
    head: int,
    scores: FloatArray,
    labels: Sequence[str],
    focus: int | None,
    key: str,
    *,
    titles: Sequence[str] | None = None,
) -> None:
    """Shows the weights that a head's recorded scores give at the temperature of a slider of its own, which begins at 1.

    Args:
        layer, head: whose scores they are.
        scores: (query, key), scaled, not divided by any temperature; NaN (or minus infinity) where hidden.
        labels: what to call each token, already shortened.
        focus: the query that is followed, until another is clicked; the first one with a key if None.
        key: of the component.
        titles: each token in full, for hovering and for the sentences; the labels if None.
    """
    n_tokens = len(labels)
    expect_shape("scores", scores, (n_tokens, n_tokens))
    full = list(titles or labels)
    data = {
        "n": n_tokens,
        "scores": base64.b64encode(np.ascontiguousarray(scores, dtype="<f4").tobytes()).decode(),
        "labels": list(labels),
        "titles": full,
        "focus": focus if focus is not None and focus < n_tokens else None,
        "words": {**_words(), **_sentences(), **_about(layer, head, scores, full)},
    }
    _COMPONENT(key=key, data=data)


def _about(layer: int, head: int, scores: FloatArray, titles: list[str]) -> dict[str, str]:
    """What depends on the scores, but not on the temperature."""
    rows = np.flatnonzero(~np.isfinite(scores).any(axis=-1))
    named = ", ".join(f"{row} “{titles[row]}”" for row in rows[:_MOST_NAMED])
    more = len(rows) - _MOST_NAMED
    no_key = say("run.no_key", rows=named) if more <= 0 else say("run.no_key_more", rows=named, more=more)
    return {
        "name": say("repaint.name", layer=layer, head=head, n_tokens=len(titles)),
        "note": say("repaint.note", layer=layer, head=head),
        "no_key": no_key if len(rows) else "",
    }


def _words() -> dict[str, str]:
    return {
        "temperature": say("repaint.temperature"),
        "value": say("repaint.value", temperature="{temperature}"),
        "set": say("repaint.set", temperature="{temperature}"),
        "queries": say("paint.queries"),
        "keys": say("paint.keys"),
        "high": say("repaint.high", highest="{highest}"),
        "fixed": say("repaint.fixed"),
        "hint": say("repaint.hint"),
        "step": say("repaint.step", step="{step}"),
        "time": say("repaint.time", milliseconds="{milliseconds}"),
    }


def _sentences() -> dict[str, str]:
    """Sentences about a row or a cell; the places in braces are filled in the browser."""
    query, key = {"q": "{q}", "query": "{query}"}, {"k": "{k}", "key": "{key}"}
    return {
        "cell": say("repaint.cell", weight="{weight}", **query, **key),
        "hidden": say("repaint.hidden", **query, **key),
        "row": say("repaint.row", n_keys="{n_keys}", entropy="{entropy}", even="{even}", **query),
        "row_no_key": say("repaint.row_no_key", **query),
        "most": say("repaint.most", keys="{keys}"),
        "top": say("repaint.top", weight="{weight}", **key),
        "alike": say("repaint.alike", n_alike="{n_alike}", weight="{weight}"),
    }
