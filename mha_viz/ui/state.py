"""What a session shows: every parameter of the view, its default, and how it is written in a link.

Parameters live in st.session_state under their names, which are also the keys of their widgets. The link holds the ones
that differ from their defaults, in a form that does not depend on the language.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, fields
from typing import Any

import streamlit as st

from mha_viz.errors import InputError
from mha_viz.figures.colour import PALETTES as PALETTES
from mha_viz.figures.colour import SCALES as SCALES
from mha_viz.masks import MASKS, Mask
from mha_viz.models import SOURCES
from mha_viz.models.place import DTYPES, Place
from mha_viz.models.toy.options import LARGEST_D_MODEL, SMALLEST_D_MODEL
from mha_viz.splitting.records import STEPS
from mha_viz.words import say

#: Characters of both sentences together that a link holds; more would not fit through some servers and chat programs.
MOST_LINKED_CHARACTERS = 1_500
#: The parameters that a link may have no room for.
TEXTS = ("text", "pair")
#: Steps of the temperature slider; a link may hold any other.
TEMPERATURES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, math.inf)


@dataclass(frozen=True)
class Parameter:
    """One thing that defines the view.

    Attributes:
        default: its value when the link says nothing.
        read: text of the link to value; raises ValueError for what is not allowed.
        write: value to text of the link.
    """

    default: Any
    read: Callable[[str], Any]
    write: Callable[[Any], str] = str


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        number = int(text)
        if not low <= number <= high:
            raise ValueError(text)
        return number

    return read


def _one_of(*allowed: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in allowed:
            raise ValueError(text)
        return text

    return read


def _temperature(text: str) -> float:
    number = float(text)
    if not number >= 0:
        raise ValueError(text)
    return number


def _model(text: str) -> str:
    if not 0 < len(text) <= 300 or not text.isprintable():
        raise ValueError(text)
    return text


def _commit(text: str) -> str:
    if not re.fullmatch("[0-9a-f]{40}", text):
        raise ValueError(text)
    return text


def _device(text: str) -> str:
    try:
        return Place(text).device
    except InputError as problem:
        raise ValueError(text) from problem


def _flag(default: bool = False) -> Parameter:
    return Parameter(default, lambda text: _one_of("0", "1")(text) == "1", lambda value: str(int(value)))


def _numbers(text: str) -> list[int]:
    return sorted({_whole(0, LARGEST_D_MODEL - 1)(part) for part in text.split(".")})


def _several(default: list[int] | list[str], read: Callable[[str], Any]) -> Parameter:
    return Parameter(default, read, lambda values: ".".join(map(str, sorted(values))))


def _mask_names(text: str) -> list[str]:
    return sorted({_one_of(*MASKS)(part) for part in text.split(".")})


def _field(kind: type[Mask], name: str) -> Callable[[str], str]:
    """For a mask's parameter without bounds: the mask itself says whether it is allowed."""

    def read(text: str) -> str:
        try:
            kind(**{name: text})
        except InputError as problem:
            raise ValueError(text) from problem
        return text

    return read


def _mask_parameters() -> Iterator[tuple[str, Parameter]]:
    for name, kind in MASKS.items():
        yield name, _flag()
        for parameter in fields(kind):
            bounds = parameter.metadata
            read = _whole(bounds["low"], bounds["high"]) if bounds else _field(kind, parameter.name)
            yield mask_key(name, parameter.name), Parameter(parameter.default, read)


def mask_key(mask: str, parameter: str) -> str:
    """Name of a mask's number among the parameters of the view."""
    return f"{mask}_{parameter}"


#: How BERT's heads are chosen to be kept.
KEPT = ("all", "first", "entropy", "picked")
#: How several masks are joined: all must let a key be seen, or any one.
JOINS = ("all", "any")
#: What the page on masks and temperature shows.
VIEWS = ("mask", "temperature", "stages", "difference")

