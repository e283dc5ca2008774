"""A query without a key: a tile for every call, and what such a row looks like."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from mha_viz.figures.bars import Bars, bars
from mha_viz.figures.maps import Map, maps
from mha_viz.labs.pitfalls.base import Trial
from mha_viz.ui import cache_trials, heatmaps
from mha_viz.ui.pitfalls import card, claims
from mha_viz.ui.plain import asset, escaped
from mha_viz.words import say

if TYPE_CHECKING:
    from mha_viz.labs.pitfalls.no_key_calls import Called

#: From one numbered bar to the next.
_EVERY = 4
#: What of a gradient a tile tells, in the order of the counts.
_GRADIENTS = ("query", "key", "value")


def render() -> None:
    """The card."""
    from mha_viz.labs.pitfalls.no_key import CLAIMS, NoKeyOptions

    def controls() -> NoKeyOptions:
        claim = claims.choose("no_key", CLAIMS, "tried")
        return NoKeyOptions(claim=claim)

    card.show("no_key", controls, _picture, _details)


def _picture(trial: Trial) -> None:
    if "broken" in trial.found:
        _tiles("".join(_ways(trial.found["broken"])))
        st.caption(say("pitfalls.no_key.loss.caption"))
        return
    _tiles(_called(trial.found["called"]) + _called(trial.found["ours"]))
    if trial.found["ours"]:
        st.caption(say("pitfalls.no_key.caption"))
        return
    called = trial.found["called"]
    series = [Bars(say(f"pitfalls.no_key.call.{one.group}.{one.name}"), one.row) for one in called]
    places = [[str(place) if place % _EVERY == 0 else ""] for place in range(len(called[0].row))]
    figure = bars(series, places, say("pitfalls.no_key.bert.axis"))
    heatmaps.show(figure, "pitfall_no_key_bert", say("pitfalls.no_key.bert.alt"))
    st.caption(say("pitfalls.no_key.bert.caption"))


def _details(trial: Trial) -> None:
    """The calls of transformers, which take seconds to import, and the row itself."""
    if trial.found.get("ours"):
        from mha_viz.labs.pitfalls.no_key import NoKeyOptions

        with st.spinner(say("pitfalls.no_key.waiting")):
            also = cache_trials.trial("no_key", NoKeyOptions(claim="bert"))
        _tiles(_called(also.found["called"]))
        st.caption(str(also.verdict))
    rows = {"least": trial.found["least"], "kernel": trial.found["kernel"].copy()}
    rows["kernel"][trial.found["dead"]] = np.nan
    names = [str(place) for place in range(len(rows["least"]))]
    shown = [Map(say(f"pitfalls.no_key.map.{name}"), values) for name, values in rows.items()]
    heatmaps.show(
        maps(shown, names, names, say("pitfalls.weight"), high=1.0, height=300),
        "pitfall_no_key",
        say("pitfalls.no_key.alt", row=trial.found["dead"]),
    )
    st.caption(say("pitfalls.no_key.map.caption", row=trial.found["dead"]))


def _tiles(html: str) -> None:
    st.html(f"<style>{asset('no_key.css')}</style><div class='mha-calls'>{html}</div>")


def _called(called: Sequence[Called]) -> str:
    parts = []
    for group, calls in groupby(called, key=lambda one: one.group):
        tiles = "".join(
            _tile(say(f"pitfalls.no_key.call.{one.group}.{one.name}"), one.kind, one.error) for one in calls
        )
        parts.append(_group(say(f"pitfalls.no_key.group.{group}"), tiles))
    return "".join(parts)


def _ways(broken: dict[str, list[int]]) -> list[str]:
    """How many numbers of each gradient are NaN, for each way to compute attention."""
    return [
        _group(
            say(f"pitfalls.no_key.way.{way}"),
            "".join(
                _counted(say(f"pitfalls.no_key.gradient.{name}"), n) for name, n in zip(_GRADIENTS, counts, strict=True)
            ),
        )
        for way, counts in broken.items()
    ]


def _counted(name: str, n: int) -> str:
    told = say("pitfalls.no_key.gradient.broken", n=n) if n else say("pitfalls.no_key.gradient.clean")
    return _box(name, "nan" if n else "clean", told)


def _tile(name: str, kind: str, error: str) -> str:
    return _box(name, kind, say(f"pitfalls.no_key.kind.{kind}"), error)


def _box(name: str, kind: str, told: str, more: str = "") -> str:
    return (
        f"<div class='mha-tile mha-key-{kind}' title='{escaped(more)}'>"
        f"<span>{escaped(name)}</span><strong>{escaped(told)}</strong></div>"
    )


def _group(name: str, tiles: str) -> str:
    return f"<h4>{escaped(name)}</h4><div class='mha-tiles'>{tiles}</div>"
