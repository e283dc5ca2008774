"""Asks the Hub about a model: a few kilobytes, never a weight. What it answers decides whether anything is fetched."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mha_viz.errors import ModelError
from mha_viz.models.hub import cache, files, names
from mha_viz.models.hub.architecture import Architecture, architecture_of
from mha_viz.models.hub.catalogue import LISTED
from mha_viz.models.hub.failures import failure
from mha_viz.models.hub.names import HubName
from mha_viz.settings import Settings

if TYPE_CHECKING:
    from huggingface_hub.hf_api import ModelInfo

#: Seconds for connecting and for each answer, and for all of it. Names that cannot be looked up and addresses that swallow
#: everything take longer by themselves, so the whole is cut off from outside.
STEP, DEADLINE = 3.0, 6.0
#: Bytes of a config.json or an index that are read; real ones have a few thousand.
_LONGEST_TEXT = 20_000_000
#: Bytes of disk that are left alone.
_MARGIN = 200_000_000


@dataclass(frozen=True)
class Offer:
    """A model that can be fetched and would run.

    Attributes:
        name: as ``HubName.text``.
        revision: the commit that was the asked one's meaning at this moment, 40 hexadecimal digits.
        files: all that would be here afterwards: config, tokenizer, weights; the weights last.
        n_bytes: of all files.
        missing_bytes: of these still to fetch.
        free_bytes: on the disk of the cache.
        architecture: what its config.json says.
    """

    name: str
    revision: str
    files: tuple[str, ...]
    n_bytes: int
    missing_bytes: int
    free_bytes: int
    architecture: Architecture


def ask(
    name: HubName,
    revision: str | None,
    settings: Settings,
    *,
    endpoint: str | None = None,
    cache_dir: Path | str | None = None,
) -> Offer:
    """Asks the Hub what it has under a name, and checks it. Answers within about six seconds, whatever the network does.

    No account is used, even where one is signed in: whoever sees the page would see the account's private models.

    Args:
        name: an id; a folder is never asked for.
        revision: commit, branch or tag; None for "main".
        settings: whether the Hub may be asked, and the largest size.
        endpoint: address of the Hub; by default the client's (HF_ENDPOINT).
        cache_dir: the Hub's cache; by default the client's.

    Raises:
        InputError: the revision cannot be one.
        ModelError: the Hub cannot be asked, has no such model, or the model cannot be used here; each with its next step.
    """
    if settings.hub == "off":
        raise ModelError("error.hub_off", name=name.text)
    if settings.hub == "listed" and name.text not in {listed.id for listed in LISTED}:
        raise ModelError("error.hub_not_listed", name=name.text)
    names.check_revision(revision)
    inquiry = _Inquiry(name.text, revision, settings, endpoint, cache.cache_folder(cache_dir))
    return _within(DEADLINE, inquiry.offer, name.text)


def free_bytes(folder: Path) -> int:
    """Free bytes of the disk that a folder is on, or will be."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return shutil.disk_usage(folder).free


def _within(seconds: float, work: Callable[[], Offer], name: str) -> Offer:
    """Runs ``work`` on a thread of its own, which is left behind if it takes too long: looking up a host's name cannot be
    interrupted. All it does is read, and each of its requests ends by itself."""
    results: list[Offer] = []
    problems: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except Exception as problem:  # noqa: BLE001 - handed over to the caller below
            problems.append(problem)

    thread = threading.Thread(target=run, daemon=True, name="hub-ask")
    thread.start()
    thread.join(seconds)
    if results:
        return results[0]
    if problems:
        told = failure(problems[0], name)
        if told.key == "error.hub_broken_off":  # nothing was being fetched yet
            told = ModelError("error.hub_no_network", name=name)
        raise told from problems[0]
    raise ModelError("error.hub_slow", name=name)


