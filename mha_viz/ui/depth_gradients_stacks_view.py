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
#: What explodes leaves the picture there, so that the others can be told apart.
_CEILING = 1e4
_WHEN = ("begin", "after")
_PRECISIONS = ("float32", "float64")
_STEPS = 20
#: Seconds that a pass through one layer takes on a usual computer, forwards and backwards; the start of the process.
_SECONDS, _START = 0.006, 4.0


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
        say("stacks.about", depths=", ".join(map(str, options.depths)), seconds=f"{seconds:.0f}"),
    )


def _options(ffn: str, when: str, n_layers: int) -> StackOptions:
    """What a run of one's own would do."""
    with st.popover(say("stacks.more"), icon=":material/tune:"):
        seeds = parts.seeds("stacks_seeds")
        steps = int(
            st.number_input(
                say("stacks.steps"), 1, 200, _STEPS, key="stacks_steps", help=say("stacks.steps.help"),
                persist_state="session",
            )
        )  # fmt: skip
        precision = str(
            views.pick(
                "stacks_precision", say("stacks.precision"), _PRECISIONS, "float32", str,
                told=say("stacks.precision.help"),
            )
        )  # fmt: skip
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


def _by_layer(name: str, rows: Iterable[Row], what: str, colour: int) -> Line:
    """One series: a value by layer, over the seeds; layers in which a seed has no number any more are left out."""
    rows = [row for row in rows if row.get(what)]
    at = rows[0]["at"] if rows else []
    found = [
        magnitude([row[what][place] for row in rows if row[what][place] is not None], _FLOOR)
        for place in range(len(at))
    ]
    return Line(
        name,
        at,
        [one and one.mean for one in found],
        [one and one.above for one in found],
        colour=colour,
        below=[one and one.below for one in found],
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
    st.caption(f"{say('stacks.diversity.caption')} {_seeds(rows)}")


def _seeds(rows: Sequence[Row]) -> str:
    n = len({row["seed"] for row in rows})
    return say("stacks.seeds", n=n) if n > 1 else say("stacks.one_seed")


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
    st.caption(say("stacks.gradients.caption", matrix=_matrix(name)))


def _matrices(rows: Sequence[Row]) -> None:
    """Every matrix of one kind."""
    kinds = [kind for kind in STACK_KINDS if where(rows, kind=kind)]
    kind = str(views.pick("stacks_kind", say("stacks.kind"), kinds, kinds[-1], lambda one: say(f"stacks.kind.{one}")))
    of_kind = where(rows, kind=kind if kind in kinds else kinds[-1])
    series = [_by_layer(_matrix(name), of_kind, name, colour) for colour, name in enumerate(MATRICES)]
    shown = [line for line in series if line.at]
    title = say("stacks.axis.any_gradient")
    figure = lines(shown, _title(rows), title, log_y=True, floor=_FLOOR, ceiling=_CEILING)
    heatmaps.show(figure, "stacks_matrices", say("stacks.matrices.alt"))
    st.caption(say("stacks.matrices.caption"))
