"""Weights from files, kept for all sessions of this process, and whether files may be opened here at all."""

from __future__ import annotations

import hashlib
import io
import ipaddress
import threading
from dataclasses import dataclass, field
from typing import NamedTuple

import streamlit as st
from cachetools import LRUCache

from mha_viz.arrays import memory_of
from mha_viz.errors import InputError, NotHereError
from mha_viz.export import trace_from_npz
from mha_viz.models.hub.architecture import MOST_HEADS, MOST_LAYERS, MOST_TOKENS
from mha_viz.settings import settings
from mha_viz.spec import ModelSpec
from mha_viz.trace import AttentionTrace

#: Bytes of all traces that are kept, and of the arrays of one file.
ROOM = 512 * 2**20


class Stored(NamedTuple):
    """What a file held.

    Attributes:
        name: of the file.
        trace: its weights.
    """

    name: str
    trace: AttentionTrace


@dataclass(frozen=True)
class OwnOptions:
    """The options of the source "own", as those of ``models.SOURCES``; the trace stays at hand though the store may drop it.

    Attributes:
        digest: of the file.
        stored: what it held.
    """

    digest: str
    stored: Stored = field(repr=False, compare=False)

    @property
    def spec(self) -> ModelSpec:
        """Layers, heads and widths of the weights."""
        return self.stored.trace.spec


def _size(stored: Stored) -> int:
    return memory_of(stored.trace) + memory_of(stored.trace.vectors)


_STORE: LRUCache[str, Stored] = LRUCache(ROOM, getsizeof=_size)
_LOCK = threading.Lock()


def keep(name: str, data: bytes) -> str:
    """Reads a file and keeps what it holds.

    Args:
        name: of the file.
        data: its bytes.

    Returns:
        the digest that finds it again: the first 32 digits of the SHA-256 of the bytes.

    Raises:
        InputError: it is no NPZ of weights, what it holds is wrong, or cannot be shown on the pages.
    """
    digest = hashlib.sha256(data).hexdigest()[:32]
    with _LOCK:
        if digest in _STORE:
            return digest
    file = io.BytesIO(data)
    file.name = name
    stored = Stored(name, trace_from_npz(file, ROOM))
    _check(stored)
    with _LOCK:
        _STORE[digest] = stored
    return digest


def _check(stored: Stored) -> None:
    """Raises InputError for a trace that is right but cannot be shown on every page."""
    trace = stored.trace
    if trace.key_tokens != trace.query_tokens:
        raise InputError("error.own_page_keys", name=stored.name)
    sizes = (trace.spec.n_layers, MOST_LAYERS), (trace.spec.n_heads, MOST_HEADS), (trace.n_tokens, MOST_TOKENS)
    if any(got > most for got, most in sizes):
        (layers, heads, tokens), most = zip(*sizes, strict=True)
        limits = dict(zip(("most_layers", "most_heads", "most_tokens"), most, strict=True))
        raise InputError("error.own_page_size", name=stored.name, layers=layers, heads=heads, tokens=tokens, **limits)
    if _size(stored) > ROOM:
        raise InputError("error.npz_too_large", name=stored.name, got=_size(stored), limit=ROOM)


def find(digest: str) -> Stored | None:
    """What a file held; None if it has never been here, or made room for others."""
    with _LOCK:
        found: Stored | None = _STORE.get(digest)
        return found


def forget() -> None:
    """Drops everything that is kept."""
    with _LOCK:
        _STORE.clear()


def options(digest: str) -> OwnOptions:
    """The options of a file.

    Raises:
        InputError: no file may be opened here.
        NotHereError: none is chosen, or it is gone.
    """
    why_not = refusal()
    if why_not is not None:
        raise why_not
    if not digest:
        raise NotHereError("error.own_none")
    found = find(digest)
    if found is None:
        raise NotHereError("error.own_gone", digest=digest[:8])
    return OwnOptions(digest, found)


def refusal() -> InputError | None:
    """Why no file may be opened here; None if it may."""
    allowed = settings().own
    if allowed == "off":
        return InputError("error.own_off")
    address = st.get_option("server.address")
    if allowed == "any" or is_this_computer(address):
        return None
    return InputError("error.own_local", got=address or "0.0.0.0")


def is_this_computer(address: str | None) -> bool:
    """Whether a server with this address can be reached from its own computer only."""
    if address is None:
        return False
    try:
        return address == "localhost" or ipaddress.ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return False
