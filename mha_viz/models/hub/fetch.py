"""Fetches one model: a process of its own, ``python -m mha_viz.models.hub.fetch JOB``, started by ``downloads``.

A process and not a thread: it can be ended while it waits for a dead connection, and its settings touch nobody else. It tells how
it goes as lines of JSON on its output, and ends when its input does, that is, when whoever started it is gone.

Bytes come over plain HTTP and the cache's links are made by the Hub's client. The client's own download (hf_hub_download,
snapshot_download, over HTTP or xet alike) writes into a file with a random name and throws it away when it is interrupted, so
that a model of 500 MB that was cancelled at 490 MB would begin again from nothing. Here a file grows as BLOB.incomplete in the
client's own folder, goes on where it ended (Range), is compared with the digest that the Hub tells, and only then gets its name;
the client, asked for it, finds it there and links it into the snapshot. The client's lock for the file is held all the while, so
that neither a second fetch nor the client itself works on the same file.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mha_viz.children import end_with_parent, tell
from mha_viz.errors import ModelError
from mha_viz.models.hub import cache
from mha_viz.models.hub.failures import failure
from mha_viz.models.hub.job import ENVIRONMENT, Job, Reporter

if TYPE_CHECKING:
    import httpx2
    from huggingface_hub import HfFileMetadata

#: Seconds for one answer; a connection that is silent for longer is given up, and another one opened.
_TIMEOUT = 15.0
#: Attempts without a single new byte before it is given up.
_ATTEMPTS = 4
#: Answers that another attempt may change.
_PASSING = frozenset((408, 416, 429, 500, 502, 503, 504))
#: A file name for a blob; the Hub sends hexadecimal digests, some mirrors something else.
_ETAG = re.compile(r"[\w\-][\w\-.]{0,127}", re.ASCII)


def main(job: Job) -> int:
    """Fetches all files of a job; 0 if all are there, whole and linked."""
    os.environ.update(ENVIRONMENT)
    end_with_parent()
    report = Reporter()
    try:
        for file in job.files:
            _File(job, file, report).fetch()
    except Exception as problem:  # noqa: BLE001 - a sentence for each, told below
        error = failure(problem, job.name)
        tell(error=error.key, values=error.values)
        return 1
    tell(finished=True)
    return 0


class _BrokenOffError(Exception):
    """A transfer that ended before the file did."""


class _File:
    """One file on its way."""

    def __init__(self, job: Job, file: str, report: Reporter) -> None:
        self.job, self.file, self.report = job, file, report
        self.storage = cache.storage(Path(job.cache), job.name)
        self.pointer = self.storage / "snapshots" / job.revision / file

    def fetch(self) -> None:
        """Leaves the file in the snapshot, whole and compared with its digest."""
        from huggingface_hub import hf_hub_download

        told = self._patiently(self._metadata, lambda: 0)
        etag, size = str(told.etag), int(told.size or 0)
        if told.size is None or told.commit_hash != self.job.revision or not _ETAG.fullmatch(etag):
            raise ModelError("error.hub_strange", name=self.job.name)
        with self._lock(etag):
            self._bring(etag, size)
        # Finds the blob and makes the link, or a copy where the file system has no links. It takes the lock itself.
        hf_hub_download(
            self.job.name,
            self.file,
            revision=self.job.revision,
            cache_dir=self.job.cache,
            endpoint=self.job.endpoint,
            token=False,
        )
        self.report.file_done(size)

    def _url(self) -> str:
        from huggingface_hub import hf_hub_url

        return hf_hub_url(self.job.name, self.file, revision=self.job.revision, endpoint=self.job.endpoint)

    def _metadata(self) -> HfFileMetadata:
        from huggingface_hub import get_hf_file_metadata

        return get_hf_file_metadata(self._url(), token=False, timeout=_TIMEOUT, endpoint=self.job.endpoint)

    def _lock(self, etag: str) -> _Lock:
        folder = Path(self.job.cache) / ".locks" / self.storage.name
        growing = cache.partial(self.storage, etag)
        return _Lock(folder / f"{etag}.lock", lambda: self.report.still_here(_size(growing)))

    def _bring(self, etag: str, size: int) -> None:
        """The blob, or what stands in its place; what is there already is trusted only after its digest was compared."""
        blob, growing = self.storage / "blobs" / etag, cache.partial(self.storage, etag)
        for whole in (self.pointer, blob):
            if whole.exists() and _size(whole) == size and self._is_right(whole, etag):
                return
        self.pointer.unlink(missing_ok=True)
        blob.unlink(missing_ok=True)
        growing.parent.mkdir(parents=True, exist_ok=True)
        self._patiently(lambda: self._transfer(growing, size), lambda: _size(growing))
        if not self._is_right(growing, etag):
            growing.unlink()
            raise ModelError("error.hub_wrong_bytes", name=self.job.name, file=self.file)
        growing.replace(blob)

    def _transfer(self, growing: Path, size: int) -> None:
        """What is still missing of a file."""
        from mha_viz.models.hub import client

        have = _size(growing)
        if have > size:
            growing.unlink()
            have = 0
        if have == size and growing.exists():
            return
        wanted = {"Range": f"bytes={have}-"} if have else {}
        with (
            growing.open("ab") as file,
            client.answer(self._url(), _TIMEOUT, Accept_Encoding="identity", **wanted) as response,
        ):
            if have and not _goes_on(response, have):
                file.truncate(0)  # the whole file comes again
                have = 0
            for chunk in response.iter_bytes():
                file.write(chunk[: size - have])
                file.flush()  # what is told to be here is on the disk, also if this is the last that is heard of it
                have += len(chunk)
                self.report.bytes_here(min(have, size))
                if have >= size:
                    break
        if have < size:
            raise _BrokenOffError

    def _is_right(self, path: Path, etag: str) -> bool:
        """Compares with the digest in the etag: SHA-256 of a big file, Git's or a plain SHA-1 of a small one. Other etags,
        which some mirrors send, are no digests, and the size has to do."""
        hexadecimal = bool(re.fullmatch(r"[0-9a-f]+", etag))
        if hexadecimal and len(etag) == 64:
            return self._digest(path, hashlib.sha256()) == etag
        if hexadecimal and len(etag) == 40:
            git = hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
            return etag in (self._digest(path, git), self._digest(path, hashlib.sha1(usedforsecurity=False)))
        return True

    def _digest(self, path: Path, digest: hashlib._Hash) -> str:
        size = path.stat().st_size
        with path.open("rb") as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
                self.report.still_here(size)
        return digest.hexdigest()

    def _patiently(self, work: Callable[[], Any], progress: Callable[[], int]) -> Any:
        """Repeats what a passing fault of the network interrupted, as long as it gets further, and a few times otherwise."""
        import httpx2
        from huggingface_hub.errors import HfHubHTTPError

        attempt, before = 0, progress()
        while True:
            try:
                return work()
            except (httpx2.TransportError, HfHubHTTPError, _BrokenOffError) as problem:
                passing = not isinstance(problem, HfHubHTTPError) or problem.response.status_code in _PASSING
                attempt, before = (attempt + 1, before) if progress() <= before else (1, progress())
                if not passing or attempt >= _ATTEMPTS:
                    if isinstance(problem, _BrokenOffError):
                        raise ModelError("error.hub_broken_off", name=self.job.name) from problem
                    raise
            time.sleep(self.job.pause * 2 ** (attempt - 1))


class _Lock:
    """The client's lock for one blob, across processes."""

    def __init__(self, path: Path, waiting: Callable[[], None]) -> None:
        from mha_viz.models.hub import client

        self._make, self._path, self._waiting = client.WeakFileLock, path, waiting

    def __enter__(self) -> None:
        from filelock import Timeout

        self._path.parent.mkdir(parents=True, exist_ok=True)
        while True:
            self._held = self._make(self._path, timeout=0.5)
            try:
                self._held.__enter__()
                return
            except Timeout:
                self._waiting()

    def __exit__(self, *problem: Any) -> None:
        self._held.__exit__(*problem)


def _goes_on(response: httpx2.Response, have: int) -> bool:
    """Whether an answer begins at the asked byte; some servers send the whole file whatever is asked."""
    return response.status_code == 206 and response.headers.get("Content-Range", "").startswith(f"bytes {have}-")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


if __name__ == "__main__":
    sys.exit(main(Job.from_json(sys.argv[1])))
