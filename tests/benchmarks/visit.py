"""The overview page of the running app in Chromium: when it has painted, what came over the socket, what the badge says."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, WebSocket

from tests.benchmarks.both_ways import WORDS

OVERVIEW, LARGE = "overview", "large_head"
_SCRIPT = (Path(__file__).parent / "visit.js").read_text(encoding="utf-8")
_SIZE = {"width": 1280, "height": 800}
_PATIENCE = 180_000  # milliseconds
_DRAWN = "key => window.visit.drawn(key) > 0"
_FORWARD = re.compile(r"forward pass ([\d.,]+) ms")
_AT_REST = """() => document.querySelector('[data-testid=stApp][data-test-script-state=notRunning]')
  && !document.querySelector('[data-stale=true]')"""
_CALM = 5  # looks, 0.1 s apart


class Painted(NamedTuple):
    """One thing done on the page.

    Attributes:
        painted: milliseconds from the key or click to the second animation frame after the picture was drawn.
        waited: of these, until the browser told the server.
        forward: milliseconds of the forward pass that the picture is of, as the badge says.
        made: whether that pass was made for this; False if it was at hand.
        picture: bytes of the first message that holds the picture, the component's script among them.
        until: bytes of all frames, both ways, until it was painted.
        socket: bytes of all frames, both ways, until the page was at rest.
    """

    painted: float
    waited: float
    forward: float
    made: bool
    picture: int
    until: int
    socket: int

    @property
    def beyond(self) -> float:
        """Milliseconds beyond the forward pass."""
        return self.painted - (self.forward if self.made else 0.0)


class Visit:
    """A tab on the overview page, at rest.

    Args:
        browser: to open it in.
        address: of the app.
        link: parameters of the view.
    """

    def __init__(self, browser: Browser, address: str, **link: str) -> None:
        self.page: Page = browser.new_page(viewport=_SIZE)  # type: ignore[arg-type]
        self._frames: list[bytes] = []
        self.page.add_init_script(_SCRIPT)
        self.page.on("websocket", self._listen)
        self.page.goto(f"{address}/overview?{urlencode({'source': 'minilm', **link})}")
        self.page.wait_for_function(_DRAWN, arg=OVERVIEW, timeout=_PATIENCE)
        self._rest()
        self._forward = self._badge()

    def types(self, text: str) -> Painted:
        """Another sentence; the clock starts with Enter."""
        box = self.page.get_by_role("textbox", name="Sentence", exact=True)
        box.fill(text)
        return self._does(lambda: box.press("Enter"), OVERVIEW, b'"layers":')

    def warms(self, key: str = "ArrowRight") -> Painted:
        """Another temperature, by one step of its slider."""
        slider = self.page.get_by_role("slider", name="Temperature")
        slider.focus()
        return self._does(lambda: slider.press(key), OVERVIEW, b'"layers":')

    def opens(self, layer: int, head: int) -> Painted:
        """Another head, large, by a click on its thumbnail; the heads must stand by layer and number."""
        x, y = self.page.evaluate("place => window.visit.thumbnail(place)", [OVERVIEW, layer, head])
        return self._does(lambda: self.page.mouse.click(x, y), LARGE, b'"weights":[')

    def close(self) -> None:
        """Ends the session."""
        self.page.close()

    def _does(self, action: Callable[[], object], component: str, mark: bytes) -> Painted:
        """Waits until the component has painted what came of one key or click; ``mark`` is in the message that it draws."""
        self.page.bring_to_front()
        self._frames.clear()
        self.page.evaluate("key => window.visit.arm(key)", component)
        action()
        painted, waited = self.page.evaluate("() => window.visit.painted")
        until = sum(map(len, self._frames))
        self._rest()
        before, self._forward = self._forward, self._badge()
        picture = next((len(frame) for frame in self._frames if mark in frame), 0)
        socket = sum(map(len, self._frames))
        return Painted(painted, waited, self._forward, before != self._forward, picture, until, socket)

    def _badge(self) -> float:
        said = _FORWARD.search(self.page.locator(".mha-badge").first.inner_text())
        assert said is not None
        return float(said[1].replace(",", ""))

    def _rest(self) -> None:
        """Until the script has ended and does not begin again: the numbers follow the pictures in a second run of it."""
        calm = 0
        while calm < _CALM:
            self.page.wait_for_function(_AT_REST, timeout=_PATIENCE)
            self.page.wait_for_timeout(100)
            calm = calm + 1 if self.page.evaluate(_AT_REST) else 0

    def _listen(self, opened: WebSocket) -> None:
        opened.on("framereceived", self._keep)
        opened.on("framesent", self._keep)

    def _keep(self, frame: str | bytes) -> None:
        self._frames.append(frame.encode() if isinstance(frame, str) else frame)


def sentence(n_tokens: int, number: int = 0) -> str:
    """Words of one token each, as many as fit between [CLS] and [SEP]; another one for each number."""
    first = WORDS[number % len(WORDS) :] + WORDS[: number % len(WORDS)]
    words = [first[i % len(first)] for i in range(n_tokens - 2)]
    words[-1] = WORDS[(number // len(WORDS)) % len(WORDS)]
    return " ".join(words)
