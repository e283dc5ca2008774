"""A Hub with one model, a cache of its own, downloads between the two; and looking for what is on the disk."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import psutil

from mha_viz.models.hub import local, names, remote
from mha_viz.models.hub.downloads import Downloads, Progress
from mha_viz.models.hub.remote import Offer
from mha_viz.settings import Settings
from tests.models.hub_server import HubServer, etag_of

NAME = names.HubName("org/big")
WEIGHTS = "model.safetensors"
#: What the fixture ``put`` puts into a cache.
ID = names.HubName("org/tiny")
COMMIT, OTHER = "a" * 40, "b" * 40


class Place:
    """What a person has who fetches the model ``NAME``."""

    def __init__(self, hub: HubServer, cache: Path) -> None:
        self.hub, self.cache = hub, cache
        self.downloads = Downloads(pause=0.01)

    def ask(self) -> Offer:
        return remote.ask(NAME, None, Settings(), endpoint=self.hub.address, cache_dir=self.cache)

    def start(self, offer: Offer | None = None, downloads: Downloads | None = None) -> Offer:
        offer = offer or self.ask()
        (downloads or self.downloads).start(offer, endpoint=self.hub.address, cache_dir=self.cache)
        return offer

    def progress(self, offer: Offer) -> Progress:
        progress = self.downloads.progress(offer.name, offer.revision)
        assert progress is not None
        return progress

    def wait(self, offer: Offer, until: Callable[[Progress], bool] = lambda progress: False) -> list[Progress]:
        """Everything that was seen until the download ended, or ``until``."""
        seen = [self.progress(offer)]
        while seen[-1].state == "running" and not until(seen[-1]):
            time.sleep(0.02)
            seen.append(self.progress(offer))
        return seen

    def fetch(self) -> Progress:
        return self.wait(self.start())[-1]

    def found(self) -> local.Found | None:
        return local.find(NAME, None, Settings(), cache_dir=self.cache)

    def growing(self) -> Path:
        folder = self.cache / "models--org--big" / "blobs"
        return folder / f"{etag_of(self.hub.models[NAME.text] / WEIGHTS)}.incomplete"


def failed(progress: Progress, key: str) -> str:
    assert progress.state == "failed"
    assert progress.error is not None
    assert progress.error.key == key
    return str(progress.error)


def child_of_this_process() -> psutil.Process:
    (child,) = [child for child in psutil.Process().children() if "mha_viz.models.hub.fetch" in child.cmdline()]
    return child


def find(tmp_path: Path, revision: str | None = None, name: names.HubName = ID) -> local.Found | None:
    return local.find(name, revision, Settings(), cache_dir=tmp_path / "cache")


def in_folder(folder: Path, settings: Settings | None = None) -> local.Found | None:
    settings = settings or Settings(folders=(folder.resolve().parent,))
    return local.find(names.parse(f"folder:{folder.name}", settings), None, settings)
