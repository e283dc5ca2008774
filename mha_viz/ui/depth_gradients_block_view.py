"""A block that is stable, trained beside the plain one: loss curves, and what each of its parts does."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import streamlit as st

from mha_viz.figures.charts import Line, lines
from mha_viz.figures.trials import scores
from mha_viz.labs.pairs import difference, verdict
from mha_viz.labs.plans_depth import StableOptions
from mha_viz.labs.results import LabResult, Row, half_interval, where
from mha_viz.ui import heatmaps, labs, views
from mha_viz.ui import lookup_parts as parts
from mha_viz.words import say

_RATES = (0.001, 0.003, 0.01)
_LAYERS = (2, 4, 6, 8, 12)
_PARTS = ("pre", "qk_norm", "temperature")
_PLAIN = dict.fromkeys(_PARTS, False)
#: Every block, from the plain one to the stable one.
_BLOCKS = [dict(zip(_PARTS, chosen, strict=True)) for chosen in itertools.product((False, True), repeat=3)]
#: Seconds of a step and layer on a usual computer; the start of the process.
_SECONDS, _START = 0.006, 4.0
_TABLE = 318  # pixels: eight rows and the head
_DEFAULTS = StableOptions()
#: Lowest and highest loss of the picture; seeds that are called few.
_LOSSES, _FEW = (0.0, 1.3), 5


def render() -> None:
    """The parts of the block, the options, and what the trainings gave."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="stable_options"):
        rate = float(views.pick("stable_rate", say("stable.rate"), _RATES, 0.01, lambda one: f"{one:g}"))
        block = {
            part: st.toggle(
                say(f"stable.{part}"), value=True, key=f"stable_{part}", help=say(f"stable.{part}.help"),
                persist_state="session",
            )
            for part in _PARTS
        }  # fmt: skip
        options = _options(rate)
    seconds = _START + _SECONDS * options.layers * options.steps * len(_BLOCKS) * options.seeds
    labs.show(
        "stable",
        options,
        lambda result: _draw(result, rate, block),
        say("stable.about", seeds=options.seeds, seconds=f"{seconds:.0f}"),
    )


def _options(rate: float) -> StableOptions:
    with st.popover(say("stable.more"), icon=":material/tune:"):
        seeds = parts.seeds("stable_seeds")
        layers = parts.whole("stable_layers", say("stable.layers"), _LAYERS, _DEFAULTS.layers)
        steps = views.number("stable_steps", say("stable.steps"), (20, 2_000), _DEFAULTS.steps, step=20)
        warmup = views.number("stable_warmup", say("stable.warmup"), (0, 2_000), _DEFAULTS.warmup, step=20)
    return StableOptions(rates=(rate,), layers=layers, steps=steps, warmup=warmup, seeds=seeds)


def _name(block: Mapping[str, bool]) -> str:
    """A block in a few signs."""
    return f"{say('stable.pre' if block['pre'] else 'stable.post')} {_more(block)}".strip()


def _more(block: Mapping[str, bool]) -> str:
    """What it has beside LayerNorm."""
    return " ".join(say(f"stable.short.{part}") for part in _PARTS[1:] if block[part])


def _of(rows: Sequence[Row], block: Mapping[str, bool]) -> list[Row]:
    return where(rows, **block)


def _draw(result: LabResult, rate: float, block: Mapping[str, bool]) -> None:
    live = [result.live] if result.live is not None else []
    at_rate = parts.present([*result.rows, *live], "rate", rate)
    rows = [row for row in at_rate if "score" in row]
    told = result.options.get("warmup", 0)
    warmup = say("stable.warmup_told", n=told) if told else say("stable.no_warmup")
    st.markdown(say("stable.what", page=say("page.head_count"), layers=at_rate[0]["layers"], warmup=warmup))
    left, right = st.columns(2, gap="large")
    with left:
        _losses(at_rate, rows, block)
    with right:
        _scores(rows)
    _sentences(rows, block)
    _table(rows)


def _losses(drawn: Sequence[Row], rows: Sequence[Row], block: Mapping[str, bool]) -> None:
    """The plain block, the chosen one, and the one at work if it is neither."""
    shown = (
        {say("stable.plain"): _PLAIN, _name(block): block} if dict(block) != _PLAIN else {say("stable.plain"): _PLAIN}
    )
    series = []
    for colour, (name, wanted) in enumerate(shown.items()):
        found = _of(rows, wanted) or _of(drawn, wanted)
        if found:
            series.append(_course(name, found, colour))
    live = [row for row in drawn if "score" not in row]
    if live and not any(_of(live, wanted) for wanted in shown.values()):
        series.append(_course(_name({part: live[0][part] for part in _PARTS}), live, len(shown)))
    if not series:
        st.info(say("stable.wait"), icon=":material/info:")
        return
    figure = lines(series, say("lookup_parts.steps"), say("stable.axis.loss"), span=_LOSSES)
    heatmaps.show(figure, "stable_losses", say("stable.losses.alt"))
    n = min((len(_of(rows, wanted)) for wanted in shown.values()), default=0)
    seeds = say("stable.seeds", n=n) if n > 1 else say("stacks.one_seed")
    ends = [(value, half) for line in series for value, half in zip(line.values, line.halves or (), strict=True)]
    st.caption(" ".join([say("stable.losses.caption", seeds=seeds), *_cut(ends, _LOSSES)]))


