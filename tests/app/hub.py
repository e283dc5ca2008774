"""A cache, a Hub and settings of a test's own, in the process that runs the app."""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Callable, Mapping
from functools import cache as remembered
from pathlib import Path
from typing import Any

import huggingface_hub.constants
import pytest
from streamlit.testing.v1 import AppTest

from mha_viz.models.hub.downloads import Downloads
from mha_viz.settings import settings
from mha_viz.ui import model_choice
from mha_viz.words.en import EN
from tests.app.driver import HEADS, Wanted, buttons, opened
from tests.models import families
from tests.models.hub_server import HubServer

TEXT = "the cat sat on the mat"
_SECONDS = 60.0


class Computer:
    """What the app finds: a cache that is empty at first, and no network but the Hub of the test, if there is one."""

    def __init__(self, folder: Path, made: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
        self.cache, self._made, self._patch = folder / "hub", made, monkeypatch
        self.downloads = Downloads(pause=0.01)
        monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(self.cache))
        monkeypatch.setattr(model_choice, "downloads", lambda: self.downloads)
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.setenv(name, "*")
        self.endpoint("http://127.0.0.1:9")  # nobody listens there
        self.set()

    def set(self, **variables: str) -> None:
        """Settings of the app, as its environment would hold them; what the app has read already is forgotten."""
        for name, value in variables.items():
            self._patch.setenv(f"MHA_VIZ_{name}", value)
        self.forget()

    def forget(self) -> None:
        """The app looks and asks again."""
        settings.cache_clear()
        model_choice._cached.clear()
        model_choice._ask.clear()

    def endpoint(self, address: str) -> None:
        """Where the Hub is."""
        self._patch.setenv("HF_ENDPOINT", address)  # for the process that fetches
        self._patch.setattr(huggingface_hub.constants, "ENDPOINT", address)
        template = address + "/{repo_id}/resolve/{revision}/{filename}"
        self._patch.setattr(huggingface_hub.constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)

    def has(self, name: str, family: str = "bert", *, source: Path | None = None) -> str:
        """Puts a model into the cache, as the Hub's client does; its commit."""
        source = source or self._made(family)
        commit = hashlib.sha1(f"{name} {source}".encode()).hexdigest()
        storage = self.cache / f"models--{name.replace('/', '--')}"
        shutil.copytree(source, storage / "snapshots" / commit)
        (storage / "refs").mkdir(exist_ok=True)
        (storage / "refs" / "main").write_text(commit)
        return commit

    def commit(self, name: str) -> str:
        """The version of a model of the cache."""
        return (self.cache / f"models--{name.replace('/', '--')}" / "refs" / "main").read_text()

    def family(self, family: str) -> Path:
        """The folder of a tiny model; nobody may change it."""
        return self._made(family)

    def close(self) -> None:
        self.downloads.close()
        self.forget()


def maker(folder: Path) -> Callable[[str], Path]:
    """Makes each family once."""

    @remembered
    def made(family: str) -> Path:
        return families.save(folder / family.replace(" ", "_"), family)

    return made


def shown(name: str, page: str = HEADS, /, **link: str) -> AppTest:
    """The app on a model of the Hub."""
    return opened(page, **({"source": "hub", "model": name, "text": TEXT} | link))


def wanted(name: str, revision: str = "", **view: Any) -> Wanted:
    """The same by the Python API."""
    options = (("model", name), ("revision", revision)) if revision else (("model", name),)
    return Wanted(**({"source": "hub", "options": options, "text": TEXT} | view))


def sentence(key: str, **values: object) -> str:
    """A sentence of the table of words; its beginning, where values are not given."""
    return EN[key].format(**values) if values else EN[key].partition("{")[0]


def typed(app: AppTest, name: str) -> AppTest:
    """After somebody typed a name that is not among the options; AppTest knows of no other than those."""
    box = app.selectbox(key="model")
    box.options.append(name)
    box.set_value(name)
    return app


def fetch_button(app: AppTest) -> Any:
    """The one that says how much it fetches."""
    (found,) = [button for button in app.button if button.label.startswith(EN["hub.fetch"].partition("{")[0])]
    return found


def fetched(app: AppTest) -> AppTest:
    """Runs the app until nothing is fetched any more."""
    until = time.monotonic() + _SECONDS
    while EN["hub.cancel"] in buttons(app):
        assert time.monotonic() < until
        app.run()
    return app


def serving(models: Mapping[str, Path], computer: Computer) -> HubServer:
    """A Hub with these models, which the app asks."""
    server = HubServer(models)
    computer.endpoint(server.address)
    return server
