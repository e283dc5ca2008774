"""The heads of one model, two by two: how far apart they read, how far apart what they write is, and their clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st

from mha_viz.analysis.clusters import by_cluster, pairs_of, table_of
from mha_viz.arrays import FloatArray
from mha_viz.controls import HeadId
from mha_viz.figures.alike import head_distances, pair_distances
from mha_viz.labs.results import LabResult, Row, where
from mha_viz.ui import heatmaps
from mha_viz.ui.choices import current_colour
from mha_viz.ui.lookup_parts import signed
from mha_viz.words import say

#: The largest distances that can be: the root of ln 2 nats, and 1 - 0.
_FARTHEST = (math.sqrt(math.log(2)), 1.0)
_BY = ("map", "output")
#: A head with less than this on every slot does not look one up: even rows have 1/8.
_LEAST_READ = 0.25


class _Heads(NamedTuple):
    """A row's heads, in their own order.

    Attributes:
        names: of the heads.
        maps, outputs: (head, head) distances.
        map_clusters, output_clusters: a number a head.
        cuts: of the two.
    """

    names: list[str]
    maps: FloatArray
    outputs: FloatArray
    map_clusters: tuple[int, ...]
    output_clusters: tuple[int, ...]
    cuts: tuple[float, float]

    def clusters(self, by: str) -> tuple[int, ...]:
        return self.map_clusters if by == "map" else self.output_clusters


def _heads_of(row: Row) -> _Heads:
    layers, n_heads = row.get("layers", 1), row["heads"]
    names = [str(HeadId(layer, head)) for layer in range(layers) for head in range(n_heads)]
    if layers == 1:
        names = [f"H{head}" for head in range(n_heads)]
    maps, outputs = (table_of(np.array(row[name], dtype=np.float64), len(names)) for name in ("by_map", "by_output"))
    clusters = {f"{kind}_clusters": tuple(row[f"{kind}_clusters"]) for kind in _BY}
    return _Heads(names, maps, outputs, **clusters, cuts=(row["map_cut"], row["output_cut"]))


def net_name(row: Row) -> str:
    """What a trained net is called beside others of so many heads."""
    if row["kind"] == "none":
        return say("alike.kind.none")
    return say("alike.net", kind=say(f"alike.kind.{row['kind']}"), strength=f"{row['strength']:g}")


def draw_net(rows: Sequence[Row], by: str) -> None:
    """One of the nets whose heads were kept; the clusters ``by`` "map" or "output" give order and frames."""
    kept = [row for row in rows if "by_map" in row]
    if not kept:
        st.caption(say("alike.no_heads"))
        return
    number = st.selectbox(
        say("alike.which"),
        range(len(kept)),
        format_func=lambda place: say("alike.with", name=net_name(kept[place])),
        label_visibility="collapsed",
        key=f"alike_net_{len(kept)}",
        width=340,
        persist_state="session",
    )
    row = kept[number]
    _draw(row, by, say("alike.net_caption", score=f"{row['score']:.3f}", seed=row["seed"]))
    idle = sum(max(slots) < _LEAST_READ for slots in row["slots"])
    if idle:
        st.markdown(say("alike.idle", n=idle, heads=row["heads"], least=f"{_LEAST_READ:.2f}"))


def draw_minilm(result: LabResult, by: str) -> None:
    """All heads of MiniLM, and how much of the agreement one sentence shows."""
    rows = where(result.rows, model="minilm")
    if not rows:
        return
    row = rows[0]
    values = {name: row[name] for name in ("name", "sentences", "tokens", "d_k")}
    _draw(row, by, say("alike.minilm_caption", **values))
    alone = [value for value in row["alone"] if value is not None]
    if alone and row["agreement"] is not None:
        found = {"mean": signed(float(np.mean(alone))), "low": signed(min(alone)), "high": signed(max(alone))}
        words = round(row["tokens"] / row["sentences"])
        st.markdown(say("alike.alone", **found, words=words, needed=2 * row["d_k"], all=signed(row["agreement"])))


def _draw(row: Row, by: str, caption: str) -> None:
    heads = _heads_of(row)
    labels = heads.clusters(by)
    order = by_cluster(labels)
    sizes = [labels.count(label) for label in range(max(labels) + 1)]
    names = [heads.names[head] for head in order]
    for column, kind, table, end in zip(
        st.columns(2, gap="medium"), _BY, (heads.maps, heads.outputs), _FARTHEST, strict=True
    ):
        with column:
            st.markdown(say(f"alike.picture.{kind}"), help=say(f"alike.distance.{kind}"))
            ordered = table[np.ix_(order, order)]
            figure = head_distances(ordered, names, sizes, highest=end, palette=current_colour().palette)
            heatmaps.show(figure, f"alike_{kind}", say("alike.picture_alt", n=len(names)))
    st.caption(f"{say('alike.picture_caption')} {caption}")
    st.markdown(_told(row, heads))
    left, right = st.columns(2, gap="medium")
    with left:
        _scatter(heads)
    with right:
        _clusters(row, heads, by)


def _told(row: Row, heads: _Heads) -> str:
    """How many pairs are alike in both ways, and whether the distances go together."""
    one, other = (np.array(labels) for labels in (heads.map_clusters, heads.output_clusters))
    together = pairs_of((one[:, None] == one).astype(np.float64)) > 0
    both = together & (pairs_of((other[:, None] == other).astype(np.float64)) > 0)
    told = say(
        "alike.clusters",
        maps=len(set(heads.map_clusters)),
        outputs=len(set(heads.output_clusters)),
        pairs=int(together.sum()),
        both=int(both.sum()),
    )
    if row["agreement"] is None:
        return told
    return told + " " + say("alike.agreement", correlation=signed(row["agreement"]))


def _scatter(heads: _Heads) -> None:
    places = zip(*np.triu_indices(len(heads.names), k=1), strict=True)
    names = [say("figure.pair", one=heads.names[one], other=heads.names[other]) for one, other in places]
    titles = (say("alike.diversity.map"), say("alike.diversity.output"))
    pairs = (pairs_of(heads.maps), pairs_of(heads.outputs))
    figure = pair_distances(*pairs, names, titles, _FARTHEST, heads.cuts)
    heatmaps.show(figure, "alike_pairs", say("alike.pairs_alt", n=len(names)))
    st.caption(say("alike.pairs_caption", map_cut=heads.cuts[0], output_cut=heads.cuts[1]))


def _clusters(row: Row, heads: _Heads, by: str) -> None:
    """Each cluster: its heads, how far apart they are both ways, and which slot they read."""
    labels = heads.clusters(by)
    groups = [[head for head, label in enumerate(labels) if label == number] for number in range(max(labels) + 1)]
    columns: dict[str, list[object]] = {
        say("alike.cluster"): list(range(1, len(groups) + 1)),
        say("alike.cluster.heads"): [", ".join(heads.names[head] for head in group) for group in groups],
        say("alike.cluster.map"): [_within(heads.maps, group) for group in groups],
        say("alike.cluster.output"): [_within(heads.outputs, group) for group in groups],
    }
    if "slots" in row:
        slots = np.array(row["slots"])
        columns[say("alike.cluster.slot")] = [_read(slots[group].mean(axis=0)) for group in groups]
    wide = {say("alike.cluster.heads"): st.column_config.TextColumn(width="large")} if len(heads.names) > 16 else {}
    st.dataframe(columns, hide_index=True, width="stretch", column_config=wide)
    st.caption(say("alike.cluster.caption", cut=heads.cuts[_BY.index(by)], title=say(f"alike.by.{by}")))


def _within(table: FloatArray, group: Sequence[int]) -> str:
    """The mean distance of the heads of a cluster; a head alone has none."""
    values = pairs_of(table[np.ix_(group, group)])
    return f"{np.nanmean(values):.2f}" if np.isfinite(values).any() else "–"


def _read(weights: FloatArray) -> str:
    slot = int(weights.argmax())
    if weights[slot] < _LEAST_READ:
        return say("alike.no_slot", weight=f"{weights[slot]:.2f}")
    return say("alike.slot", slot=slot, weight=f"{weights[slot]:.2f}")
