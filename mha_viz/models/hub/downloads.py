"""The downloads of this process: each a child process, shared by all who want the same model."""

from __future__ import annotations

import atexit
import functools
import threading
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mha_viz.children import Child
from mha_viz.errors import ModelError
from mha_viz.models.hub import cache
from mha_viz.models.hub.job import ENVIRONMENT, Job
from mha_viz.models.hub.remote import Offer

State = Literal["running", "done", "cancelled", "failed"]
#: Downloads at one time; more would only share the same line.
MOST = 2
#: Seconds without a byte before a download counts as failed.
STALL = 60.0
#: Seconds over which the speed is taken.
_WINDOW = 5.0


@dataclass(frozen=True)
class Progress:
    """How a download stands.

    Attributes:
        state: "running", "done", "cancelled" or "failed".
        done: bytes on the disk, with those of an earlier start; never falls.
        total: bytes of all files.
        error: why it failed; None otherwise.
        bytes_per_second: of the last seconds.
    """

    state: State
    done: int
    total: int
    error: ModelError | None
    bytes_per_second: float


class Downloads:
    """All downloads by name and commit; may be called from any thread.

    Args:
        most: how many run at one time.
        stall: seconds without a byte after which one counts as failed.
        pause: seconds before the first repetition after a fault of the network.
    """

    def __init__(self, *, most: int = MOST, stall: float = STALL, pause: float = 1.0) -> None:
        self._most, self._stall, self._pause = most, stall, pause
        self._runs: dict[tuple[str, str], _Run] = {}
        self._lock = threading.Lock()

    def start(self, offer: Offer, *, endpoint: str | None = None, cache_dir: Path | str | None = None) -> None:
        """Begins, or goes on where an earlier start ended; does nothing if it runs already.

        Raises:
            ModelError: too many run.
        """
        folder = str(cache.cache_folder(cache_dir))
        job = Job(offer.name, offer.revision, offer.files, endpoint, folder, self._pause)
        with self._lock:
            running = [run for run in self._runs.values() if run.progress().state == "running"]
            known = self._runs.get((offer.name, offer.revision))
            if known in running:
                return
            if len(running) >= self._most:
                raise ModelError("error.hub_busy", name=offer.name, most=self._most)
            self._runs[offer.name, offer.revision] = _Run(job, offer, self._stall)

    def progress(self, name: str, revision: str) -> Progress | None:
        """How a download stands; None if there is none, or it was forgotten."""
        run = self._run(name, revision)
        return None if run is None else run.progress()

    def cancel(self, name: str, revision: str) -> None:
        """Ends a download at once. What was fetched stays, and the next start goes on from there."""
        run = self._run(name, revision)
        if run is not None:
            run.end("cancelled")

    def forget(self, name: str, revision: str) -> None:
        """Drops what is remembered of a download that has ended; one that runs stays."""
        with self._lock:
            run = self._runs.get((name, revision))
            if run is not None and run.progress().state != "running":
                del self._runs[name, revision]

    def close(self) -> None:
        """Ends all."""
        with self._lock:
            runs = list(self._runs.values())
        for run in runs:
            run.end("cancelled")

    def _run(self, name: str, revision: str) -> _Run | None:
        with self._lock:
            return self._runs.get((name, revision))


@functools.cache
def downloads() -> Downloads:
    """Those of this process; ended with it."""
    ours = Downloads()
    atexit.register(ours.close)
    return ours


class _Run:
    """One child process, and the thread that notices its silence."""

    def __init__(self, job: Job, offer: Offer, stall: float) -> None:
        self._name, self._total, self._stall = offer.name, offer.n_bytes, stall
        self._lock = threading.Lock()
        self._state: State = "running"
        self._error: ModelError | None = None
        self._done = offer.n_bytes - offer.missing_bytes
        self._heard = time.monotonic()
        self._steps: deque[tuple[float, int]] = deque([(self._heard, self._done)])
        self._child = Child("mha_viz.models.hub.fetch", job.to_json(), self._hear, self._ended, ENVIRONMENT)
        self._child.listen()
        threading.Thread(target=self._watch, daemon=True, name="hub-watch").start()

    def progress(self) -> Progress:
        with self._lock:
            speed = self._speed() if self._state == "running" else 0.0
            return Progress(self._state, self._done, self._total, self._error, speed)

    def end(self, state: State, error: ModelError | None = None) -> None:
        """The first end counts; whatever the child still tells is not heard."""
        with self._lock:
            if self._state != "running":
                return
            self._state, self._error = state, error
            if state == "done":
                self._done = self._total
        # It may wait for a dead connection. A file on the disk is then shorter, never wrong.
        self._child.kill()

    def _ended(self) -> None:
        """The child is gone; whatever it told before counts first."""
        self.end("failed", ModelError("error.hub_fetch_ended", name=self._name))

    def _hear(self, told: dict[str, Any]) -> None:
        if "error" in told:
            self.end("failed", ModelError(told["error"], **told["values"]))
        elif "finished" in told:
            self.end("done")
        else:
            with self._lock:
                self._heard = time.monotonic()
                self._done = min(max(self._done, int(told["done"])), self._total)
                self._steps.append((self._heard, self._done))
                while len(self._steps) > 2 and self._heard - self._steps[0][0] > _WINDOW:
                    self._steps.popleft()

    def _watch(self) -> None:
        """Notices a download from which nothing is heard."""
        while self._child.alive(min(0.2, self._stall / 4)):
            with self._lock:
                silent = time.monotonic() - self._heard
            if silent > self._stall:
                self.end("failed", ModelError("error.hub_stalled", name=self._name, seconds=self._stall))

    def _speed(self) -> float:
        since, then = self._steps[0]
        return (self._done - then) / max(time.monotonic() - since, 0.1)
