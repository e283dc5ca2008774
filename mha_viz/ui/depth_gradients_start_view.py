"""How attention begins: schemes for W_Q and W_K and what scores are divided by, switched among measured combinations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from mha_viz.figures.maps import Map, maps
from mha_viz.figures.trials import Level, Points, scores
from mha_viz.labs.plans_depth import SCALINGS, SCHEMES, BeginningOptions
from mha_viz.labs.results import LabResult, Row, half_interval, where
from mha_viz.spec import divisors
from mha_viz.ui import heatmaps, labs, views
from mha_viz.ui import lookup_parts as parts
from mha_viz.ui.depth_gradients_numbers import digits
from mha_viz.words import say

_D_MODELS = (64, 128, 256, 512, 1024)
_HEADS = (1, 2, 4, 8, 16, 32)
#: Height of the map, beside figures; of the table: fifteen rows and the head.
_HEIGHT, _TABLE = 400, 562
_DEFAULTS = BeginningOptions()


def render() -> None:
    """The switches, and what belongs to them."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="beginnings_options"):
        scheme = str(
            views.pick(
                "beginnings_scheme", say("beginnings.scheme"), SCHEMES, "linear", _scheme,
                told=say("beginnings.scheme.help"),
            )
        )  # fmt: skip
        scaling = str(views.pick("beginnings_scaling", say("beginnings.scaling"), SCALINGS, "on", _scaling))
        options = _options()
    labs.show("beginnings", options, lambda result: _draw(result, scheme, scaling), say("beginnings.about"))


def _options() -> BeginningOptions:
    with st.popover(say("beginnings.more"), icon=":material/tune:"):
        d_model = parts.whole("beginnings_d_model", "d_model", _D_MODELS, _DEFAULTS.d_model)
        heads = [n for n in _HEADS if n in divisors(d_model)]
        n_heads = parts.whole("beginnings_heads", say("sharing.heads"), heads, _DEFAULTS.heads)
        tokens = views.number("beginnings_tokens", say("beginnings.tokens"), (2, 128), _DEFAULTS.tokens)
        seeds = parts.seeds("beginnings_seeds")
    return BeginningOptions(d_model, n_heads, tokens, seeds)


def _scheme(name: str) -> str:
    return say(f"beginnings.scheme.{name}")


def _scaling(name: str) -> str:
    return say(f"beginnings.scaling.{name}")


def _draw(result: LabResult, scheme: str, scaling: str) -> None:
    rows = list(result.rows)
    chosen = where(rows, scheme=scheme, scaling=scaling)
    if chosen:
        _metrics(chosen)
    left, right = st.columns(2, gap="large")
    with left:
        _map(chosen)
    with right:
        _chart(rows, "entropy", scaling)
        st.caption(say("beginnings.entropy.caption", seeds=_seeds(rows)))
    left, right = st.columns(2, gap="large")
    with left:
        _chart(rows, "std", scaling)
        st.caption(" ".join([say("beginnings.std.caption"), *below_zero(rows, "std")]))
    with right:
        _chart(rows, "relative", scaling)
        told = [say("beginnings.gradient.caption"), *gradients_told(rows), *below_zero(rows, "relative")]
        st.caption(" ".join(told))
    _table(rows)


