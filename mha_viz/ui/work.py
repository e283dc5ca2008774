"""Long work on a page, in slices: progress, a button to stop, and the result kept.

The work is a generator (``analysis.work``). A fragment that reruns by itself takes slice after slice of it in the session's own
script run. There is no thread: between two slices every click is served, whoever leaves the page stops the work, and other
sessions share the processor as with any other run.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import streamlit as st

from mha_viz.analysis.work import Work
from mha_viz.words import say

Result = TypeVar("Result")

#: Finished or stopped works that a session keeps.
MOST_KEPT = 8
#: Seconds that a run of the script works before progress is drawn at all: short work is just there.
_AT_ONCE = 0.15
#: Seconds of a slice, after which progress is drawn and a click can be served; and of all slices between two reruns.
_SLICE, _TURN = 0.1, 0.6
#: Seconds between two reruns of the fragment.
_EVERY = 0.15
_WORKS = "_works"


@dataclass
class _Entry:
    """One work of the session.

    Attributes:
        work: what is left to do; None once finished or stopped.
        done: share that is done, 0 to 1.
        finished: whether there is a value.
        value: the result.
        turn: held by the script run that takes a slice: an old run may not have ended when the next begins.
    """

    work: Work[Any] | None
    done: float = 0.0
    finished: bool = False
    value: Any = None
    turn: threading.Lock = field(default_factory=threading.Lock)

    def proceed(self, seconds: float) -> None:
        """Works for about so long."""
        if not self.turn.acquire(blocking=False):
            return
        try:
            until = time.monotonic() + seconds
            while self.work is not None and time.monotonic() < until:
                self.done = next(self.work)
        except StopIteration as end:
            self.work, self.done, self.finished, self.value = None, 1.0, True, end.value
        finally:
            self.turn.release()


def result(name: str, view_key: str, make: Callable[[], Work[Result]]) -> Result | None:
    """The result of long work, or None while there is none; then progress or how to go on stands on the page instead.

    Of stopped work the result is what had been done by then, if the work tells it (``analysis.work.Partly``).

    Args:
        name: what it is; "work.NAME" in the table of words says so, with a place for ``percent``.
        view_key: of what, as ``cache.view_key`` gives it, with whatever else the work depends on.
        make: begins the work; called once for a view key.

    Raises:
        whatever ``make`` or the work raises; nothing is kept then.
    """
    entry = _entry(name, view_key, make)
    if entry.work is not None:
        _take_slice(name, view_key, entry, _AT_ONCE)
    if entry.finished:
        kept: Result = entry.value
        return kept
    if entry.work is None:
        partly: Result | None = getattr(entry.done, "result", None)
        _stopped(name, view_key, entry, kept=partly is not None)
        return partly
    _proceed(name, view_key)
    return None


def known(name: str, view_key: str) -> Any:
    """The result of work that has finished; None if there is none."""
    entry = _works().get((name, view_key))
    return entry.value if entry is not None and entry.finished else None


def _works() -> dict[tuple[str, str], _Entry]:
    """The works of this session, oldest first."""
    works: dict[tuple[str, str], _Entry] = st.session_state.setdefault(_WORKS, {})
    return works


def _entry(name: str, view_key: str, make: Callable[[], Work[Any]]) -> _Entry:
    works = _works()
    found = works.pop((name, view_key), None) or _Entry(make())
    # Unfinished work of another view holds that view's run, and nobody waits for it.
    for other in [key for key, entry in works.items() if key[0] == name and not entry.finished]:
        del works[other]
    works[name, view_key] = found
    while len(works) > MOST_KEPT:
        del works[next(iter(works))]
    return found


def _take_slice(name: str, view_key: str, entry: _Entry, seconds: float) -> None:
    try:
        entry.proceed(seconds)
    except Exception:  # a generator that has failed would end without a result when asked again
        _forget(name, view_key)
        raise


@st.fragment(run_every=_EVERY)
def _proceed(name: str, view_key: str) -> None:
    """Progress, the button to stop, and some slices; the whole page once it is finished."""
    entry = _works().get((name, view_key))
    if entry is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", key=f"work_{name}"):
        bar = st.progress(entry.done, text=_text(name, entry))
        st.button(say("work.stop"), icon=":material/stop:", on_click=_stop, args=(name, view_key), key=f"stop_{name}")
    until = time.monotonic() + _TURN
    while entry.work is not None and time.monotonic() < until:
        _take_slice(name, view_key, entry, _SLICE)
        bar.progress(entry.done, text=_text(name, entry))  # a click that waits is served here
    if entry.work is None:
        st.rerun()


def _text(name: str, entry: _Entry) -> str:
    return say(f"work.{name}", percent=f"{100 * entry.done:.0f}")


def _stop(name: str, view_key: str) -> None:
    entry = _works().get((name, view_key))
    if entry is not None:
        entry.work = None


def _forget(name: str, view_key: str) -> None:
    _works().pop((name, view_key), None)


def _stopped(name: str, view_key: str, entry: _Entry, *, kept: bool) -> None:
    icon = ":material/replay:"
    told = "work.stopped_kept" if kept else "work.stopped"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.info(say(told, percent=f"{100 * entry.done:.0f}"), icon=":material/stop_circle:")
        st.button(say("work.again"), icon=icon, on_click=_forget, args=(name, view_key), key=f"again_{name}")
