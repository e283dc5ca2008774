"""Somebody with a browser on the page on masks and temperature: paints, points, presses, and reads the link."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import numpy as np
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect

from mha_viz.words import say
from tests.browser.component_page import PAINTED, VISIBLE

#: The sentence that is read unless a link says otherwise.
WORDS = ["one", "two", "three", "four", "five"]
TEXT = " ".join(WORDS)
PATIENCE = 30_000
#: Streamlit looks for its server under the page's own path first: two harmless answers of 404.
_HARMLESS = ("/_stcore/health", "/_stcore/host-config")


class Guest:
    """Somebody with a browser of their own on the page.

    Attributes:
        page: their tab.
        errors: what the console called an error, and exceptions of the page.
    """

    def __init__(self, browser: Browser, address: str, width: int, **link: str) -> None:
        size: Any = {"width": width, "height": 900}
        self.context = browser.new_context(viewport=size)
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.errors: list[str] = []
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda problem: self.errors.append(str(problem)))
        self.page.goto(f"{address}/masks?{urlencode(link)}")
        self.rests()

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type != "error":
            return
        path = urlsplit(message.location["url"]).path
        on_a_page = path.endswith(_HARMLESS) and not path.startswith("/_stcore")
        if not (on_a_page and "404" in message.text):
            self.errors.append(f"{message.text} {path}")

    def rests(self) -> None:
        """The page stands there, and the script has ended."""
        self.sees(self.page.get_by_role("radio", name=say("view.mask")))
        self.sees(self.page.locator("[data-testid=stApp][data-test-script-state=notRunning]"))
        expect(self.page.locator("[data-stale=true]")).to_have_count(0, timeout=PATIENCE)

    def sees(self, place: Locator | str) -> None:
        if isinstance(place, str):
            place = self.page.get_by_text(place)
        expect(place).to_be_visible(timeout=PATIENCE)

    def goes_to(self, view: str) -> None:
        """Chooses one of the four views."""
        self.page.get_by_role("radio", name=say(f"view.{view}")).click()
        self.has_link(view=view)
        self.rests()

    def presses(self, key: str) -> None:
        """A button, by the key of its words."""
        self.page.get_by_role("button", name=say(key)).click()

    # The link

    @property
    def link(self) -> dict[str, str]:
        """The query of the address bar."""
        return {name: values[0] for name, values in parse_qs(urlsplit(self.page.url).query).items()}

    def has_link(self, **parts: str) -> None:
        """The address bar comes to hold these; "" for none of that name."""
        for name, value in parts.items():
            default = {"view": "mask"}.get(name, "")
            wanted = "" if value == default else value
            pattern = f"[?&]{name}={re.escape(urlencode({'': wanted})[1:])}(&|$)" if wanted else f"^(?!.*[?&]{name}=)"
            expect(self.page).to_have_url(re.compile(pattern), timeout=PATIENCE)

    # The painter

    @property
    def canvas(self) -> Locator:
        return self.page.locator("canvas.cells")

    def cell(self, row: int, column: int, n: int = len(WORDS)) -> tuple[float, float]:
        """Middle of a cell of the painter, on the screen."""
        self.sees(self.canvas)
        self.canvas.scroll_into_view_if_needed()
        box = self.canvas.bounding_box()
        assert box is not None
        return box["x"] + (column + 0.5) * box["width"] / n, box["y"] + (row + 0.5) * box["height"] / n

    def drags(self, first: tuple[int, int], last: tuple[int, int], n: int = len(WORDS)) -> None:
        """Presses on a cell, moves to another and lets go."""
        start, end = self.cell(*first, n), self.cell(*last, n)
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        self.page.mouse.move(*end)
        self.page.mouse.up()

    def presses_row(self, row: int) -> None:
        """A click on the label of a row."""
        _, y = self.cell(row, 0)
        box = self.canvas.bounding_box()
        assert box is not None
        self.page.mouse.click(box["x"] - 15, y)

    def ink(self, row: int, column: int, n: int = len(WORDS)) -> tuple[int, ...]:
        """Mean colour of a cell's inside, without its opacity."""
        mean: list[float] = self.canvas.evaluate(
            """(canvas, [row, column, n]) => {
              const side = canvas.width / n;
              const bytes = canvas.getContext("2d").getImageData(
                column * side + side / 4, row * side + side / 4, side / 2, side / 2).data;
              const mean = [0, 0, 0, 0];
              for (let i = 0; i < bytes.length; i += 4) {
                for (let part = 0; part < 3; part++) mean[part] += bytes[i + part] * bytes[i + 3];
                mean[3] += bytes[i + 3];
              }
              return mean.slice(0, 3).map((sum) => sum / mean[3]);
            }""",
            [row, column, n],
        )
        return tuple(round(part) for part in mean)

    def paint_is(self, painted: np.ndarray) -> None:
        """Every cell has the ink of paint, or that of a visible cell."""
        self.page.mouse.move(2, 2)
        for (row, column), hidden in np.ndenumerate(painted):
            wanted = PAINTED if hidden else VISIBLE
            ink = self.ink(row, column, len(painted))
            assert all(abs(a - b) <= 6 for a, b in zip(ink, wanted, strict=True)), (row, column, ink)

    # The large head of the temperature view, and the stages

    def area(self, chart: str) -> Locator:
        """Where a chart's cells are."""
        return self.page.locator(f".st-key-{chart} .nsewdrag").last

    def spot(self, chart: str, across: float, down: float) -> tuple[float, float]:
        """A place of a chart, both as shares."""
        self.rests()
        area = self.area(chart)
        expect(area).to_be_attached(timeout=PATIENCE)
        area.scroll_into_view_if_needed()
        box = area.bounding_box()
        assert box is not None
        return box["x"] + across * box["width"], box["y"] + down * box["height"]

    def hovers(self, row: int, column: int, n: int) -> Locator:
        """Points at a cell of the large head; what Plotly shows there."""
        self.page.mouse.move(1, 1)
        self.page.mouse.move(*self.spot("large_head", (column + 0.5) / n, (row + 0.5) / n))
        return self.page.locator(".st-key-large_head .hoverlayer")

    def reads(self, weights: np.ndarray, tokens: tuple[str, ...], cells: list[tuple[int, int]]) -> None:
        """Beside the pointer stands the weight of the independent run; nothing where a cell is hidden."""
        n = len(tokens)
        for row, column in cells:
            told = self.hovers(row, column, n)
            weight = weights[row, column]
            if np.isnan(weight):
                expect(told).not_to_contain_text("attends", timeout=PATIENCE)
            else:
                text = f"{tokens[row]} ({row}) attends to {tokens[column]} ({column}): {weight:.4f}"
                expect(told).to_contain_text(text, timeout=PATIENCE)
