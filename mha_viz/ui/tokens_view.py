"""The tokens the model reads: count, limit, special and unknown ones marked, pieces of one word side by side."""

from __future__ import annotations

from itertools import groupby

import streamlit as st

from mha_viz.figures.labels import token_text, visible_text
from mha_viz.tokens import TokenSequence
from mha_viz.ui.cache import model
from mha_viz.ui.plain import as_markdown, asset, escaped
from mha_viz.ui.run import Run
from mha_viz.words import say

#: Tokens drawn; the picture's axes and tooltips name the others too.
_MOST_DRAWN = 200


def render(run: Run) -> None:
    """A line of numbers and the strip of tokens."""
    tokens = run.tokens
    marked = {"special": sum(tokens.special), "unknown": sum(tokens.unknown)}
    counts = say("own_page.counts", n_tokens=tokens.n_tokens, **marked)
    if run.choices.has_model:
        counts = say("tokens.counts", n_tokens=tokens.n_tokens, limit=run.choices.spec.max_tokens, **marked)
    words = "".join(_word(tokens, positions) for positions in _words(tokens))
    more = tokens.n_tokens - _MOST_DRAWN
    rest = f"<span class='mha-more'>{escaped(say('tokens.more', more=more))}</span>" if more > 0 else ""
    title = escaped(say("tokens.title"))
    st.html(
        f"<style>{asset('tokens.css')}</style>"
        f"<div class='mha-tokens' role='list' aria-label='{title}'>{words}{rest}"
        f"<span class='mha-counts'>{escaped(counts)}</span></div>"
    )
    _offer_special(run)


def _words(tokens: TokenSequence) -> list[list[int]]:
    """Positions, those of one word together."""
    drawn = range(min(tokens.n_tokens, _MOST_DRAWN))

    def word(position: int) -> tuple[int, int]:
        number = tokens.word_ids[position]
        return (0, number) if number is not None else (1, position)

    return [list(positions) for _, positions in groupby(drawn, key=word)]


def _word(tokens: TokenSequence, positions: list[int]) -> str:
    return "<span class='mha-word'>" + "".join(_token(tokens, position) for position in positions) + "</span>"


def _token(tokens: TokenSequence, position: int) -> str:
    kinds = ["mha-token"]
    notes = [say("tokens.position", position=position)]
    for kind in ("special", "unknown", "padding"):
        if getattr(tokens, kind)[position]:
            kinds.append(f"mha-{kind}")
            notes.append(say(f"tokens.{kind}"))
    if tokens.segment_ids[position]:
        kinds.append("mha-second")
        notes.append(say("tokens.second"))
    if tokens.surfaces[position] not in ("", tokens.tokens[position]):
        notes.append(say("tokens.surface", surface=visible_text(tokens.surfaces[position], 40)))
    text = visible_text(token_text(tokens, position))
    hint = escaped(", ".join(notes))
    return f"<span role='listitem' dir='auto' class='{' '.join(kinds)}' title='{hint}'>{escaped(text)}</span>"


def _offer_special(run: Run) -> None:
    """If the text holds the name of a special token, it is read as text unless the user says otherwise."""
    if not run.choices.has_model:
        return
    typed = run.choices.text.first + (run.choices.text.second or "")
    names = [name for name in model(run.choices).special_names if name in typed]
    if names:
        st.toggle(
            say("tokens.read_special", names=", ".join(map(as_markdown, names))),
            key="special",
            help=say("tokens.read_special.help"),
            persist_state="session",
        )
