"""Heads switched off one by one: a list in the sidebar, a whole layer, or clicks on the overview."""

from __future__ import annotations

import streamlit as st

from mha_viz.analysis.importance import HOWS
from mha_viz.controls import HeadId
from mha_viz.spec import ModelSpec
from mha_viz.ui import heads_box, state
from mha_viz.ui.choices import head_name, named_head
from mha_viz.words import say

#: Whether a click on the overview switches heads off; of the session, not of the view.
CLICKS = "clicks_switch_off"


def render(spec: ModelSpec) -> None:
    """The list, how such heads are taken out, and the whole layer at once."""
    heads_box.bound("off", spec)
    heads_box.choose("off", spec, "off.title", say("off.none"), help=say("off.help"))
    if not state.get("off"):
        return
    st.segmented_control(
        say("off.as"),
        HOWS,
        key="off_as",
        required=True,
        format_func=lambda how: say(f"off.as.{how}"),
        help=say("off.as.help"),
        persist_state="session",
        width="stretch",
    )


def layer_button(spec: ModelSpec, layer: int) -> None:
    """Switches every head of a layer off, or on again."""
    names = {head_name(HeadId(layer, head)) for head in range(spec.n_heads)}
    gone = names <= set(state.get("off"))
    key = "off.layer_on" if gone else "off.layer_off"
    icon = ":material/toggle_on:" if gone else ":material/toggle_off:"
    st.button(say(key, layer=layer), icon=icon, on_click=_put_layer, args=(names, not gone))


def choose_clicks() -> None:
    """Whether a click on the overview opens a head or switches it off; heads of a file cannot be switched."""
    if state.is_own():
        return
    st.toggle(say("off.clicks"), key=CLICKS, help=say("off.clicks.help"), persist_state="session")


def clicks() -> bool:
    """Whether a click on the overview switches a head off."""
    return bool(st.session_state.get(CLICKS, False)) and not state.is_own()


def toggle(head: HeadId) -> None:
    """Switches a head off, or on again."""
    off, name = state.get("off"), head_name(head)
    put([other for other in off if other != name] if name in off else [*off, name])


def put(names: list[str]) -> None:
    """Makes these the heads that are switched off, in the order of layers and heads."""
    state.put("off", sorted(names, key=named_head))


def _put_layer(names: set[str], gone: bool) -> None:
    others = [name for name in state.get("off") if name not in names]
    put([*others, *names] if gone else others)
