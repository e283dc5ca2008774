"""A Streamlit app on a free port, and a page of Chromium that counts what comes over its socket."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, Page, WebSocket

from tests.benchmarks.apps.shown import BUTTON, CLOCK
from tests.serving import served

_APPS = Path(__file__).resolve().parent / "apps"
HEADS = 12
_PICTURES = "[...document.querySelectorAll('.js-plotly-plot .heatmaplayer image')].map(i => i.getAttribute('href') ?? \
i.getAttribute('xlink:href'))"
_DRAWN = f"() => {{ const now = {_PICTURES}; return now.length === {HEADS} && now.every(Boolean) }}"
#: Clicks, waits until every head has a new picture, then two animation frames: the second begins after the first paint.
_CLICK = f"""name => new Promise(resolve => {{
    const pictures = () => {_PICTURES};
    const before = new Set(pictures());
    const frame = requestAnimationFrame;
    const look = () => {{
        const now = pictures();
        const fresh = now.length === {HEADS} && now.every(picture => picture && !before.has(picture));
        if (fresh) frame(() => frame(() => resolve(performance.now() - started)));
        else frame(look);
    }};
    const button = [...document.querySelectorAll('button')].find(button => button.textContent.includes(name));
    const started = performance.now();
    button.click();
    frame(look);
}})"""
_IDLE = "() => !document.querySelector('[data-testid=\"stStatusWidget\"]')"


class Rerun(NamedTuple):
    """One click.

    Attributes:
        painted: milliseconds from the click to the second animation frame after all new pictures exist.
        socket: bytes of all frames, both ways.
        server: milliseconds of building and sending the figures.
    """

    painted: float
    socket: int
    server: float


class Served:
    """An app and a page that shows it.

    Args:
        name: file in apps.
        browser: to open it in.
        trace: file of the pickled run.
        log: where the app's output goes.
        stack: closes everything.
    """

    def __init__(self, name: str, browser: Browser, trace: Path, log: Path, stack: contextlib.ExitStack) -> None:
        self._log = log
        self._bytes = 0
        url = stack.enter_context(served(log, _APPS / f"{name}.py", arguments=[str(trace)]))
        self._page = browser.new_page(viewport={"width": 1280, "height": 800})
        stack.callback(self._page.close)
        self._page.on("websocket", self._listen)
        self._page.goto(url)
        self._page.wait_for_function(_DRAWN, timeout=60_000)
        _settle(self._page)

    def rerun(self) -> Rerun:
        self._page.bring_to_front()
        self._bytes = 0
        painted = self._page.evaluate(_CLICK, BUTTON)
        _settle(self._page)
        return Rerun(painted, self._bytes, self._last_time())

    def _listen(self, opened: WebSocket) -> None:
        opened.on("framereceived", self._count)
        opened.on("framesent", self._count)

    def _count(self, payload: str | bytes) -> None:
        self._bytes += len(payload.encode()) if isinstance(payload, str) else len(payload)

    def _last_time(self) -> float:
        lines = [line for line in self._log.read_text().splitlines() if line.startswith(CLOCK)]
        return float(lines[-1].split()[1])


def _settle(page: Page) -> None:
    page.wait_for_function(_IDLE)
    page.wait_for_timeout(400)
