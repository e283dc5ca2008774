"""How the Hub's client keeps models on the disk: blobs named by what they hold, snapshots of links to them, refs.

Read here without the client, so that looking for a model costs no import; writing is left to the client.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from mha_viz.models.hub.catalogue import FULL_NAMES

COMMIT = re.compile(r"[0-9a-f]{40}")
_PREFIX = "models--"
_SHORT_NAMES = {full: short for short, full in FULL_NAMES.items()}


def cache_folder(given: Path | str | None = None) -> Path:
    """Where the client keeps models: what is given, else what the environment says (HF_HUB_CACHE, HF_HOME)."""
    if given is not None:
        return Path(given)
    from huggingface_hub import constants  # alone it is light: nothing that speaks to a network

    return Path(constants.HF_HUB_CACHE)


def storage(cache: Path, name: str) -> Path:
    """The folder of one model."""
    return cache / f"{_PREFIX}{name.replace('/', '--')}"


def storages(cache: Path, name: str) -> list[Path]:
    """Where a model may lie: under its name, and under the one it had before it got an owner."""
    names = [name, _SHORT_NAMES[name]] if name in _SHORT_NAMES else [name]
    return [storage(cache, known) for known in names]


def names(cache: Path) -> list[str]:
    """The models of which anything is there, sorted; each by the name it has now."""
    found = (path.name.removeprefix(_PREFIX) for path in _folders(cache) if path.name.startswith(_PREFIX))
    return sorted({FULL_NAMES.get(name, name) for name in (part.replace("--", "/", 1) for part in found)})


def snapshots(folder: Path, revision: str | None) -> Iterator[tuple[str, Path]]:
    """The snapshots of one model's folder that a revision can mean, best first: commit and folder.

    A commit means itself, a branch or tag what it was when the client last looked. None means "main", and then whatever else
    is there, the newest first: a model that was fetched by its commit has no "main".
    """
    if revision is not None and COMMIT.fullmatch(revision):
        commits = [revision]
    else:
        ref = _read(folder / "refs" / (revision or "main"))
        commits = [ref] if COMMIT.fullmatch(ref) else []
        if revision is None:
            others = [path for path in _folders(folder / "snapshots") if COMMIT.fullmatch(path.name)]
            commits += [path.name for path in sorted(others, key=lambda path: path.stat().st_mtime, reverse=True)]
    for commit in dict.fromkeys(commits):
        snapshot = folder / "snapshots" / commit
        if snapshot.is_dir():
            yield commit, snapshot


def bytes_here(folder: Path, commit: str, file: str, etag: str, size: int) -> int:
    """How many of a file's bytes need not be fetched any more."""
    for whole in (folder / "snapshots" / commit / file, folder / "blobs" / etag):
        if _size(whole) == size:
            return size
    return min(_size(partial(folder, etag)), size)


def partial(folder: Path, etag: str) -> Path:
    """Where a file grows until it is whole."""
    return folder / "blobs" / f"{etag}.incomplete"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""


def _folders(path: Path) -> list[Path]:
    try:
        return [entry for entry in path.iterdir() if entry.is_dir()]
    except OSError:
        return []
