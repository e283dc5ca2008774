"""Tokens of byte-level vocabularies (GPT-2, RoBERTa) made readable.

Such a vocabulary writes each byte of UTF-8 as one printable character: a space as "Ġ", "é" as "Ã©", a Chinese character as three
signs nobody can read. Source of the alphabet: Radford et al. 2019, the GPT-2 encoder.
"""

from __future__ import annotations

import codecs
import functools
from typing import Any

_NAMED = "mha_viz_named_bytes"
#: What such vocabularies are known by: a space at the start of a token. It is kept, as the field reads it.
SPACE = "Ġ"


def writes_bytes(tokenizer: Any) -> bool:
    """Whether a transformers tokenizer has a byte-level vocabulary."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is not None:
        return "ByteLevel" in str(backend.decoder) or "ByteLevel" in str(backend.pre_tokenizer)
    return hasattr(tokenizer, "byte_decoder")


def readable_token(token: str) -> str:
    """The text that a token stands for, its leading spaces as "Ġ"; bytes that are no whole character as <0xE5>."""
    alphabet = _alphabet()
    if any(character not in alphabet for character in token):
        return token  # a special token, or one added as text
    written = bytes(alphabet[character] for character in token)
    text = written.decode("utf-8", _NAMED)
    return SPACE * (len(text) - len(text.lstrip(" "))) + text.lstrip(" ")


def written_token(text: str) -> str:
    """What ``readable_token`` makes readable: a text, its leading spaces as "Ġ", as such a vocabulary writes it."""
    signs = {byte: sign for sign, byte in _alphabet().items()}
    spaces = len(text) - len(text.lstrip(SPACE))
    return "".join(signs[byte] for byte in (" " * spaces + text[spaces:]).encode())


@functools.cache
def _alphabet() -> dict[str, int]:
    """Character to byte: printable bytes stand for themselves, the others for U+0100 and on, in order."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + n): byte for n, byte in enumerate(others)}


def _name_bytes(problem: UnicodeError) -> tuple[str, int]:
    """What decoding does with bytes that are no character."""
    if not isinstance(problem, UnicodeDecodeError):
        raise problem
    wrong = problem.object[problem.start : problem.end]
    return "".join(f"<0x{byte:02X}>" for byte in wrong), problem.end


codecs.register_error(_NAMED, _name_bytes)
