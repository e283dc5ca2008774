"""Where the model runs: named, and changed, at the end of the sidebar."""

from __future__ import annotations

import sys

import streamlit as st

from mha_viz.errors import MhaVizError
from mha_viz.models.place import DTYPES, Place
from mha_viz.settings import settings
from mha_viz.ui import state
from mha_viz.ui.choices import current_place
from mha_viz.words import say


def render() -> None:
    """After the page, whose run has imported torch: what devices there are is not asked before the first picture is drawn."""
    if "torch" not in sys.modules or state.is_own():
        return
    from mha_viz.models.devices import available, device_name, find_device

    there = available()
    devices = ["auto", *there]
    if state.get("device") not in devices:
        devices.append(state.get("device"))  # of a link; the page has said that it is not here
    try:
        itself = str(find_device(Place()))
    except MhaVizError:  # of the setting; the page has said so
        itself = settings().device

    def named(device: str) -> str:
        return say("place.auto", device=itself) if device == "auto" else device

    now = itself if state.get("device") == "auto" else state.get("device")
    dtype = current_place().dtype
    title = say("place.title", device=now) if dtype == DTYPES[0] else say("place.title_in", device=now, dtype=dtype)
    with st.sidebar.popover(title, icon=":material/memory:", width="stretch"):
        st.radio(say("place.device"), devices, key="device", format_func=named, persist_state="session")
        try:
            chosen = find_device(Place(state.get("device")))
        except MhaVizError:
            return
        st.caption(device_name(chosen))
        if state.get("source") != "toy" and (chosen.type != "cpu" or state.get("dtype") != "float32"):
            _precision()


def _precision() -> None:
    st.radio(
        say("place.dtype"),
        DTYPES,
        key="dtype",
        captions=[say(f"place.{dtype}") for dtype in DTYPES],
        persist_state="session",
    )
