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
_WIDE = frozenset("WMmw@%—…")
_ZERO_WIDTH_NON_JOINER, _ZERO_WIDTH_JOINER = "\u200c", "\u200d"
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
    return markup(visible_text(text, longest))


def markup(text: str) -> str:
    """A text of several words for a Plotly text: all that Plotly would take for markup is escaped, and nothing else changed."""
    escaped = "".join(_ENTITIES.get(character, character) for character in text)
    return _PLACEHOLDER.sub("#\u200b", escaped)


def plain_sentence(text: str, longest: int) -> str:
    """A sentence of at most ``longest`` characters: its words with what cannot be seen named, one blank between them."""
    words = (visible_text(word, LONGEST_FULL) for word in text[: 4 * longest].split())
    joined = " ".join(words)
    return joined if len(joined) <= longest else joined[: longest - 1].rstrip() + "…"


def token_text(tokens: TokenSequence, position: int) -> str:
    """What to call one token: as the model writes it; an unknown one with the text it stands for."""
    token, surface = tokens.tokens[position], tokens.surfaces[position]
    return f"{token}·{surface}" if tokens.unknown[position] and surface else token


def plain_labels(tokens: TokenSequence, longest: int = LONGEST) -> list[str]:
    """All tokens, in order, for what is no Plotly text: not escaped."""
    return [visible_text(token_text(tokens, position), longest) for position in range(tokens.n_tokens)]


def axis_labels(tokens: TokenSequence) -> list[str]:
    """Short labels of all tokens, in order."""
    return [label(token_text(tokens, position)) for position in range(tokens.n_tokens)]


def hover_labels(tokens: TokenSequence) -> list[str]:
    """Full labels of all tokens, each with its position."""
    return [f"{label(token_text(tokens, at), LONGEST_FULL)} ({tokens.number(at)})" for at in range(tokens.n_tokens)]


def hover_texts(tokens: TokenSequence) -> list[str]:
    """As ``hover_labels``, for what is no Plotly text: not escaped."""
    names = plain_labels(tokens, LONGEST_FULL)
    return [f"{name} ({tokens.number(place)})" for place, name in enumerate(names)]


def label_width(text: str) -> float:
    """About how many ordinary characters wide a label is drawn: full-width characters count for two."""
    for entity in _ENTITIES.values():
        text = text.replace(entity, "<")
    return sum(2.0 if ord(character) >= 0x2E80 else 1.6 if character in _WIDE else 1.0 for character in text)


def _graphemes(text: str, most: int) -> list[str]:
    """The first ``most`` graphemes, near enough: marks, joiners and selectors stay with the character before them."""
    graphemes: list[str] = []
    joined = False
    for position, character in enumerate(text):
        joins = _joins(text, position)
        shown = character if joins else _shown(character)
        mark = unicodedata.category(character) in ("Mn", "Mc", "Me")
        if graphemes and (joined or joins or mark):
            graphemes[-1] += shown
        elif len(graphemes) == most:
            break
        else:
            graphemes.append(shown)
        joined = joins and character == _ZERO_WIDTH_JOINER
    return graphemes


def _joins(text: str, position: int) -> bool:
    """Whether a joiner or non-joiner does its work: between two characters that are not ASCII (emoji, Indic, Persian)."""
    if text[position] not in (_ZERO_WIDTH_JOINER, _ZERO_WIDTH_NON_JOINER) or not 0 < position < len(text) - 1:
        return False
    around = text[position - 1] + text[position + 1]
    return all(ord(character) > 0x7F and unicodedata.category(character)[0] in "LMS" for character in around)


def _shown(character: str) -> str:
    """The character itself, or a name for one that cannot be seen."""
    if character in _NAMED:
        return _NAMED[character]
    category = unicodedata.category(character)
    if category in ("Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp"):
        return f"\\u{ord(character):04X}"
    return character
