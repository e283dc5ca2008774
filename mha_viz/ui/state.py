"""What a session shows: the parameters of the view, kept in st.session_state under their names, which are also the keys of
their widgets. The link holds those that differ from their defaults, in a form that does not depend on the language."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import streamlit as st

from mha_viz.ui.parameters import MASK_PARAMETERS, OWN, PARAMETERS

#: Characters of both sentences together that a link holds; more would not fit through some servers and chat programs.
MOST_LINKED_CHARACTERS = 1_500
#: The parameters that a link may have no room for.
TEXTS = ("text", "pair")

#: What the reset button puts back: everything that acts inside the model.
CONTROLS = (
    "temperature",
    *MASK_PARAMETERS,
    "join",
    "inverted",
    "in_layers",
    "in_heads",
    "off",
    "off_as",
    "edits",
    "kept",
    "keep",
    "picked",
    "heads",
    "d_model",
    "seed",
    "weights",
)


#: What means nothing where the weights are those of a file: there is no model to change, and no text to read.
WITHOUT_MODEL = (*CONTROLS, *TEXTS, "cut", "special", "model", "revision", "device", "dtype")

#: Parameters whose widgets are drawn in every run of every page that has a model.
_ALWAYS_DRAWN = frozenset(
    ("text", "pair", "source", "layer", "head", "temperature", "causal", "padding", "window", "scale", "palette", "own")
)


def fill_defaults() -> None:
    """Gives every parameter that has no value its default.

    A widget that is not drawn in every run can lose its value, though not its name, when a run is cut short by the next one:
    its value is written back. Of those that are always drawn the value is left alone, since writing it back would overwrite
    what is being typed.
    """
    drawn = _ALWAYS_DRAWN - set(WITHOUT_MODEL) if st.session_state.get("source") == OWN else _ALWAYS_DRAWN
    for name, parameter in PARAMETERS.items():
        value = st.session_state.get(name)
        if value is None:
            value = parameter.default
        if name not in drawn or name not in st.session_state:
            st.session_state[name] = value


#: Another view than the session's, while ``seen_as`` lasts.
_OTHER: ContextVar[dict[str, Any] | None] = ContextVar("_other_view", default=None)


def get(name: str) -> Any:
    """The value of a parameter."""
    other = _OTHER.get()
    return st.session_state[name] if other is None else other[name]


def put(name: str, value: Any) -> None:
    """Changes a parameter; only before its widget is drawn, or in a callback."""
    other = _OTHER.get()
    (st.session_state if other is None else other)[name] = value


@contextmanager
def seen_as(query: Mapping[str, str]) -> Iterator[None]:
    """While it lasts, ``get`` gives the view of another link; what of that link is not allowed is its default."""
    values = {}
    for name, parameter in PARAMETERS.items():
        values[name] = parameter.default
        if name in query:
            try:
                values[name] = parameter.read(query[name])
            except ValueError:
                continue
    token = _OTHER.set(values)
    try:
        yield
    finally:
        _OTHER.reset(token)


def is_own() -> bool:
    """Whether the weights are those of a file, and there is no model."""
    return bool(get("source") == OWN)


def choose_model(name: str | None) -> None:
    """Another model of the Hub, in the version that is here, or else the newest; None for the short list."""
    put("model", name)
    put("edits", "")
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
    """Whether both sentences are in the link, or none is read."""
    return is_own() or fits_link()


def fits_link() -> bool:
    """Whether both sentences are short enough for a link."""
    return len(get("text")) + len(get("pair") or "") <= MOST_LINKED_CHARACTERS


def encoded() -> dict[str, str]:
    """The link of the present view."""
    query = {name: written(name) for name, parameter in PARAMETERS.items() if get(name) != parameter.default}
    for name in WITHOUT_MODEL if is_own() else ("file",) if links_text() else ("file", *TEXTS):
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
    for name in WITHOUT_MODEL if is_own() else ():
        if name in query:
            refused.append((name, query[name]))
            put(name, PARAMETERS[name].default)
    return refused
