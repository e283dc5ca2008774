"""Mean weights beside slopes in the gates; and what is unpacked."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mha_viz.controls import HeadId
from mha_viz.figures.bars import Bars, bars
from mha_viz.labs.pitfalls.base import Trial
from mha_viz.ui import heatmaps, views
from mha_viz.ui.pitfalls import card, claims
from mha_viz.words import say


def render() -> None:
    """The card."""
    from mha_viz.labs.pitfalls.mean import BATCHES, TRIED, MeanOptions

    def controls() -> MeanOptions:
        tried = claims.choose("mean", TRIED, "tried")
        if tried == "unpack":
            batch = views.pick("pitfall_mean_batch", say("pitfalls.mean.batch"), BATCHES, 2, str)
            return MeanOptions(tried=tried, batch=batch)
        words = st.slider(say("pitfalls.mean.words"), 2, 10, 10, key="pitfall_mean_words")
        return MeanOptions(tried=tried, words=words)

    card.show("mean", controls, _picture, _details)


def _picture(trial: Trial) -> None:
    if "means" not in trial.found:
        _unpacked(trial)
        return
    means, slopes = np.array(trial.found["means"]), np.array(trial.found["slopes"])
    series = [
        Bars(say("pitfalls.mean.right"), _shares(slopes)),
        Bars(say("pitfalls.mean.told"), _shares(means)),
    ]
    places = [[str(HeadId(*place))] for place in np.ndindex(means.shape)]
    step = means.shape[1] if len(places) > 12 else 1
    figure = bars(series, places, say("pitfalls.mean.axis"), written=range(0, len(places), step), colours=(1, 0))
    heatmaps.show(figure, "pitfall_mean", say("pitfalls.mean.alt", n=len(places)))
    st.caption(say("pitfalls.mean.caption"))


def _shares(values: np.ndarray) -> list[float]:
    """In percent of their sum."""
    shares: list[float] = (100 * values / max(values.sum(), 1e-30)).ravel().tolist()
    return shares


def _unpacked(trial: Trial) -> None:
    logits = trial.found["logits"]
    series = [
        Bars(say("pitfalls.mean.unpack.text", number=number), text) for number, text in enumerate(logits, start=1)
    ]
    if trial.found["unpacked"] is not None:
        series.append(Bars(say("pitfalls.mean.unpack.weights"), trial.found["unpacked"]))
    places = [[say("pitfalls.mean.unpack.class", number=number)] for number in range(len(logits[0]))]
    heatmaps.show(
        bars(series, places, say("pitfalls.mean.unpack.axis")), "pitfall_mean", say("pitfalls.mean.unpack.alt")
    )
    st.caption(say("pitfalls.mean.unpack.caption"))


def _details(trial: Trial) -> None:
    if "got" in trial.found:
        batches, got = zip(*trial.found["got"], strict=True)
        by_batch = {say("pitfalls.mean.unpack.batches"): batches, say("pitfalls.mean.unpack.got"): got}
        st.dataframe(by_batch, hide_index=True, width="stretch")
        return
    means, slopes = np.array(trial.found["means"]), np.array(trial.found["slopes"])
    order = np.argsort(-slopes, axis=None)
    heads = [str(HeadId(*divmod(int(place), means.shape[1]))) for place in order]
    table = {
        say("pitfalls.mean.table.head"): heads,
        say("pitfalls.mean.table.mean"): [f"{value:.7f}" for value in means.ravel()[order]],
        say("pitfalls.mean.table.slope"): [f"{value:.2e}" for value in slopes.ravel()[order]],
    }
    st.dataframe(table, hide_index=True, width="stretch", height=250)
