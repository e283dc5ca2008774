"""Probe sentences tried on the model of the view: what holds, in which head, how strongly, and how much of it is luck."""

from __future__ import annotations

import functools
from dataclasses import replace

import streamlit as st

from mha_viz import figures
from mha_viz.controls import Controls
from mha_viz.errors import InputError
from mha_viz.models import HubOptions
from mha_viz.probes.book import all_probes
from mha_viz.probes.own import parse_line
from mha_viz.probes.records import Outcome, Probe
from mha_viz.probes.runner import Subject, try_probes
from mha_viz.probes.told import sentences, summary
from mha_viz.trace import AttentionTrace
from mha_viz.ui import cache, heatmaps, state, work
from mha_viz.ui.choices import Choices, Text
from mha_viz.ui.page_table import file_of
from mha_viz.ui.plain import as_markdown
from mha_viz.ui.run import Run
from mha_viz.words import say

FIGURE_KEY = "probe_dots"
_OWN = "own_probes"
_ICONS = {"holds": ":material/check_circle:", "not": ":material/cancel:", "untried": ":material/remove_circle:"}
_COLOURS = {"holds": "green", "not": "red", "untried": "gray"}
#: Probes that a person may add.
_MOST_OWN = 20


def render(ran: Run) -> None:
    """One's own probes, then all of them with what came of each."""
    st.markdown(say("probes.what"))
    own = _own_probes()
    probes = (*own, *all_probes())
    # A probe says something of the model, not of what was changed inside it.
    plain = replace(ran.choices, text=Text("", None, True, False), mask=None, temperature=1.0)
    key = repr((cache.view_key(plain, Controls()), [probe.id + probe.sentence for probe in own]))
    outcomes = work.result("probes", key, lambda: try_probes(probes, functools.partial(_run, plain), _subject(ran)))
    if outcomes is None:
        return
    st.markdown(say("probes.on", model=as_markdown(_subject(ran).name), summary=summary(outcomes)))
    listed, drawn = st.columns([1, 1], gap="medium")
    with listed:
        _choose_and_list(outcomes)
    with drawn:
        figure = figures.probe_dots(outcomes)
        if figure is not None:
            st.markdown(say("probes.figure"))
            heatmaps.show(figure, FIGURE_KEY, say("probes.alt"))
            st.caption(say("probes.figure_what"))


def _subject(ran: Run) -> Subject:
    options = ran.choices.options
    name = options.model if isinstance(options, HubOptions) else ran.trace.spec.name
    return Subject(name, toy=ran.choices.source == "toy")


def _run(choices: Choices, text: str, pair: str | None) -> AttentionTrace:
    return cache.run(replace(choices, text=Text(text, pair, True, False)), Controls()).trace


def _own_probes() -> list[Probe]:
    """What the box holds, a probe a line; lines that are none are told and left out."""
    with st.expander(say("probes.own"), icon=":material/add:"):
        lines = st.text_area(
            say("probes.own.lines"), key=_OWN, placeholder=say("probes.own.example"), persist_state="session"
        )
        st.caption(say("probes.own.how"))
    probes = []
    for line in [line for line in (lines or "").splitlines() if line.strip()][:_MOST_OWN]:
        try:
            probes.append(parse_line(line))
        except InputError as problem:
            st.warning(as_markdown(str(problem)), icon=":material/info:")
    return probes


def _choose_and_list(outcomes: tuple[Outcome, ...]) -> None:
    shown = st.segmented_control(
        say("probes.show"),
        ("all", *_ICONS),
        default="all",
        required=True,
        key="probes_shown",
        format_func=lambda name: say("probes.all" if name == "all" else f"probe.verdict.{name}"),
        label_visibility="collapsed",
        persist_state="session",
    )
    for outcome in outcomes:
        if shown in ("all", outcome.verdict):
            _tell(outcome)


def _tell(outcome: Outcome) -> None:
    """One probe: the verdict and the claim; inside, its sentence, what was measured, its source, and the way to look at it."""
    probe, verdict = outcome.probe, outcome.verdict
    title = f":{_COLOURS[verdict]}[**{outcome.title}**] · {as_markdown(probe.title)} · {as_markdown(probe.text)}"
    with st.expander(title, icon=_ICONS[verdict]):
        st.markdown(" / ".join(f"“{as_markdown(text)}”" for text in (probe.sentence, probe.pair) if text))
        st.markdown("\n".join(f"- {as_markdown(line)}" for line in sentences(outcome)))
        st.caption(as_markdown(_source(probe)))
        if verdict != "untried":
            link = _link(probe, outcome)
            st.page_link(file_of("one_head"), label=say("probes.open"), icon=":material/search:", query_params=link)


def _source(probe: Probe) -> str:
    source = say("probes.source", source=probe.source)
    if probe.model is None:
        return source
    head = say("probes.head", head=probe.published_head) if probe.published_head else ""
    return f"{source} {say('probes.model', model=probe.model)} {head}".strip()


def _link(probe: Probe, outcome: Outcome) -> dict[str, str]:
    """The view of the probe's sentence and of its best head; what was changed inside stays away."""
    query = {
        name: text for name, text in state.encoded().items() if name not in (*state.CONTROLS, "focus", "key", "pair")
    }
    query["text"] = probe.sentence
    if probe.pair:
        query["pair"] = probe.pair
    if outcome.head is not None:
        query |= {"layer": str(outcome.head.layer), "head": str(outcome.head.head)}
    return query
