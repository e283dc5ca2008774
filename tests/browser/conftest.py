"""One browser and one warm server for all tests here; a fresh server for those who must be the first to come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.visitor import WIDE, Visitor
from tests.serving import BROWSER_ARGUMENTS, served
from tests.serving import chromium as installed_chromium

_PATIENCE = 60_000  # milliseconds; a slow computer that has to import torch first

Arrive = Callable[..., Visitor]


# Of the package, not of the session: while it lasts, an event loop runs in the thread of the tests.
@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """Of this computer, or else Playwright's own."""
    expect.set_options(timeout=_PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed_chromium(), args=BROWSER_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def warm_server(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where somebody has been before: both models are at hand."""
    with served(tmp_path_factory.mktemp("server") / "log.txt") as address:
        first = Visitor(chromium, address, WIDE, "light").open("", {})
        expect(first.large.locator(".ytick")).not_to_have_count(0)
        first.page.get_by_role("radio", name="BERT").click()
        expect(first.large.locator(".ytick text").first).to_have_text("[CLS]")
        first.page.close()
        yield address


@pytest.fixture
def cold_server(tmp_path: Path) -> Iterator[str]:
    """Where nobody has been."""
    with served(tmp_path / "log.txt") as address:
        yield address


@pytest.fixture
def arrive(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Arrive]:
    """Lets somebody come to a page; nobody may leave with an error in the console or a request to another computer."""
    cold = "cold_server" in request.fixturenames
    server: str = request.getfixturevalue("cold_server" if cold else "warm_server")
    visitors: list[Visitor] = []

    def come(
        page: str = "heads",
        /,
        *,
        size: tuple[int, int] = WIDE,
        scheme: str = "light",
        fresh: bool = False,
        **link: str,
    ) -> Visitor:
        visitors.append(Visitor(chromium, server, size, scheme, fresh=fresh))
        return visitors[-1].open(page, link)

    yield come
    for visitor in visitors:
        visitor.leave()
    assert [visitor.errors for visitor in visitors] == [[] for _ in visitors]
    assert [visitor.outside for visitor in visitors] == [[] for _ in visitors]
