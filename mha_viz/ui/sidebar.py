"""The controls, the same on every page: which layer and head is looked at, and what acts inside the model."""

from __future__ import annotations

import math
from dataclasses import fields

import streamlit as st

from mha_viz.errors import MhaVizError
from mha_viz.figures import colour
from mha_viz.masks import MASKS
from mha_viz.models.toy.options import LARGEST_D_MODEL, SMALLEST_D_MODEL
from mha_viz.spec import ModelSpec, divisors
from mha_viz.ui import held, link, model_choice, parameters, silence, state, take_away
from mha_viz.ui.choices import current_options, masks_on
from mha_viz.ui.plain import as_markdown
from mha_viz.words import say

#: Masks that always have a switch.
_USUAL = ("causal", "padding", "window")


def render() -> None:
    """Draws all controls; the values are parameters of the view, put within the chosen model's bounds first."""
    with st.sidebar:
        if state.get("source") == "toy":
            _toy()
        elif state.get("source") == "hub":
            model_choice.pick()
        try:
            spec = current_options().spec
        except MhaVizError:  # the page says what it is, and what to do
            st.caption(say("own_page.later" if state.is_own() else "controls.later"))
            return
        _look_at(spec)
        if not state.is_own():
            _inside(spec)
        held.render()
        take_away.button()
        _colour()
        if not state.is_own():
            _reset()


def _inside(spec: ModelSpec) -> None:
    """What acts inside a model."""
    if state.get("source") != "toy":
        _heads_kept(spec)
    silence.render(spec)
    _temperature()
    _masks()
    _where(spec)


def _reset() -> None:
    st.button(
        say("controls.reset"),
        icon=":material/restart_alt:",
        on_click=state.reset_controls,
        width="stretch",
        help=say("controls.reset.help"),
    )


def _toy() -> None:
    st.segmented_control(
        say("toy.weights"),
        ["designed", "random"],
        key="weights",
        required=True,
        format_func=lambda name: say(f"toy.weights.{name}"),
        help=say("toy.weights.help"),
        persist_state="session",
        width="stretch",
    )
    left, right = st.columns(2)
    d_model = left.number_input(
        say("toy.d_model"), SMALLEST_D_MODEL, LARGEST_D_MODEL, step=16, key="d_model", persist_state="session"
    )
    right.number_input(
        say("toy.seed"), 0, 2**31 - 1, step=1, key="seed", help=say("toy.seed.help"), persist_state="session"
    )
    allowed = divisors(int(d_model))
    wanted = state.get("heads")
    if wanted not in allowed:
        fits = max(n for n in allowed if n <= wanted)
        st.warning(say("toy.heads_adjusted", wanted=wanted, d_model=d_model, fits=fits), icon=":material/info:")
        state.put("heads", fits)
    n_heads = st.selectbox(say("toy.heads"), allowed, key="heads", persist_state="session")
    parameters = 4 * int(d_model) ** 2
    st.caption(say("toy.sizes", d_model=d_model, n_heads=n_heads, d_k=d_model // n_heads, parameters=parameters))


def _look_at(spec: ModelSpec) -> None:
    """Layer and head; a model of one layer has no layer to choose."""
    for name, count in (("layer", spec.n_layers), ("head", spec.n_heads)):
        wanted = state.get(name)
        if state.bound(name, count - 1):
            link.refuse(name, wanted)
    left, right = st.columns(2)
    layers = list(range(spec.n_layers))
    left.selectbox(say("look.layer"), layers, key="layer", disabled=spec.n_layers == 1, persist_state="session")
    right.selectbox(say("look.head"), list(range(spec.n_heads)), key="head", persist_state="session")


def _heads_kept(spec: ModelSpec) -> None:
    st.selectbox(
        say("kept.title"),
        parameters.KEPT,
        key="kept",
        format_func=lambda how: say(f"kept.{how}", n_heads=spec.n_heads),
        help=say("kept.help", name=as_markdown(spec.name)),
        persist_state="session",
    )
    how = state.get("kept")
    if how == "picked":
        within = [head for head in state.get("picked") if head < spec.n_heads] or [0]
        if within != state.get("picked"):
            state.put("picked", within)
        st.pills(
            say("kept.pick"),
            list(range(spec.n_heads)),
            selection_mode="multi",
            key="picked",
            format_func=lambda head: f"H{head}",
            persist_state="session",
        )
    elif how != "all":
        state.bound("keep", spec.n_heads)
        st.slider(say("kept.count"), 1, spec.n_heads, key="keep", persist_state="session")


def _temperature() -> None:
    steps = sorted({*parameters.TEMPERATURES, state.get("temperature")})
    st.select_slider(
        say("temperature.title"),
        steps,
        key="temperature",
        format_func=temperature_text,
        help=say("temperature.help"),
        persist_state="session",
    )
    kind = {0.0: "zero", 1.0: "one", math.inf: "infinity"}.get(state.get("temperature"), "other")
    st.caption(say(f"temperature.{kind}"))


def temperature_text(value: float) -> str:
    """A temperature as people write it; 1 is marked as the model's own."""
    if value == 1.0:
        return say("temperature.own")
    return "∞" if math.isinf(value) else f"{value:g}"


def _masks() -> None:
    """The usual masks, and whatever others are switched on; the rest can be found on their own page."""
    st.markdown(say("mask.title"), help=say("mask.help"))
    on = masks_on()
    for name in [name for name in MASKS if name in _USUAL or name in on]:
        chosen = st.toggle(say(f"mask.{name}"), key=name, help=say(f"mask.{name}.help"), persist_state="session")
        if chosen:
            _mask_numbers(name)
    if len(on) > 1:
        st.segmented_control(
            say("mask.join"),
            parameters.JOINS,
            key="join",
            required=True,
            format_func=lambda how: say(f"mask.join.{how}"),
            help=say("mask.join.help"),
            persist_state="session",
            width="stretch",
        )


def _mask_numbers(name: str) -> None:
    """A field for each number of a mask, two in a row."""
    numbers = [field for field in fields(MASKS[name]) if field.metadata]
    for start in range(0, len(numbers), 2):
        for number, place in zip(numbers[start : start + 2], st.columns(min(len(numbers), 2)), strict=False):
            key = parameters.mask_key(name, number.name)
            low, high = number.metadata["low"], number.metadata["high"]
            place.number_input(say(f"mask.{key}"), low, high, step=1, key=key, persist_state="session")


def _colour() -> None:
    """How weights become colours; nothing of it acts in the model."""
    with st.popover(say("colour.title"), icon=":material/palette:", width="stretch"):
        for key, options in (("scale", colour.SCALES), ("palette", colour.PALETTES)):
            st.segmented_control(
                say(f"colour.{key}"),
                options,
                key=key,
                required=True,
                format_func=lambda name, key=key: say(f"colour.{key}.{name}"),
                persist_state="session",
                width="stretch",
            )
        st.toggle(say("colour.own"), key="own", help=say("colour.own.help"), persist_state="session")


def _where(spec: ModelSpec) -> None:
    """The layers, or the toy's heads, that temperature and masks act in."""
    if state.get("source") == "toy":
        key, count, letter = "in_heads", spec.n_heads, "H"
    else:
        key, count, letter = "in_layers", spec.n_layers, "L"
    within = [number for number in state.get(key) if number < count]
    if within != state.get(key):
        state.put(key, within)
    st.multiselect(
        say(f"where.{key}"),
        list(range(count)),
        key=key,
        format_func=lambda number: f"{letter}{number}",
        placeholder=say("where.all"),
        help=say("where.help"),
        persist_state="session",
    )