@dataclass(frozen=True)
class _Inquiry:
    """One conversation with the Hub."""

    name: str
    revision: str | None
    settings: Settings
    endpoint: str | None
    cache: Path

    def offer(self) -> Offer:
        from huggingface_hub import HfApi

        api = HfApi(endpoint=self.endpoint, token=False)
        info = api.model_info(self.name, revision=self.revision, files_metadata=True, timeout=STEP)
        sizes, etags = self._files(info)
        commit = str(info.sha)
        architecture = self._architecture(commit, sizes)
        weights = self._weights(commit, sizes)
        if not files.has_vocabulary(sizes):
            raise ModelError("error.hub_no_tokenizer", name=self.name)
        index = [files.INDEX] if weights != [files.SINGLE] else []
        wanted = (files.CONFIG, *files.tokenizer_files(sizes), *index, *weights)
        self._check_size(sum(sizes[file] for file in weights))
        storage = cache.storage(self.cache, self.name)
        n_bytes = sum(sizes[file] for file in wanted)
        here = sum(cache.bytes_here(storage, commit, file, etags[file], sizes[file]) for file in wanted)
        free = free_bytes(self.cache)
        if n_bytes - here > free - _MARGIN:
            gigabytes = {"need": (n_bytes - here + _MARGIN) / 1e9, "free": free / 1e9}
            raise ModelError("error.hub_no_space", name=self.name, **gigabytes)
        return Offer(self.name, commit, wanted, n_bytes, n_bytes - here, free, architecture)

    def _files(self, info: ModelInfo) -> tuple[dict[str, int], dict[str, str]]:
        """Sizes and etags of the files at the top; those in folders are never wanted."""
        if info.disabled:
            raise ModelError("error.hub_disabled", name=self.name)
        if info.gated:
            raise ModelError("error.hub_gated", name=self.name)
        if not cache.COMMIT.fullmatch(str(info.sha)):
            raise ModelError("error.hub_strange", name=self.name)
        top = [file for file in info.siblings or [] if "/" not in file.rfilename]
        etags = {file.rfilename: file.lfs.sha256 if file.lfs else str(file.blob_id) for file in top}
        if any(file.size is None for file in top):
            raise ModelError("error.hub_strange", name=self.name)
        return {file.rfilename: int(file.size or 0) for file in top}, etags

    def _architecture(self, commit: str, sizes: Iterable[str]) -> Architecture:
        if files.CONFIG not in sizes:
            key = "error.hub_adapter" if files.ADAPTER in sizes else "error.config_unreadable"
            raise ModelError(key, name=self.name)
        try:
            config: Any = json.loads(self._text(commit, files.CONFIG))
        except ValueError as problem:
            raise ModelError("error.config_unreadable", name=self.name) from problem
        if not isinstance(config, dict):
            raise ModelError("error.config_unreadable", name=self.name)
        return architecture_of(config, self.name)

    def _weights(self, commit: str, sizes: Iterable[str]) -> list[str]:
        if files.SINGLE in sizes:
            return [files.SINGLE]
        if files.INDEX not in sizes:
            raise ModelError("error.hub_no_safetensors", name=self.name)
        parts = files.shards(self._text(commit, files.INDEX), self.name)
        missing = [file for file in parts if file not in sizes]
        if missing:
            raise ModelError("error.hub_part_missing", name=self.name, file=missing[0])
        return parts

    def _check_size(self, n_bytes: int) -> None:
        limit = self.settings.largest
        if n_bytes > limit:
            raise ModelError("error.hub_too_large", name=self.name, got=n_bytes / 1e9, limit=limit / 1e9)

    def _text(self, commit: str, file: str) -> bytes:
        """A small file. One request without the client's repetitions, which take half a minute when there is no network."""
        from huggingface_hub import hf_hub_url

        from mha_viz.models.hub import client

        url = hf_hub_url(self.name, file, revision=commit, endpoint=self.endpoint)
        read = bytearray()
        with client.answer(url, STEP) as response:
            for chunk in response.iter_bytes():
                read += chunk
                if len(read) > _LONGEST_TEXT:
                    raise ModelError("error.hub_strange", name=self.name)
        return bytes(read)
