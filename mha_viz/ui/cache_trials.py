"""Claims that were tried, kept for all sessions as ``cache`` keeps runs: keys are short strings."""

from __future__ import annotations

import streamlit as st

from mha_viz.labs.options import Options
from mha_viz.labs.pitfalls.base import Trial
from mha_viz.labs.pitfalls.registry import try_it


def trial(name: str, options: Options) -> Trial:
    """A pitfall tried, once for equal options."""
    tried: Trial = _trial(name, repr(options), options)
    return tried


@st.cache_data(max_entries=64, show_spinner=False)
def _trial(name: str, key: str, _options: Options) -> Trial:
    return try_it(name, _options)
