"""What the views of sparse attention have in common: number fields of the link, a mask with its reach, cards of numbers."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mha_viz.arrays import IntArray
from mha_viz.figures.reach import reach_heatmap
from mha_viz.masks import Mask, joined, layers_until, visible_cells
from mha_viz.ui import heatmaps, state
from mha_viz.ui.plain import escaped
from mha_viz.ui.run import Run
from mha_viz.words import say

#: Layers that reach is drawn for; of a deeper model all.
LEAST_LAYERS = 6


def number(key: str, low: int, high: int) -> int:
    """A whole number of the link; "KEY" are its words."""
    st.number_input(say(key), low, high, step=1, key=key, width=150, persist_state="session")
    return int(state.get(key))


def one_of(key: str, options: Sequence[int]) -> int:
    """One of a few numbers of the link; "KEY" are its words."""
    st.segmented_control(say(key), options, key=key, required=True, persist_state="session")
    return int(state.get(key))


def with_view(run: Run, mask: Mask | None) -> Mask | None:
    """The mask together with that of the view."""
    return joined([one for one in (run.choices.mask, mask) if one is not None])


def drawn_layers(run: Run) -> int:
    """How many layers reach is drawn for."""
    return max(run.choices.spec.n_layers, LEAST_LAYERS)


def reach_of(run: Run, mask: Mask | None) -> IntArray:
    """int (query, token): after how many layers a token can have been told of another, if the mask acts in all of them."""
    visible = visible_cells(run.tokens, with_view(run, mask), causal=run.choices.spec.causal)
    return layers_until(visible, drawn_layers(run))


def show_reach(run: Run, layers: IntArray, key: str, alt: str) -> None:
    """The picture and what to see in it."""
    n_layers = run.choices.spec.n_layers
    heatmaps.show(reach_heatmap(layers, run.tokens, drawn_layers(run)), key, alt)
    drawn = say("sparse.reach.drawn", n_layers=n_layers, drawn=drawn_layers(run)) if n_layers < LEAST_LAYERS else ""
    st.caption(f"{say('sparse.reach.caption')} {drawn}")


def temperature_of(run: Run) -> float:
    """The temperature that acts in the chosen head; 1 where it is left alone."""
    acts = run.controls.acts_in(run.choices.layer, run.choices.head)
    return run.controls.temperature if acts else 1.0


def cards(parts: Sequence[tuple[str, str, str]]) -> None:
    """Cards: title, number, what stands below it."""
    drawn = "".join(
        f"<div role='listitem' class='mha-card'><span>{escaped(title)}</span><strong>{escaped(value)}</strong>"
        f"<small>{escaped(below)}</small></div>"
        for title, value, below in parts
    )
    st.html(f"<div class='mha-cards mha-told' role='list'>{drawn}</div>")