def _cut(points: Iterable[tuple[float | None, float | None]], span: tuple[float, float]) -> list[str]:
    """Whether an interval leaves the frame; of values, each with half of its interval."""
    low, high = span
    known = [(value, half) for value, half in points if value is not None and half is not None]
    return [say("stable.cut")] if any(value - half < low or value + half > high for value, half in known) else []


def _course(name: str, found: Sequence[Row], colour: int) -> Line:
    """The mean loss of the seeds at every point that all of them have."""
    n = min(len(row["at"]) for row in found)
    points = [[row["losses"][place] for row in found] for place in range(n)]
    kept = [[value for value in values if value is not None] for values in points]
    means = [float(np.mean(values)) if values else None for values in kept]
    halves = [half_interval(values) for values in kept]
    return Line(name, found[0]["at"][:n], means, halves, colour=colour)


def _scores(rows: Sequence[Row]) -> None:
    """Every block at this rate: a series for each place of LayerNorm, the other parts along the axis."""
    if not rows:
        return
    others = [{part: block[part] for part in _PARTS[1:]} for block in _BLOCKS if not block["pre"]]
    places = [other for other in others if where(rows, **other)]
    series = [
        parts.points(say(f"stable.{norm}"), [where(rows, pre=norm == "pre", **other) for other in places])
        for norm in ("post", "pre")
        if where(rows, pre=norm == "pre")
    ]
    names = [_more(other) or say("stable.nothing") for other in places]
    span = parts.span(row["score"] for row in rows)
    figure = scores(series, names, say("stable.places"), say("stable.score"), span=span)
    heatmaps.show(figure, "stable_scores", say("stable.scores.alt"))
    ends = [
        (float(np.mean(values)), half)
        for one in series
        for values, half in zip(one.values, one.halves, strict=True)
        if values
    ]
    st.caption(" ".join([say("stable.scores.caption", rate=f"{rows[0]['rate']:g}"), *_cut(ends, span)]))


def _sentences(rows: Sequence[Row], block: Mapping[str, bool]) -> None:
    """What came out, computed from the rows."""
    plain, mine = _of(rows, _PLAIN), _of(rows, block)
    if dict(block) == _PLAIN:
        st.markdown(say("stable.choose"))
        return
    change = difference(rows, block, _PLAIN)
    if change is None:
        return
    rate, names = f"{rows[0]['rate']:g}", {"plain": say("stable.plain"), "name": _name(block)}
    st.markdown(say("stable.difference", rate=rate, change=parts.told(change), **names))
    if verdict(change) == "same":
        st.markdown(say("stable.same"))
    told = []
    for part in _PARTS:
        turned = difference(rows, {**block, part: True}, {**block, part: False})
        if turned is not None:
            told.append(say("stable.part", part=say(f"stable.{part}"), change=parts.told(turned)))
    st.markdown(say("stable.parts", rate=rate, parts="; ".join(told)))
    if 1 < change.n < _FEW:
        st.caption(say("stable.few", n=change.n))
    counts = {"n_plain": f"{plain[0]['parameters']:,}", "n_block": f"{mine[0]['parameters']:,}"}
    st.markdown(say("stable.parameters", **names, **counts))


def _table(rows: Sequence[Row]) -> None:
    """A line for each block at this rate."""
    columns: dict[str, list[object]] = {}
    for block in _BLOCKS:
        found = _of(rows, block)
        if not found:
            continue
        reached = [row["score"] for row in found]
        half = half_interval(reached)
        line: dict[str, object] = {
            say("stable.block"): _name(block),
            say("stable.score"): f"{np.mean(reached):.3f}" + ("" if half is None else f" ± {half:.3f}"),
            say("stable.lowest"): f"{min(reached):.3f}".replace("-", "\u2212"),
            say("lookup_parts.parameters"): found[0]["parameters"],
            say("lookup_parts.n_seeds"): len(found),
        }
        for title, value in line.items():
            columns.setdefault(title, []).append(value)
    if columns:
        st.dataframe(columns, hide_index=True, width="stretch", height=_TABLE)
