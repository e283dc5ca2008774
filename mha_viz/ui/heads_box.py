"""The box in which several heads of a model are chosen."""

from __future__ import annotations

from typing import Any

import streamlit as st

from mha_viz.controls import HeadId
from mha_viz.spec import ModelSpec
from mha_viz.ui import link, state
from mha_viz.ui.choices import head_name, named_head
from mha_viz.words import say


def names_of(spec: ModelSpec) -> list[str]:
    """Every head of a model, as parameters write it."""
    return [head_name(HeadId(layer, head)) for layer in range(spec.n_layers) for head in range(spec.n_heads)]


def bound(key: str, spec: ModelSpec) -> None:
    """Leaves out heads that the model does not have; what a link asked for is told by whoever tells such things next."""
    every, wanted = names_of(spec), state.get(key)
    there = [name for name in wanted if name in every]
    if there != wanted:
        link.refuse(key, ".".join(name for name in wanted if name not in every))
        state.put(key, there)


def choose(key: str, spec: ModelSpec, label: str, placeholder: str, **more: Any) -> None:
    """Draws the box; ``key`` is a parameter of the view that holds names, ``label`` a key of the table of words.

    What is typed is taken to begin a head's name, and only whole choices are taken: "L0 H1" is not all of L0 H10 and L0 H11 too.
    """
    st.multiselect(
        say(label),
        names_of(spec),
        key=key,
        format_func=lambda name: str(named_head(name)),
        placeholder=placeholder,
        persist_state="session",
        filter_mode="prefix",
        select_all=False,
        **more,
    )
