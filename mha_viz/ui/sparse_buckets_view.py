"""Buckets: what hashing queries and keys would keep of a head's softmax, beside the same vectors in random directions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st

from mha_viz.arrays import BoolArray, FloatArray
from mha_viz.figures.charts import Line, lines
from mha_viz.figures.square import HALF_PAGE, HEIGHT, square_heatmap
from mha_viz.labs import lsh
from mha_viz.labs.lsh import BUCKETS, DRAWS, ROUNDS, Kept
from mha_viz.stages import tempered_softmax
from mha_viz.ui import cache, heatmaps, sparse_parts
from mha_viz.ui.run import Run
from mha_viz.words import say

_NEARLY_ALL = 0.95
#: Gains nearer to each other than that are called the same.
_SAME = 0.05


class _Hashed(NamedTuple):
    """The head's weights with shared queries and keys, how far sharing moved them, and what hashing keeps."""

    weights: FloatArray
    moved: float
    cosine: float | None
    kept: Sequence[Kept]
    random: Sequence[Kept]


def render(run: Run) -> None:
    """The head's weights on the pairs that share a bucket, beside what each number of rounds keeps."""
    st.markdown(say("sparse.buckets.what"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n_buckets = sparse_parts.one_of("sparse_buckets", BUCKETS)
        rounds = sparse_parts.one_of("sparse_rounds", ROUNDS)
        seed = sparse_parts.number("sparse_seed", 0, 2**31 - 1)
    layer, head = run.choices.layer, run.choices.head
    vectors = cache.layer(run.choices, run.controls, layer).query[head]
    hashed = _hashed(run, n_buckets, seed)
    if len(vectors) == 1:
        st.info(say("sparse.buckets.lone"), icon=":material/info:")
    picture, curve = st.columns(2, gap="large")
    with picture:
        st.markdown(say("sparse.buckets.picture", layer=layer, head=head))
        _picture(run, hashed.weights, lsh.together(lsh.buckets(vectors, n_buckets, rounds, seed)))
    with curve:
        st.markdown(say("sparse.buckets.curve"))
        _curve(hashed.kept, hashed.random)
        if len(vectors) > 1:
            _compared(hashed.kept[rounds - 1], hashed.random[rounds - 1])
    _numbers(hashed, rounds)
    _table(hashed.kept, hashed.random)


def _hashed(run: Run, n_buckets: int, seed: int) -> _Hashed:
    """With the temperature that acts in this head; masks are left out."""
    layer, head = run.choices.layer, run.choices.head
    detail = cache.layer(run.choices, run.controls, layer)
    vectors, scale = detail.query[head], detail.scaling
    temperature = sparse_parts.temperature_of(run)
    weights = lsh.shared_weights(vectors, scale, temperature)
    own = tempered_softmax(detail.scores[head].astype(np.float64) * scale, temperature)
    return _Hashed(
        weights,
        0.5 * float(np.abs(own - weights).sum(axis=1).mean()),
        lsh.mean_cosine(vectors),
        lsh.kept_by_rounds(vectors, scale, n_buckets, seed, temperature),
        lsh.random_kept(vectors, scale, n_buckets, temperature),
    )


def _picture(run: Run, weights: FloatArray, together: BoolArray) -> None:
    """Hatched: in no bucket together. A token's own cell is drawn, though only a lone token looks at itself."""
    figure = square_heatmap(weights, run.tokens, run.tokens, visible=together, most_columns=HALF_PAGE)
    heatmaps.show(figure, "sparse_buckets_picture", say("sparse.buckets.alt"))
    if run.tokens.n_tokens > 1:
        st.caption(say("sparse.buckets.caption"))


def _curve(kept: Sequence[Kept], random: Sequence[Kept]) -> None:
    series = [
        Line(say("sparse.buckets.mass"), ROUNDS, [one.mass for one in kept], colour=0),
        Line(say("sparse.buckets.pairs"), ROUNDS, [one.pairs for one in kept], formula=True, colour=0),
        Line(say("sparse.buckets.random_mass"), ROUNDS, [one.mass for one in random], colour=1),
        Line(say("sparse.buckets.random_pairs"), ROUNDS, [one.pairs for one in random], formula=True, colour=1),
    ]
    figure = lines(series, say("sparse.buckets.rounds"), say("sparse.buckets.share"), span=(0, 1.03), height=HEIGHT)
    heatmaps.show(figure, "sparse_buckets_curve", say("sparse.buckets.curve_alt"))


def _compared(kept: Kept, random: Kept) -> None:
    """This head beside random directions, at the chosen number of rounds."""
    told = [say("sparse.buckets.random", draws=DRAWS)]
    if kept.gain is None or random.gain is None:
        told.append(say("sparse.buckets.no_pairs"))
    else:
        apart = kept.gain - random.gain
        verdict = "same" if abs(apart) < _SAME else "more" if apart > 0 else "less"
        gains = {"gain": f"{kept.gain:.2f}", "random": f"{random.gain:.2f}"}
        told.append(say(f"sparse.buckets.than_random.{verdict}", rounds=kept.rounds, **gains))
    st.caption(" ".join(told))


def _numbers(hashed: _Hashed, rounds: int) -> None:
    """What the buckets keep, and what sharing queries and keys alone has changed."""
    kept = hashed.kept[rounds - 1]
    gain = "–" if kept.gain is None else say("sparse.times", times=f"{kept.gain:.2f}")
    after = say("sparse.buckets.after", rounds=rounds)
    sparse_parts.cards(
        (
            (say("sparse.buckets.mass"), f"{kept.mass:.2f}", after),
            (say("sparse.buckets.pairs"), f"{kept.pairs:.2f}", after),
            (say("sparse.buckets.gain"), gain, say("sparse.buckets.gain_below")),
            (say("sparse.buckets.moved"), f"{hashed.moved:.2f}", say("sparse.buckets.moved_below")),
        )
    )
    if hashed.cosine is not None and kept.pairs > _NEARLY_ALL:
        why = "any" if hashed.random[rounds - 1].pairs > _NEARLY_ALL else "one"
        st.info(say(f"sparse.buckets.{why}", cosine=f"{hashed.cosine:.2f}"), icon=":material/info:")
    st.caption(say("sparse.buckets.untrained"))


def _table(kept: Sequence[Kept], random: Sequence[Kept]) -> None:
    columns: dict[str, list[object]] = {
        say("sparse.buckets.rounds"): list(ROUNDS),
        say("sparse.buckets.mass"): [one.mass for one in kept],
        say("sparse.buckets.pairs"): [one.pairs for one in kept],
        say("sparse.buckets.random_mass"): [one.mass for one in random],
        say("sparse.buckets.random_pairs"): [one.pairs for one in random],
    }
    formats = {name: st.column_config.NumberColumn(format="%.3f") for name in list(columns)[1:]}
    st.dataframe(columns, column_config=formats, hide_index=True, width="stretch", height="content")
