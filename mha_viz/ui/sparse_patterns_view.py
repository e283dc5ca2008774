"""Patterns of sparse attention on the sentence: what they leave, how far they reach, and what they change inside the model."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import streamlit as st

from mha_viz import figures
from mha_viz.analysis.effects import Effect, effect_of
from mha_viz.analysis.patterns import PATTERNS, Sizes, window_reach
from mha_viz.analysis.reading import read
from mha_viz.arrays import FloatArray
from mha_viz.controls import HeadId
from mha_viz.masks import density, visible_cells
from mha_viz.masks.grid import LARGEST
from mha_viz.trace import AttentionTrace
from mha_viz.ui import cache, heatmaps, sparse_parts, state, views
from mha_viz.ui.plain import as_markdown
from mha_viz.ui.run import Run
from mha_viz.words import say

#: The numbers that each pattern has, with their bounds.
_FIELDS = {
    "full": (),
    "window": ("radius",),
    "dilated": ("radius", "step"),
    "global": ("radius", "first"),
    "blocks": ("size", "random", "seed"),
}
_BOUNDS = {
    "radius": (0, LARGEST),
    "step": (1, LARGEST),
    "first": (1, LARGEST),
    "size": (1, LARGEST),
    "random": (0, LARGEST),
    "seed": (0, 2**31 - 1),
}
_TABLE = 213  # pixels: five rows


class _Tried(NamedTuple):
    """A pattern inside the model."""

    trace: AttentionTrace
    share: float
    change: FloatArray  # (layer, head), largest difference of a weight
    other_top: FloatArray  # (layer,), share of the rows that look most at another key
    effect: Effect


def render(run: Run) -> None:
    """The choice, the mask beside what the head makes of it, and the numbers of all patterns."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = views.choose("sparse_pattern", PATTERNS)
        for field in _FIELDS[name]:
            sparse_parts.number(f"sparse_{field}", *_BOUNDS[field])
    sizes = Sizes(**{field: state.get(f"sparse_{field}") for field in _BOUNDS})
    tried = _try(run, name, sizes)
    mask, head = st.columns(2, gap="large")
    with mask:
        st.markdown(say("sparse.patterns.reach"))
        alt = say("sparse.patterns.alt", name=say(f"sparse_pattern.{name}"))
        sparse_parts.show_reach(run, sparse_parts.reach_of(run, sizes.mask(name)), "sparse_reach", alt)
    with head:
        layer, number = run.choices.layer, run.choices.head
        st.markdown(say("sparse.patterns.head", layer=layer, head=number))
        heatmaps.head(run, read(tried.trace))
        st.caption(_help(name, sizes))
    _cards(run, name, sizes, tried)
    _told(run, name, tried)
    _table(run, sizes)
    _by_layer(run, tried)
    if name != "full":
        alt = say("sparse.patterns.difference_alt", layer=layer, head=number)
        heatmaps.show(figures.difference_heatmap(run.trace, tried.trace, layer, number), "sparse_difference", alt)
        st.caption(say("sparse.patterns.difference"))


def _help(name: str, sizes: Sizes) -> str:
    """What the pattern is; blocks with nothing to draw have no random ones."""
    if name == "blocks" and sizes.random == 0:
        return say("sparse_pattern.blocks.undrawn")
    return say(f"sparse_pattern.{name}.help")


def _try(run: Run, name: str, sizes: Sizes) -> _Tried:
    """The model with the pattern inside, beside the model as the view has it."""
    mask = sparse_parts.with_view(run, sizes.mask(name))
    trace = cache.run(run.choices, replace(run.controls, mask=mask)).trace

    def compare() -> _Tried:
        from mha_viz.labs.classifiers import classifier_for  # imports torch

        model = cache.model(run.choices)
        effect = effect_of(run.trace, trace, model.answer_name, classifier=classifier_for(model))
        apart = np.abs(trace.weights - run.trace.weights).max(axis=(2, 3))
        other = (trace.weights.argmax(axis=-1) != run.trace.weights.argmax(axis=-1)).mean(axis=(1, 2))
        visible = visible_cells(run.tokens, mask, causal=run.choices.spec.causal)
        return _Tried(trace, density(visible), apart, other, effect)

    return cache.once(f"sparse {cache.view_key(run.choices, trace.controls)}", run.choices, run.controls, compare)


