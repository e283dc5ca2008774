"""The only label function: how a token is written in every figure, tooltip and sentence.

A label shows the token as typed. What cannot be seen is named (blank, no-break space, zero-width, control and direction
characters), what Plotly would take for markup is escaped, and what is too long is shortened.
"""

from __future__ import annotations

import re
import unicodedata

from mha_viz.tokens import TokenSequence

#: Graphemes of a token that an axis shows; hovering shows up to LONGEST_FULL.
LONGEST = 16
LONGEST_FULL = 120

_NAMED = {" ": "␠", "\n": "␤", "\t": "␉", "\r": "␍"}
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
#: Streamlit replaces these colour names in everything it sends to Plotly; a zero-width space keeps a token whole.
_PLACEHOLDER = re.compile(r"#(?=0000\d\d)")


def visible_text(text: str, longest: int = LONGEST) -> str:
    """The token with invisible characters named, shortened to ``longest`` graphemes; not escaped."""
    if not text:
        return "∅"
    graphemes = _graphemes(text, longest + 1)
    shortened = [*graphemes[: longest - 1], "…"] if len(graphemes) > longest else graphemes
    return "".join(shortened)


def label(text: str, longest: int = LONGEST) -> str:
    """The token for a Plotly text: as ``visible_text``, with markup escaped."""
    escaped = "".join(_ENTITIES.get(character, character) for character in visible_text(text, longest))
    return _PLACEHOLDER.sub("#\u200b", escaped)


def token_text(tokens: TokenSequence, position: int) -> str:
    """What to call one token: as the model writes it; an unknown one with the text it stands for."""
    token, surface = tokens.tokens[position], tokens.surfaces[position]
    return f"{token} {surface}" if tokens.unknown[position] and surface else token


def axis_labels(tokens: TokenSequence) -> list[str]:
    """Short labels of all tokens, in order."""
    return [label(token_text(tokens, position)) for position in range(tokens.n_tokens)]


def hover_labels(tokens: TokenSequence) -> list[str]:
    """Full labels of all tokens, each with its position."""
    return [f"{label(token_text(tokens, position), LONGEST_FULL)} ({position})" for position in range(tokens.n_tokens)]


def _graphemes(text: str, most: int) -> list[str]:
    """The first ``most`` graphemes, near enough: marks, joiners and selectors stay with the character before them."""
    graphemes: list[str] = []
    joined = False
    for character in text:
        shown = _shown(character)
        mark = unicodedata.category(character) in ("Mn", "Mc", "Me")
        if graphemes and (joined or (mark and shown == character)):
            graphemes[-1] += shown
        elif len(graphemes) == most:
            break
        else:
            graphemes.append(shown)
        joined = character == "\u200d" and shown == character
    return graphemes


def _shown(character: str) -> str:
    """The character itself, or a name for one that cannot be seen."""
    if character in _NAMED:
        return _NAMED[character]
    category = unicodedata.category(character)
    if category in ("Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp"):
        return f"\\u{ord(character):04X}"
    return character
