"""Masks by sentence, by single tokens, and painted by hand."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from dataclasses import dataclass, field

import numpy as np

from mha_viz.arrays import BoolArray
from mha_viz.errors import InputError
from mha_viz.masks.base import Mask
from mha_viz.masks.grid import LARGEST, keys, queries
from mha_viz.tokens import TokenSequence


@dataclass(frozen=True)
class WithinSentence(Mask):
    """Of a pair of sentences, a token sees its own."""

    name = "within"

    def visible(self, tokens: TokenSequence) -> BoolArray:
        """bool (query, key): equal segments."""
        segments = np.array(tokens.segment_ids)
        return segments[:, None] == segments[None, :]


@dataclass(frozen=True)
class AcrossSentences(Mask):
    """Of a pair of sentences, a token sees only the other one."""

    name = "across"

    def visible(self, tokens: TokenSequence) -> BoolArray:
        """bool (query, key): different segments."""
        segments = np.array(tokens.segment_ids)
        return segments[:, None] != segments[None, :]


@dataclass(frozen=True)
class HideKey(Mask):
    """One token is seen by nobody.

    Attributes:
        position: of the token.
    """

    name = "hide_key"
    position: int = field(default=0, metadata={"low": 0, "high": LARGEST - 1})

    def visible(self, tokens: TokenSequence) -> BoolArray:
        """bool (query, key): any key but that one."""
        return np.broadcast_to(keys(tokens) != self.position, (tokens.n_tokens, tokens.n_tokens))


@dataclass(frozen=True)
class HideQuery(Mask):
    """One token sees nobody.

    Attributes:
        position: of the token.
    """

    name = "hide_query"
    position: int = field(default=0, metadata={"low": 0, "high": LARGEST - 1})

    def visible(self, tokens: TokenSequence) -> BoolArray:
        """bool (query, key): any query but that one."""
        return np.broadcast_to(queries(tokens) != self.position, (tokens.n_tokens, tokens.n_tokens))


@dataclass(frozen=True)
class Painted(Mask):
    """Cells hidden one by one, by hand.

    Attributes:
        cells: the hidden cells of a square of ``side`` tokens, as text; "" hides none. ``Painted.of`` makes it.

    On a longer sequence the cells beyond the square are visible; on a shorter one the square is cut.

    Raises:
        InputError: the text is none that ``Painted.of`` makes.
    """

    name = "painted"
    cells: str = ""

    def __post_init__(self) -> None:
        self.hidden()

    @classmethod
    def of(cls, hidden: BoolArray) -> Painted:
        """The mask that hides the True cells of bool (query, key)."""
        if not hidden.any():
            return cls()
        side = len(hidden)
        packed = side.to_bytes(2, "big") + np.packbits(hidden).tobytes()
        return cls(base64.urlsafe_b64encode(zlib.compress(packed, 9)).decode().rstrip("="))

    def hidden(self) -> BoolArray:
        """bool (side, side): the hidden cells."""
        if self.cells == "":
            return np.zeros((0, 0), dtype=bool)
        packed = _unpacked(self.cells) if isinstance(self.cells, str) and _LETTERS.fullmatch(self.cells) else b""
        side = int.from_bytes(packed[:2], "big")
        if side > LARGEST or len(packed) != 2 + (side * side + 7) // 8:  # before any memory is taken for the cells
            raise InputError("error.painted", got=str(self.cells)[:20])
        bits = np.unpackbits(np.frombuffer(packed, dtype=np.uint8, offset=2), count=side * side)
        return bits.reshape(side, side).astype(bool)

    def visible(self, tokens: TokenSequence) -> BoolArray:
        """bool (query, key): not hidden."""
        visible = np.ones((tokens.n_tokens, tokens.n_tokens), dtype=bool)
        hidden = self.hidden()[: tokens.n_tokens, : tokens.n_tokens]
        visible[: hidden.shape[0], : hidden.shape[1]] = ~hidden
        return visible


_MOST_BYTES = 2 + LARGEST * LARGEST // 8
_LETTERS = re.compile("[A-Za-z0-9_-]+")


def _unpacked(text: str) -> bytes:
    """What ``Painted.of`` packed; nothing if it is cut, has something after it, or is more than it ever packs."""
    unpack = zlib.decompressobj()
    try:
        packed = unpack.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), _MOST_BYTES + 1)
    except (zlib.error, binascii.Error):
        return b""
    return packed if unpack.eof and not unpack.unused_data else b""
