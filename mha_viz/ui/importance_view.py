"""Which heads matter: measured in several ways, the most important ones kept, and a curve of what goes with the rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from mha_viz import figures
from mha_viz.analysis.importance import (
    METHODS,
    HeadImportance,
    RemovalCurve,
    agreement_sentence,
    mean_weights,
    order_of,
)
from mha_viz.analysis.sentences import SENTENCES, Item
from mha_viz.analysis.work import Partly, Work
from mha_viz.controls import Controls, HeadId
from mha_viz.errors import InputError
from mha_viz.figures.curves import Curve, removal_curves
from mha_viz.trace import AttentionTrace
from mha_viz.ui import cache, heatmaps, silence, state, work
from mha_viz.ui.choices import Text, current_colour, head_name
from mha_viz.ui.edits_view import unedited
from mha_viz.ui.parameters import SAMPLES
from mha_viz.ui.plain import as_markdown
from mha_viz.ui.run import Run
from mha_viz.words import say

MATRIX_KEY, CURVE_KEY = "importance_matrix", "removal_curve"
#: Sentences of the built-in set that are measured on; masked words of each; points of a curve.
_SENTENCES, _WORDS, _POINTS = 12, 4, 36
#: In which orders heads are taken out.
_ORDERS = ("least", "most")
_KEEP, _ASKED = "keep_most", "_asked_curve"


def render(ran: Run) -> None:
    """The choice of a measure, the heads by it, and what can be done with that."""
    method, loss = _choose(ran)
    try:
        found = _measured(ran, method, loss)
    except InputError as problem:
        st.info(as_markdown(str(problem)), icon=":material/info:")
        return
    if found is None:
        return
    picture, beside = st.columns([4, 3], gap="medium")
    with picture:
        _matrix(ran, found)
        st.caption(as_markdown(found.sentence))
        if ran.controls.silenced or ran.controls.uniform:
            st.caption(say("importance.all_on"))
        _agreements(ran, found, loss)
    with beside:
        if np.isnan(found.values).any():
            st.caption(say("importance.partly", n=int(found.measured.sum()), total=found.values.size))
            return
        if method == "weight":
            return
        _keep(ran, found)
        _curves(ran, found, loss)


def _choose(ran: Run) -> tuple[str, str]:
    """Method, loss and sentences; a loss that the model has not, or that has no slope, is not offered."""
    from mha_viz.labs.losses import FLAT, losses_of  # imports torch

    with st.container(horizontal=True, vertical_alignment="bottom"):
        method = st.segmented_control(
            say("importance.by"),
            METHODS,
            key="method",
            required=True,
            format_func=lambda name: say(f"importance.method.{name}"),
            persist_state="session",
        )
        losses = [loss for loss in losses_of(cache.model(ran.choices)) if method != "gradient" or loss not in FLAT]
        if state.get("loss") not in losses:
            state.put("loss", "even" if "even" in losses else losses[0])
        if method != "weight":
            st.selectbox(
                say("importance.loss"),
                losses,
                key="loss",
                format_func=lambda name: say(f"importance.loss_name.{name}"),
                persist_state="session",
                width=230,
            )
        st.segmented_control(
            say("importance.samples"),
            SAMPLES,
            key="samples",
            required=True,
            format_func=lambda name: say(f"importance.samples.{name}", n=_SENTENCES),
            persist_state="session",
        )
    return str(method), str(state.get("loss"))


def _items(ran: Run, loss: str) -> list[Item]:
    if state.get("samples") == "this":
        return [Item(ran.choices.text.first, ran.choices.text.second)]
    wanted = [item for item in SENTENCES if item.pair or loss != "pair"]
    return wanted[:_SENTENCES]


def _base(ran: Run) -> Controls:
    """The controls with every head switched on: which heads matter does not depend on which are off already."""
    return replace(ran.controls, silenced=frozenset(), uniform=frozenset())


def _key(ran: Run, method: str, loss: str) -> str:
    view = cache.view_key(unedited(ran.choices), _base(ran))
    return repr((view, method, loss if method != "weight" else "", state.get("samples")))


def _measured(ran: Run, method: str, loss: str) -> HeadImportance | None:
    if method == "weight":
        return mean_weights([_trace(ran, item) for item in _items(ran, "")])
    return work.result("importance", _key(ran, method, loss), lambda: _begin(ran, method, loss))


def _trace(ran: Run, item: Item) -> AttentionTrace:
    text = Text(item.text, item.pair, cut=True, read_special=False)
    return cache.run(replace(ran.choices, text=text), _base(ran)).trace


def _begin(ran: Run, method: str, loss: str) -> Work[HeadImportance]:
    from mha_viz.labs.importance import ablation_importance, gradient_importance
    from mha_viz.labs.losses import samples_of

    model = cache.model(ran.choices)
    samples = samples_of(model, _items(ran, loss), loss, most_words=_WORDS)
    if method == "gradient":
        return gradient_importance(model, samples, _base(ran))
    return ablation_importance(model, samples, method, _base(ran))


def _matrix(ran: Run, found: HeadImportance) -> None:
    """Each head's part of the whole, in percent; hovering tells the number itself."""
    values = found.values
    total = float(np.nansum(values))
    shares = 100 * values / total if total > 0 else np.zeros_like(values)
    texts = [["–" if np.isnan(share) else f"{share:.1f}" for share in row] for row in shares]
    figure = figures.metric_matrix(
        shares,
        texts,
        say("importance.share"),
        low=0.0,
        chosen=HeadId(ran.choices.layer, ran.choices.head),
        palette=current_colour().palette,
        hover="%{customdata:.3g} (%{text} %)",
    )
    figure.data[0].customdata = values
    heatmaps.show(figure, MATRIX_KEY, say("importance.alt", method=found.title))


