"""BigBird and Longformer as transformers computes them, and the short texts that BigBird reads with full attention."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import streamlit as st

from mha_viz.figures.charts import Line, lines
from mha_viz.figures.mask import mask_picture
from mha_viz.labs.plans_cost import SPARSE_MODELS, SparseModelsOptions, full_until
from mha_viz.labs.results import LabResult, Row, where
from mha_viz.ui import heatmaps, labs, views
from mha_viz.ui.plain import escaped
from mha_viz.words import say

_BLOCKS, _RANDOM, _RADII = (2, 4, 8), (1, 2, 3), (2, 4, 8)
_SECONDS = 20  # most of them to import transformers
_CHART, _NAMES = 380, 130  # pixels
#: Rows of weights that sum to less are not whole.
_WHOLE = 0.999


def render() -> None:
    """The sizes, and what the models read."""
    st.markdown(say("sparse_models.what"))
    st.caption(say("sparse.measured"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        block = int(views.pick("sparse_models_block", say("sparse_models.block"), _BLOCKS, 4, str))
        random = int(views.pick("sparse_models_random", say("sparse_models.random"), _RANDOM, 1, str))
        radius = int(views.pick("sparse_models_radius", say("sparse_models.radius"), _RADII, 4, str))
    full = full_until(block, random)
    lengths = tuple(sorted({16, 32, 64, 128, full, full + 1}))
    options = SparseModelsOptions(tokens=lengths, block=block, random=random, radius=radius)
    labs.show("sparse_models", options, _draw, say("sparse_models.about", seconds=_SECONDS))


def _draw(result: LabResult) -> None:
    rows = list(result.rows)
    if not rows:
        return
    options = SparseModelsOptions.of(result.options)
    pictures, chart = st.columns([3, 2], gap="large")
    with pictures:
        _pictures(rows)
    with chart:
        _chart(rows)
    _told(rows, options)
    _table(rows)


def _pictures(rows: Sequence[Row]) -> None:
    """What both read at one length, as images."""
    lengths = sorted({row["tokens"] for row in rows if row.get("reads") and row["model"] in SPARSE_MODELS})
    if not lengths:
        st.caption(say("sparse_models.wait"))
        return
    first = 64 if 64 in lengths else lengths[-1]
    length = int(views.pick("sparse_models_length", say("sparse_models.length"), lengths, first, str))
    for model, place in zip(SPARSE_MODELS, st.columns(3), strict=True):
        found = where(rows, model=model, tokens=length)
        if found:
            place.html(_picture(found[0]))
    st.caption(say("sparse_models.pictures"))


def _picture(row: Row) -> str:
    """The image of a map with its title."""
    reads = np.array([[cell == "1" for cell in line] for line in row["reads"]])
    title = escaped(say(f"sparse_models.{row['model']}"))
    below = escaped(say(f"sparse_models.kind.{row['kind']}", share=f"{100 * row['share']:.0f}"))
    alt = escaped(say("sparse_models.alt", model=say(f"sparse_models.{row['model']}"), tokens=row["tokens"]))
    return (
        f"<div style='text-align:center'><strong>{title}</strong><br><img alt='{alt}' "
        f"style='width:100%;max-width:20rem;aspect-ratio:1;border:1px solid rgba(134,142,150,.6)' "
        f"src=\"{mask_picture(reads)}\"><br><small style='font-size:1rem'>{below}</small></div>"
    )


def _chart(rows: Sequence[Row]) -> None:
    series = []
    for place, model in enumerate(SPARSE_MODELS):
        of_model = sorted(where(rows, model=model), key=lambda row: row["tokens"])
        if of_model:
            at, shares = [row["tokens"] for row in of_model], [row["share"] for row in of_model]
            series.append(Line(say(f"sparse_models.{model}"), at, shares, colour=place))
    if not series:
        return
    figure = lines(
        series, say("sparse_speed.tokens"), say("sparse_models.share"), span=(0, 1.05), level=1.0, height=_CHART
    )
    heatmaps.show(figure, "sparse_models_chart", say("sparse_models.chart_alt"))
    st.caption(_bigbird(rows))


def _bigbird(rows: Sequence[Row]) -> str:
    """Where BigBird leaves the dashed line, and whether its share falls at every longer text."""
    of_model = where(rows, model="bigbird")
    full = [row["tokens"] for row in where(of_model, kind="original_full")]
    sparse = sorted(where(of_model, kind="block_sparse"), key=lambda row: row["tokens"])
    told = [say("sparse_models.chart")]
    if full:
        told.append(say("sparse_models.chart.full", longest=max(full)))
    if sparse:
        ends = [{"tokens": row["tokens"], "share": f"{100 * row['share']:.1f}"} for row in (sparse[0], sparse[-1])]
        told.append(say("sparse_models.chart.first", **ends[0]))
        if len(sparse) > 1:
            told.append(say("sparse_models.chart.last", **ends[1]))
    for shorter, longer in itertools.pairwise(sparse):
        if longer["share"] > shorter["share"]:
            told.append(_rise(shorter, longer))
    return " ".join(told)


def _rise(shorter: Row, longer: Row) -> str:
    """A longer text with a larger share: where the shorter one's last block, which all read, is not full."""
    key = "padded" if shorter["padded_to"] > shorter["tokens"] else "other"
    shares = [f"{100 * row['share']:.1f}" for row in (shorter, longer)]
    numbers = {"shorter": shorter["tokens"], "longer": longer["tokens"], "padded": shorter["padded_to"]}
    return say(f"sparse_models.chart.rise.{key}", share=shares[0], more=shares[1], **numbers)


