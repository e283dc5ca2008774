"""What the changes of the view did to what the model says: the sentence's embedding, fills of a gap, classes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from mha_viz.analysis.effects import Chance, Classifier, Effect, effect_of
from mha_viz.controls import Controls, HeadId
from mha_viz.edits import parse
from mha_viz.ui import cache, edits_view, silence
from mha_viz.ui.plain import as_markdown, escaped
from mha_viz.ui.run import Run
from mha_viz.words import say

#: Heads and changes that are named one by one.
_NAMED = 8


def render(ran: Run) -> None:
    """What is changed beside what came of it."""
    changes, came = st.columns([2, 3], gap="large")
    with changes:
        _changes(ran)
        edits_view.render(ran)
    with came:
        _effect(ran)


def _changes(ran: Run) -> None:
    """What acts inside the model, in words, and the layer of the view to switch off or on."""
    st.markdown(say("change.what"))
    lines = []
    for name in ("silenced", "uniform"):
        heads = sorted(getattr(ran.controls, name))
        if heads:
            lines.append(say(f"change.{name}", n=len(heads), heads=_named(heads)))
    if ran.controls.temperature != 1.0:
        lines.append(say("change.temperature", temperature=f"{ran.controls.temperature:g}"))
    if ran.controls.mask is not None:
        lines.append(say("change.mask"))
    n_edits = len(parse(ran.choices.text.edits).steps)
    if n_edits:
        lines.append(say("change.edits", n=n_edits))
    st.markdown("\n".join(f"- {line}" for line in lines) if lines else say("change.nothing"))
    silence.layer_button(ran.trace.spec, ran.choices.layer)


def _named(heads: Sequence[HeadId]) -> str:
    named = ", ".join(map(str, heads[:_NAMED]))
    more = len(heads) - _NAMED
    return named if more <= 0 else say("change.more", heads=named, more=more)


def _compared(ran: Run, classifier: Classifier | None) -> Effect:
    """The run beside that of the unchanged model on the sentence as it was typed."""
    before = cache.run(edits_view.unedited(ran.choices), Controls()).trace
    return effect_of(before, ran.trace, cache.model(ran.choices).answer_name, classifier=classifier)


def _effect(ran: Run) -> None:
    """One part for each thing that the model says."""
    from mha_viz.labs.classifiers import classifier_for  # imports torch

    classifier = classifier_for(cache.model(ran.choices))
    found = _compared(ran, classifier)
    st.markdown(say("change.came"))
    cosine = found.embedding.cosine
    number = "–" if np.isnan(cosine) else f"{cosine:.4f}"
    card = f"<span>{escaped(say('change.cosine'))}</span><strong>{number}</strong>"
    length = float(np.linalg.norm(found.embedding.difference))
    size = f"<span>{escaped(say('change.length'))}</span><strong>{length:.4f}</strong>"
    cards = "".join(f"<div role='listitem' class='mha-card'>{part}</div>" for part in (card, size))
    st.html(f"<div class='mha-cards' role='list'>{cards}</div>")
    st.caption(found.embedding.sentence)
    for fill in found.fills:
        _table(say("change.fills", position=fill.position_after), fill.fills, fill.sentence)
    if found.classes is not None:
        _table(say("change.classes"), found.classes.classes, found.classes.sentence)
        if classifier is not None:
            st.caption(as_markdown(classifier.sentence))
    if not found.fills:
        st.caption(say("change.no_fills" if ran.trace.answer is None else "change.no_gap"))


def _table(title: str, chances: Sequence[Chance], sentence: str) -> None:
    """Probabilities before and after, and the difference, with a bar each."""
    st.markdown(title)
    heads = "".join(
        f"<th>{escaped(say(f'change.{name}'))}</th>" for name in ("answer", "before", "after", "difference")
    )
    rows = "".join(
        f"<tr><th scope='row' dir='auto'>{escaped(chance.name)}</th>{_share(chance.before)}{_share(chance.after)}"
        f"<td>{chance.difference:+.4f}</td></tr>".replace("-", "−")
        for chance in chances
    )
    st.html(f"<table class='mha-chances'><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>")
    st.caption(as_markdown(sentence))


def _share(share: float) -> str:
    return f"<td><i style='width:{100 * share:.1f}%'></i><span>{share:.4f}</span></td>"
