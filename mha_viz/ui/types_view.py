"""A type for each head: of this run, the rules with their sources, and over a set of sentences."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import streamlit as st

from mha_viz import figures
from mha_viz.analysis.sentences import SENTENCES, Item
from mha_viz.analysis.tally import TypeTally, tally
from mha_viz.analysis.types import MIXED, RULES, TIMES_EVEN, HeadTypes, title_of, types_of
from mha_viz.analysis.work import Work
from mha_viz.controls import HeadId
from mha_viz.errors import InputError
from mha_viz.ui import cache, heatmaps, measures, own_page, work
from mha_viz.ui.choices import Text
from mha_viz.ui.plain import escaped
from mha_viz.ui.run import Run
from mha_viz.words import say

TYPES_KEY, SET_KEY = "type_matrix", "type_matrix_of_set"
_NAMES = (*(rule.name for rule in RULES), MIXED)
#: Sentences that are read at most.
MOST_SENTENCES = 200
_ASKED = "_types_asked"


class Counted(NamedTuple):
    """What a set of sentences gave.

    Attributes:
        types: over the sentences that could be read; None if there was none.
        left_out: how many could not.
    """

    types: TypeTally | None
    left_out: int


def render(ran: Run) -> None:
    """The types of this run, the rules, and the set."""
    types = measures.of(ran).types
    st.markdown(say("types.title"))
    _matrix(ran, types.names, [[_note(types, *place) for place in row] for row in _places(types.names)], TYPES_KEY)
    _rules(types)
    st.markdown(say("types.over_set"))
    st.caption(say("types.over_set.why"))
    if own_page.has(ran.choices, "set"):
        _over_set(ran)


def titles() -> dict[str, str]:
    """Every type with its title, in the order of the rules."""
    return {name: title_of(name) for name in _NAMES}


def _places(names: np.ndarray) -> list[list[tuple[int, int]]]:
    return [[(layer, head) for head in range(names.shape[1])] for layer in range(names.shape[0])]


def _note(types: HeadTypes, layer: int, head: int) -> str:
    """How much of the weight decided, and what even attention would give there."""
    strength, even = types.strength[layer, head], types.even[layer, head]
    return "" if np.isnan(strength) else say("types.decided", share=f"{strength:.2f}", even=f"{even:.2f}")


def _matrix(ran: Run, names: np.ndarray, notes: list[list[str]], key: str) -> None:
    chosen = HeadId(ran.choices.layer, ran.choices.head)
    figure = figures.type_matrix(names.tolist(), titles(), notes, chosen)
    heatmaps.show(figure, key, say("types.alt", n_layers=names.shape[0], n_heads=names.shape[1]))


def _rules(types: HeadTypes) -> None:
    """What each type means, with its threshold, its source, and how many heads have it here."""
    colours = figures.type_colours(_NAMES)
    sentences = {rule.name: (rule.sentence, rule.source) for rule in RULES} | {MIXED: (say("types.mixed"), "")}
    rows = "".join(
        f"<tr><td><i style='background:{colours[name]}'></i>{escaped(title_of(name))}</td>"
        f"<td>{int((types.names == name).sum())}</td><td>{escaped(rule)}</td><td>{escaped(source)}</td></tr>"
        for name, (rule, source) in sentences.items()
    )
    heads = "".join(f"<th>{escaped(say(f'types.{name}'))}</th>" for name in ("type", "heads", "rule", "source"))
    st.html(f"<table class='mha-rules'><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>")
    st.caption(say("types.note", times=f"{TIMES_EVEN:g}"))


def _over_set(ran: Run) -> None:
    """Which sentences, and what they gave."""
    built_in, own = say("types.built_in", n=len(SENTENCES)), say("types.own")
    which = st.segmented_control(
        say("types.which"), [built_in, own], default=built_in, required=True, key="types_set", persist_state="session"
    )
    items: list[Item] = list(SENTENCES)
    if which == own:
        pasted = st.text_area(say("types.paste"), key="types_pasted", height=140, persist_state="session")
        items = items_of(pasted)
        if len(items) > MOST_SENTENCES:
            st.info(say("types.too_many", got=len(items), most=MOST_SENTENCES), icon=":material/info:")
            items = items[:MOST_SENTENCES]
    if not items:
        st.caption(say("types.nothing_pasted"))
        return
    key = repr((cache.view_key(replace(ran.choices, text=Text("", None, False, False)), ran.controls), items))
    asked = st.session_state.setdefault(_ASKED, set())
    if key not in asked:
        st.button(say("types.count", n=len(items)), icon=":material/play_arrow:", on_click=asked.add, args=(key,))
        return
    counted = work.result("types", key, lambda: count_types(ran, items))
    if counted is not None:
        _tell(ran, counted)


def items_of(pasted: str) -> list[Item]:
    """A sentence a line; a tab within makes it a pair."""
    lines = [line.strip() for line in (pasted or "").splitlines()]
    return [Item(*(part.strip() for part in line.split("\t")[:2])) for line in lines if line]


def count_types(ran: Run, items: list[Item]) -> Work[Counted]:
    """The types of every head over sentences, with the present model and controls."""
    types = []
    for done, item in enumerate(items):
        text = Text(item.text, item.pair, cut=True, read_special=False)
        with suppress(InputError):  # a line that the model finds nothing to read in
            types.append(types_of(cache.run(replace(ran.choices, text=text), ran.controls).trace))
        yield (done + 1) / len(items)
    return Counted(tally(types) if types else None, len(items) - len(types))


def _tell(ran: Run, counted: Counted) -> None:
    types = counted.types
    if types is None:
        st.info(say("types.none_read"), icon=":material/info:")
        return
    notes = [
        [say("types.agree", share=f"{types.agreement[place]:.2f}", n=types.n_sentences) for place in row]
        for row in _places(types.names)
    ]
    _matrix(ran, types.names, notes, SET_KEY)
    steady = int((types.agreement >= 0.8).sum())
    sentence = say("types.steady", n_steady=steady, n_heads=types.names.size, n=types.n_sentences)
    if counted.left_out:
        sentence += " " + say("types.left_out", n=counted.left_out)
    st.caption(sentence)
