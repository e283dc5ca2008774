"""The lab: modules through the checks, a row a check. A person's own module runs in a process with a limit of time and memory."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import time
from collections.abc import Iterator
from typing import Any

import psutil

from mha_viz.children import Child
from mha_viz.errors import InputError
from mha_viz.labs.examine.base import CHECKS, Finding, failed, impossible, row_of
from mha_viz.labs.plans_tried import ExamineOptions
from mha_viz.labs.results import Row, Step, Steps

_GUEST = "mha_viz.labs.examine.guest"
#: Memory that a person's own module may take.
MOST_BYTES = 6 * 2**30
_LOOK = 0.1


def run(options: ExamineOptions) -> Steps:
    """Every check of every module."""
    done, total = 0, len(options.modules) * len(CHECKS)
    for module in options.modules:
        for told in _own(options) if module == "own" else _ours(module):
            done += "outcome" in told
            if "outcome" in told:
                yield Step(done / total, told)
            else:
                yield Step(done / total, live=told or None)


def _ours(module: str) -> Iterator[Row]:
    """In this process: it is the app's own code."""
    from mha_viz.labs.examine.checks import examine
    from mha_viz.labs.examine.ours import ours

    name, made = ours(module)
    for check, finding in examine(lambda: made):
        begins: Row = {"module": module, "check": check}
        yield begins if finding is None else row_of(module, name, check, finding)


def _own(options: ExamineOptions) -> Iterator[Row]:
    """In a process of its own; every check gets a row however that ends. Empty until it has imported PyTorch and begins.

    Raises:
        InputError: no module is named.
    """
    if not options.path:
        raise InputError("error.examine_path")
    guest = Guest(options)
    check, left = CHECKS[0], list(CHECKS)
    begun = False
    try:
        for told in guest.told():
            if "row" in told:
                left.remove(told["row"]["check"])
                yield told["row"]
            elif "begins" in told:
                check, begun = told["begins"], True
            yield {"module": "own", "check": check} if begun else {}
    finally:
        guest.end()
    for place, name in enumerate(left):
        missing = guest.why() if place == 0 else impossible("examine.end.after", check=check)
        yield row_of("own", options.path, name, missing)


class Guest:
    """The process of a person's own module.

    Args:
        options: with its path.

    Attributes:
        until: when it is ended, on the clock ``time.monotonic``.
    """

    def __init__(self, options: ExamineOptions) -> None:
        self._options = options
        self.until = time.monotonic() + options.seconds
        self._heard: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._ended: Finding | None = None
        names = ("path", "arguments", "folder", "seconds")
        job = json.dumps({name: getattr(options, name) for name in names})
        self._child = Child(_GUEST, job, self._heard.put, lambda: self._heard.put(None))
        self._child.listen()

    def told(self) -> Iterator[dict[str, Any]]:
        """What it tells, with an empty entry now and then, until it ends or has to."""
        while True:
            try:
                told = self._heard.get(timeout=_LOOK)
            except queue.Empty:
                told = {}
            if told is None or "finished" in told:
                return
            yield told
            if time.monotonic() > self.until:
                seconds = f"{self._options.seconds:g}"
                self._ended = failed("examine.end.time", "examine.todo.time", seconds=seconds)
                return
            if self._bytes() > MOST_BYTES:
                self._ended = failed("examine.end.memory", "examine.todo.memory", most=f"{MOST_BYTES / 2**30:g}")
                return

    def why(self) -> Finding:
        """Why it ended before its last check."""
        return self._ended or failed("examine.end.gone", "examine.todo.gone")

    def end(self) -> None:
        """Ends it and what it may have started."""
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._child.pid, signal.SIGKILL)
        self._child.kill()

    def _bytes(self) -> int:
        try:
            return int(psutil.Process(self._child.pid).memory_info().rss)
        except psutil.Error:
            return 0
