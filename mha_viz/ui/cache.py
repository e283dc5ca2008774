"""All caching. Keys are short strings: Streamlit hashes a record by its fields alone, so that two masks without fields,
or with equal ones, would be the same key."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import streamlit as st
from cachetools import LRUCache, cached

from mha_viz.analysis.reading import Shown, read
from mha_viz.arrays import FloatArray, freeze, memory_of
from mha_viz.checks import Agreement
from mha_viz.controls import Controls
from mha_viz.edits import parse
from mha_viz.errors import InputError, ModelError
from mha_viz.models import SOURCES
from mha_viz.models.place import Place
from mha_viz.settings import Settings, settings
from mha_viz.tokens import TokenSequence
from mha_viz.trace import AttentionTrace, LayerTrace
from mha_viz.ui.choices import Choices

if TYPE_CHECKING:
    from mha_viz.models.base import AttentionModel

Result = TypeVar("Result")

#: Forward passes run in threads that live on: a new thread's first pass costs about 8 ms more.
_WORKERS = ThreadPoolExecutor(max_workers=2, thread_name_prefix="forward")
_CLEANER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="give-back")
#: Toys kept in memory; each is a few hundred kilobytes.
_TOYS = 8
#: Bytes of runs and of their readings that are kept. They are shared, not copied: 95 MB take 0.2 s to copy.
_ROOM = 512 * 2**20
#: Models whose output matrices are kept; those of a BERT-base are 28 MB.
_MATRICES = 3
#: Seconds after which memory is given back even if a run still holds the model.
_LAST_RUN = 30.0


class Ran(NamedTuple):
    """A run as the page got it.

    Attributes:
        trace: what the model did.
        cached: whether it was at hand already.
        given_up: the device whose memory was not enough, so that the CPU did it; None if there was none.
    """

    trace: AttentionTrace
    cached: bool
    given_up: str | None


def model(choices: Choices) -> AttentionModel:
    """The chosen model, opened once for all sessions."""
    opened: AttentionModel = _act(choices, lambda opened: opened)[0]
    return opened


def tokens(choices: Choices) -> TokenSequence:
    """The tokens of the chosen text."""
    if choices.stored is not None:
        return _of_file(choices).query_tokens
    return _tokens(*_keys(choices), choices)


def run(choices: Choices, controls: Controls) -> Ran:
    """The chosen model's run of the chosen text."""
    if choices.stored is not None:
        return Ran(_of_file(choices, controls), cached=True, given_up=None)
    asked = time.perf_counter()
    kept = _run(view_key(choices, controls), choices, controls)
    return Ran(kept.trace, cached=kept.made < asked, given_up=kept.given_up)


def reading(choices: Choices, trace: AttentionTrace, level: str, specials: str) -> Shown:
    """Such a run by pieces or words, with special tokens or without."""
    if (level, specials) == ("pieces", "raw"):
        return read(trace)
    key = repr((view_key(choices, trace.controls), level, specials))
    return _reading(key, trace, level, specials)


def once(name: str, choices: Choices, controls: Controls, make: Callable[[], Result]) -> Result:
    """What ``make`` gives for such a run, worked out the first time that it is asked for; ``name`` tells what it is."""
    result: Result = _once(_once_key(name, choices, controls), make)
    return result


def known(name: str, choices: Choices, controls: Controls) -> Any:
    """What ``once`` has under this name for such a run; None if it has not been asked yet."""
    with _ONCE_LOCK:
        return _ONCE.get(_once_key(name, choices, controls))


def layer(choices: Choices, controls: Controls, number: int) -> LayerTrace:
    """One layer of such a run, with its scores."""
    return _layer(*_keys(choices), _key(controls), number, choices, controls)


def output_matrices(choices: Choices) -> tuple[FloatArray, ...] | None:
    """W_O of each layer of the chosen model, read-only; None if it has none, or there is no model."""
    if not choices.has_model:
        return None
    source, options, place, _ = _keys(choices)
    return _output_matrices(source, options, place, choices)


def agreement(choices: Choices, controls: Controls) -> Agreement:
    """Such a run held against code that is not this project's."""
    return _agreement(*_keys(choices), _key(controls), choices, controls)


def _of_file(choices: Choices, controls: Controls | None = None) -> AttentionTrace:
    """The run that a file holds; of other texts and controls there is none.

    Raises:
        ModelError: another one is asked for.
    """
    trace = choices.stored.trace if choices.stored is not None else None
    texts = None if trace is None else (trace.query_tokens.text, trace.query_tokens.pair)
    asked = (choices.text.first, choices.text.second)
    if trace is None or asked != texts or controls not in (None, trace.controls):
        raise ModelError("error.own_no_model", name=choices.name)
    return trace


def view_key(choices: Choices, controls: Controls) -> str:
    """One string for one run."""
    return repr((*_keys(choices), _key(controls)))


def _keys(choices: Choices) -> tuple[str, str, str, str]:
    return choices.source, repr(choices.options), repr(choices.place), repr(choices.text)


def _key(controls: Controls) -> str:
    heads = [sorted(controls.silenced), sorted(controls.uniform)]
    where = [None if chosen is None else sorted(chosen) for chosen in (controls.layers, controls.heads)]
    return repr((controls.temperature, controls.mask, heads, where))


