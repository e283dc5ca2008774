"""What a download's process is told to do, and how it tells what it does: one line of JSON each."""

from __future__ import annotations

import dataclasses
import json
import time
from dataclasses import dataclass

from mha_viz.children import tell

#: Read by the client when it is imported. Xet is off because it can neither be resumed nor be asked for a file's beginning.
ENVIRONMENT = {
    "HF_HUB_DISABLE_XET": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_HUB_DISABLE_SYMLINKS_WARNING": "1",
    "HF_HUB_VERBOSITY": "error",
}
_EVERY = 0.1  # seconds between two reports
_STILL_HERE = 2.0  # seconds between two reports without news


@dataclass(frozen=True)
class Job:
    """What is to be fetched.

    Attributes:
        name: the id on the Hub.
        revision: a commit, 40 hexadecimal digits.
        files: names, in the order in which they are fetched.
        endpoint: address of the Hub; None for the client's.
        cache: the Hub's cache.
        pause: seconds before another attempt, doubled from one to the next.
    """

    name: str
    revision: str
    files: tuple[str, ...]
    endpoint: str | None
    cache: str
    pause: float = 1.0

    def to_json(self) -> str:
        """For the command line."""
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Job:
        """The inverse of ``to_json``."""
        entries = json.loads(text)
        return cls(**{**entries, "files": tuple(entries["files"])})


class Reporter:
    """Writes how it goes; not more often than anybody looks, and now and then even without news."""

    def __init__(self) -> None:
        self._finished = 0
        self._last = 0.0

    def file_done(self, n_bytes: int) -> None:
        """A file is whole."""
        self._finished += n_bytes
        self._write(0)

    def bytes_here(self, n_bytes: int) -> None:
        """So much of the present file is on the disk."""
        if time.monotonic() - self._last >= _EVERY:
            self._write(n_bytes)

    def still_here(self, n_bytes: int) -> None:
        """Nothing new, but at work: comparing a digest, or waiting for another process that fetches the same file."""
        if time.monotonic() - self._last >= _STILL_HERE:
            self._write(n_bytes)

    def _write(self, n_bytes: int) -> None:
        self._last = time.monotonic()
        tell(done=self._finished + n_bytes)