PARAMETERS: dict[str, Parameter] = {
    "text": Parameter(say("example.coreference"), str),
    "pair": Parameter("", str),
    "source": Parameter("toy", _one_of(*SOURCES)),
    "model": Parameter(None, _model),
    "revision": Parameter("", _commit),
    "device": Parameter("auto", _device),
    "dtype": Parameter("float32", _one_of(*DTYPES)),
    "cut": _flag(),
    "special": _flag(),
    "weights": Parameter("designed", _one_of("designed", "random")),
    "d_model": Parameter(64, _whole(SMALLEST_D_MODEL, LARGEST_D_MODEL)),
    "heads": Parameter(8, _whole(1, LARGEST_D_MODEL)),
    "seed": Parameter(0, _whole(0, 2**31 - 1)),
    "kept": Parameter("all", _one_of(*KEPT)),
    "keep": Parameter(4, _whole(1, LARGEST_D_MODEL)),
    "picked": _several([0], _numbers),
    "temperature": Parameter(1.0, _temperature, lambda value: f"{value:g}"),
    **dict(_mask_parameters()),
    "join": Parameter("all", _one_of(*JOINS)),
    "inverted": _several([], _mask_names),
    "in_layers": _several([], _numbers),
    "in_heads": _several([], _numbers),
    "view": Parameter("mask", _one_of(*VIEWS)),
    "scale": Parameter("linear", _one_of(*SCALES)),
    "palette": Parameter("viridis", _one_of(*PALETTES)),
    "own": _flag(),
    "layer": Parameter(0, _whole(0, 999)),
    "head": Parameter(0, _whole(0, LARGEST_D_MODEL - 1)),
    "step": Parameter("x", _one_of(*STEPS)),
    "split_scope": Parameter("all", _one_of("all", "one")),
    "split_motion": Parameter("play", _one_of("play", "sheet")),
    "beside": _flag(),
    "focus": Parameter(None, _whole(0, 10_000)),
}

#: What the reset button puts back: everything that acts inside the model.
CONTROLS = (
    "temperature",
    *dict(_mask_parameters()),
    "join",
    "inverted",
    "in_layers",
    "in_heads",
    "kept",
    "keep",
    "picked",
    "heads",
    "d_model",
    "seed",
    "weights",
)


#: Parameters whose widgets are drawn in every run of every page.
_ALWAYS_DRAWN = frozenset(
    ("text", "pair", "source", "layer", "head", "temperature", "causal", "padding", "window", "scale", "palette", "own")
)


def fill_defaults() -> None:
    """Gives every parameter that has no value its default.

    A widget that is not drawn in every run can lose its value, though not its name, when a run is cut short by the next one:
    its value is written back. Of those that are always drawn the value is left alone, since writing it back would overwrite
    what is being typed.
    """
    for name, parameter in PARAMETERS.items():
        value = st.session_state.get(name)
        if value is None:
            value = parameter.default
        if name not in _ALWAYS_DRAWN or name not in st.session_state:
            st.session_state[name] = value


def get(name: str) -> Any:
    """The value of a parameter."""
    return st.session_state[name]


def put(name: str, value: Any) -> None:
    """Changes a parameter; only before its widget is drawn, or in a callback."""
    st.session_state[name] = value


def choose_model(name: str | None) -> None:
    """Another model of the Hub, in the version that is here, or else the newest; None for the short list."""
    put("model", name)
    put("revision", "")


def bound(name: str, most: int) -> bool:
    """Puts a number within 0 to ``most``; returns whether it was beyond."""
    beyond = bool(get(name) is not None and get(name) > most)
    if beyond:
        put(name, most)
    return beyond


def reset_controls() -> None:
    """Puts every control back to its default, and the layer too."""
    for name in (*CONTROLS, "layer"):
        put(name, PARAMETERS[name].default)


def written(name: str) -> str:
    """A parameter's value as a link would hold it; "" if there is no such parameter or no value."""
    known = name in PARAMETERS and get(name) is not None
    return PARAMETERS[name].write(get(name)) if known else ""


def links_text() -> bool:
    """Whether both sentences are short enough for the link."""
    return len(get("text")) + len(get("pair") or "") <= MOST_LINKED_CHARACTERS


def encoded() -> dict[str, str]:
    """The link of the present view."""
    query = {name: written(name) for name, parameter in PARAMETERS.items() if get(name) != parameter.default}
    if not links_text():
        for name in TEXTS:
            query.pop(name, None)
    return query


def decode(query: dict[str, str], keep: Collection[str] = ()) -> list[tuple[str, str]]:
    """Makes a link's view the present one; what it does not name gets its default.

    Args:
        query: of the link.
        keep: parameters that stay as they are if the link does not name them.

    Returns:
        names and texts that are no parameters or no allowed values.
    """
    refused = [(name, text) for name, text in query.items() if name not in PARAMETERS]
    for name, parameter in PARAMETERS.items():
        if name in keep and name not in query:
            continue
        value = parameter.default
        if name in query:
            try:
                value = parameter.read(query[name])
            except ValueError:
                refused.append((name, query[name]))
        put(name, value)
    return refused