def _agreements(ran: Run, found: HeadImportance, loss: str) -> None:
    """With every other measure of the same loss that is at hand."""
    for method in METHODS[:-1]:
        other = work.known("importance", _key(ran, method, loss))
        if method != found.method and isinstance(other, HeadImportance):
            st.caption(agreement_sentence(found, other))
    if found.method == "weight":
        st.caption(say("importance.naive", share=f"{float(found.values.mean()):.4f}"))


def _keep(ran: Run, found: HeadImportance) -> None:
    """So many heads stay; the rest is switched off in the view."""
    total = found.values.size
    kept = st.slider(say("importance.keep"), 0, total, value=total // 2, key=_KEEP, persist_state="session")
    gone = order_of(found.values, "most")[int(kept) :]
    with st.container(horizontal=True):
        st.button(
            say("importance.apply", n=kept),
            icon=":material/check:",
            type="primary",
            on_click=silence.put,
            args=([head_name(head) for head in gone],),
        )
        if state.get("off"):
            st.button(say("off.all_on"), icon=":material/restart_alt:", on_click=silence.put, args=([],))


def _curves(ran: Run, found: HeadImportance, loss: str) -> None:
    """Most important heads first, and least important first."""
    if loss == "pair" and not ran.choices.text.second and state.get("samples") == "this":
        return
    how = state.get("off_as")
    key = repr((_key(ran, found.method, loss), how))
    asked = st.session_state.setdefault(_ASKED, set())
    if key not in asked:
        st.button(say("importance.curve"), icon=":material/trending_down:", on_click=asked.add, args=(key,))
        st.caption(say("importance.curve.what", how=say(f"off.as.{how}")))
        return
    curves = work.result("curves", key, lambda: _both_curves(ran, found, loss, how))
    if curves is None:
        return
    gone = found.values.size - int(st.session_state[_KEEP])
    lines = [
        Curve(say(f"importance.order.{order}"), curve.removed, curve.mean_cosine)
        for order, curve in zip(_ORDERS, curves, strict=False)
    ]
    figure = removal_curves(lines, say("importance.cosine"), gone=gone)
    heatmaps.show(figure, CURVE_KEY, say("importance.curve.alt"))
    for line, curve in zip(lines, curves, strict=True):
        st.caption(say("importance.curve.told", order=line.name, sentence=curve.sentence()))


def _both_curves(ran: Run, found: HeadImportance, loss: str, how: str) -> Work[tuple[RemovalCurve, ...]]:
    """One after the other, as one work: what is done when it is stopped can be drawn."""
    done: tuple[RemovalCurve, ...] = ()
    for number, order in enumerate(_ORDERS):
        begun = _begin_curve(ran, found, loss, how, order)
        while True:
            try:
                share = next(begun)
            except StopIteration as end:
                done = (*done, end.value)
                break
            so_far = getattr(share, "result", None)
            yield Partly((number + share) / len(_ORDERS), done if so_far is None else (*done, so_far))
    return done


def _begin_curve(ran: Run, found: HeadImportance, loss: str, how: str, order: str) -> Work[RemovalCurve]:
    from mha_viz.labs.importance import removal_curve
    from mha_viz.labs.losses import samples_of

    model = cache.model(ran.choices)
    samples = samples_of(model, _items(ran, loss), loss, most_words=_WORDS)
    heads = order_of(found.values, order)
    step = max(1, -(-len(heads) // _POINTS))
    return removal_curve(model, samples, heads, how, step=step, controls=_base(ran))
