"""The splitting animation's frames: how many come late while cells move, for 12 tokens, 64 columns and 8 heads."""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Error, Page, sync_playwright

import mha_viz
from mha_viz.figures import splitting_animation
from tests.benchmarks.report import table, verdict
from tests.serving import BROWSER_ARGUMENTS, chromium

SENTENCE = "the animal did not cross the street because it was too tired"
SIZE = {"width": 1280, "height": 800}
ROUNDS = 2
EMPTY_FRAMES = 240
LATE, SHARE = 34.0, 0.04
#: One step on; milliseconds between animation frames until its cells have arrived and its rows have appeared.
_STEP = """() => new Promise(resolve => {
    const view = document.getElementById('split').splitting;
    const times = [];
    view.controls.on.click();
    const look = (now) => {
        times.push(now);
        if (view.frame) requestAnimationFrame(look);
        else resolve(times.slice(1).map((time, i) => time - times[i]));
    };
    requestAnimationFrame(look);
})"""

#: The same for a canvas of the same size on which one rectangle moves: what this computer can do at best.
_EMPTY = """n => new Promise(resolve => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [1248, 550];
    document.body.prepend(canvas);
    const pen = canvas.getContext('2d');
    const times = [];
    const look = (now) => {
        times.push(now);
        pen.clearRect(0, 0, 1248, 550);
        pen.fillRect(times.length, 0, 50, 50);
        if (times.length < n) requestAnimationFrame(look);
        else { canvas.remove(); resolve(times.slice(1).map((time, i) => time - times[i])); }
    };
    requestAnimationFrame(look);
})"""


def main() -> None:
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as name:
        try:
            browser = playwright.chromium.launch(executable_path=chromium(), args=BROWSER_ARGUMENTS)
        except Error as problem:
            print(f"\nFrames are not measured: Chromium cannot be started ({problem.message.splitlines()[0]}).")
            return
        file = Path(name) / "animation.html"
        file.write_text(_animation(), encoding="utf-8")
        page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
        page.goto(file.as_uri())
        measured = _measure(page)
        empty = page.evaluate(_EMPTY, EMPTY_FRAMES)
        browser.close()
    _print(measured, empty)


def _animation() -> str:
    model = mha_viz.open_model("toy")
    layer = model.inspect_layer(model.tokenize(SENTENCE), mha_viz.Controls(mask=mha_viz.Causal()), 0)
    return splitting_animation(layer).to_html()


def _measure(page: Page) -> dict[str, list[float]]:
    """Milliseconds between frames, by the title of the step that is gone to."""
    measured: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        page.keyboard.press("Home")
        page.wait_for_function("() => !document.getElementById('split').splitting.frame")
        for _ in range(8):
            gaps = page.evaluate(_STEP)
            measured.setdefault(page.locator(".split-title").inner_text(), []).extend(gaps)
    return measured


def _print(measured: dict[str, list[float]], empty: list[float]) -> None:
    everything = [gap for gaps in measured.values() for gap in gaps]
    rows = [_row(title, gaps) for title, gaps in measured.items()]
    share = sum(gap > LATE for gap in everything) / len(everything)
    rows.append((*_row("all", everything)[:-1], f"{verdict(share <= SHARE)} (target {SHARE:.0%})"))
    rows.append(_row("an empty canvas", empty))
    header = ("step", "frames", "median ms", "95 % below", f"over {LATE:.0f} ms", "")
    table(
        f"Splitting animation, 12 tokens x 64 columns x 8 heads ({ROUNDS} rounds, only while cells move)", header, rows
    )


def _row(title: str, gaps: list[float]) -> tuple[object, ...]:
    ordered = sorted(gaps)
    late = sum(gap > LATE for gap in gaps) / len(gaps)
    return (
        title,
        len(gaps),
        f"{statistics.median(gaps):.1f}",
        f"{ordered[int(0.95 * (len(ordered) - 1))]:.1f}",
        f"{late:.1%}",
        "",
    )


if __name__ == "__main__":
    main()
