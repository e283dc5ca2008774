"""A lab on a page: what came with the app until the visitor has a result of their own; start, progress, stop, save.

The training runs in a process of its own (``labs.pool``); a fragment that reruns by itself shows how far it is. It goes on while
somebody looks at another page, and ends soon after their browser is gone.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from mha_viz.errors import MhaVizError
from mha_viz.labs.options import Options
from mha_viz.labs.pool import Training, pool
from mha_viz.labs.results import LabResult
from mha_viz.labs.stored import stored
from mha_viz.ui import own_code
from mha_viz.ui.plain import as_markdown
from mha_viz.words import say

#: Seconds between two looks at a training.
_EVERY = 0.7
#: Trainings that a session keeps.
_MOST = 8
_TRAININGS = "_trainings"

Draw = Callable[[LabResult], None]


def show(lab: str, options: Options, draw: Draw, about: str, *, from_start: bool = False) -> None:
    """Draws a lab's result and what can be done about it.

    Args:
        lab: a name in LABS.
        options: what the visitor asks for.
        draw: draws a result, also one that is not whole yet; without rows it is not called, unless from_start is set.
        about: how long it takes, in words.
        from_start: whether an empty result is drawn as long as a training has told nothing, instead of an older one.
    """
    every = _EVERY if _any_active() else None
    st.fragment(_shown, run_every=every)(lab, options, draw, about, looks=every is not None, from_start=from_start)


def _shown(lab: str, options: Options, draw: Draw, about: str, *, looks: bool, from_start: bool) -> None:
    """``looks``: whether this fragment reruns by itself; it must while a training is active, and only then."""
    training = _trainings().get((lab, repr(options)))
    if _any_active() != looks:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", key=f"lab_{lab}"):
        _handle(lab, options, training, about)
    _tell_others(lab, training)
    result = training.result() if training is not None else None
    if training is not None and training.error is not None:
        st.error(as_markdown(str(training.error)), icon=":material/error:")
    begun = from_start and training is not None and training.active
    if result is not None and (result.rows or result.live or begun):
        _tell_own(result, training)
        draw(result)
    else:
        _draw_stored(lab, draw)


def _handle(lab: str, options: Options, training: Training | None, about: str) -> None:
    """Begin, progress and stop."""
    if training is not None and training.active:
        ahead = pool().before(training)
        st.progress(training.share, text=say("labs.waiting", n=ahead) if ahead else _how_far(training))
        st.button(say("work.stop"), icon=":material/stop:", on_click=training.stop, key=f"stop_{lab}")
        return
    title = say("labs.start" if training is None else "labs.again")
    st.button(
        title,
        icon=":material/play_arrow:",
        type="primary" if training is None else "secondary",
        on_click=_start,
        args=(lab, options),
        key=f"start_{lab}",
        help=say("labs.help"),
    )
    st.caption(about)


def _how_far(training: Training) -> str:
    """A process that has told nothing yet is still starting: PyTorch alone takes seconds."""
    result = training.result()
    if training.share or result.rows or result.live:
        return say("labs.running", percent=f"{100 * training.share:.0f}")
    return say("labs.starting")


def _any_active() -> bool:
    return any(training.active for training in _trainings().values())


def _tell_others(lab: str, training: Training | None) -> None:
    """What else this session runs would be out of sight, and this lab would wait for it."""
    for number, other in enumerate(_trainings().values()):
        if other.active and other is not training:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(say("labs.other", lab=say(f"lab.{other.lab.name}"), state=_how_far(other)))
                st.button(
                    say("labs.stop_other"), on_click=other.stop, key=f"stop_{lab}_other_{number}", type="tertiary"
                )


def _start(lab: str, options: Options) -> None:
    """One training of a lab at a time: an older one of the same session is stopped.

    Raises:
        InputError: it would run code of a person's own, and none may be run here.
    """
    if options.runs_code and (why_not := own_code.refusal()) is not None:
        raise why_not
    trainings = _trainings()
    for (name, _), other in trainings.items():
        if name == lab:
            other.stop()
    trainings.pop((lab, repr(options)), None)
    trainings[lab, repr(options)] = pool().start(lab, options, _presence())
    while len(trainings) > _MOST:
        trainings.pop(next(iter(trainings))).stop()


def _presence() -> Callable[[], bool]:
    """Whether this session's browser is connected; without a server, as in a test of the script, it always is."""
    context = get_script_run_ctx()
    if context is None:
        return lambda: True
    session = context.session_id
    # Asked again each time: the server may have ended since, as the test of a script's does after every run.
    return lambda: not runtime.exists() or bool(runtime.get_instance().is_active_session(session))


def _tell_own(result: LabResult, training: Training | None) -> None:
    """What the picture is made of, and the file of it."""
    seconds = f"{result.facts['seconds']:.0f}"
    with st.container(horizontal=True, vertical_alignment="center"):
        if training is not None and training.active:
            st.caption(say("labs.so_far", n=len(result.rows), seconds=seconds))
            return
        st.caption(say("labs.own" if result.whole else "labs.own_part", n=len(result.rows), seconds=seconds))
        st.download_button(
            say("labs.save"),
            result.to_json(),
            file_name=f"mha_viz-{result.lab}.json",
            mime="application/json",
            icon=":material/download:",
            on_click="ignore",
            key=f"save_{result.lab}",
        )


def _draw_stored(lab: str, draw: Draw) -> None:
    try:
        result = stored(lab)
    except MhaVizError as problem:
        st.warning(as_markdown(str(problem)), icon=":material/info:")
        return
    facts = {name: result.facts[name] for name in ("date", "machine", "torch")}
    seeds = result.options.get("seeds")
    told = say("labs.stored_once", **facts) if seeds is None else say("labs.stored", seeds=seeds, **facts)
    st.caption(told, help=f"`{result.facts['command']}`")
    draw(result)


def _trainings() -> dict[tuple[str, str], Training]:
    """Those of this session, oldest first."""
    found: dict[tuple[str, str], Training] = st.session_state.setdefault(_TRAININGS, {})
    return found
