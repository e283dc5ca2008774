"""The repaint of recorded scores alone in a small app, its softmax against NumPy's, and how long a repaint takes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from mha_viz.figures.scripts import script
from tests.browser.component_page import OTHER, Look, Viewer, browser_of, looks
from tests.serving import ROOT

pytestmark = pytest.mark.browser

_FRONTEND = ROOT / "mha_viz" / "ui" / "frontend"


@pytest.fixture(scope="module")
def components_browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    with browser_of(request) as browser:
        yield browser


@pytest.fixture(scope="module")
def repainter(components_browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Look]:
    yield from looks("repainting.py", components_browser, tmp_path_factory)


def _got(viewer: Viewer, text: str) -> None:
    expect(viewer.page.get_by_text(text)).to_be_visible()


def _reference(scores: np.ndarray, temperature: float) -> np.ndarray:
    """float64, written another way: powers of two, from the allowed scores alone."""
    weights = np.zeros(len(scores))
    allowed = np.flatnonzero(~np.isnan(scores))
    values = scores[allowed].astype(np.float64)
    if not len(values):
        return weights
    if temperature == 0:
        parts = (values == values.max()).astype(float)
    elif temperature == math.inf:
        parts = np.ones(len(values))
    else:
        with np.errstate(over="ignore"):
            parts = np.exp2((values - values.max()) / np.float64(temperature) * np.log2(np.e))
    weights[allowed] = parts / parts.sum()
    return weights


_ROWS = {
    "ordinary": [0.3, -1.2, 2.5, 0.0],
    "ties": [1.5, 1.5, -3.0, 1.5],
    "close": [1.0, 1.0 - 1e-7, 0.5],
    "huge": [1e30, -1e30, 3e30],
    "hidden": [math.nan, 2.0, math.nan, 1.0],
    "one": [math.nan, -700.0],
    "none": [math.nan, math.nan],
    "many": list(np.random.default_rng(1).normal(scale=5, size=512)),
}


def test_the_softmax_in_the_browser_agrees_with_float64(components_browser):
    parts = [(_FRONTEND / name).read_text(encoding="utf-8") for name in ("grid.js", "softmax.js", "repaint.js")]
    module = "".join([script("ink.js"), *parts])
    page = components_browser.new_page()
    rows = {name: np.array(row, dtype=np.float32) for name, row in _ROWS.items()}
    for temperature in (0.0, 1e-300, 1e-6, 0.5, 1.0, 1000.0, 1e300, math.inf):
        for name, row in rows.items():
            got = page.evaluate(
                """async ([module, row, temperature]) => {
                  const address = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
                  const { softmaxRow } = await import(address);
                  return [...softmaxRow(Float32Array.from(row), temperature)];
                }""",
                [module, row.tolist(), temperature],
            )
            error = np.abs(np.array(got) - _reference(row, temperature)).max()
            assert error <= 1e-6, (name, temperature, error)
    page.close()


def _row(viewer: Viewer) -> str:
    return viewer.text(viewer.page.locator(".row"))


def test_the_slider_has_exact_ends_and_1_in_the_middle_and_asks_no_server(repainter):
    viewer = repainter(focus=7)
    slider = viewer.page.get_by_role("slider", name="Temperature, repaint only")
    shown = viewer.page.locator("output")
    expect(shown).to_have_text("1")
    assert "8 in all" in _row(viewer)
    slider.press("Home")
    expect(shown).to_have_text("0")
    assert "entropy 0.00 nats" in _row(viewer)
    assert ": 1.0000, " in _row(viewer)
    slider.press("End")
    expect(shown).to_have_text("∞")
    expect(viewer.page.locator(".row")).to_contain_text("8 keys share the top: 0.1250 each.")
    assert f"entropy {math.log(8):.2f} nats" in _row(viewer)
    expect(slider).to_have_attribute("aria-valuetext", "temperature ∞")
    viewer.page.get_by_role("button", name="Set the temperature to 1", exact=True).click()
    expect(shown).to_have_text("1")
    _got(viewer, "runs 1")


def test_no_position_of_the_slider_shows_nan(repainter):
    viewer = repainter(dead=1)
    for step in range(0, 201, 8):
        viewer.page.locator(".temperature").fill(str(step))
        expect(viewer.page.locator(".temperature")).to_have_value(str(step))
        text = viewer.page.locator(".mha-root").inner_text()
        assert not re.search(r"NaN|undefined|Infinity", text)


def test_cells_and_rows_are_named_by_pointer_and_keyboard(repainter):
    viewer = repainter(focus=7)
    viewer.page.mouse.move(*viewer.cell(1, 1, 8))
    expect(viewer.where).to_have_text(re.compile(r"query 1 “.?dog.?” attends to key 1 “.?dog.?”: 0\.\d{4}"))
    viewer.page.mouse.move(*viewer.cell(1, 5, 8))
    expect(viewer.where).to_contain_text("hidden")
    assert viewer.text(viewer.where) == "query 1 “dog” may not see key 5 “{key}”: hidden"
    viewer.page.mouse.click(*viewer.cell(4, 0, 8))
    viewer.page.mouse.move(5, 5)
    expect(viewer.page.locator(".row")).to_contain_text("Query 4")
    viewer.page.keyboard.press("ArrowUp")
    expect(viewer.page.locator(".row")).to_contain_text("Query 3")
    expect(viewer.page.get_by_role("gridcell")).to_contain_text("query 3")
    weights = [float(number) for number in re.findall(r"\d\.\d{4}", _row(viewer))]
    assert len(weights) == 3
    assert all(a >= b for a, b in pairwise(weights))


def test_a_row_without_a_key_is_hatched_red_and_named(repainter):
    viewer = repainter(dead=1, focus=2)
    _got(viewer, "No key allowed in row 2")
    assert viewer.looks_like(2, 5, 8, (224, 49, 49)), viewer.ink(2, 5, 8)
    assert viewer.looks_like(1, 5, 8, OTHER)
    assert _row(viewer) == "Query 2 “<b>barked</b>”: no key allowed, so it has no weights."


def test_the_scale_is_printed(repainter):
    viewer = repainter()
    viewer.page.get_by_role("button", name="temperature to ∞").click()
    expect(viewer.page.locator(".high")).to_have_text("1 weight")
    assert viewer.looks_like(7, 0, 8, VIRIDIS_AT_AN_EIGHTH)
    viewer.page.get_by_role("checkbox", name="Colours always from 0 to 1").uncheck()
    assert viewer.looks_like(0, 0, 8, (253, 231, 37))


#: Of Plotly's Viridis: a place an eighth of the way, between its second and third colour.
VIRIDIS_AT_AN_EIGHTH = tuple(round(a + (b - a) * 0.125) for a, b in zip((72, 40, 120), (62, 73, 137), strict=True))


@pytest.mark.parametrize("n_tokens", [64, 512])
def test_how_long_a_repaint_takes(repainter, n_tokens, capsys):
    viewer = repainter(n=n_tokens)
    root = viewer.page.locator(".mha-root")
    times = []
    for step in range(20, 200, 15):
        viewer.page.locator(".temperature").fill(str(step))
        expect(viewer.page.locator("output")).to_have_text(f"{10 ** ((step - 100) / 99 * 2):.3g}")
        times.append(float(root.get_attribute("data-milliseconds") or "nan"))
    with capsys.disabled():
        print(f"\nrepaint of {n_tokens} tokens: median {np.median(times):.1f} ms, worst {max(times):.1f} ms")
