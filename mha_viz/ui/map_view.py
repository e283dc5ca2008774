"""Heads on a map: near each other if they read alike, or if what they hand on is alike. The two need not agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import streamlit as st

from mha_viz import figures
from mha_viz.analysis.agreement import pairs_agreement
from mha_viz.analysis.cka import few_tokens, output_similarity
from mha_viz.analysis.distances import all_distances
from mha_viz.analysis.placing import Placed, placed
from mha_viz.analysis.types import title_of
from mha_viz.arrays import FloatArray
from mha_viz.ui import cache, heatmaps, measures, own_page, state, types_view, work
from mha_viz.ui.run import Run
from mha_viz.words import say

MAP_KEY = "head_map"
_NEAREST = 3
_CHOICES = {"map_by": ("weights", "outputs"), "map_colour": ("layer", "type")}


class Mapped(NamedTuple):
    """Heads and how far apart they are.

    Attributes:
        distances: (head, head).
        places: of the heads.
        agreement: rank correlation of these distances with those of the other kind; NaN if it cannot be told.
    """

    distances: FloatArray
    places: Placed
    agreement: float


def _named(key: str) -> Callable[[str], str]:
    return lambda option: say(f"map.{key}.{option}")


def choose(ran: Run) -> None:
    """What makes heads alike, and what colours them: for the row of controls."""
    for key, options in _CHOICES.items():
        st.segmented_control(
            say(f"map.{key}"),
            options,
            key=key,
            required=True,
            format_func=_named(key),
            label_visibility="collapsed",
            persist_state="session",
        )
    if state.get("map_by") == "weights" and any(ran.tokens.special):
        st.toggle(say("map.drop"), key="map_drop", help=say("map.drop.help"), persist_state="session")


def render(ran: Run) -> None:
    """The map, and what it means."""
    by, colour = state.get("map_by"), state.get("map_colour")
    if by == "outputs" and ran.trace.vectors is None:
        own_page.has(ran.choices, "outputs")
        return
    drop = state.get("map_drop") and by == "weights"
    key = repr((cache.view_key(ran.choices, ran.controls), drop))
    distances = work.result("distances", key, lambda: all_distances(ran.trace, drop))
    if distances is None:
        return
    mapped = cache.once(repr(("map", by, drop)), ran.choices, ran.controls, lambda: _mapped(ran, by, distances))
    _draw(ran, mapped, colour)
    _explain(ran, by, mapped)


def _mapped(ran: Run, by: str, js: FloatArray) -> Mapped:
    alike = np.sqrt(np.maximum(js, 0.0))  # the root is a distance in the strict sense
    if ran.trace.vectors is None:
        return Mapped(alike, placed(alike), float("nan"))
    outputs = 1.0 - output_similarity(ran.trace)
    distances = alike if by == "weights" else outputs
    return Mapped(distances, placed(distances), pairs_agreement(alike, outputs))


def _draw(ran: Run, mapped: Mapped, colour: str) -> None:
    n_layers, n_heads = ran.trace.spec.n_layers, ran.trace.spec.n_heads
    types = measures.of(ran).types.names.ravel()
    if colour == "layer":
        colours = figures.layer_colours(n_layers)
        groups = [say("map.layer", layer=place // n_heads) for place in range(n_layers * n_heads)]
    else:
        by_name = figures.type_colours(list(types_view.titles()))
        colours = {title_of(name): by_name[name] for name in by_name if name in types}
        colours |= {title_of(""): "#adb5bd"} if "" in types else {}
        groups = [title_of(str(name)) for name in types]
    notes = [say("map.nearest", heads=_nearest(mapped.distances, place, n_heads)) for place in range(len(groups))]
    chosen = ran.choices.layer * n_heads + ran.choices.head
    figure = figures.head_map(mapped.places.points, n_heads, groups, colours, chosen=chosen, notes=notes)
    heatmaps.show(figure, MAP_KEY, say("map.alt", n_heads=len(groups)))


def _nearest(distances: FloatArray, head: int, n_heads: int) -> str:
    order = [int(place) for place in np.argsort(distances[head], kind="stable") if place != head]
    return ", ".join(f"L{place // n_heads} H{place % n_heads}" for place in order[:_NEAREST])


def _explain(ran: Run, by: str, mapped: Mapped) -> None:
    sentences = [say(f"map.what.{by}"), say("map.stress", stress=f"{mapped.places.stress:.2f}")]
    if not np.isnan(mapped.agreement):
        sentences.append(say("map.agreement", correlation=f"{mapped.agreement:.2f}".replace("-", "−")))
    if by == "outputs" and few_tokens(ran.trace.n_tokens, ran.trace.spec.d_k):
        sentences.append(say("map.few_tokens", n_tokens=ran.trace.n_tokens, d_k=ran.trace.spec.d_k))
    st.caption(" ".join(sentences))
