"""Whether code that a visitor names may be run here: on their own computer, and nowhere else."""

from __future__ import annotations

import streamlit as st

from mha_viz.errors import InputError
from mha_viz.settings import settings
from mha_viz.ui.own_store import is_this_computer


def refusal() -> InputError | None:
    """Why none may be run; None if it may."""
    if settings().examine == "off":
        return InputError("error.examine_off")
    address = st.get_option("server.address")
    return None if is_this_computer(address) else InputError("error.examine_local", got=address or "0.0.0.0")
