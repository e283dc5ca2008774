"""The source "own": a file of weights in place of a sentence and a model, and what cannot be shown of such a run."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mha_viz.errors import MhaVizError, NotHereError
from mha_viz.figures.labels import plain_sentence
from mha_viz.ui import notices, own_store, state
from mha_viz.ui.choices import Choices
from mha_viz.ui.parameters import OWN
from mha_viz.ui.plain import as_markdown, escaped
from mha_viz.words import say

#: The uploader's key, less its round: a new key lets go of the bytes of the file that was read.
KEY = "own_file"
_ROUND, _FAILED = "_own_round", "_own_failed"
#: Megabytes of a file, where the server takes as many.
_LARGEST = own_store.ROOM // 2**20
#: Characters of a file's name that are shown.
_LONGEST = 60


def check_source() -> None:
    """Before the source is drawn: where no file may be opened, a link to one becomes the toy, and the page says why."""
    why_not = own_store.refusal() if state.is_own() else None
    if why_not is not None:
        state.put("source", "toy")
        st.warning(as_markdown(str(why_not)), icon=":material/info:")


def sources(models: list[str]) -> list[str]:
    """The models, and the file where one may be opened."""
    return models if own_store.refusal() is not None else [*models, OWN]


def row(place: DeltaGenerator, beside: DeltaGenerator) -> None:
    """In place of the sentence: the file's name and what it holds; beside it the way to another file."""
    stored = own_store.find(state.get("file"))
    with place:
        if stored is None:
            st.html(f"<div class='mha-own'>{escaped(say('own_page.none'))}</div>")
        else:
            trace = stored.trace
            facts = say(
                "own_page.facts", n_layers=trace.spec.n_layers, n_heads=trace.spec.n_heads, n_tokens=trace.n_tokens
            )
            name = escaped(plain_sentence(stored.name, _LONGEST))
            st.html(f"<div class='mha-own'><strong>{name}</strong><small>{escaped(facts)}</small></div>")
    if stored is not None:
        # A new key closes it, once a file was taken.
        key = f"own_other_{st.session_state.get(_ROUND, 0)}"
        with beside.popover(say("own_page.other"), icon=":material/upload_file:", width="stretch", key=key):
            _uploader()
    problem = st.session_state.get(_FAILED)
    if problem is not None:
        notices.show_error(problem, notices.Step("own_page.close", ":material/close:", act=_close))


def offer(problem: NotHereError) -> None:
    """In place of a picture: what a file must hold, how one is made, and where to put it."""
    if problem.key != "error.own_none":
        st.warning(as_markdown(str(problem)), icon=":material/info:")
    with st.container(border=True, key="own_offer"):
        st.markdown(say("own_page.title"))
        _uploader()
        st.markdown(say("own_page.holds"))
        st.code(say("own_page.example"), language="python")
        st.markdown(say("own_page.hugging_face"))
        st.code(say("own_page.hugging_face.example"), language="python")


def _uploader() -> None:
    key = f"{KEY}_{st.session_state.setdefault(_ROUND, 0)}"
    most = min(_LARGEST, int(st.get_option("server.maxUploadSize")))
    st.file_uploader(
        say("own_page.upload"),
        "npz",
        key=key,
        on_change=_take,
        args=(key,),
        max_upload_size=most,
        help=say("own_page.upload.help"),
    )


def _take(key: str) -> None:
    """Reads the file; what was looked at in another one means nothing in it."""
    uploaded = st.session_state.get(key)
    if uploaded is None:
        return
    st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1
    _close()
    try:
        digest = own_store.keep(uploaded.name, uploaded.getvalue())
    except MhaVizError as problem:
        st.session_state[_FAILED] = problem
        return
    state.put("file", digest)
    for name in ("focus", "key"):
        state.put(name, None)


def _close() -> None:
    st.session_state.pop(_FAILED, None)


def source_changed() -> None:
    """Another source: edits and what was wrong with a file belong to the last one."""
    state.put("edits", "")
    _close()


def has(choices: Choices, what: str) -> bool:
    """Whether there is a model for ``what``; if not, a sentence says that weights from a file hold none of it.

    Args:
        choices: of the view.
        what: "own_page.no.WHAT" in the table of words says what cannot be shown.
    """
    if choices.has_model:
        return True
    st.info(say(f"own_page.no.{what}"), icon=":material/upload_file:")
    return False


def conditions(stored: own_store.Stored) -> list[str]:
    """Where weights of a file come from, as far as the file tells, and that nothing can be run again."""
    where = stored.trace.conditions
    told = [stored.trace.spec.name, say("own_page.from", name=plain_sentence(stored.name, _LONGEST))]
    if where.seconds:  # 0 in a trace that no model of this project made
        told.append(say("checks.device", device=where.device, name=where.device_name, dtype=where.dtype))
    return [*told, say("own_page.no.agreement")]
