"""Which model of the Hub or of a folder: the picker, the short list, what the Hub offers, and fetching it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import streamlit as st

from mha_viz.errors import MhaVizError
from mha_viz.models.hub.catalogue import LISTED, Listed
from mha_viz.models.hub.downloads import Progress, downloads
from mha_viz.models.hub.local import Cached, cached, find
from mha_viz.models.hub.names import parse
from mha_viz.models.hub.remote import Offer, ask
from mha_viz.settings import settings
from mha_viz.ui import notices, state
from mha_viz.ui.choices import current_place
from mha_viz.ui.plain import escaped
from mha_viz.words import say
from mha_viz.words.amounts import size_text, version_text

_WATCH_SECONDS = 0.5
_REFUSED = "_fetch_refused"
_OFFERED = "_offered"


def pick() -> None:
    """The field in the sidebar: the short list, what is on this computer, or any id."""
    chosen = state.get("model")
    options = list(dict.fromkeys([*_here(), *(listed.id for listed in LISTED), *([chosen] if chosen else [])]))
    st.selectbox(
        say("hub.pick"),
        options,
        index=None,
        key="model",
        accept_new_options=True,
        placeholder=say("hub.placeholder"),
        help=say("hub.help"),
        on_change=state.put,
        args=("revision", ""),
        persist_state="session",
    )


def offer() -> None:
    """In place of a picture: the short list, or what is known of a chosen model that is not here yet."""
    if state.get("model") is None:
        _list()
        return
    with st.spinner(say("hub.asking"), show_time=True):
        answer = _answer(state.get("model"), state.get("revision"))
    if isinstance(answer, MhaVizError):
        again = notices.Step("hub.again", ":material/refresh:", act=_ask.clear)
        notices.show_error(answer, again, *_other_version(answer))
        return
    with st.container(border=True, key="offer"):
        _describe(answer)
        _warn_of_memory(answer)
        _fetch(answer)


def _answer(model: str, revision: str) -> Offer | MhaVizError:
    """What the Hub offers; while that is being fetched the Hub is not asked again, whatever has become of the network."""
    asked, offered = st.session_state.get(_OFFERED, (None, None))
    if asked == (model, revision) and offered is not None:
        progress = downloads().progress(offered.name, offered.revision)
        if progress is not None and progress.state == "running":
            kept: Offer = offered
            return kept
    answer = _ask(model, revision)
    st.session_state[_OFFERED] = (model, revision), answer if isinstance(answer, Offer) else None
    return answer


def _other_version(problem: MhaVizError | None = None) -> list[notices.Step]:
    """The step to another version than that of the link, if there is one: on this computer, or on the Hub."""
    if not state.get("revision"):
        return []
    other = problem is not None and problem.key == "error.hub_no_revision"
    with suppress(MhaVizError):
        other = other or find(parse(state.get("model"), settings()), None, settings()) is not None
    return [notices.Step("hub.other_version", ":material/history:", ("revision", ""))] if other else []


def _here() -> list[str]:
    """Names of the models that are on this computer and can be used."""
    return [line.name for line in _cached() if line.problem is None]


@st.cache_data(ttl=10, show_spinner=False)
def _cached() -> list[Cached]:
    return cached(settings())


@st.cache_data(ttl=120, max_entries=64, show_spinner=False)
def _ask(model: str, revision: str) -> Offer | MhaVizError:
    """What the Hub offers, or why not; kept for a while, so that a change of the sentence does not ask again."""
    try:
        return ask(parse(model, settings()), revision or None, settings())
    except MhaVizError as problem:
        return problem


def _list() -> None:
    st.markdown(say("hub.list"))
    here = set(_here())
    with st.container(key="models"):  # the style sheet puts as many side by side as there is room for
        for listed in LISTED:
            with st.container(border=True, height="stretch"):
                _card(listed, is_here=listed.id in here)


def _card(listed: Listed, *, is_here: bool) -> None:
    owner, name = listed.id.split("/")
    size = say("hub.is_here") if is_here else say("hub.size", megabytes=listed.megabytes)
    language = say(f"hub.language.{listed.language}")
    st.html(
        f"<div class='mha-model'><small>{escaped(owner)}</small><strong>{escaped(name)}</strong>"
        f"<span>{escaped(listed.good_for)}</span><small>{escaped(language)} · {escaped(size)}</small></div>"
    )
    st.button(say("hub.choose"), key=f"choose_{name}", on_click=state.choose_model, args=(listed.id,), width="stretch")


def _describe(answer: Offer) -> None:
    spec = answer.architecture.spec
    good_for = next((listed.good_for for listed in LISTED if listed.id == answer.name), "")
    facts = say(
        "hub.facts",
        model_type=answer.architecture.model_type,
        n_layers=spec.n_layers,
        n_heads=spec.n_heads,
        d_model=spec.d_model,
        limit=spec.max_tokens,
    )
    files = say(
        "hub.files",
        size=size_text(answer.n_bytes),
        revision=version_text(answer.revision),
        free=size_text(answer.free_bytes),
    )
    st.html(
        f"<div class='mha-model'><strong>{escaped(answer.name)}</strong><span>{escaped(good_for)}</span>"
        f"<span>{escaped(facts)}</span><small>{escaped(files)}</small></div>"
    )


def _warn_of_memory(answer: Offer) -> None:
    """Said before fetching, though memory may be free by then; it is looked at again before loading."""
    from mha_viz.models import memory  # imports torch

    try:
        memory.require_for_files(answer.name, answer.n_bytes, answer.architecture.spec, current_place())
    except MhaVizError as problem:
        (notices.show_error if problem.key == "error.no_such_device" else notices.say_error)(problem)


def _fetch(answer: Offer) -> None:
    """The button to fetch, or how it stands."""
    progress = downloads().progress(answer.name, answer.revision)
    if progress is not None and progress.state == "running":
        _watch(answer.name, answer.revision)
        return
    if progress is not None and progress.state == "done" and _is_here(answer):
        state.put("revision", answer.revision)  # it came while this page was being made
        st.rerun()
    if progress is not None and progress.state == "cancelled":
        st.info(say("hub.cancelled"), icon=":material/info:")
    problem = st.session_state.pop(_REFUSED, None) or (progress.error if progress is not None else None)
    if problem is not None:
        notices.say_error(problem)
    ended = progress is not None and progress.state != "done"
    kept = progress.done if progress is not None and ended else answer.n_bytes - answer.missing_bytes
    missing = answer.n_bytes - kept
    if kept and missing:
        st.caption(say("hub.kept", kept=size_text(kept), size=size_text(answer.n_bytes)))
    label = say("hub.fetch", size=size_text(missing)) if missing else say("hub.fetch_again")
    with st.container(horizontal=True):
        now = replace(answer, missing_bytes=missing)  # the answer may be of before an earlier start
        st.button(label, type="primary", icon=":material/download:", on_click=_start, args=(now,))
        for step in (*_other_version(), notices.CHOOSE_ANOTHER):
            notices.button(step)


def _is_here(answer: Offer) -> bool:
    try:
        return find(parse(answer.name, settings()), answer.revision, settings()) is not None
    except MhaVizError:
        return False


def _start(answer: Offer) -> None:
    try:
        downloads().start(answer)
    except MhaVizError as problem:
        st.session_state[_REFUSED] = problem


@st.fragment(run_every=_WATCH_SECONDS)
def _watch(name: str, revision: str) -> None:
    """The bar, redrawn by itself; the whole page once the download has ended."""
    progress = downloads().progress(name, revision)
    if progress is None or progress.state != "running":
        st.rerun()
    st.progress(progress.done / max(progress.total, 1), text=_told(progress))
    st.button(say("hub.cancel"), icon=":material/close:", on_click=downloads().cancel, args=(name, revision))


def _told(progress: Progress) -> str:
    speed = progress.bytes_per_second
    if speed < 1:
        return say("hub.connecting", done=size_text(progress.done), total=size_text(progress.total))
    return say(
        "hub.progress", done=size_text(progress.done), total=size_text(progress.total), speed=size_text(int(speed))
    )
