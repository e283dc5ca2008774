"""From text to a painted picture of all heads of MiniLM: the running app against BertViz's model view.

python -m tests.benchmarks.bench_bertviz --long also tries its model view at 256 tokens, within 150 s and 8 GB.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import torch
from playwright.sync_api import Browser, Error, sync_playwright

from tests.benchmarks import bertviz_view, both_ways
from tests.benchmarks.report import Spread, ratios, table, verdict
from tests.benchmarks.visit import Visit, sentence
from tests.serving import BROWSER_ARGUMENTS, chromium, served

#: Tokens: (rounds, how many times sooner than BertViz, how many times fewer bytes or None).
LENGTHS: dict[int, tuple[int, float, float | None]] = {16: (3, 10, None), 64: (3, 50, None), 128: (2, 150, 500)}
SHORTEST = min(LENGTHS)
#: Where BertViz is not asked, or only with --long.
ALONE = (256, 512)
SECONDS, BYTES = 150.0, 8 * 2**30
_TIMES = ("tokens", "ours s", "BertViz s", "sooner", "min..max", "target", "")
_HEADER = (*_TIMES, "our bytes", "its bytes", "fewer", "target", "", "ours in all", "fewer")
_SIZE = {"width": 1280, "height": 800}
#: The last thumbnail's lines are there, and two animation frames have passed: the second begins after the paint.
_PAINTED = """n => new Promise(resolve => {
    const look = () => {
        const last = document.getElementById('attn_background_5_11');
        const there = last && last.parentNode.querySelectorAll('line').length === n;
        if (there) requestAnimationFrame(() => requestAnimationFrame(() => resolve(true)));
        else setTimeout(look, 20);
    };
    look();
})"""


class Picture(NamedTuple):
    """One picture of all heads.

    Attributes:
        seconds: from text to paint.
        size: bytes that hold the picture: the component's message with its script, or the page without its scripts.
        all: bytes that the browser got until then, for everything else on the page too.
    """

    seconds: float
    size: int
    all: int


def main() -> None:
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=chromium(), args=BROWSER_ARGUMENTS)
        except Error as problem:
            print(f"\nBertViz is not measured: Chromium cannot be started ({problem.message.splitlines()[0]}).")
            return
        with tempfile.TemporaryDirectory() as name, served(Path(name) / "log.txt") as address:
            visit = Visit(browser, address)
            theirs = _theirs(Path(name))
            _print_paired(visit, theirs, playwright)
            if "--long" in sys.argv and theirs is not None:
                _print_long(theirs, playwright)
            visit.close()
        browser.close()


class Theirs:
    """BertViz with its model loaded.

    Args:
        folder: for its page.
    """

    def __init__(self, folder: Path) -> None:
        self._view = bertviz_view.model_view()
        ours = both_ways.open_ours()
        self._tokenize = ours.tokenize
        self._model = both_ways.open_eager(ours.device)
        self._file = folder / "model_view.html"

    def picture(self, browser: Browser, text: str) -> Picture:
        """From text to paint, in a new tab."""
        started = time.perf_counter()
        tokens = self._tokenize(text)
        with torch.inference_mode():
            numbers = torch.tensor([tokens.ids], device=self._model.device)
            attentions = self._model(input_ids=numbers, output_attentions=True).attentions
        html = self._view(attentions, list(tokens.tokens), html_action="return").data
        size = bertviz_view.write_page(html, self._file)
        page = browser.new_page(viewport=_SIZE)  # type: ignore[arg-type]
        page.set_default_timeout(SECONDS * 1000)
        page.goto(self._file.as_uri(), wait_until="commit")
        page.evaluate(_PAINTED, tokens.n_tokens**2)
        taken = time.perf_counter() - started
        page.close()
        return Picture(taken, size, size)


def _theirs(folder: Path) -> Theirs | None:
    try:
        bertviz_view.fetch()
        return Theirs(folder)
    except bertviz_view.NotHereError as problem:
        print(f"\nOnly this project is measured: {problem}.")
        return None


def _print_paired(visit: Visit, theirs: Theirs | None, playwright: Any) -> None:
    rows = []
    visit.types(sentence(SHORTEST, 100))
    for n_tokens in (*LENGTHS, *ALONE):
        rounds, sooner, fewer = LENGTHS.get(n_tokens, (3, 0.0, None))
        ours: list[Picture] = []
        others: list[Picture] = []
        for number in range(rounds):
            ours.append(_ours(visit, sentence(n_tokens, number)))
            if theirs is not None and n_tokens in LENGTHS:
                others.append(_in_own_browser(playwright, theirs, sentence(n_tokens, number)))
        rows.append(_row(n_tokens, ours, others, sooner, fewer))
    table("From text to a painted picture of all 72 heads, against BertViz's model view (in turn)", _HEADER, rows)
    print("  our bytes: the message with the picture and its script; in all: of the whole page until it was painted")
    print(
        f"  its bytes: the page without its scripts; our first text, of {SHORTEST} tokens, is not counted", flush=True
    )


def _ours(visit: Visit, text: str) -> Picture:
    painted = visit.types(text)
    return Picture(painted.painted / 1000, painted.picture, painted.until)


def _in_own_browser(playwright: Any, theirs: Theirs, text: str) -> Picture:
    """In a Chromium of its own, so that its memory is gone afterwards."""
    browser = playwright.chromium.launch(executable_path=chromium(), args=BROWSER_ARGUMENTS)
    try:
        return theirs.picture(browser, text)
    finally:
        browser.close()


def _row(
    n_tokens: int, ours: list[Picture], theirs: list[Picture], sooner: float, fewer: float | None
) -> tuple[object, ...]:
    our_time, our_size, our_all = (statistics.median(values) for values in zip(*ours, strict=True))
    if not theirs:
        return (n_tokens, f"{our_time:.2f}", "not run", *[""] * 4, f"{our_size:.0f}", *[""] * 4, f"{our_all:.0f}", "")
    their_time, their_size, _ = (statistics.median(values) for values in zip(*theirs, strict=True))
    ratio: Spread = ratios([one.seconds for one in theirs], [one.seconds for one in ours])
    times = their_size / our_size
    met = verdict(ratio.median >= sooner)
    bytes_wanted = ("", "") if fewer is None else (f"{fewer:.0f}", verdict(times >= fewer))
    sizes = (
        f"{our_size:.0f}",
        f"{their_size:.0f}",
        f"{times:.0f}",
        *bytes_wanted,
        f"{our_all:.0f}",
        f"{their_size / our_all:.0f}",
    )
    return (
        n_tokens,
        f"{our_time:.2f}",
        f"{their_time:.1f}",
        f"{ratio.median:.0f}",
        ratio.span,
        f"{sooner:.0f}",
        met,
        *sizes,
    )


def _print_long(theirs: Theirs, playwright: Any) -> None:
    """What its model view does with more than it can draw."""
    text = sentence(ALONE[0])
    most, over = _watched_memory()
    browser = playwright.chromium.launch(executable_path=chromium(), args=BROWSER_ARGUMENTS)
    try:
        told = f"painted after {theirs.picture(browser, text).seconds:.0f} s"
    except Error:
        told = f"stopped beyond {BYTES / 2**30:.0f} GB" if over() else f"nothing painted within {SECONDS:.0f} s"
    finally:
        browser.close()
    print(f"\nBertViz's model view at {ALONE[0]} tokens: {told}; its browser took {most() / 2**30:.1f} GB.", flush=True)


def _watched_memory() -> tuple[Callable[[], int], Callable[[], bool]]:
    """The largest memory of one child process of a browser so far, and whether it was ended for that."""
    seen = {"most": 0, "over": 0}
    known = {child.pid for child in psutil.Process().children(recursive=True)}

    def watch() -> None:
        until = time.monotonic() + 2 * SECONDS
        while time.monotonic() < until and not seen["over"]:
            for child in psutil.Process().children(recursive=True):
                if child.pid in known:
                    continue
                try:
                    used = child.memory_info().rss
                    seen["most"] = max(seen["most"], used)
                    if used > BYTES:
                        seen["over"] = 1
                        child.kill()
                except psutil.Error:  # it has ended meanwhile
                    continue
            time.sleep(0.2)

    threading.Thread(target=watch, daemon=True).start()
    return lambda: seen["most"], lambda: bool(seen["over"])


if __name__ == "__main__":
    main()
