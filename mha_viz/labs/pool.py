"""The labs that run in this process's children: a bounded number at one time, others wait their turn. Without torch.

Whoever starts one says how to find out whether they are still there; soon after they have gone, it is stopped. What was done by
then stays with the training.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import platform
import threading
import time
from collections.abc import Callable
from datetime import date
from typing import Any, Literal

from mha_viz.children import Child
from mha_viz.errors import MhaVizError, ModelError
from mha_viz.labs.options import Options
from mha_viz.labs.registry import command_of, lab_named
from mha_viz.labs.results import LabResult, Row

State = Literal["waiting", "running", "done", "stopped", "failed"]
#: At one time: the other half of the cores is for the pages.
MOST = max(1, (os.cpu_count() or 1) // 2)
#: Seconds that somebody may be gone, a broken connection for instance, before their training is stopped.
GRACE = 15.0
_LOOK = 1.0


class Training:
    """One lab at work, or waiting, or ended. May be asked from any thread."""

    def __init__(self, lab: str, options: Options, here: Callable[[], bool]) -> None:
        self.lab, self.options = lab_named(lab), options
        self._here, self._seen = here, time.monotonic()
        self._lock = threading.Lock()
        self._state: State = "waiting"
        self._share, self._seconds, self._begun = 0.0, 0.0, 0.0
        self._rows: list[Row] = []
        self._live: Row | None = None
        self._error: MhaVizError | None = None
        self._child: Child | None = None
        self._after: Callable[[], None] = lambda: None

    @property
    def state(self) -> State:
        """Where it stands."""
        return self._state

    @property
    def share(self) -> float:
        """How much is done, 0 to 1."""
        return self._share

    @property
    def error(self) -> MhaVizError | None:
        """Why it failed."""
        return self._error

    @property
    def active(self) -> bool:
        """Whether it runs, or will."""
        return self._state in ("waiting", "running")

    def result(self) -> LabResult:
        """What is done by now."""
        with self._lock:
            seconds = time.monotonic() - self._begun if self._state == "running" else self._seconds
            facts = facts_now(self.lab.name, self.options) | {"seconds": round(seconds, 1)}
            whole = self._state == "done"
            return LabResult(self.lab.name, self.options.plain(), tuple(self._rows), facts, self._live, whole)

    def stop(self) -> None:
        """Ends it at once; what is done stays. Nothing happens if it has ended."""
        self._end("stopped")

    def begin(self, after: Callable[[], None]) -> None:
        """Starts the child; ``after`` is called when it has ended. For the pool."""
        with self._lock:
            if self._state != "waiting":
                return
            self._state, self._begun, self._after = "running", time.monotonic(), after
            job = json.dumps({"lab": self.lab.name, "options": self.options.plain()})
            self._child = Child("mha_viz.labs.child", job, self._hear, self._gone)
        self._child.listen()

    def left(self, grace: float) -> bool:
        """Whether whoever started it has been gone for longer than ``grace`` seconds. For the pool."""
        try:
            here = self._here()
        except Exception:  # noqa: BLE001 - whoever cannot be asked is gone, and the others must still be looked after
            here = False
        if here:
            self._seen = time.monotonic()
        return time.monotonic() - self._seen > grace

    def _hear(self, told: dict[str, Any]) -> None:
        if "error" in told:
            self._end("failed", ModelError(told["error"], **told["values"]))
        elif "finished" in told:
            self._end("done")
        else:
            with self._lock:
                if not self.active:  # told before it was killed, heard after
                    return
                self._share, self._live = float(told["share"]), told["live"]
                if told["row"] is not None:
                    self._rows.append(told["row"])

    def _gone(self) -> None:
        self._end("failed", ModelError("error.lab_ended", lab=self.lab.name))
        self._after()

    def _end(self, state: State, error: MhaVizError | None = None) -> None:
        """The first end counts."""
        with self._lock:
            if not self.active:
                return
            if self._state == "running":
                self._seconds = time.monotonic() - self._begun
            self._state, self._error, self._live = state, error, None
            self._share = 1.0 if state == "done" else self._share
            child = self._child
        if child is not None and state != "done":
            child.kill()


class Pool:
    """All trainings, in the order in which they were asked for.

    Args:
        most: how many run at one time.
        grace: seconds that somebody may be gone.
    """

    def __init__(self, most: int = MOST, grace: float = GRACE) -> None:
        self._most, self._grace = most, grace
        self._trainings: list[Training] = []
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._watcher: threading.Thread | None = None

    def start(self, lab: str, options: Options, here: Callable[[], bool] = lambda: True) -> Training:
        """Begins a training, or lets it wait.

        Args:
            lab: a name in LABS.
            options: of this lab.
            here: whether whoever asks is still there; called from another thread.

        Raises:
            InputError: there is no such lab.
        """
        training = Training(lab, options, here)
        with self._lock:
            self._trainings.append(training)
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, daemon=True, name="labs-watch")
                self._watcher.start()
        self._proceed()
        return training

    def before(self, training: Training) -> int:
        """How many must end before a waiting training begins."""
        with self._lock:
            active = [one for one in self._trainings if one.active]
        return max(active.index(training) - self._most + 1, 0) if training in active else 0

    def close(self) -> None:
        """Ends all."""
        self._closed.set()
        with self._lock:
            trainings = list(self._trainings)
        for training in trainings:
            training.stop()

    def _proceed(self) -> None:
        """Starts what may start; forgets what has ended."""
        with self._lock:
            self._trainings = [one for one in self._trainings if one.active]
            due = self._trainings[: self._most]
        for training in due:
            training.begin(self._proceed)

    def _watch(self) -> None:
        while not self._closed.wait(min(_LOOK, self._grace / 4)):
            with self._lock:
                trainings = list(self._trainings)
            for training in trainings:
                if training.active and training.left(self._grace):
                    training.stop()
            self._proceed()


@functools.cache
def pool() -> Pool:
    """That of this process; ended with it."""
    ours = Pool()
    atexit.register(ours.close)
    return ours


def facts_now(lab: str, options: Options) -> dict[str, Any]:
    """Where and how a result is made."""
    from importlib.metadata import version

    return {
        "command": command_of(lab, options),
        "date": date.today().isoformat(),
        "machine": f"{os.cpu_count()} x {platform.machine()}, {platform.system()}",
        "python": platform.python_version(),
        "torch": version("torch"),
    }
