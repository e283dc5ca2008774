"""What the heads of one trained look-up net look at."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mha_viz.figures.slots import slot_matrix
from mha_viz.labs.results import LabResult, where
from mha_viz.ui import heatmaps
from mha_viz.words import say

#: The net that is shown first: as many heads as slots.
_FIRST = 4


def heads_text(number: int) -> str:
    """A number of heads in words."""
    return say("lookups.heads.one") if number == 1 else say("lookups.heads.several", heads=number)


def render(result: LabResult, task: str) -> None:
    """A choice of the net, and its matrix.

    The choice is among all nets that were asked for, whether trained by now or not: so it stays while rows come in.
    """
    heads, seeds = list(result.options["heads"]), list(range(int(result.options["seeds"])))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.segmented_control(
            say("lookups.maps"),
            heads,
            default=_FIRST if _FIRST in heads else heads[0],
            required=True,
            key="lookups_map_heads",
        )
        seed = st.selectbox(say("lookups.maps.seed"), seeds, key="lookups_map_seed", width=90)
    rows = where(result.rows, task=task, heads=chosen, seed=seed)
    if not rows:
        st.info(say("lookups.maps.none"), icon=":material/info:")
        return
    slots = np.asarray(rows[0]["slots"], dtype=float)  # (head, slot)
    # By the slot that each looks at most, so that one slot a head makes a diagonal.
    order = sorted(range(len(slots)), key=lambda head: (int(slots[head].argmax()), -float(slots[head].max())))
    ordered = slots[order]
    weights = np.column_stack([ordered, 1 - ordered.sum(axis=1)])
    names = [say("lookups.maps.slot", n=slot) for slot in range(slots.shape[1])]
    figure = slot_matrix(weights, order, [*names, say("lookups.maps.other")], say("lookups.maps.weight"))
    heatmaps.show(figure, "lookup_maps", say("lookups.maps.alt"))
    taken = int((slots > 0.5).any(axis=0).sum())
    st.caption(say("lookups.maps.caption", n_taken=taken, n_slots=slots.shape[1]))