def _act(choices: Choices, action: Callable[[AttentionModel], Result]) -> tuple[Result, str | None]:
    """Does something with the chosen model at its place; on the CPU if the memory of the place is not enough."""
    if not choices.has_model:
        raise ModelError("error.own_no_model", name=choices.name)
    from mha_viz.models.retreat import with_retreat  # imports torch

    def open_at(place: Place) -> AttentionModel:
        cached = _toy if choices.source == "toy" else _checkpoint
        return cached(choices.source, repr(choices.options), repr(place), replace(choices, place=place))

    return with_retreat(open_at, choices.place, lambda opened: _WORKERS.submit(action, opened).result())


def _load(choices: Choices) -> AttentionModel:
    from mha_viz.models.devices import set_threads

    set_threads()
    return _WORKERS.submit(SOURCES[choices.source].load, choices.options, choices.place).result()


@st.cache_resource(max_entries=_TOYS, show_spinner=False)
def _toy(source: str, options: str, place: str, _choices: Choices) -> AttentionModel:
    return _load(_choices)


def _released(opened: AttentionModel) -> None:
    """The cache lets go of its oldest model: once no run holds it either, its memory goes back."""
    _CLEANER.submit(_give_back_after, weakref.ref(opened))


def _give_back_after(opened: weakref.ref[AttentionModel]) -> None:
    from mha_viz.models.devices import give_back

    until = time.monotonic() + _LAST_RUN
    while opened() is not None and time.monotonic() < until:
        time.sleep(0.1)
    give_back()


def _resident() -> int:
    try:
        return settings().resident
    except InputError:  # the frame shows the sentence in place of every page
        return Settings().resident


@st.cache_resource(max_entries=_resident(), show_spinner=False, on_release=_released)
def _checkpoint(source: str, options: str, place: str, _choices: Choices) -> AttentionModel:
    return _load(_choices)


@st.cache_data(max_entries=256, show_spinner=False)
def _tokens(source: str, options: str, place: str, text: str, _choices: Choices) -> TokenSequence:
    chosen = _choices.text

    def read_text(opened: AttentionModel) -> TokenSequence:
        found = opened.tokenize(chosen.first, chosen.second, cut=chosen.cut, read_special=chosen.read_special)
        return opened.edited(found, parse(chosen.edits)) if chosen.edits else found

    return _act(_choices, read_text)[0]


class _Kept(NamedTuple):
    trace: AttentionTrace
    given_up: str | None
    made: float


def _size(kept: _Kept | Shown) -> int:
    records: tuple[object, ...] = (kept.trace, kept.trace.vectors) if isinstance(kept, _Kept) else (kept,)
    return sum(memory_of(record) for record in records)


#: Several sessions that ask for the same run at once wait for one forward pass.
_RUNS: LRUCache[str, _Kept | Shown] = LRUCache(_ROOM, getsizeof=_size)
_WAITING = threading.Condition()


def forget_runs() -> None:
    """Drops every run and reading that is kept."""
    with _WAITING:
        _RUNS.clear()
    with _ONCE_LOCK:
        _ONCE.clear()


@cached(_RUNS, key=lambda key, *_: key, condition=_WAITING)
def _run(key: str, choices: Choices, controls: Controls) -> _Kept:
    sequence = tokens(choices)
    trace, given_up = _act(choices, lambda opened: opened.run(sequence, controls))
    return _Kept(trace, given_up, time.perf_counter())


@cached(_RUNS, key=lambda key, *_: key, condition=_WAITING)
def _reading(key: str, trace: AttentionTrace, level: str, specials: str) -> Shown:
    return read(trace, level, specials)


#: What is worked out once from a run: metrics, types, distances.
_ONCE: LRUCache[str, Any] = LRUCache(128)


_ONCE_LOCK = threading.Condition()


def _once_key(name: str, choices: Choices, controls: Controls) -> str:
    return repr((name, view_key(choices, controls)))


@cached(_ONCE, key=lambda key, _: key, condition=_ONCE_LOCK)
def _once(key: str, make: Callable[[], Any]) -> Any:
    return make()


@st.cache_data(max_entries=64, max_size="128MB", show_spinner=False)
def _layer(
    source: str, options: str, place: str, text: str, controls: str, number: int, _choices: Choices, _controls: Controls
) -> LayerTrace:
    sequence = tokens(_choices)
    return _act(_choices, lambda opened: opened.inspect_layer(sequence, _controls, number))[0]


@st.cache_resource(max_entries=_MATRICES, show_spinner=False)
def _output_matrices(source: str, options: str, place: str, _choices: Choices) -> tuple[FloatArray, ...] | None:
    matrices = model(_choices).output_matrices()
    for matrix in matrices or ():
        freeze(matrix)
    return matrices


@st.cache_data(max_entries=256, show_spinner=False)
def _agreement(
    source: str, options: str, place: str, text: str, controls: str, _choices: Choices, _controls: Controls
) -> Agreement:
    sequence = tokens(_choices)
    return _act(_choices, lambda opened: opened.agreement(sequence, _controls))[0]
