"""Figures without a source: what was published and measured instead, or what can be computed of them."""

from __future__ import annotations

import streamlit as st

from mha_viz.figures.budget import published_scores
from mha_viz.figures.maps import Map, maps
from mha_viz.figures.trials import Points, scores
from mha_viz.labs.pitfalls.base import Trial
from mha_viz.ui import heatmaps
from mha_viz.ui.pitfalls import card, claims
from mha_viz.words import say

_KEY = "pitfall_sources"


def render() -> None:
    """The card."""
    from mha_viz.labs.pitfalls.sources import FIGURES, SourcesOptions

    def controls() -> SourcesOptions:
        return SourcesOptions(figure=claims.choose("sources", FIGURES, "figure"))

    card.show("sources", controls, _picture, _details)


def _picture(trial: Trial) -> None:
    found = trial.found
    if "bleu" in found:
        (_measured if found["measured_first"] else _published)(trial)
    elif "faults" in found:
        _faults(found["faults"])
    elif "table" in found:
        _lengths(found["table"])
    elif "window" in found:
        names = say("pitfalls.sources.masks.told", window=found["window"]), say("pitfalls.sources.masks.right")
        titles = say("pitfalls.sources.masks.at"), say("pitfalls.sources.masks.axis")
        claims.told_and_right(found, names, *titles, _KEY, say("pitfalls.sources.masks.alt"))
        st.caption(say("pitfalls.sources.masks.caption"))
    else:
        tokens = [str(place) for place in range(len(found["told"]))]
        shown = [Map(say(f"pitfalls.sources.interleaved.{part}"), found[part]) for part in ("told", "right")]
        figure = maps(shown, tokens, tokens, say("pitfalls.weight"), numbers=False)
        heatmaps.show(figure, _KEY, say("pitfalls.sources.interleaved.alt"))
        st.caption(say("pitfalls.sources.interleaved.caption"))


def _details(trial: Trial) -> None:
    """Of numbers of heads: what is known besides the picture."""
    if "bleu" in trial.found:
        (_published if trial.found["measured_first"] else _measured)(trial)


def _published(trial: Trial) -> None:
    found = trial.found
    figure = published_scores(found["heads"], found["bleu"], found["perplexity"])
    heatmaps.show(figure, _KEY, say("pitfalls.sources.published.alt"))
    st.caption(say("pitfalls.sources.published.caption"))


def _measured(trial: Trial) -> None:
    heads, values, halves = zip(*trial.found["measured"], strict=True)
    points = Points(
        say("pitfalls.sources.measured.name"),
        [[100 * value for value in seeds] for seeds in values],
        [None if half is None else 100 * half for half in halves],
    )
    titles = say("pitfalls.sources.measured.at"), say("pitfalls.sources.measured.axis")
    figure = scores([points], [str(n) for n in heads], *titles)
    heatmaps.show(figure, f"{_KEY}_measured", say("pitfalls.sources.measured.alt"))
    st.caption(say("pitfalls.sources.measured.caption"))


def _faults(faults: list[tuple[str, bool]]) -> None:
    yes, no = say("pitfalls.sources.found.yes"), say("pitfalls.sources.found.no")
    table = {
        say("pitfalls.sources.found.fault"): [say(f"pitfalls.sources.fault.{name}") for name, _ in faults],
        say("pitfalls.sources.found.seen"): [yes if seen else no for _, seen in faults],
    }
    st.dataframe(table, hide_index=True, width="stretch", height=35 * (len(faults) + 1) + 3)
    st.caption(say("pitfalls.sources.found.caption"))


def _lengths(rows: list[tuple[int, str, str]]) -> None:
    table = {
        say("pitfalls.sources.speed.length"): [n for n, _, _ in rows],
        say("pitfalls.sources.speed.plain"): [say(f"pitfalls.sources.speed.went.{plain}") for _, plain, _ in rows],
        say("pitfalls.sources.speed.causal"): [say(f"pitfalls.sources.speed.went.{causal}") for *_, causal in rows],
    }
    st.dataframe(table, hide_index=True, width="stretch")
    st.caption(say("pitfalls.sources.speed.caption", n=len(rows)))
