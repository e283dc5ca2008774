"""Buckets: what hashing queries and keys would keep of a head's softmax, beside random vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from mha_viz.arrays import BoolArray, FloatArray
from mha_viz.figures.charts import Line, lines
from mha_viz.figures.square import HEIGHT, square_heatmap
from mha_viz.labs import lsh
from mha_viz.labs.lsh import B_RANDOM, BUCKETS, D_RANDOM, N_RANDOM, ROUNDS, Kept
from mha_viz.ui import cache, heatmaps, sparse_parts
from mha_viz.ui.run import Run
from mha_viz.words import say

_TABLE = 320  # pixels: eight rows
_NEARLY_ALL = 0.95


def render(run: Run) -> None:
    """The head's weights on the pairs that share a bucket, beside what each number of rounds keeps."""
    st.markdown(say("sparse.buckets.what"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n_buckets = sparse_parts.one_of("sparse_buckets", BUCKETS)
        rounds = sparse_parts.one_of("sparse_rounds", ROUNDS)
        seed = sparse_parts.number("sparse_seed", 0, 2**31 - 1)
    layer, head = run.choices.layer, run.choices.head
    detail = cache.layer(run.choices, run.controls, layer)
    vectors = detail.query[head]
    weights = lsh.shared_weights(vectors, detail.scaling)
    found = lsh.buckets(vectors, n_buckets, rounds, seed)
    kept = lsh.kept_by_rounds(vectors, detail.scaling, n_buckets, seed)
    picture, curve = st.columns(2, gap="large")
    with picture:
        st.markdown(say("sparse.buckets.picture", layer=layer, head=head))
        _picture(run, weights, lsh.together(found))
    with curve:
        st.markdown(say("sparse.buckets.curve"))
        _curve(kept)
    _numbers(run, kept[rounds - 1], weights, rounds)
    _table(kept)


def _picture(run: Run, weights: FloatArray, together: BoolArray) -> None:
    """Hatched: in no bucket together. A token's own cell is drawn, though only a lone token looks at itself."""
    figure = square_heatmap(weights, run.tokens, run.tokens, visible=together)
    heatmaps.show(figure, "sparse_buckets_picture", say("sparse.buckets.alt"))
    st.caption(say("sparse.buckets.caption"))


def _curve(kept: Sequence[Kept]) -> None:
    random = lsh.random_kept()
    series = [
        Line(say("sparse.buckets.mass"), ROUNDS, [one.mass for one in kept], colour=0),
        Line(say("sparse.buckets.pairs"), ROUNDS, [one.pairs for one in kept], formula=True, colour=0),
        Line(say("sparse.buckets.random_mass"), ROUNDS, [one.mass for one in random], colour=1),
        Line(say("sparse.buckets.random_pairs"), ROUNDS, [one.pairs for one in random], formula=True, colour=1),
    ]
    figure = lines(series, say("sparse.buckets.rounds"), say("sparse.buckets.share"), span=(0, 1.03), height=HEIGHT)
    heatmaps.show(figure, "sparse_buckets_curve", say("sparse.buckets.curve_alt"))
    at = [random[rounds - 1] for rounds in (1, 2, 4, 8)]
    st.caption(
        say(
            "sparse.buckets.random",
            n=N_RANDOM,
            d_k=D_RANDOM,
            buckets=B_RANDOM,
            sharp=f"{lsh.SHARP:g}",
            mass=" / ".join(f"{one.mass:.2f}" for one in at),
            pairs=" / ".join(f"{100 * one.pairs:.0f}" for one in at),
        )
    )


def _numbers(run: Run, kept: Kept, weights: FloatArray, rounds: int) -> None:
    """What the buckets keep, and what sharing queries and keys alone has changed."""
    own = run.trace.weights[run.choices.layer, run.choices.head]
    moved = 0.5 * float(np.abs(own - weights).sum(axis=1).mean())
    gain = kept.mass / kept.pairs if kept.pairs else None
    sparse_parts.cards(
        (
            (say("sparse.buckets.mass"), f"{kept.mass:.2f}", say("sparse.buckets.after", rounds=rounds)),
            (say("sparse.buckets.pairs"), f"{kept.pairs:.2f}", say("sparse.buckets.after", rounds=rounds)),
            (
                say("sparse.buckets.gain"),
                "–" if gain is None else say("sparse.times", times=f"{gain:.1f}"),
                say("sparse.buckets.gain_below"),
            ),
            (say("sparse.buckets.moved"), f"{moved:.2f}", say("sparse.buckets.moved_below")),
        )
    )
    if kept.pairs > _NEARLY_ALL:
        st.info(say("sparse.buckets.one"), icon=":material/info:")
    st.caption(say("sparse.buckets.untrained"))


def _table(kept: Sequence[Kept]) -> None:
    random = lsh.random_kept()
    columns: dict[str, list[object]] = {
        say("sparse.buckets.rounds"): list(ROUNDS),
        say("sparse.buckets.mass"): [one.mass for one in kept],
        say("sparse.buckets.pairs"): [one.pairs for one in kept],
        say("sparse.buckets.random_mass"): [one.mass for one in random],
        say("sparse.buckets.random_pairs"): [one.pairs for one in random],
    }
    formats = {name: st.column_config.NumberColumn(format="%.3f") for name in list(columns)[1:]}
    st.dataframe(columns, column_config=formats, hide_index=True, width="stretch", height=_TABLE)
