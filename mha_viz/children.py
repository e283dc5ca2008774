"""Child processes that work for this one: each tells how it goes as lines of JSON, and ends when this process does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]


class Child:
    """``python -m MODULE ARGUMENT`` and the thread that reads what it tells.

    Args:
        module: what is run; it calls ``end_with_parent`` first.
        argument: handed to it.
        hear: called with each line that is a JSON object, in the reading thread.
        ended: called once after the last line, in the reading thread, when the child is gone.
        environment: what it gets besides the present environment.
    """

    def __init__(
        self,
        module: str,
        argument: str,
        hear: Callable[[dict[str, Any]], None],
        ended: Callable[[], None],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._hear, self._ended = hear, ended
        path = os.pathsep.join(part for part in (str(_ROOT), os.environ.get("PYTHONPATH")) if part)
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, argument],
            stdin=subprocess.PIPE,  # stays open: its end tells the child that this process is gone
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C in the terminal is this process's to answer
            env=os.environ | dict(environment or {}) | {"PYTHONPATH": path},
        )
        self._reader = threading.Thread(target=self._read, daemon=True, name=module)

    def listen(self) -> None:
        """Begins to read, once whoever is called then is ready for it."""
        self._reader.start()

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    def alive(self, wait: float = 0.0) -> bool:
        """Whether it is still read from, after waiting up to ``wait`` seconds for its end."""
        self._reader.join(wait)
        return self._reader.is_alive()

    def kill(self) -> None:
        """Killed, not asked: it may wait for something that never comes. Returns when nothing more is heard of it."""
        self._process.kill()
        if threading.current_thread() is not self._reader:
            self._reader.join()

    def _read(self) -> None:
        """Until the child closes its output, by its own end or by being killed."""
        with self._process as running:  # waits for it and closes the pipes
            assert running.stdout is not None
            for line in running.stdout:
                try:
                    told = json.loads(line)
                except ValueError:
                    continue  # some library's own print
                if isinstance(told, dict):
                    self._hear(told)
        self._ended()


def end_with_parent(pipe: int = 0) -> None:
    """In the child: ends it when whoever started it is gone, however that ended; ``pipe`` is where its standard input went."""
    threading.Thread(target=_wait_for_end, args=(pipe,), daemon=True).start()


def _wait_for_end(pipe: int) -> None:
    """Nothing is ever sent; the pipe ends when the process that holds its other end does."""
    while os.read(pipe, 4096):
        pass
    os._exit(3)


def tell(**entries: object) -> None:
    """In the child: one line to whoever started it."""
    print(json.dumps(entries), flush=True)
