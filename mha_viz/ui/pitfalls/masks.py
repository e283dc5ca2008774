"""Masks: the weights as the claim makes them beside the right ones."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mha_viz.arrays import BoolArray, FloatArray
from mha_viz.figures.maps import Map, maps
from mha_viz.labs.pitfalls.base import Trial
from mha_viz.ui import heatmaps, views
from mha_viz.ui.pitfalls import card, claims
from mha_viz.words import say

_SIZES = (1, 100, 10_000)
#: From one named column to the next where three maps stand side by side.
_MANY = 3
#: Weights above this are seen, and their cells outlined.
_SEEN = 1e-6


def render() -> None:
    """The card."""
    from mha_viz.labs.pitfalls.masks import CLAIMS, MasksOptions

    def controls() -> MasksOptions:
        claim = claims.choose("masks", CLAIMS, "tried")
        return MasksOptions.of({"claim": claim, **_own(claim)})

    card.show("masks", controls, _picture)


def _own(claim: str) -> dict[str, object]:
    """What a claim's own controls say."""
    from mha_viz.labs.pitfalls.masks import SIDES
    from mha_viz.labs.pitfalls.masks_shape import HEADS, LONG, MOST_BATCH
    from mha_viz.labs.pitfalls.masks_small import PRECISIONS

    if claim == "batch":
        title, sizes = say("pitfalls.masks.batch.size", heads=HEADS), range(1, MOST_BATCH + 1)
        return {"batch": views.pick("pitfall_masks_batch", title, sizes, 2, str)}
    if claim == "half":
        title = say("pitfalls.masks.half.precision")
        return {"precision": views.pick("pitfall_masks_precision", title, tuple(PRECISIONS), "float16", str)}
    if claim == "weak":
        title = say("pitfalls.masks.weak.size")
        return {"size": views.pick("pitfall_masks_size", title, _SIZES, 1, "{:,}".format)}
    if claim == "compound":
        title = say("pitfalls.masks.compound.side")
        side = views.pick(
            "pitfall_masks_side", title, SIDES, "right", lambda name: say(f"pitfalls.masks.compound.{name}")
        )
        pads = st.slider(say("pitfalls.masks.compound.pads"), 0, LONG - 1, 7, key="pitfall_masks_pads")
        return {"side": side, "pads": pads}
    return {}


def _picture(trial: Trial) -> None:
    visible: BoolArray = trial.found["visible"]
    ways = [name for name in ("told", "least", "right") if trial.found.get(name) is not None]
    shown = [Map(say(f"pitfalls.masks.map.{name}"), _hatched(trial.found[name], visible)) for name in ways]
    wrong = [_wrong(trial.found[name], visible) for name in ways]
    names = _names(trial, visible)
    figure = maps(
        shown, names, names, say("pitfalls.weight"), high=1.0, outlined=wrong, every=_MANY if len(shown) > 2 else 1
    )
    heatmaps.show(figure, "pitfall_masks", say("pitfalls.masks.alt"))
    st.caption(" ".join(_captions(trial, visible)))


def _hatched(weights: FloatArray, visible: BoolArray) -> FloatArray:
    """NaN where a hidden cell weighs nothing, so that it is hatched."""
    return np.where(visible | ~(weights <= _SEEN), weights, np.nan)


def _wrong(weights: FloatArray, visible: BoolArray) -> list[tuple[int, int]]:
    """Cells that are hidden and have weight."""
    return [(int(row), int(column)) for row, column in np.argwhere(~visible & (weights > _SEEN))]


def _names(trial: Trial, visible: BoolArray) -> list[str]:
    """What stands at the rows and columns: padding is what nobody sees."""
    padding = trial.found.get("padding", ~visible.any(axis=0))
    return [say("pitfalls.masks.pad") if pad else str(place) for place, pad in enumerate(padding)]


def _captions(trial: Trial, visible: BoolArray) -> list[str]:
    told = trial.found["told"]
    said = [say("pitfalls.masks.caption" if told is not None else "pitfalls.masks.caption.raised")]
    if told is not None and (np.isnan(told).any() or not visible.any(axis=-1).all()):
        said.append(say("pitfalls.masks.caption.broken"))
    if "place" in trial.found:
        said.append(say(f"pitfalls.masks.device.{trial.found['place']}"))
    return said