def _combinations(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows of each scheme and divisor that there is, by its name."""
    found = {
        say("beginnings.combination", scheme=_scheme(scheme), scaling=_scaling(scaling)): where(
            rows, scheme=scheme, scaling=scaling
        )
        for scheme in SCHEMES
        for scaling in SCALINGS
    }
    return {name: own for name, own in found.items() if own}


def gradients_told(rows: Sequence[Row]) -> list[str]:
    """Where the gradient over W_Q is largest, and what it is at both ends of entropy; nothing of one combination."""
    means = {
        name: {what: float(np.mean([row[what] for row in own])) for what in ("relative", "entropy", "gradient")}
        for name, own in _combinations(rows).items()
    }
    if len(means) < 2:
        return []
    largest = max(means, key=lambda name: means[name]["relative"])
    even, sharp = (end(means, key=lambda name: means[name]["entropy"]) for end in (max, min))
    values = {"most": largest, "at_even": even, "at_sharp": sharp}
    alone = means[sharp]["gradient"]
    return [
        say(
            "beginnings.gradient.told",
            largest=largest,
            even=even,
            sharp=sharp,
            alone=digits(alone, 4),
            larger=sum(one["gradient"] > alone for one in means.values()),
            others=len(means) - 1,
            **{name: digits(means[place]["relative"], 4) for name, place in values.items()},
        )
    ]


def below_zero(rows: Sequence[Row], name: str) -> list[str]:
    """Combinations whose interval an axis in powers cannot show as a whole."""
    found = []
    for place, own in _combinations(rows).items():
        values = [row[name] for row in own]
        half = half_interval(values)
        if half is not None and half >= float(np.mean(values)):
            found.append(place)
    return [say("beginnings.below_zero", names=", ".join(found))] if found else []


def _seeds(rows: Sequence[Row]) -> str:
    n = len({row["seed"] for row in rows})
    return say("beginnings.seeds", n=n) if n > 1 else say("stacks.one_seed")


def _metrics(rows: Sequence[Row]) -> None:
    """The numbers of the chosen combination."""
    with st.container(horizontal=True, key="beginnings_metrics"):
        for name in ("std", "entropy", "largest", "gradient", "relative"):
            values = [row[name] for row in rows]
            told = say("beginnings.metric.entropy.help") if name == "entropy" else None
            st.metric(say(f"beginnings.metric.{name}"), digits(float(np.mean(values)), 4), help=told, width="content")


def _map(rows: Sequence[Row]) -> None:
    """One head of the chosen combination."""
    drawn = [row for row in rows if row["map"] is not None]
    if not drawn:
        st.info(say("stable.wait"), icon=":material/info:")
        return
    values = np.array(drawn[0]["map"])
    tokens = [str(place) for place in range(len(values))]
    title = say("beginnings.map", scheme=_scheme(drawn[0]["scheme"]), scaling=_scaling(drawn[0]["scaling"]))
    figure = maps([Map(title, values)], tokens, tokens, say("figure.stage_weights"), high=1.0, height=_HEIGHT)
    heatmaps.show(figure, "beginnings_map", say("beginnings.map.alt"))
    st.caption(say("beginnings.map.caption"))


def _chart(rows: Sequence[Row], name: str, scaling: str) -> None:
    """One number of every combination: a place for each scheme, a series for each divisor."""
    series = []
    for one in SCALINGS:
        values = [tuple(row[name] for row in where(rows, scheme=scheme, scaling=one)) for scheme in SCHEMES]
        if any(values):
            series.append(
                Points(say("beginnings.divided", scaling=_scaling(one)), values, list(map(half_interval, values)))
            )
    levels = []
    if name == "std":
        formula = {row["scheme"]: row["formula"] for row in where(rows, scaling=scaling)}
        text = say("beginnings.formula", scaling=_scaling(scaling))
        levels = [Level(text, [formula.get(scheme) for scheme in SCHEMES])] if formula else []
    places = [_scheme(scheme) for scheme in SCHEMES]
    bounds = {"span": (0.0, 1.05)} if name == "entropy" else {"log_y": True}
    figure = scores(series, places, "", say(f"beginnings.axis.{name}"), levels=levels, **bounds)
    heatmaps.show(figure, f"beginnings_{name}", say(f"beginnings.{name}.alt"))


def _table(rows: Sequence[Row]) -> None:
    """A line for each combination."""
    if not rows:
        return
    st.markdown(say("beginnings.table", d_k=rows[0]["d_k"]))
    columns: dict[str, list[object]] = {}
    for scheme in SCHEMES:
        for scaling in SCALINGS:
            found = where(rows, scheme=scheme, scaling=scaling)
            if not found:
                continue
            columns.setdefault(say("beginnings.scheme"), []).append(_scheme(scheme))
            columns.setdefault(say("beginnings.scaling"), []).append(_scaling(scaling))
            for name in ("std", "entropy", "largest", "gradient", "relative"):
                columns.setdefault(say(f"beginnings.metric.{name}"), []).append(_mean(found, name))
            columns.setdefault(say("lookup_parts.n_seeds"), []).append(len(found))
    st.dataframe(columns, hide_index=True, width="stretch", height=_TABLE)


def _mean(rows: Sequence[Row], name: str) -> str:
    values = [row[name] for row in rows]
    half = half_interval(values)
    return digits(float(np.mean(values)), 4) + ("" if half is None else say("lookup_parts.half", half=digits(half, 2)))
