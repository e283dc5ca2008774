"""A small app of one component in a real server, and somebody looking at it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from tests.serving import BROWSER_ARGUMENTS, chromium, served

_APPS = Path(__file__).parent / "apps"
#: Hatched in the theme's own colours or not, these are the inks of the style sheet.
VISIBLE, PAINTED, OTHER = (31, 158, 137), (240, 80, 30), (134, 142, 150)


@contextmanager
def browser_of(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """The browser that the other tests here share, or one of this computer: two at once cannot run in one thread."""
    try:
        shared: Browser = request.getfixturevalue("chromium")
    except pytest.FixtureLookupError:
        with sync_playwright() as playwright:
            own = playwright.chromium.launch(executable_path=chromium(), args=BROWSER_ARGUMENTS)
            yield own
            own.close()
    else:
        yield shared


class Viewer:
    """A new browser context with one tab on the app.

    Attributes:
        page: the tab.
        errors: what the console called an error, and exceptions of the page.
    """

    def __init__(
        self,
        browser: Browser,
        address: str,
        *,
        width: int = 900,
        scheme: Literal["light", "dark"] = "light",
        touch: bool = False,
        scale: float = 1,
        **link: object,
    ) -> None:
        size: Any = {"width": width, "height": 900}
        self.context = browser.new_context(
            viewport=size, color_scheme=scheme, has_touch=touch, device_scale_factor=scale
        )
        self.page: Page = self.context.new_page()
        self.errors: list[str] = []
        self.page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        self.page.on("pageerror", lambda problem: self.errors.append(str(problem)))
        self.page.goto(f"{address}/?" + "&".join(f"{name}={value}" for name, value in link.items()))
        expect(self.grid).to_be_visible(timeout=30_000)

    @property
    def grid(self) -> Locator:
        """The square of cells."""
        return self.page.get_by_role("grid")

    @property
    def where(self) -> Locator:
        """The sentence about the cell that is pointed at."""
        return self.page.locator(".where")

    @property
    def canvas(self) -> Locator:
        return self.page.locator("canvas.cells")

    def cell(self, row: int, column: int, n_cells: int) -> tuple[float, float]:
        """Middle of a drawn cell, on the screen."""
        self.canvas.scroll_into_view_if_needed()
        box = self.canvas.bounding_box()
        assert box is not None
        side = box["width"] / n_cells
        return box["x"] + (column + 0.5) * side, box["y"] + (row + 0.5) * side

    def drags(self, start: tuple[float, float], end: tuple[float, float], *, let_go: bool = True) -> None:
        """Presses, moves in two steps and lets go."""
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        self.page.mouse.move(*end)
        if let_go:
            self.page.mouse.up()

    def ink(self, row: int, column: int, n_cells: int) -> tuple[int, ...]:
        """Mean colour of a drawn cell's inside, without its opacity."""
        mean: list[float] = self.canvas.evaluate(
            """(canvas, [row, column, n]) => {
              const side = canvas.width / n;
              const bytes = canvas.getContext("2d").getImageData(
                column * side + side / 4, row * side + side / 4, Math.max(side / 2, 1), Math.max(side / 2, 1)).data;
              const mean = [0, 0, 0, 0];
              for (let i = 0; i < bytes.length; i += 4) {
                for (let part = 0; part < 3; part++) mean[part] += bytes[i + part] * bytes[i + 3];
                mean[3] += bytes[i + 3];
              }
              return mean.slice(0, 3).map((sum) => sum / mean[3]);
            }""",
            [row, column, n_cells],
        )
        return tuple(round(part) for part in mean)

    def looks_like(self, row: int, column: int, n_cells: int, ink: tuple[int, ...]) -> bool:
        return all(abs(a - b) <= 6 for a, b in zip(self.ink(row, column, n_cells), ink, strict=True))

    def switch_scheme(self, scheme: Literal["light", "dark"]) -> None:
        """As the computer does in the evening."""
        self.page.emulate_media(color_scheme=scheme)

    def text(self, locator: Locator) -> str:
        """Without the marks that keep a token's writing direction to itself."""
        return re.sub("[\u2068\u2069]", "", locator.text_content() or "")


Look = Callable[..., Viewer]


def looks(name: str, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Look]:
    """Lets somebody look at an app of the folder apps; nobody may leave with an error in the console."""
    viewers: list[Viewer] = []
    with served(tmp_path_factory.mktemp("app") / "log.txt", _APPS / name) as address:

        def look(**options: object) -> Viewer:
            viewers.append(Viewer(browser, address, **options))  # type: ignore[arg-type]
            return viewers[-1]

        yield look
        for viewer in viewers:
            viewer.context.close()
    assert [viewer.errors for viewer in viewers] == [[] for _ in viewers]
