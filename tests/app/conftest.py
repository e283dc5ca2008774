"""What the tests of the pages share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from streamlit.runtime.pages_manager import PagesManager

from tests.app.hub import Computer, maker

# Property tests search, however long one example takes.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


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
