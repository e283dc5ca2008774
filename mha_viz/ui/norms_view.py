"""Weights beside the norms of what is taken: of one head, or of a whole layer."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import streamlit as st

from mha_viz import figures
from mha_viz.analysis.norms import head_norms, layer_norms, share_on
from mha_viz.analysis.rollout import average
from mha_viz.arrays import BoolArray, FloatArray
from mha_viz.controls import HeadId
from mha_viz.figures.labels import token_text, visible_text
from mha_viz.ui import cache, heatmaps, own_page, state, views
from mha_viz.ui.page_views import NORM_SCOPES
from mha_viz.ui.plain import as_markdown, escaped
from mha_viz.ui.run import Run
from mha_viz.words import say

#: Share of the norms below this part of the share of the weights: what is handed over is short.
_MUCH_LESS = 0.75


class _Pair(NamedTuple):
    """What is compared.

    Attributes:
        weights, norms: (query, key).
        visible: bool (query, key).
        counts: bool (query,), the rows that mean something.
    """

    weights: FloatArray
    norms: FloatArray
    visible: BoolArray
    counts: BoolArray


def render(run: Run, position: int | None) -> None:
    """Two heatmaps, the shares of special tokens and of the most attended one in both, and what follows from them."""
    layer, head = run.choices.layer, run.choices.head
    if not own_page.has(run.choices, "norms"):
        return
    matrices = cache.output_matrices(run.choices)
    if matrices is None:
        st.info(say("through.no_matrix"), icon=":material/info:")
        return
    scope = views.choose("norm_scope", NORM_SCOPES)
    pair = _of_layer(run, matrices[layer]) if scope == "layer" else _of_head(run, matrices[layer])
    names = ("through.mean_weights", "through.norms_of_layer")
    title = say("through.norms_layer", layer=layer)
    if scope == "head":
        names = ("through.weights", "through.norms_of_head")
        title = say("through.norms_head", layer=layer, head=head)
    st.markdown(title)
    weights, norms = figures.Square(say(names[0]), pair.weights), figures.Square(say(names[1]), pair.norms)
    palette = state.get("palette")
    figure = figures.norm_heatmaps(run.trace, weights, norms, pair.visible, focus=position, palette=palette)
    heatmaps.show(figure, "norms", say("through.norms_alt", layer=layer))
    heatmaps.say_pooled(figures.panel_step(run.trace))
    _shares(run, pair)
    st.caption(say("through.norms_what"))


def _of_head(run: Run, W_O: FloatArray) -> _Pair:
    layer, head = run.choices.layer, run.choices.head
    return _Pair(
        run.trace.weights[layer, head],
        head_norms(run.trace, W_O, layer)[head],
        run.trace.visible[layer, head],
        ~(run.trace.no_key[layer, head] | run.trace.padding),
    )


def _of_layer(run: Run, W_O: FloatArray) -> _Pair:
    layer = run.choices.layer
    return _Pair(
        average(run.trace, [HeadId(layer, head) for head in range(run.trace.spec.n_heads)]),
        layer_norms(run.trace, W_O, layer),
        run.trace.visible[layer].any(axis=0),
        ~(run.trace.no_key[layer].all(axis=0) | run.trace.padding),
    )


def _shares(run: Run, pair: _Pair) -> None:
    """Cards with the shares, and the sentence about the special tokens, or the most attended one where there are none."""
    if not pair.counts.any() or not (pair.norms[pair.counts] > 0).any():
        st.info(say("through.no_share"), icon=":material/info:")
        return
    sink = int(pair.weights[pair.counts].mean(axis=0).argmax())
    sets = {say("through.sink", token=_name(run, sink)): np.arange(run.tokens.n_tokens) == sink}
    special = np.array(run.tokens.special) & ~np.array(run.tokens.padding)
    if special.any():
        sets = {say("through.specials"): special, **sets}
    cards, sentence = "", ""
    for what, keys in sets.items():
        weights, norms = (share_on(values, keys, pair.counts) for values in (pair.weights, pair.norms))
        seen = pair.visible & ~np.array(run.tokens.padding)
        even = share_on(seen.astype(np.float64), keys, pair.counts)
        cards += _card(say("through.share_weights", what=what), weights, even)
        cards += _card(say("through.share_norms", what=what), norms, even)
        sentence = sentence or _sentence(what, weights, norms, even)
    st.html(f"<div class='mha-cards' role='list'>{cards}</div>")
    st.markdown(as_markdown(sentence[0].upper() + sentence[1:]))


def _sentence(what: str, weights: float, norms: float, even: float) -> str:
    """What the shares say: a large weight undone by short vectors, one that is not, or none that is large."""
    shares = {"what": what, "weights": f"{weights:.3f}", "norms": f"{norms:.3f}"}
    if weights <= even:
        return say("through.little", **shares, even=f"{even:.3f}")
    return say("through.less" if norms < _MUCH_LESS * weights else "through.not_less", **shares)


def _card(title: str, share: float, even: float) -> str:
    bar = f"<i style='width:{100 * share:.1f}%'></i><b style='left:{100 * even:.1f}%'></b>"
    return (
        f"<div role='listitem' class='mha-card'><span>{escaped(title)}</span><strong>{share:.3f}</strong>"
        f"<div class='mha-bar' aria-hidden='true'>{bar}</div>"
        f"<small>{escaped(say('through.share_even', even=f'{even:.3f}'))}</small></div>"
    )


def _name(run: Run, position: int) -> str:
    return f"“{visible_text(token_text(run.tokens, position))}” ({position})"
