"""How every page looks: readable in both themes, within a telephone's width, quiet, and with the picture in sight."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Arrive
from tests.browser.visitor import HEAD_PATHS, NARROW, WIDE, Visitor

pytestmark = pytest.mark.browser

_PATHS = HEAD_PATHS
_EVERY_PAGE = pytest.mark.parametrize("path", _PATHS)

#: Contrast of each text that a selector finds, as WCAG 2 defines it, opacities and half-clear grounds blended in.
_CONTRASTS = """
(texts) => {
  const numbers = (colour) => {
    const found = colour.match(/[\\d.]+/g).map(Number);
    return found.length > 3 ? found : [...found.slice(0, 3), 1];
  };
  const over = (top, under, share) => top.slice(0, 3).map((part, i) => part * share + under[i] * (1 - share));
  const ground = (element) => {
    const layers = [];
    for (let node = element; node; node = node.parentElement) layers.push(numbers(getComputedStyle(node).backgroundColor));
    return layers.reverse().reduce((under, layer) => over(layer, under, layer[3]), [255, 255, 255]);
  };
  const light = (rgb) => {
    const parts = rgb.map((part) => part / 255).map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  return texts.map((element) => {
    const style = getComputedStyle(element);
    const ink = numbers(element instanceof SVGElement ? style.fill : style.color);
    let share = ink[3];
    for (let node = element; node; node = node.parentElement) share *= Number(getComputedStyle(node).opacity);
    const under = ground(element);
    const [low, high] = [light(over(ink, under, share)), light(under)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  });
}
"""


def _contrasts(visitor: Visitor, selector: str) -> list[float]:
    found = visitor.page.locator(selector)
    expect(found.first).to_be_visible()
    contrasts: list[float] = found.evaluate_all(_CONTRASTS)
    return contrasts


def _is_complete(visitor: Visitor) -> None:
    expect(visitor.large.locator(".ytick text").nth(1)).to_have_text("animal")
    visitor.is_settled()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@_EVERY_PAGE
def test_texts_of_the_pictures_can_be_read_in_both_themes(arrive: Arrive, path: str, scheme: str) -> None:
    visitor = arrive(path, scheme=scheme)
    _is_complete(visitor)
    ground = visitor.page.get_by_test_id("stApp").evaluate("app => getComputedStyle(app).backgroundColor")
    lightness = [int(part) for part in re.findall(r"\d+", ground)]
    assert min(lightness) > 200 if scheme == "light" else max(lightness) < 60
    kinds = [".xtick text", ".ytick text", ".g-xtitle text", ".g-ytitle text", ".colorbar text"]
    for kind in kinds:
        assert min(_contrasts(visitor, f".st-key-large_head {kind}")) >= 4.5, kind
    if path == "heads":
        assert min(_contrasts(visitor, ".st-key-grid .annotation-text")) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_around_the_pictures_can_be_read_in_both_themes(arrive: Arrive, scheme: str) -> None:
    visitor = arrive(scheme=scheme, source="minilm", text="the 猫 cat", pair="two")
    expect(visitor.large.locator(".ytick text").first).to_have_text("[CLS]")
    visitor.is_settled()
    kinds = [".mha-token", ".mha-counts", ".mha-where", ".mha-where small", ".mha-badge strong", ".mha-check"]
    kinds += [".mha-badge small", ".mha-card strong", ".mha-card small"]
    lowest = {kind: min(_contrasts(visitor, kind)) for kind in kinds}
    assert {kind: contrast for kind, contrast in lowest.items() if contrast < 4.5} == {}


@_EVERY_PAGE
def test_no_page_scrolls_sideways_on_a_telephone(arrive: Arrive, path: str) -> None:
    visitor = arrive(path, size=NARROW, source="minilm")
    expect(visitor.large.locator(".ytick text").nth(2)).to_have_text("animal")
    visitor.is_settled()
    for place in ("document.scrollingElement", "document.querySelector('[data-testid=stMain]')"):
        beyond = visitor.page.evaluate(f"() => {place}.scrollWidth - {place}.clientWidth")
        assert beyond <= 0, place
    box = visitor.large.locator(".js-plotly-plot").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= NARROW[0]


@_EVERY_PAGE
def test_the_controls_can_be_reached_on_a_telephone(arrive: Arrive, path: str) -> None:
    visitor = arrive(path, size=NARROW)
    _is_complete(visitor)
    causal = visitor.page.get_by_test_id("stSidebar").get_by_text("Causal", exact=True)
    expect(causal).not_to_be_in_viewport()
    visitor.page.get_by_role("button", name="Expand sidebar").click()
    causal.scroll_into_view_if_needed()
    expect(causal).to_be_in_viewport()
    causal.click()
    expect(visitor.page.get_by_role("switch", name="Causal")).to_be_checked()
    expect(visitor.page.get_by_test_id("stException")).to_have_count(0)


@_EVERY_PAGE
def test_a_page_is_quiet(arrive: Arrive, path: str) -> None:
    """No error in the console but the two that Streamlit makes itself, and no request to another computer."""
    visitor = arrive(path)
    _is_complete(visitor)
    expect(visitor.points_at(1, 1, 12)).to_contain_text("animal (1)")
    assert visitor.errors == []
    assert visitor.outside == []
    assert len(visitor.harmless) == (0 if path == "" else 2)
    expect(visitor.page.get_by_test_id("stException")).to_have_count(0)


def test_the_large_head_is_in_sight_without_scrolling(arrive: Arrive) -> None:
    visitor = arrive(size=WIDE)
    _is_complete(visitor)
    figure = visitor.large.locator(".js-plotly-plot").bounding_box()
    cells = visitor.large.locator(".nsewdrag").first.bounding_box()
    assert figure is not None
    assert cells is not None
    assert figure["y"] < WIDE[1] / 2
    assert cells["y"] + cells["height"] <= WIDE[1]
    grid = visitor.grid.locator(".js-plotly-plot").bounding_box()
    assert grid is not None
    assert grid["x"] + grid["width"] <= figure["x"]


def test_nothing_jumps_when_the_numbers_change(arrive: Arrive) -> None:
    visitor = arrive()
    _is_complete(visitor)
    before = visitor.large.locator(".nsewdrag").first.bounding_box()
    visitor.switches("Causal")
    expect(visitor.page.get_by_text("hidden cells exactly 0")).to_be_visible()
    visitor.is_settled()
    assert visitor.large.locator(".nsewdrag").first.bounding_box() == before
    expect(visitor.page.get_by_test_id("stAlert")).to_have_count(0)
