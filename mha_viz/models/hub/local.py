"""Models that are on this computer: in the Hub's cache or in an allowed folder. No network is asked, no tensor is read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mha_viz.errors import DamagedModelError, InputError, MhaVizError, ModelError
from mha_viz.models.hub import cache, files, names
from mha_viz.models.hub.architecture import Architecture, architecture_of, read_config
from mha_viz.models.hub.names import HubName
from mha_viz.settings import Settings


@dataclass(frozen=True)
class Found:
    """A whole model on the disk.

    Attributes:
        name: as ``HubName.text``.
        revision: the commit, 40 hexadecimal digits; "" for a folder.
        folder: where its files are.
        weights: its safetensors files: one, or all parts that the index names.
        n_bytes: of the weights.
        parameters: numbers in the weights.
        architecture: what its config.json says.
    """

    name: str
    revision: str
    folder: Path
    weights: tuple[Path, ...]
    n_bytes: int
    parameters: int
    architecture: Architecture


@dataclass(frozen=True)
class Cached:
    """A line of a list of models.

    Attributes:
        name: as ``HubName.text``.
        revision: the commit; "" for a folder.
        n_bytes: of the weights; 0 where they could not be read.
        problem: why it cannot be used; None if it can.
    """

    name: str
    revision: str
    n_bytes: int
    problem: MhaVizError | None = None


def find(
    name: HubName, revision: str | None, settings: Settings, *, cache_dir: Path | str | None = None
) -> Found | None:
    """Looks for a model on this computer.

    Args:
        name: an id or a folder.
        revision: commit, branch or tag; None for the one that is there. A folder has none.
        settings: the allowed folders and the largest size.
        cache_dir: the Hub's cache; by default the client's.

    Returns:
        The model, or None if it is not here or not completely: then ``remote.ask`` tells what is missing.

    Raises:
        InputError: the revision cannot be one.
        ModelError: it is here and cannot be used: damaged, too big, no safetensors, no attention model, ...
    """
    if name.folder is not None:
        return _in_folder(name, name.folder, settings)
    names.check_revision(revision)
    problem: ModelError | None = None
    for storage in cache.storages(cache.cache_folder(cache_dir), name.text):
        for commit, folder in cache.snapshots(storage, revision):
            try:
                found = _in_snapshot(name.text, commit, folder, settings)
            except ModelError as broken:  # another version may be whole
                problem = problem or broken
                continue
            if found is not None:
                return found
    if problem is not None:
        raise problem
    return None


def cached(settings: Settings, *, cache_dir: Path | str | None = None) -> list[Cached]:
    """All models in the Hub's cache and in the allowed folders; those that cannot be used say why."""
    listed = [_line(text, settings, cache_dir) for text in names.folders(settings)]
    listed += [_line(text, settings, cache_dir) for text in cache.names(cache.cache_folder(cache_dir))]
    return [line for line in listed if line is not None]


def _line(text: str, settings: Settings, cache_dir: Path | str | None) -> Cached | None:
    try:
        found = find(names.parse(text, settings), None, settings, cache_dir=cache_dir)
    except InputError:
        return None  # a folder of the cache that no id can have made
    except ModelError as problem:
        return Cached(text, "", 0, problem)
    return None if found is None else Cached(found.name, found.revision, found.n_bytes)


def _in_snapshot(name: str, commit: str, folder: Path, settings: Settings) -> Found | None:
    """A snapshot may hold only a part, or a pickle that somebody else fetched; both mean that something is to be fetched."""
    here = _files(folder)
    if files.CONFIG not in here or not files.has_vocabulary(here):
        return None
    if files.SINGLE in here:
        weights = [files.SINGLE]
    elif files.INDEX in here:
        weights = files.shards((folder / files.INDEX).read_bytes(), name)
    else:
        return None
    if not here.issuperset(weights):
        return None
    try:
        return _found(name, commit, folder, weights, settings)
    except files.DamagedError as problem:
        raise DamagedModelError("error.hub_damaged", name=name, file=problem.file) from problem


def _in_folder(name: HubName, folder: Path, settings: Settings) -> Found:
    here = _files(folder)
    if files.CONFIG not in here and files.ADAPTER in here:
        raise ModelError("error.hub_adapter", name=name.text)
    architecture_of(read_config(folder / files.CONFIG, name.text), name.text)
    if files.SINGLE in here:
        weights = [files.SINGLE]
    elif files.INDEX in here:
        weights = files.shards((folder / files.INDEX).read_bytes(), name.text)
    else:
        raise ModelError("error.hub_no_safetensors", name=name.text)
    missing = [file for file in weights if file not in here]
    if missing:
        raise ModelError("error.hub_part_missing", name=name.text, file=missing[0])
    if not files.has_vocabulary(here):
        raise ModelError("error.hub_no_tokenizer", name=name.text)
    for file in (files.CONFIG, *weights, *files.tokenizer_files(here)):
        if not any((folder / file).resolve().is_relative_to(root) for root in settings.folders):
            raise ModelError("error.hub_link_outside", name=name.text, file=file)
    try:
        return _found(name.text, "", folder, weights, settings)
    except files.DamagedError as problem:
        raise ModelError("error.hub_damaged_folder", name=name.text, file=problem.file) from problem


def _found(name: str, commit: str, folder: Path, weights: list[str], settings: Settings) -> Found:
    architecture = architecture_of(read_config(folder / files.CONFIG, name), name)
    paths = tuple(folder / file for file in weights)
    size = files.measure(paths)
    if size.n_bytes > settings.largest:
        raise ModelError("error.hub_too_large", name=name, got=size.n_bytes / 1e9, limit=settings.largest / 1e9)
    return Found(name, commit, folder, paths, size.n_bytes, size.parameters, architecture)


def _files(folder: Path) -> set[str]:
    """Names of the files whose contents are there; a link to a blob that is gone is none."""
    try:
        return {path.name for path in folder.iterdir() if path.is_file()}
    except OSError:
        return set()
