"""One token in every head of every layer: where it looks as a query, and what it is given as a key."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mha_viz import figures
from mha_viz.analysis.reading import Shown
from mha_viz.arrays import FloatArray, IntArray
from mha_viz.controls import HeadId
from mha_viz.figures import theme
from mha_viz.figures.cells import round_up
from mha_viz.figures.labels import axis_labels
from mha_viz.ui import focus, heatmaps, picking, reading
from mha_viz.ui.choices import current_colour
from mha_viz.ui.plain import as_markdown
from mha_viz.ui.run import Run
from mha_viz.words import say

QUERY_KEY, KEY_KEY = "as_query", "as_key"
_TOLD = 3
#: Characters of a key's name that a cell has room for.
_LONGEST = 8


def render(ran: Run, shown: Shown) -> None:
    """Two matrices with a sentence each, then the chosen head's row and column."""
    place = reading.focus_place(shown)
    if place is None:
        place = focus.strongest_row(shown, ran.choices.layer, ran.choices.head)
        if place is None:
            st.info(say("focus.nothing"), icon=":material/info:")
            return
        st.caption(as_markdown(say("token.unchosen", token=reading.name_of(shown, place))))
    picking.remember(shown)
    _as_query(ran, shown, place)
    _as_key(ran, shown, place)
    _bars(ran, shown, place)
    reading.say_how(shown)


def _as_query(ran: Run, shown: Shown, place: int) -> None:
    """The strongest key of each head."""
    rows, seen = shown.weights[:, :, place], shown.visible[:, :, place]
    strongest = rows.argmax(axis=-1)
    told = seen.any(axis=-1) & ~shown.no_key[:, :, place] & ~shown.padding[place]
    values = np.where(told, rows.max(axis=-1), np.nan)
    labels = [
        label if len(label) <= _LONGEST else label[: _LONGEST - 1] + "…" for label in axis_labels(shown.key_tokens)
    ]
    texts = [["–" if np.isnan(values[at]) else labels[strongest[at]] for at in row] for row in _places(values)]
    st.markdown(say("token.as_query", token=as_markdown(reading.name_of(shown, place))))
    _matrix(ran, values, texts, say("token.strongest"), QUERY_KEY, hover="%{text} %{z:.3f}")
    best = [
        f"{head} → {reading.name_of(shown, int(strongest[head]))} {values[head]:.2f}"
        for head in _largest(np.where(seen.sum(axis=-1) > 1, values, np.nan))
    ]
    if best:
        st.caption(as_markdown(say("token.most_decided", heads=", ".join(best))))


def received(shown: Shown, place: int, n_keys: IntArray) -> tuple[FloatArray, FloatArray]:
    """(layer, head) each: mean weight that a key gets from the rows that may see it, and what even attention would give it.

    Args:
        shown: the weights.
        place: of the key.
        n_keys: (layer, head, query), keys that share a row's weight.
    """
    counts = shown.visible[..., place] & ~shown.padding & ~shown.no_key  # (layer, head, query)
    total = np.where(counts, shown.weights[..., place], 0.0).sum(axis=-1)
    even = np.where(counts, 1.0 / np.maximum(n_keys, 1), 0.0).sum(axis=-1)
    n_rows = counts.sum(axis=-1)
    nothing = np.full(n_rows.shape, np.nan)
    mean, evenly = (np.divide(sums, n_rows, out=nothing.copy(), where=n_rows > 0) for sums in (total, even))
    return mean, evenly


def _as_key(ran: Run, shown: Shown, place: int) -> None:
    values, even = received(shown, place, reading.n_keys(ran, shown))
    texts = [["–" if np.isnan(value) else _small(value) for value in row] for row in values]
    st.markdown(say("token.as_key", token=as_markdown(reading.name_of(shown, place))))
    _matrix(ran, values, texts, say("token.received"), KEY_KEY, hover="%{z:.4f}")
    best = [f"{head} {_small(values[head])}" for head in _largest(values)]
    if best:
        evenly = f"{float(np.nanmean(even)):.3f}"
        st.caption(as_markdown(say("token.most_given", heads=", ".join(best), even=evenly)))


def _small(value: float) -> str:
    """Two decimals, or as many as a small number needs."""
    return f"{value:.2f}" if value >= 0.095 or value == 0 else f"{value:.1g}"


def _places(values: FloatArray) -> list[list[tuple[int, int]]]:
    return [[(layer, head) for head in range(values.shape[1])] for layer in range(values.shape[0])]


def _largest(values: FloatArray) -> list[HeadId]:
    order = np.argsort(np.where(np.isnan(values), np.inf, -values).ravel(), kind="stable")[:_TOLD]
    return [HeadId(*divmod(int(at), values.shape[1])) for at in order if not np.isnan(values.ravel()[at])]


def _matrix(ran: Run, values: FloatArray, texts: list[list[str]], title: str, key: str, hover: str) -> None:
    known = values[np.isfinite(values)]
    figure = figures.metric_matrix(
        values,
        texts,
        title,
        low=0.0,
        high=min(round_up(float(known.max())), 1.0) if known.size else 1.0,
        chosen=HeadId(ran.choices.layer, ran.choices.head),
        palette=current_colour().palette,
        hover=hover,
    )
    heatmaps.show(figure, key, title)


def _bars(ran: Run, shown: Shown, place: int) -> None:
    """The chosen head's row and column of the token."""
    layer, head = ran.choices.layer, ran.choices.head
    chosen = HeadId(layer, head)
    seen = shown.visible[layer, head]
    given, got = st.columns(2, gap="medium")
    asked = seen[place] & ~shown.no_key[layer, head, place] & ~shown.padding[place]
    seers = seen[:, place] & ~shown.padding
    parts = (
        (
            given,
            "gives",
            shown.weights[layer, head, place],
            asked,
            "token_row",
            theme.HEADS[0],
            1 / max(int(reading.n_keys(ran, shown)[layer, head, place]), 1),
        ),
        (got, "gets", shown.weights[layer, head, :, place], seers, "token_column", theme.HEADS[1], None),
    )
    for column, part, weights, visible, key, ink, even in parts:
        with column:
            st.markdown(say(f"token.{part}", head=chosen, token=as_markdown(reading.name_of(shown, place))))
            tokens = shown.query_tokens
            figure = figures.token_bars(weights, visible, tokens, say("figure.weight"), even=even, colour=ink)
            heatmaps.show(figure, key, say(f"token.alt.{part}", head=chosen))
            drawn, n_all = figures.bar_places(weights, visible), int(visible.sum())
            picking.remember_bars(key, drawn)
            if len(drawn) < n_all:
                st.caption(say("token.some", shown=len(drawn), total=n_all))
