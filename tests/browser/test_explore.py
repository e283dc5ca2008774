"""Exploring in a real browser: one focus for all views, every head reached by mouse and keyboard, nothing from outside."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.visitor import NARROW, Visitor

LONG = (
    "The animal did not cross the street because it was too tired and the driver of the car stopped near the bridge . "
    * 24
)


def canvas(visitor: Visitor, key: str) -> Locator:
    return visitor.page.locator(f".st-key-{key} canvas").first


def told(visitor: Visitor, key: str) -> Locator:
    """The line below a canvas that says what is pointed at."""
    return visitor.page.locator(f".st-key-{key} .where")


def settled(visitor: Visitor) -> None:
    expect(visitor.page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_visible()
    expect(visitor.page.locator("[data-stale=true]")).to_have_count(0)
    expect(visitor.page.locator("[data-testid=stSkeleton]")).to_have_count(0)


def points_at_head(
    visitor: Visitor, layer: int, head: int, *, n_layers: int = 6, n_heads: int = 12
) -> tuple[float, float]:
    """The middle of a thumbnail in the order of layers: 34 pixels of names on the left, 22 above."""
    box = canvas(visitor, "overview").bounding_box()
    assert box is not None
    across, down = (box["width"] - 34 + 6) / n_heads, (box["height"] - 22) / n_layers
    return box["x"] + 34 + (head + 0.4) * across, box["y"] + 22 + (layer + 0.4) * down


def test_pointing_at_a_head_names_it_and_a_click_opens_it_everywhere(arrive) -> None:
    visitor = arrive("overview", source="minilm")
    expect(told(visitor, "overview")).to_have_text(re.compile(r"^L0 H0: Entropy share 0\.904, broad$"))
    settled(visitor)
    visitor.page.mouse.move(*points_at_head(visitor, 3, 1))
    expect(told(visitor, "overview")).to_contain_text("L3 H1: ")
    visitor.page.mouse.click(*points_at_head(visitor, 3, 1))
    expect(visitor.page.get_by_text("Layer 3, head 1")).to_be_visible()
    expect(visitor.page).to_have_url(re.compile("layer=3"))
    visitor.page.get_by_role("link", name="Look into this head").click()
    expect(visitor.page).to_have_url(re.compile(r"/one_head\?.*layer=3"))
    expect(visitor.page.get_by_text("L3 H1", exact=True)).to_be_visible()
    expect(visitor.page.locator(".st-key-writes .ytick").first).to_be_visible()
    visitor.goes_to("lines")
    expect(visitor.page.locator(".st-key-line_picture .legend")).to_contain_text("L3 H1")


def test_every_head_is_reached_by_keyboard(arrive) -> None:
    visitor = arrive("overview", source="minilm")
    settled(visitor)
    grid = visitor.page.get_by_role("grid", name="All heads")
    expect(told(visitor, "overview")).to_contain_text("Entropy share")
    grid.focus()
    grid.press("End")
    expect(told(visitor, "overview")).to_contain_text("L5 H11: ")
    grid.press("ArrowUp")
    expect(told(visitor, "overview")).to_contain_text("L4 H11: ")
    grid.press("ArrowLeft")
    grid.press("Enter")
    expect(visitor.page).to_have_url(re.compile("layer=4&head=10"))
    expect(visitor.page.get_by_text("Layer 4, head 10")).to_be_visible()


def test_a_cell_clicked_on_one_page_is_followed_on_the_others(arrive) -> None:
    visitor = arrive("heads", source="minilm", layer="5", head="11")
    visitor.clicks(10, 2, 16)
    expect(visitor.where).to_contain_text("“it” (10) attends to “animal” (2): 0.6733")
    expect(visitor.page).to_have_url(re.compile("focus=10&key=2"))
    visitor.goes_to("tokens")
    expect(visitor.page.get_by_text("“it” (10) as query:")).to_be_visible()
    visitor.page.get_by_role("radio", name="Find the head").click()
    expect(visitor.page.get_by_text("most in")).to_contain_text("L3 H1")
    settled(visitor)
    visitor.page.locator(".st-key-found_matrix .nsewdrag").first.scroll_into_view_if_needed()
    box = visitor.page.locator(".st-key-found_matrix .nsewdrag").first.bounding_box()
    assert box is not None
    place = box["x"] + box["width"] * 1.5 / 12, box["y"] + box["height"] * 3.5 / 6
    visitor.page.mouse.move(place[0] - 3, place[1])
    visitor.page.mouse.move(*place)
    expect(visitor.page.locator(".st-key-found_matrix .hoverlayer")).to_contain_text("L3 H1")
    visitor.page.mouse.click(*place)
    expect(visitor.page.get_by_text("Layer 3, head 1")).to_be_visible()
    visitor.goes_to("through")
    expect(visitor.page.get_by_role("combobox", name="Token to follow")).to_have_value(re.compile("it"))


def test_512_tokens_are_comfortable(arrive) -> None:
    visitor = arrive("overview", source="minilm", cut="1")
    settled(visitor)
    visitor.type_sentence(LONG)
    expect(visitor.page.locator(".mha-counts")).to_contain_text("512 of 512 tokens")
    expect(visitor.page.get_by_text("the largest weight of the 16 × 16 pairs of tokens")).to_be_visible()
    settled(visitor)
    visitor.page.mouse.move(*points_at_head(visitor, 1, 0))
    expect(told(visitor, "overview")).to_contain_text("L1 H0: ")
    visitor.page.mouse.click(*points_at_head(visitor, 1, 0))
    expect(visitor.page.get_by_text("Layer 1, head 0")).to_be_visible()
    large = visitor.page.get_by_role("grid", name="Layer 1, head 0: 512 queries")
    large.scroll_into_view_if_needed()
    large.focus()
    large.press("ArrowDown")
    large.press("Enter")
    expect(visitor.where).to_contain_text("“the” (1) attends to “[CLS]” (0): 0.")
    for page, key in (("lines", "line_picture"), ("tokens", "as_query"), ("through", "rollout")):
        visitor.goes_to(page)
        expect(visitor.page.locator(f".st-key-{key} :is(canvas, .xtick)").first).to_be_visible()


def test_a_click_on_a_matrix_a_type_and_a_dot_chooses_the_head(arrive) -> None:
    visitor = arrive("overview", source="minilm", overview_view="matrix")
    for view, key in (("Numbers", "metric_matrix"), ("Types", "type_matrix")):
        visitor.page.get_by_role("radio", name=view).click()
        area = visitor.page.locator(f".st-key-{key} .nsewdrag").first
        expect(area).to_be_visible()
        settled(visitor)
        box = area.bounding_box()
        assert box is not None
        head = {"Numbers": 4, "Types": 7}[view]
        place = box["x"] + box["width"] * (head + 0.5) / 12, box["y"] + box["height"] * 2.5 / 6
        visitor.page.mouse.move(place[0] - 3, place[1])
        visitor.page.mouse.move(*place)
        expect(visitor.page.locator(f".st-key-{key} .hoverlayer")).to_contain_text(f"L2 H{head}")
        visitor.page.mouse.click(*place)
        expect(visitor.page).to_have_url(re.compile(f"layer=2&head={head}"))
    visitor.page.get_by_role("radio", name="Map").click()
    dot = visitor.page.locator(".st-key-head_map .scatterlayer .trace").last.locator("path.point").nth(13)
    expect(dot).to_be_visible()
    settled(visitor)
    box = dot.bounding_box()
    assert box is not None
    visitor.page.mouse.move(box["x"], box["y"])
    visitor.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(visitor.page.locator(".st-key-head_map .hoverlayer")).to_contain_text("L")
    visitor.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(visitor.page).not_to_have_url(re.compile("layer=2&head=7"))


@pytest.mark.parametrize("layout", ["sides", "arcs"])
def test_a_line_is_named_with_its_weight_and_a_token_can_be_let_go(arrive, layout: str) -> None:
    visitor = arrive("lines", source="minilm", line_heads="L5H11", line_least="0.5", line_layout=layout)
    picture = visitor.page.locator(".st-key-line_picture")
    expect(picture.locator(".legend")).to_contain_text("L5 H11")
    settled(visitor)
    picture.locator(".frame").get_by_text("it", exact=True).first.click()
    expect(visitor.page).to_have_url(re.compile("focus=10"))
    expect(visitor.page.get_by_text("Only lines from “it” (10).")).to_be_visible()
    settled(visitor)
    visitor.page.mouse.move(1, 1)
    picture.locator(".frame").get_by_text("it", exact=True).first.hover()
    expect(picture.locator(".where")).to_contain_text(
        re.compile(r"it.* \(10\) attends to .*animal.* \(2\) 0\.673\d* L5 H11")
    )
    picture.get_by_role("button", name="Show all").click()
    expect(visitor.page).not_to_have_url(re.compile("focus="))


def test_lines_by_keyboard_of_words_that_run_from_right_to_left(arrive) -> None:
    visitor = arrive("lines", text="שלום עולם hello مرحبا", head="3", line_least="0")
    picture = visitor.page.locator(".st-key-line_picture")
    frame = picture.locator(".frame")
    settled(visitor)
    frame.focus()
    frame.press("Home")
    frame.press("ArrowDown")
    expect(picture.locator(".where")).to_contain_text("עולם")
    frame.press("Enter")
    expect(visitor.page).to_have_url(re.compile(r"focus=1\b"))
    expect(visitor.page.get_by_text("Only lines from “עולם” (1).")).to_be_visible()
    settled(visitor)
    frame.press("Escape")
    expect(visitor.page).not_to_have_url(re.compile("focus="))


@pytest.mark.parametrize("page", ["overview", "one_head", "lines", "tokens", "through"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_lies_sideways_on_a_phone(arrive, page: str, scheme: str) -> None:
    visitor = arrive(page, size=NARROW, scheme=scheme, source="minilm", focus="10", key="2")
    settled(visitor)
    expect(visitor.page.locator("[data-testid=stMain] :is(canvas, .js-plotly-plot)").first).to_be_visible()
    beyond = visitor.page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth - window.innerWidth")
    assert beyond <= 0


@pytest.mark.parametrize("view", ["rollout", "flow", "norms", "average"])
def test_the_way_through_the_layers_is_painted_and_a_row_can_be_followed(arrive, view: str) -> None:
    visitor = arrive("through", source="minilm", through_view=view)
    key = "mean_of_heads" if view == "average" else view
    area = visitor.page.locator(f".st-key-{key} .nsewdrag").first
    expect(area).to_be_visible()
    settled(visitor)
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    assert box is not None
    place = box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 2.5 / 16
    visitor.page.mouse.move(place[0] - 3, place[1])
    visitor.page.mouse.move(*place)
    expect(visitor.page.locator(f".st-key-{key} .hoverlayer")).to_contain_text("animal (2)")
    visitor.page.mouse.click(*place)
    expect(visitor.page).to_have_url(re.compile("focus=2"))