def _told(rows: Sequence[Row], options: SparseModelsOptions) -> None:
    """The fallback, that it stays, and what is padded; each only where it was seen."""
    bigbird = where(rows, model="bigbird")
    lines_told = []
    full = [row["tokens"] for row in where(bigbird, kind="original_full")]
    sparse = [row["tokens"] for row in where(bigbird, kind="block_sparse")]
    limit = full_until(options.block, options.random)
    if full and sparse:
        lines_told.append(
            say(
                "sparse_models.fallback",
                longest=max(full),
                shortest=min(sparse),
                limit=limit,
                block=options.block,
                random=options.random,
            )
        )
    for row in where(rows, model="after"):
        told = {
            "short": row["short"],
            "tokens": row["tokens"],
            "share": f"{100 * row['share']:.0f}",
            "maps": row["maps"],
        }
        lines_told.append(say(f"sparse_models.after.{row['kind']}", **told))
    lines_told += _random(rows)
    padded = [row for row in where(rows, model="longformer") if row["padded_to"] > row["tokens"]]
    if padded:
        row = padded[-1]
        lines_told.append(
            say("sparse_models.padded", tokens=row["tokens"], padded=row["padded_to"], window=2 * options.radius)
        )
    st.markdown("\n".join(f"- {line}" for line in lines_told))


def _random(rows: Sequence[Row]) -> list[str]:
    """What becomes of the random blocks, at the longest text that both modes read in blocks."""
    found = {model: where(rows, model=model, kind="block_sparse") for model in ("bigbird", "bigbird_train")}
    common = {row["tokens"] for row in found["bigbird"]} & {row["tokens"] for row in found["bigbird_train"]}
    if not common:
        return []
    answers, trained = (where(of, tokens=max(common))[0] for of in found.values())
    shares = [f"{100 * row['share']:.0f}" for row in (answers, trained)]
    summed = [row for row in found["bigbird"] if row["row_sum"] is not None]
    least = min(summed, key=lambda row: row["row_sum"], default=None)
    if least is None or least["row_sum"] > _WHOLE:
        return []
    sums = {"row_sum": f"{least['row_sum']:.2f}", "least_at": least["tokens"], "tokens": max(common)}
    return [say("sparse_models.random_told", share=shares[0], trained=shares[1], **sums)]


def _table(rows: Sequence[Row]) -> None:
    shown = [row for row in rows if row["model"] in SPARSE_MODELS]
    share = say("sparse_models.share")
    columns: dict[str, list[object]] = {
        say("sparse_models.model"): [say(f"sparse_models.{row['model']}") for row in shown],
        say("sparse_speed.tokens"): [row["tokens"] for row in shown],
        say("sparse_models.mode"): [say(f"sparse_models.mode.{row['kind']}") for row in shown],
        share: [row["share"] for row in shown],
        say("sparse_models.keys"): [_keys(row["keys"]) for row in shown],
        say("sparse_models.maps"): [row["maps"] for row in shown],
        say("sparse_models.weighed"): [row["weighed"] for row in shown],
        say("sparse_models.row_sum"): [row["row_sum"] for row in shown],
        say("sparse_models.padded_to"): [row["padded_to"] for row in shown],
    }
    formats = {
        say("sparse_models.model"): st.column_config.TextColumn(width=_NAMES),
        share: st.column_config.NumberColumn(format="%.3f"),
        say("sparse_models.row_sum"): st.column_config.NumberColumn(format="%.4f"),
    }
    st.dataframe(columns, column_config=formats, hide_index=True, width="stretch", height="content", placeholder="–")
    st.caption(say("sparse_models.table"))


def _keys(counts: Sequence[int]) -> str:
    """Few counts one by one, many as their ends."""
    return ", ".join(map(str, counts)) if len(counts) <= 4 else f"{counts[0]} … {counts[-1]}"
