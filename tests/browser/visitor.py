"""Somebody with a browser of their own: what they see, where they point, and what their browser complained of."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode, urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Request, expect

from mha_viz.ui.page_table import PAGES
from mha_viz.words.en import EN
from tests.pages import WITH_HEAD

#: Pages that show the large head.
HEAD_PATHS = ["" if entry.default else entry.name for entry in WITH_HEAD]
WIDE, NARROW = (1280, 800), (390, 844)

#: Streamlit looks for its server under the page's own path first: two harmless answers of 404 on every page but the first.
_HARMLESS = ("/_stcore/health", "/_stcore/host-config")


def new_tab(browser: Browser, size: tuple[int, int], scheme: Any, *, fresh: bool = False) -> Page:
    """A tab of its own: Streamlit gives each a session of its own.

    Tabs share one browser context, so that the app's scripts are fetched and read once and not once a test; ``fresh`` is for
    somebody whose browser has never been there.
    """
    context = browser.new_context() if fresh or not browser.contexts else browser.contexts[0]
    page = context.new_page()
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(color_scheme=scheme)
    return page


class Visitor:
    """Somebody with a tab of their own.

    Attributes:
        page: the tab.
        errors: what the console called an error, and exceptions of the page.
        outside: requests to anywhere but the server.
    """

    def __init__(
        self, browser: Browser, address: str, size: tuple[int, int], scheme: Any, *, fresh: bool = False
    ) -> None:
        self.address = address
        self.page = new_tab(browser, size, scheme, fresh=fresh)
        self.errors: list[str] = []
        self.harmless: list[str] = []
        self.outside: list[str] = []
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda problem: self.errors.append(str(problem)))
        self.page.on("request", self._watch)

    def leave(self) -> None:
        """Closes the tab. What the app remembers in the browser, such as an open sidebar, is of this visitor alone."""
        if not self.page.is_closed():
            self.page.evaluate("() => localStorage.clear()")
            self.page.close()

    def open(self, page: str, link: dict[str, str]) -> Visitor:
        """Goes to a page by its address."""
        query = f"?{urlencode(link)}" if link else ""
        self.page.goto(f"{self.address}/{page}{query}")
        return self

    def goes_to(self, name: str) -> None:
        """Takes a page from the menu by the name of its file."""
        entry = next(entry for entry in PAGES if entry.name == name)
        title = EN[f"page.{name}"]
        if not entry.group:
            self.page.get_by_role("link", name=title, exact=True).click()
            return
        self.page.get_by_role("button", name=EN[f"page.group.{entry.group}"], exact=True).click()
        self.page.get_by_role("menuitem", name=title, exact=True).click()

    @property
    def large(self) -> Locator:
        """The large head."""
        return self.page.locator(".st-key-large_head")

    @property
    def grid(self) -> Locator:
        """All heads of the layer."""
        return self.page.locator(".st-key-grid")

    @property
    def where(self) -> Locator:
        """The sentence below the large head."""
        return self.page.locator(".mha-where")

    @property
    def sentence(self) -> Locator:
        """The box of the first sentence."""
        return self.page.get_by_role("textbox", name="Sentence", exact=True)

    def type_sentence(self, text: str) -> None:
        """As a person does: into the box, then Enter."""
        self.sentence.fill(text)
        self.sentence.press("Enter")

    def sees_tokens(self, tokens: list[str]) -> None:
        """These stand along both axes of the large head, in this order. Playwright leaves zero-width spaces out."""
        expect(self.large.locator(".ytick text")).to_have_text(tokens)
        expect(self.large.locator(".xtick text")).to_have_text(tokens)

    def is_settled(self) -> None:
        """The script has ended and the last picture has been drawn."""
        expect(self.page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_visible()
        expect(self.page.locator("[data-stale=true]")).to_have_count(0)
        expect(self.large.locator(".nsewdrag").first).to_be_visible()

    def points_at(self, row: int, column: int, n_tokens: int) -> Locator:
        """Puts the pointer on a cell of the large head; what Plotly shows there."""
        self.page.mouse.move(1, 1)
        self.page.mouse.move(*self.cell(row, column, n_tokens))
        return self.large.locator(".hoverlayer")

    def clicks(self, row: int, column: int, n_tokens: int) -> None:
        """Clicks a cell of the large head, once the pointer has found it."""
        expect(self.points_at(row, column, n_tokens)).to_contain_text(f"({row})")
        self.page.mouse.click(*self.cell(row, column, n_tokens))

    def cell(self, row: int, column: int, n_tokens: int) -> tuple[float, float]:
        """Middle of a cell of the large head, on the screen."""
        self.is_settled()
        area = self.large.locator(".nsewdrag").first
        area.scroll_into_view_if_needed()
        box = area.bounding_box()
        assert box is not None
        step_x, step_y = box["width"] / n_tokens, box["height"] / n_tokens
        return box["x"] + (column + 0.5) * step_x, box["y"] + (row + 0.5) * step_y

    def chooses(self, box: str, option: str) -> None:
        """Takes an option of a box by its name."""
        self.page.get_by_role("combobox", name=box, exact=True).click()
        self.page.get_by_role("option", name=option, exact=True).click()

    def switches(self, name: str) -> None:
        """Clicks the words beside a switch of the sidebar."""
        self.page.get_by_test_id("stSidebar").get_by_text(name, exact=True).click()

    def link(self) -> str:
        """The query of the address bar."""
        return urlsplit(self.page.url).query

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type != "error":
            return
        path = urlsplit(message.location["url"]).path
        on_a_page = path.endswith(_HARMLESS) and not path.startswith("/_stcore")
        (self.harmless if on_a_page and "404" in message.text else self.errors).append(f"{message.text} {path}")

    def _watch(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob") and f"{parts.scheme}://{parts.netloc}" != self.address:
            self.outside.append(request.url)


def hover_text(query: str, key: str, weight: float) -> str:
    """What stands beside the pointer: Plotly's text for a cell of the large head."""
    return f"{query} attends to {key}: {weight:.4f}"
