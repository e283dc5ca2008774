"""What the tests of the pages share."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager

from mha_viz.ui import work
from tests.app.hub import NAME, Computer, maker, serving
from tests.models import hub_models
from tests.models.hub_server import HubServer

# Property tests search, however long one example takes.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

# AppTest reads what is told of every installed package once an app, which a server does once: nine tenths of a test's time.
manifest_scanner.scan_component_manifests = functools.cache(manifest_scanner.scan_component_manifests)


class _Warm(PagesManager):
    """Pages as on a server where somebody has opened the app already: every run goes through app.py."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        PagesManager.uses_pages_directory = False


@pytest.fixture
def cold_server() -> None:
    """For a test whose visitor is the first on the server: AppTest makes it so for every run, and nothing undoes it."""


@pytest.fixture(autouse=True)
def _warm_server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """AppTest forgets before each run that the app has its own navigation, which a server never does."""
    if "cold_server" not in request.fixturenames:
        monkeypatch.setattr("streamlit.testing.v1.app_test.PagesManager", _Warm)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long work is done in the first run of the script: AppTest's runs do not repeat themselves."""
    monkeypatch.setattr(work, "_AT_ONCE", 120.0)


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a tiny model of each architecture."""
    return maker(tmp_path_factory.mktemp("families"))


@pytest.fixture
def computer(tmp_path: Path, made: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[Computer]:
    """One with no model of the Hub and no network."""
    mine = Computer(tmp_path, made, monkeypatch)
    yield mine
    mine.close()


@pytest.fixture
def big(computer: Computer, tmp_path: Path) -> Path:
    """A model of one megabyte, and one of a kind that nobody else has: it must not be in any cache."""
    return hub_models.padded(hub_models.copy(computer.family("bert"), tmp_path / "big"))


@pytest.fixture
def hub(computer: Computer, big: Path) -> Iterator[HubServer]:
    with serving({NAME: big}, computer) as server:
        yield server
