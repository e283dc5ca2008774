"""The splitting animation on its page: the layer of the present choices, and files of it to take away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, fields, replace
from typing import Any

import streamlit as st

from mha_viz.figures.animation import SplittingAnimation, View, animation_data, component_script, stylesheet
from mha_viz.models.toy.options import ToyOptions
from mha_viz.trace import LayerTrace
from mha_viz.ui import cache, parameters, state
from mha_viz.ui.run import Run
from mha_viz.words import say

_KEY = "splitting"
_COMPONENT = st.components.v2.component(
    "mha_viz.splitting", html="<div\nclass='mha-split'></div>", css=stylesheet(), js=component_script()
)
#: Parts of the view by the name of their parameter.
_PARAMETERS = {"step": "step", "head": "head", "scope": "split_scope", "motion": "split_motion"}


def render(run: Run, position: int | None) -> None:
    """The animation with its row followed, then the files."""
    recorded = cache.layer(run.choices, run.controls, run.choices.layer)
    layers = [recorded]
    if run.choices.source == "toy" and state.get("beside") and recorded.spec.n_heads > 1:
        layers.append(_single(run))
    data = animation_data(layers, position, _view(), state.get("palette"))
    _COMPONENT(key=_KEY, data=data, on_view_change=_take)
    _files(recorded, position)


def choose_beside(run: Run) -> None:
    """The switch for the same sentence through one head; the toy alone has as many heads as one likes."""
    n_heads = run.trace.spec.n_heads
    if run.choices.source == "toy" and n_heads > 1:
        st.toggle(
            say("split.beside"),
            key="beside",
            help=say("split.beside.help", n_heads=n_heads),
            persist_state="session",
        )


def _single(run: Run) -> LayerTrace:
    """The same input through one head, with the controls that do not name heads."""
    options = run.choices.options
    assert isinstance(options, ToyOptions)
    choices = replace(run.choices, options=replace(options, n_heads=1), head=0)
    return cache.layer(choices, replace(run.controls, heads=None, silenced=frozenset(), uniform=frozenset()), 0)


def _view() -> View:
    return View(**{part: state.get(parameter) for part, parameter in _PARAMETERS.items()})


def _take() -> None:
    """Puts what was changed in the browser into the view; what does not fit is dropped: no browser of ours sent it."""
    sent: Any = st.session_state[_KEY].view
    if not isinstance(sent, dict) or set(sent) != {field.name for field in fields(View)}:
        return
    for part, parameter in _PARAMETERS.items():
        try:
            state.put(parameter, parameters.PARAMETERS[parameter].read(str(sent[part])))
        except ValueError:
            continue


def _files(recorded: LayerTrace, position: int | None) -> None:
    """Made when they are asked for: most visitors take none."""

    def animation() -> SplittingAnimation:
        return SplittingAnimation(recorded, position, View(**asdict(_view())))

    files: dict[str, tuple[str, Callable[[], str]]] = {
        "html": ("text/html", lambda: animation().to_html()),
        "svg": ("image/svg+xml", lambda: animation().to_svg()),
    }
    with st.container(horizontal=True):
        for kind, (mime, made) in files.items():
            st.download_button(
                say(f"split.{kind}"),
                made,
                file_name=f"mha_viz-splitting.{kind}",
                mime=mime,
                icon=":material/download:",
                help=say(f"split.{kind}.help"),
                on_click="ignore",
            )
