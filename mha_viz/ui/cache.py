"""All caching. Keys are short strings: Streamlit hashes a record by its fields alone, so that two masks without fields,
or with equal ones, would be the same key."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from mha_viz.controls import Controls
from mha_viz.models import SOURCES
from mha_viz.tokens import TokenSequence
from mha_viz.trace import AttentionTrace, LayerTrace
from mha_viz.ui.choices import Choices

if TYPE_CHECKING:
    from mha_viz.models.base import AttentionModel

#: Forward passes run in threads that live on: a new thread's first pass costs about 8 ms more.
_WORKERS = ThreadPoolExecutor(max_workers=2, thread_name_prefix="forward")


class Ran(NamedTuple):
    """A run as the page got it.

    Attributes:
        trace: what the model did.
        cached: whether it was at hand already.
    """

    trace: AttentionTrace
    cached: bool


def model(choices: Choices) -> AttentionModel:
    """The chosen model, opened once for all sessions."""
    return _model(choices.source, repr(choices.options), choices)


def tokens(choices: Choices) -> TokenSequence:
    """The tokens of the chosen text."""
    return _tokens(choices.source, repr(choices.options), repr(choices.text), choices)


def run(choices: Choices, controls: Controls) -> Ran:
    """The chosen model's run of the chosen text."""
    asked = time.perf_counter()
    keys = (choices.source, repr(choices.options), repr(choices.text), _key(controls))
    trace, made = _trace(*keys, choices, controls)
    return Ran(trace, cached=made < asked)


def layer(choices: Choices, controls: Controls, number: int) -> LayerTrace:
    """One layer of such a run, with its scores."""
    keys = (choices.source, repr(choices.options), repr(choices.text), _key(controls))
    return _layer(*keys, number, choices, controls)


def _key(controls: Controls) -> str:
    heads = [sorted(controls.silenced), sorted(controls.uniform)]
    where = [None if chosen is None else sorted(chosen) for chosen in (controls.layers, controls.heads)]
    return repr((controls.temperature, controls.mask, heads, where))


@st.cache_resource(max_entries=4, show_spinner=False)
def _model(source: str, options: str, _choices: Choices) -> AttentionModel:
    return _WORKERS.submit(SOURCES[source].load, _choices.options).result()


@st.cache_data(max_entries=256, show_spinner=False)
def _tokens(source: str, options: str, text: str, _choices: Choices) -> TokenSequence:
    chosen = _choices.text
    return model(_choices).tokenize(chosen.first, chosen.second, cut=chosen.cut, read_special=chosen.read_special)


@st.cache_data(max_entries=64, max_size="256MB", show_spinner=False)
def _trace(
    source: str, options: str, text: str, controls: str, _choices: Choices, _controls: Controls
) -> tuple[AttentionTrace, float]:
    opened, sequence = model(_choices), tokens(_choices)
    trace = _WORKERS.submit(opened.run, sequence, _controls).result()
    return trace, time.perf_counter()


@st.cache_data(max_entries=64, max_size="128MB", show_spinner=False)
def _layer(
    source: str, options: str, text: str, controls: str, number: int, _choices: Choices, _controls: Controls
) -> LayerTrace:
    opened, sequence = model(_choices), tokens(_choices)
    return _WORKERS.submit(opened.inspect_layer, sequence, _controls, number).result()
