"""One head: what it reads beside what it writes, what kind of head it is, and its numbers."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mha_viz import figures
from mha_viz.analysis.find import strongest_pairs
from mha_viz.analysis.norms import head_norms, shares_by_key
from mha_viz.analysis.reading import Shown
from mha_viz.analysis.types import RULES, title_of
from mha_viz.arrays import FloatArray
from mha_viz.controls import HeadId
from mha_viz.figures.bytes import MOST_EXACT
from mha_viz.figures.cells import round_up
from mha_viz.ui import (
    cache,
    focus,
    heatmaps,
    measures,
    metrics_view,
    own_page,
    picking,
    reading,
    relatives,
    removed,
    stages_view,
    state,
    vectors_view,
)
from mha_viz.ui.choices import current_colour
from mha_viz.ui.plain import as_markdown, escaped
from mha_viz.ui.run import Run
from mha_viz.words import say

WRITES_KEY = "writes"
_PAIRS = 6


def choose(ran: Run) -> None:
    """The head's name between the heads before and after it: for the row of controls."""
    spec = ran.trace.spec
    flat, count = ran.choices.layer * spec.n_heads + ran.choices.head, spec.n_layers * spec.n_heads
    st.markdown(say("one_head.name", head=HeadId(ran.choices.layer, ran.choices.head)), width="content")
    for step, icon, name in ((-1, ":material/chevron_left:", "before"), (1, ":material/chevron_right:", "after")):
        head = HeadId(*divmod((flat + step) % count, spec.n_heads))
        label = say(f"one_head.{name}", head=head)
        st.button(label, icon=icon, key=f"head_{name}", on_click=picking.choose_head, args=(head,), disabled=count == 1)
    if state.get("head_view") == "reads":
        reading.controls()


def reads(ran: Run) -> None:
    """Weights beside norms, then type, sentences, numbers and relatives."""
    shown = reading.current(ran)
    if shown is None:
        return
    layer, head = ran.choices.layer, ran.choices.head
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown(say("one_head.reads"))
        heatmaps.head(ran, shown)
        focus.say_where(ran, shown)
        removed.render(ran, shown)
        reading.say_how(shown, layer, head)
    with right:
        _writes(ran)
    _type(ran)
    _pairs(ran, shown)
    relatives.render(ran)
    metrics_view.render(ran)


def stages(ran: Run) -> None:
    """The stages of the kernel for this head."""
    if own_page.has(ran.choices, "stages"):
        stages_view.render(ran, state.get("focus"))


def plane(ran: Run) -> None:
    """Its queries and keys."""
    if ran.trace.vectors is not None or own_page.has(ran.choices, "vectors"):
        vectors_view.render(ran)


def _writes(ran: Run) -> None:
    """What the head takes from each key, as the length of the vector it adds to the output."""
    layer, head = ran.choices.layer, ran.choices.head
    st.markdown(say("one_head.writes"))
    if not own_page.has(ran.choices, "norms"):
        return
    matrices = cache.output_matrices(ran.choices)
    if matrices is None or ran.trace.vectors is None:
        st.info(say("through.no_matrix"), icon=":material/info:")
        return
    name = repr(("norms", layer))
    norms = cache.once(name, ran.choices, ran.controls, lambda: head_norms(ran.trace, matrices[layer], layer))[head]
    _norm_picture(ran, norms)
    if (state.get("level"), state.get("specials")) != ("pieces", "raw"):
        st.caption(say("one_head.writes_pieces"))
    st.html(f"<div class='mha-where'>{escaped(_differs(ran, norms))}</div>")


def _norm_picture(ran: Run, norms: FloatArray) -> None:
    layer, head = ran.choices.layer, ran.choices.head
    alt = say("one_head.writes_alt", layer=layer, head=head)
    visible, row = ran.trace.visible[layer, head], state.get("focus")
    if ran.trace.n_tokens > MOST_EXACT:
        both = (
            figures.Square(say("one_head.weights"), ran.trace.weights[layer, head]),
            figures.Square(say("one_head.norms"), norms),
        )
        figure = figures.norm_heatmaps(ran.trace, *both, visible, focus=row, palette=state.get("palette"))
        heatmaps.show(figure, "norms", alt)
        heatmaps.say_pooled(figures.panel_step(ran.trace))
        return
    figure = figures.square_heatmap(
        norms,
        ran.tokens,
        ran.tokens,
        highest=round_up(float(norms.max())),
        title=say("one_head.norms"),
        hover=say("one_head.hover_norm", query="%{y}", key="%{x}", norm=current_colour().hover),
        focus=row,
        visible=visible,
        no_key=ran.trace.no_key[layer, head],
        colour=current_colour(),
    )
    heatmaps.show(figure, WRITES_KEY, alt)


def _differs(ran: Run, norms: FloatArray) -> str:
    """The key that gets most weight, its share of what is written, and the key that is written most."""
    layer, head = ran.choices.layer, ran.choices.head
    weights = ran.trace.weights[layer, head]
    counts = ~(ran.trace.no_key[layer, head] | ran.trace.padding)
    if not counts.any() or not (norms[counts] > 0).any():
        return say("one_head.writes_nothing")
    raw = reading.raw(ran)
    read, written = shares_by_key(weights, counts), shares_by_key(norms, counts)
    read_most, most = int(read.argmax()), int(written.argmax())
    shares = {"weights": f"{read[read_most]:.2f}", "norms": f"{written[read_most]:.2f}"}
    told = {"key": reading.name_of(raw, read_most), **shares}
    if most == read_most:
        return say("one_head.same_most", **told)
    return say("one_head.other_most", **told, other=reading.name_of(raw, most), share=f"{written[most]:.2f}")


def _type(ran: Run) -> None:
    """What type it is and which rule said so, and how much of the layer's output it is."""
    numbers = measures.of(ran)
    place = ran.choices.layer, ran.choices.head
    name = str(numbers.types.names[place])
    rule = next((rule.sentence for rule in RULES if rule.name == name), "")
    sentences = [say("one_head.type", type=title_of(name))]
    if rule:
        decided = {"share": f"{numbers.types.strength[place]:.2f}", "even": f"{numbers.types.even[place]:.2f}"}
        sentences.append(say("one_head.type_why", rule=rule, **decided))
    share = numbers.values["output_share"][place]
    if np.isfinite(share):
        even = 1 / ran.trace.spec.n_heads
        sentences.append(say("one_head.output_share", share=f"{share:.3f}", even=f"{even:.3f}", layer=place[0]))
    st.markdown(" ".join(sentences))


def _pairs(ran: Run, shown: Shown) -> None:
    """The strongest cells in words."""
    pairs = strongest_pairs(shown, ran.choices.layer, ran.choices.head, _PAIRS)
    named = [
        say(
            "one_head.pair",
            query=reading.name_of(shown, pair.query),
            key=reading.name_of(shown, pair.key),
            weight=f"{pair.weight:.2f}",
        )
        for pair in pairs
    ]
    if named:
        st.markdown(as_markdown(say("one_head.pairs", pairs=", ".join(named))))
