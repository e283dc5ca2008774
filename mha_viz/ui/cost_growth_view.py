"""How time and memory of attention grow: measured, beside the formula."""

from __future__ import annotations

import streamlit as st

from mha_viz.errors import InputError
from mha_viz.labs.cost_formula import COST_KINDS, PASSES, Size, map_bytes, operations
from mha_viz.labs.growth_sizes import sizes_of
from mha_viz.labs.plans_cost import COST_AXES, GrowthOptions
from mha_viz.labs.results import LabResult, Row, where
from mha_viz.ui import cost_growth_lines as drawn
from mha_viz.ui import cost_growth_told as told
from mha_viz.ui import labs, views
from mha_viz.ui import lookup_parts as parts
from mha_viz.ui.plain import as_markdown
from mha_viz.words import say

_DEFAULT = GrowthOptions()
_LENGTHS = (256, 512, 1_024, 2_048, 4_096)
#: What stays while something else grows: lowest and highest values of the options.
_BOUNDS = {"length": (16, 2_048), "heads": (1, 64), "d_model": (16, 2_048), "layers": (1, 16)}
#: Seconds for a process, one size to be compiled, and a unit of work; rounds before those that count.
_START, _COMPILE, _UNIT, _TRIES = 11.0, 8.0, 1.3e-10, 3


def render() -> None:
    """What grows, what is measured, and what came of it."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="growth_choices"):
        axis = str(
            views.pick(
                "growth_axis", say("growth.axis"), tuple(COST_AXES), "length", lambda name: say(f"cost.axis.{name}")
            )
        )
        quantity = str(
            views.pick(
                "growth_quantity",
                say("growth.quantity"),
                drawn.QUANTITIES,
                drawn.QUANTITIES[0],
                lambda name: say(f"growth.quantity.{name}"),
                told=say("growth.quantity.help"),
            )
        )
        passed = str(
            views.pick("growth_pass", say("growth.pass"), PASSES, PASSES[0], lambda name: say(f"cost.pass.{name}"))
        )
        with st.popover(say("growth.choose"), icon=":material/tune:"):
            asked = _asked(axis)
    if asked is None:
        st.info(say("growth.no_kinds"), icon=":material/info:")
        return
    try:
        options = GrowthOptions.of(asked)
    except InputError as problem:
        st.warning(as_markdown(str(problem)), icon=":material/info:")
        return
    about = say("growth.about", seconds=f"{_seconds(options):.0f}")
    labs.show("growth", options, lambda result: _draw(result, axis, quantity, passed), about)


def _asked(axis: str) -> dict[str, object] | None:
    """The options but for their checks; None without any way to compute attention."""
    kinds = st.pills(
        say("growth.kinds"),
        COST_KINDS,
        selection_mode="multi",
        default=_DEFAULT.kinds,
        format_func=lambda name: say(f"cost.kind.{name}"),
        key="growth_kinds",
        help=say("cost.kinds.help"),
        persist_state="session",
    )
    longest = views.pick("growth_longest", say("growth.longest"), _LENGTHS, _DEFAULT.longest, lambda n: f"{n:,}")
    how = say("growth.rounds.help")
    rounds = views.number("growth_rounds", say("growth.rounds"), (1, 50), _DEFAULT.rounds, told=how)
    st.caption(say("growth.stays"))
    with st.container(horizontal=True):
        rest = {
            name: views.number(f"growth_{name}", say(f"growth.{name}"), bounds, getattr(_DEFAULT, name), width=120)
            for name, bounds in _BOUNDS.items()
        }
    if not kinds:
        return None
    ordered = [kind for kind in COST_KINDS if kind in kinds]
    return {"axes": [axis], "kinds": ordered, "longest": int(longest), "rounds": rounds} | rest


def _seconds(options: GrowthOptions) -> float:
    """How long it takes on a usual computer, roughly."""
    sizes: list[Size] = [size for axis in options.axes for size in sizes_of(axis, options)]
    work = sum(operations(size, "forward") + 10 * map_bytes(size) for size in sizes) * len(options.kinds)
    compiled = _COMPILE * len(sizes) if "compiled" in options.kinds else 0.0
    return _START + compiled + _UNIT * work * (options.rounds + _TRIES)


def _draw(result: LabResult, axis: str, quantity: str, passed: str) -> None:
    rows = parts.present(result.rows, "axis", axis)
    if rows:
        _of_axis(where(rows, **{"pass": passed}), rows[0]["axis"], quantity)
    if result.live is not None:
        st.caption(say("growth.wait", size=told.fixed(result.live, "")))


def _of_axis(rows: list[Row], axis: str, quantity: str) -> None:
    if not rows:  # stopped between the two passes of the first size
        return
    drawn.chart(rows, axis, quantity)
    for sentence in told.sentences(rows, axis):
        st.markdown(sentence)
    for note in told.notes(rows, axis):
        st.caption(note)
    told.powers(rows, axis)
    told.numbers(rows, axis)