def _cards(run: Run, name: str, sizes: Sizes, tried: _Tried) -> None:
    n_tokens, n_layers = run.tokens.n_tokens, run.choices.spec.n_layers
    mask = sizes.mask(name)
    own = n_tokens**2 if mask is None else int(mask.visible(run.tokens).sum())
    wanted = sizes.cells(name, n_tokens)
    if wanted is None:
        drawn = "drawn" if sizes.random else "counted"
        formula = say(f"sparse.patterns.cells.{drawn}", cells=own, whole=n_tokens**2)
    else:
        formula = say("sparse.patterns.formula", cells=own, whole=n_tokens**2, wanted=wanted)
    reached = (sparse_parts.reach_of(run, mask) <= n_layers).sum(axis=1)
    far = say("sparse.patterns.of_tokens", n_tokens=n_tokens)
    if name == "window":
        far = say("sparse.patterns.window_reach", reach=window_reach(sizes.radius, n_layers))
    sparse_parts.cards(
        (
            (say("sparse.patterns.density"), f"{own / n_tokens**2:.3f}", formula),
            (say("sparse.patterns.reached", n_layers=n_layers), str(int(reached.max())), far),
            (say("sparse.patterns.change"), f"{tried.change.max():.3f}", _where(run, tried)),
            (say("sparse.patterns.cosine"), _cosine(tried), say("sparse.patterns.cosine_below")),
        )
    )


def _where(run: Run, tried: _Tried) -> str:
    """Where the largest change is, and that of the head in the picture."""
    top = HeadId(*divmod(int(tried.change.argmax()), tried.change.shape[1]))
    chosen = HeadId(run.choices.layer, run.choices.head)
    own = f"{tried.change[chosen]:.3f}"
    if tried.change.max() == 0 or chosen == top:
        return say("sparse.patterns.change_here", head=chosen)
    return say("sparse.patterns.change_below", top=top, head=chosen, own=own)


def _cosine(tried: _Tried) -> str:
    cosine = tried.effect.embedding.cosine
    return "–" if np.isnan(cosine) else f"{cosine:.4f}"


def _told(run: Run, name: str, tried: _Tried) -> None:
    """What the model says with the pattern, and without."""
    effect = tried.effect
    answers = [*(fill.sentence for fill in effect.fills), *([effect.classes.sentence] if effect.classes else [])]
    lines = [effect.embedding.sentence, *map(as_markdown, answers)]
    if not answers:
        lines.append(say("sparse.patterns.no_answer"))
    if name != "full" and (run.controls.layers is not None or run.controls.heads is not None):
        lines.append(say("sparse.patterns.some"))
    st.markdown("\n".join(f"- {line}" for line in lines))


def _table(run: Run, sizes: Sizes) -> None:
    """A row for each pattern."""
    st.markdown(say("sparse.patterns.all"))
    tried = {name: _try(run, name, sizes) for name in PATTERNS}
    n_layers = run.choices.spec.n_layers
    reached = [(sparse_parts.reach_of(run, sizes.mask(name)) <= n_layers).sum(axis=1).mean() for name in PATTERNS]
    share, change = say("sparse.patterns.share"), say("sparse.patterns.change")
    cosine, told = say("sparse.patterns.cosine"), say("sparse.patterns.reached_mean", n_layers=n_layers)
    columns: dict[str, list[object]] = {
        say("sparse.patterns.name"): [say(f"sparse_pattern.{name}") for name in PATTERNS],
        share: [one.share for one in tried.values()],
        told: [float(mean) for mean in reached],
        change: [float(one.change.max()) for one in tried.values()],
        cosine: [one.effect.embedding.cosine for one in tried.values()],
        say("sparse.patterns.answer"): [_kept(one.effect) for one in tried.values()],
    }
    written = {share: "%.3f", told: "%.1f", change: "%.3f", cosine: "%.4f"}
    formats = {name: st.column_config.NumberColumn(format=text) for name, text in written.items()}
    st.dataframe(columns, column_config=formats, hide_index=True, width="stretch", height=_TABLE)
    st.caption(say("sparse.patterns.all_caption"))


def _kept(effect: Effect) -> str:
    """Whether the likeliest answers stay."""
    chances = [*(fill.fills for fill in effect.fills), *([effect.classes.classes] if effect.classes else [])]
    if not chances:
        return say("sparse.patterns.answer.none")
    same = [max(of, key=lambda one: one.before).number == max(of, key=lambda one: one.after).number for of in chances]
    return say("sparse.patterns.answer.same" if all(same) else "sparse.patterns.answer.other")


def _by_layer(run: Run, tried: _Tried) -> None:
    """Of a model with several layers: where the weights change."""
    if run.choices.spec.n_layers == 1:
        return
    change, other = say("sparse.patterns.change_layer"), say("sparse.patterns.other_top")
    columns: dict[str, list[object]] = {
        say("sparse.patterns.layer"): [f"L{layer}" for layer in range(run.choices.spec.n_layers)],
        change: [float(value) for value in tried.change.max(axis=1)],
        other: [float(value) for value in tried.other_top],
    }
    formats = {name: st.column_config.NumberColumn(format="%.3f") for name in (change, other)}
    st.dataframe(columns, column_config=formats, hide_index=True, width="stretch", height="content")
    st.caption(say("sparse.patterns.by_layer"))
