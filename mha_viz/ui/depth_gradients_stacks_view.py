"""Stacks of many layers: how different their tokens stay, and which matrices still get a gradient."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from mha_viz.figures.charts import Line, lines
from mha_viz.labs.magnitudes import magnitude
from mha_viz.labs.plans import SWITCH
from mha_viz.labs.plans_depth import DEPTHS, MATRICES, STACK_KINDS, StackOptions
from mha_viz.labs.results import LabResult, Row, where
from mha_viz.ui import depth_gradients_numbers, heatmaps, labs, views
from mha_viz.ui import lookup_parts as parts
from mha_viz.words import say

#: What stands on the lowest line of a picture, and below: of diversity the rounding of float32 is above it.
_FLOOR = 1e-10
#: What explodes stands there, so that the others can be told apart.
_CEILING = 1e4
#: Colour and dash of each matrix: W_Q and W_K often lie on one another, and no two are alike.
_LOOKS = dict(zip(MATRICES, ((0, 0), (1, 1), (2, 0), (3, 0), (4, 0), (6, 2)), strict=True))
_WHEN = ("begin", "after")
_PRECISIONS = ("float32", "float64")
_STEPS = 20
#: Seconds that a pass through one layer takes on a usual computer, forwards and backwards; the start of the process.
_SECONDS, _START = 0.032, 4.0


def render() -> None:
    """The choices, and what the stacks gave."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="stacks_options"):
        ffn = str(views.pick("stacks_ffn", say("stacks.ffn"), SWITCH, "on", lambda one: say(f"stacks.ffn.{one}")))
        when = str(views.pick("stacks_when", say("stacks.when"), _WHEN, "begin", lambda one: say(f"stacks.when.{one}")))
        n_layers = int(views.pick("stacks_layers", say("stacks.layers"), DEPTHS, 32, str))
        name = str(
            st.selectbox(
                say("stacks.matrix"),
                MATRICES,
                format_func=_matrix,
                key="stacks_matrix",
                width=130,
                persist_state="session",
            )
        )
        options = _options(ffn, when, n_layers)
    passes = sum(options.depths) + options.steps * sum(options.trained)
    seconds = _START + _SECONDS * passes * len(options.kinds) * options.seeds
    labs.show(
        "stacks",
        options,
        lambda result: _draw(result, ffn, when, n_layers, name),
        say(
            "stacks.about",
            depths=", ".join(map(str, options.depths)),
            seeds=options.seeds,
            seconds=f"{seconds:.0f}",
        ),
    )


def _options(ffn: str, when: str, n_layers: int) -> StackOptions:
    """What a run of one's own would do."""
    with st.popover(say("stacks.more"), icon=":material/tune:"):
        seeds = parts.seeds("stacks_seeds")
        told = say("stacks.steps.help")
        steps = views.number("stacks_steps", say("stacks.steps"), (1, 200), _STEPS, told=told)
        title, told = say("stacks.precision"), say("stacks.precision.help")
        precision = str(views.pick("stacks_precision", title, _PRECISIONS, "float32", str, told=told))
    depths = tuple(depth for depth in DEPTHS if depth <= max(n_layers, 2))
    trained = tuple(dict.fromkeys((2, n_layers)))
    return StackOptions(
        ffn=(ffn,), depths=depths, trained=trained, steps=steps if when == "after" else 0, seeds=seeds,
        precision=precision,
    )  # fmt: skip


def _matrix(name: str) -> str:
    return say(f"stacks.matrix.{name}")


def _draw(result: LabResult, ffn: str, when: str, n_layers: int, name: str) -> None:
    rows = parts.present(result.rows, "ffn", ffn)
    most = max((row["steps"] for row in rows), default=0)
    chosen = parts.present(rows, "steps", 0 if when == "begin" else most or -1)
    if not chosen:
        return
    shown = _of_depth(chosen, n_layers)
    left, right = st.columns(2, gap="large")
    with left:
        _diversity(shown)
    with right:
        _gradients(shown, name)
    left, right = st.columns(2, gap="large")
    with left:
        depth_gradients_numbers.by_depth(chosen, shown[0]["layers"])
    with right:
        _matrices(shown)
    depth_gradients_numbers.table(chosen, shown)


