"""Tests and comparisons that tell nothing."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mha_viz.figures.bars import Bars, bars
from mha_viz.figures.maps import Map, maps
from mha_viz.labs.pitfalls.base import Trial
from mha_viz.ui import heatmaps
from mha_viz.ui.pitfalls import card, claims
from mha_viz.words import say

_KEY = "pitfall_checks"


def render() -> None:
    """The card."""
    from mha_viz.labs.pitfalls.checks import TRIED, ChecksOptions

    def controls() -> ChecksOptions:
        tried = claims.choose("checks", TRIED, "tried")
        if tried in ("order", "padding", "maps"):
            words = st.slider(say("pitfalls.checks.words"), 2, 20, 8, key="pitfall_checks_words")
            return ChecksOptions(tried=tried, words=words)
        if tried == "parameters":
            width = st.select_slider(
                say("pitfalls.checks.d_model"), [32, 64, 128, 256, 512], 128, key="pitfall_checks_width"
            )
            heads = st.select_slider(say("pitfalls.checks.heads"), [2, 4, 8, 16, 32], 8, key="pitfall_checks_heads")
            return ChecksOptions(tried=tried, d_model=width, heads=heads)
        if tried == "head_mask":
            off = st.slider(say("pitfalls.checks.off"), 0, 4, 1, key="pitfall_checks_off")
            return ChecksOptions(tried=tried, off=off)
        return ChecksOptions(tried=tried)

    card.show("checks", controls, _picture)


def _picture(trial: Trial) -> None:
    found = trial.found
    if "modules" in found:
        _shapes(found["modules"])
    elif "counts" in found:
        _parameters(found["counts"], found["heads"])
    elif "tokens" in found:
        _maps(found["told"], found["right"], found["tokens"])
    else:
        _against(trial)


def _shapes(modules: list[tuple[str, bool, bool, float]]) -> None:
    passed, failed = say("pitfalls.checks.shapes.passes"), say("pitfalls.checks.shapes.fails")
    places = [[name, passed if told else failed] for name, told, _, _ in modules]
    series = [Bars(say("pitfalls.checks.shapes.moved"), [change for *_, change in modules])]
    figure = bars(series, places, say("pitfalls.checks.shapes.axis"))
    heatmaps.show(figure, _KEY, say("pitfalls.checks.shapes.alt", n=len(modules)))
    st.caption(say("pitfalls.checks.shapes.caption"))


def _parameters(counts: list[int], heads: int) -> None:
    places = [
        [say("pitfalls.checks.parameters.head"), say("pitfalls.checks.parameters.one")],
        [say("pitfalls.checks.parameters.head"), say("pitfalls.checks.parameters.single")],
        [say("pitfalls.checks.parameters.several", n=heads)],
    ]
    series = [Bars(say("pitfalls.checks.parameters.counted"), counts)]
    figure = bars(series, places, say("pitfalls.checks.parameters.axis"), level=counts[1])
    heatmaps.show(figure, _KEY, say("pitfalls.checks.parameters.alt", n=heads))
    st.caption(say("pitfalls.checks.parameters.caption"))


def _maps(told: np.ndarray | None, right: np.ndarray, tokens: list[str]) -> None:
    shown = [
        Map(say("pitfalls.checks.maps.told"), np.full_like(right, np.nan) if told is None else told),
        Map(say("pitfalls.checks.maps.right"), right),
    ]
    figure = maps(shown, tokens, tokens, say("pitfalls.weight"), numbers=False)
    heatmaps.show(figure, _KEY, say("pitfalls.checks.maps.alt"))
    st.caption(say("pitfalls.checks.maps.caption"))


def _against(trial: Trial) -> None:
    """A line as told and one done right."""
    found = trial.found
    if "off" in found:
        titles = say("pitfalls.checks.off"), say("pitfalls.checks.head_mask.axis")
        names = say("pitfalls.checks.head_mask.told"), say("pitfalls.checks.head_mask.right")
        alt, caption = say("pitfalls.checks.head_mask.alt"), say("pitfalls.checks.head_mask.caption")
    elif "pads" in found:
        titles = say("pitfalls.checks.padding.at"), say("pitfalls.checks.logit")
        names = say("pitfalls.checks.padding.told"), say("pitfalls.checks.padding.right")
        alt, caption = say("pitfalls.checks.alt"), say("pitfalls.checks.padding.caption")
    else:
        titles = say("pitfalls.checks.order.at"), say("pitfalls.checks.logit")
        names = say("pitfalls.checks.order.told"), say("pitfalls.checks.order.right")
        alt, caption = say("pitfalls.checks.alt"), say("pitfalls.checks.order.caption")
    claims.told_and_right(found, names, *titles, _KEY, alt)
    st.caption(caption)
