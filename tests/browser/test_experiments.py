"""Experiments in a real browser: heads switched off by clicks, a run held and compared, pictures taken away."""

from __future__ import annotations

import re

import numpy as np
from playwright.sync_api import expect

import mha_viz
from tests.browser.conftest import Arrive
from tests.browser.test_explore import points_at_head, settled, told
from tests.browser.visitor import NARROW, Visitor

TEXT = "the animal did not cross the street because it was too tired"


def _of_sidebar(visitor: Visitor, name: str) -> None:
    visitor.page.get_by_test_id("stSidebar").get_by_role("button", name=name, exact=True).click()


def test_clicks_on_the_overview_switch_heads_off_and_on(arrive: Arrive) -> None:
    visitor = arrive("overview", source="minilm", text=TEXT)
    settled(visitor)
    visitor.page.get_by_text("Clicks switch off", exact=True).click()
    expect(visitor.page.get_by_role("switch", name="Clicks switch off")).to_be_checked()
    settled(visitor)
    visitor.page.mouse.click(*points_at_head(visitor, 3, 1))
    expect(visitor.page).to_have_url(re.compile(r"off=L3H1\b"))
    settled(visitor)
    visitor.page.mouse.move(1, 1)  # a pointer that stays where it is points at nothing anew
    visitor.page.mouse.move(*points_at_head(visitor, 3, 1))
    expect(told(visitor, "overview")).to_contain_text("silenced")
    visitor.page.mouse.click(*points_at_head(visitor, 3, 1))
    expect(visitor.page).not_to_have_url(re.compile("off="))


def test_a_run_is_held_and_its_difference_is_that_of_two_runs(arrive: Arrive) -> None:
    visitor = arrive("heads", source="minilm", text=TEXT.replace("tired", "wide"), layer="3", head="1")
    settled(visitor)
    _of_sidebar(visitor, "Hold this run as A")
    expect(visitor.page).to_have_url(re.compile("a=text"))
    visitor.type_sentence(TEXT)
    visitor.sees_tokens(["[CLS]", *TEXT.split(), "[SEP]"])
    visitor.page.get_by_test_id("stSidebar").get_by_role("link", name="Compare").click()
    expect(visitor.page.locator(".st-key-change_heatmap .ytick").first).to_be_visible()
    settled(visitor)
    area = visitor.page.locator(".st-key-change_heatmap .nsewdrag").first
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    assert box is not None
    query, key, n_tokens = 9, 2, 14
    visitor.page.mouse.move(
        box["x"] + (key + 0.5) * box["width"] / n_tokens, box["y"] + (query + 0.5) * box["height"] / n_tokens
    )
    model = mha_viz.open_model("minilm")
    a, b = (model.run(model.tokenize(text)).weights[3, 1] for text in (TEXT.replace("tired", "wide"), TEXT))
    assert np.abs(b - a)[query, key] > 0.3
    hover = visitor.page.locator(".st-key-change_heatmap .hoverlayer")
    expect(hover).to_contain_text(f"{(b - a)[query, key]:+.4f}".replace("-", "−").replace("+", ""))
    link = visitor.link()
    visitor.leave()
    other = arrive(f"compare?{link}", fresh=True)
    expect(other.page.locator(".st-key-change_heatmap .ytick").first).to_be_visible()
    assert other.link() == link


def test_a_picture_and_the_numbers_are_taken_away(arrive: Arrive, chromium: object) -> None:
    visitor = arrive("heads", source="minilm", text=TEXT, layer="3", head="1", scheme="dark")
    settled(visitor)
    _of_sidebar(visitor, "Save or share")
    dialog = visitor.page.get_by_role("dialog")
    dialog.get_by_text("HTML", exact=True).click()
    dialog.get_by_role("button", name="Make the file").click()
    with visitor.page.expect_download() as html:
        dialog.get_by_role("button", name=re.compile("Save mha_viz-")).click()
    page = html.value.path().read_text(encoding="utf-8")
    assert TEXT in page
    dialog.get_by_text("Numbers", exact=True).click()
    dialog.get_by_text("CSV", exact=True).click()
    expect(dialog.get_by_text("A row a weight", exact=False)).to_be_visible()
    dialog.get_by_role("button", name="Make the file").click()
    with visitor.page.expect_download() as table:
        dialog.get_by_role("button", name=re.compile("Save mha_viz.csv")).click()
    assert len(table.value.path().read_text(encoding="utf-8").splitlines()) == 14 * 14 + 1
    dialog.get_by_text("Link", exact=True).click()
    expect(dialog.get_by_text("Opens this very view", exact=False)).to_be_visible()


def test_the_pages_of_experiments_fit_on_a_phone(arrive: Arrive) -> None:
    for page, link in (
        ("change", {"off": "L3H1", "edits": "mask-2"}),
        ("change", {"change_view": "importance"}),
        ("compare", {"a": "source=minilm&text=the+cat+sat"}),
        ("probes", {}),
    ):
        visitor = arrive(page, source="minilm", text=TEXT, size=NARROW, **link)
        settled(visitor)
        expect(visitor.page.get_by_test_id("stException")).to_have_count(0)
        assert visitor.page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
        visitor.leave()