def _of_depth(rows: Sequence[Row], n_layers: int) -> list[Row]:
    """The rows of this depth; of the nearest that there is if there are none, and that is told."""
    near = min({row["layers"] for row in rows}, key=lambda there: abs(there - n_layers))
    if near != n_layers:
        st.caption(say("stacks.nearest", wanted=n_layers, shown=near))
    return where(rows, layers=near)


def _by_layer(name: str, rows: Iterable[Row], what: str, colour: int, dash: int = 0) -> Line:
    """One series: the middle seed by layer; layers in which a seed has no number any more have no point."""
    rows = [row for row in rows if row.get(what)]
    at = rows[0]["at"] if rows else []
    found = [magnitude([row[what][place] for row in rows]) for place in range(len(at))]
    return Line(
        name,
        at,
        [one and one.middle for one in found],
        [one and one.high - one.middle for one in found],
        colour=colour,
        below=[one and one.middle - one.low for one in found],
        dash=dash,
    )


def _kinds(rows: Sequence[Row], what: str) -> list[Line]:
    lines_of = [
        _by_layer(say(f"stacks.kind.{kind}"), where(rows, kind=kind), what, colour)
        for colour, kind in enumerate(STACK_KINDS)
    ]
    return [line for line in lines_of if line.at]


def _title(rows: Sequence[Row]) -> str:
    return say("stacks.axis.layer", n=rows[0]["layers"])


def _diversity(rows: Sequence[Row]) -> None:
    figure = lines(_kinds(rows, "diversity"), _title(rows), say("stacks.axis.diversity"), log_y=True, floor=_FLOOR)
    heatmaps.show(figure, "stacks_diversity", say("stacks.diversity.alt"))
    st.caption(f"{say('stacks.diversity.caption')} {depth_gradients_numbers.seeds_told(rows)}")


def _gradients(rows: Sequence[Row], name: str) -> None:
    found = _kinds(rows, name)
    if not found:
        st.info(say("stacks.no_ffn", matrix=_matrix(name)), icon=":material/info:")
        return
    figure = lines(
        found,
        _title(rows),
        say("stacks.axis.gradient", matrix=_matrix(name)),
        log_y=True,
        floor=_FLOOR,
        ceiling=_CEILING,
    )
    heatmaps.show(figure, "stacks_gradients", say("stacks.gradients.alt", matrix=_matrix(name)))
    st.caption(" ".join([say("stacks.gradients.caption", matrix=_matrix(name)), *_beyond(rows, [name])]))


def _beyond(rows: Sequence[Row], names: Iterable[str]) -> list[str]:
    """What the axis of gradients says, and why points are missing."""
    told = [say("stacks.beyond")]
    if any(value is None for row in rows for name in names for value in row.get(name) or ()):
        told.append(say("stacks.gone"))
    return told


def _matrices(rows: Sequence[Row]) -> None:
    """Every matrix of one kind."""
    kind = str(views.pick("stacks_kind", say("stacks.kind"), STACK_KINDS, "pre", lambda one: say(f"stacks.kind.{one}")))
    of_kind = where(rows, kind=kind)
    if not of_kind:
        st.info(say("stacks.no_kind", kind=say(f"stacks.kind.{kind}")), icon=":material/info:")
        return
    series = [_by_layer(_matrix(name), of_kind, name, *look) for name, look in _LOOKS.items()]
    shown = [line for line in series if line.at]
    title = say("stacks.axis.any_gradient")
    figure = lines(shown, _title(rows), title, log_y=True, floor=_FLOOR, ceiling=_CEILING)
    heatmaps.show(figure, "stacks_matrices", say("stacks.matrices.alt"))
    st.caption(" ".join([say("stacks.matrices.caption"), *_beyond(of_kind, MATRICES)]))
