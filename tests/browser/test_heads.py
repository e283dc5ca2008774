"""The page of all heads, as a person uses it: type, point, click, change a control."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from mha_viz import Causal, Controls, LocalWindow, Padding
from tests.app.driver import Wanted
from tests.browser.conftest import Arrive
from tests.browser.visitor import Visitor, hover_text

pytestmark = pytest.mark.browser

_ROSE = "a rose is a rose"


def _points_right(visitor: Visitor, wanted: Wanted, cells: list[tuple[int, int]]) -> None:
    """Beside the pointer stand both tokens with their positions, and the weight of the independent run."""
    tokens = wanted.tokens.tokens
    for row, column in cells:
        told = hover_text(f"{tokens[row]} ({row})", f"{tokens[column]} ({column})", wanted.large[row, column])
        expect(visitor.points_at(row, column, len(tokens))).to_contain_text(told)


def test_a_typed_sentence_stands_on_both_axes(arrive: Arrive) -> None:
    visitor = arrive()
    visitor.type_sentence("the cat sat on the mat. the cat lay on the rug.")
    words = ["the", "cat", "sat", "on", "the", "mat", ".", "the", "cat", "lay", "on", "the", "rug", "."]
    visitor.sees_tokens(words)
    expect(visitor.page.get_by_role("list", name="Tokens").get_by_role("listitem")).to_have_text(words)
    expect(visitor.page).to_have_url(re.compile(r"text=the\+cat\+sat"))
    expect(visitor.large).not_to_contain_text("animal")


def test_a_second_sentence_is_read_too(arrive: Arrive) -> None:
    visitor = arrive(source="minilm")
    visitor.type_sentence("one two")
    second = visitor.page.get_by_role("textbox", name="Second sentence")
    second.fill("three")
    second.press("Enter")
    visitor.sees_tokens(["[CLS]", "one", "two", "[SEP]", "three", "[SEP]"])
    expect(visitor.page.locator(".mha-second")).to_have_text(["three", "[SEP]"])
    expect(visitor.page.locator(".mha-unknown")).to_have_count(0)


def test_pointing_tells_both_tokens_and_the_exact_weight(arrive: Arrive) -> None:
    visitor = arrive(text=_ROSE, head="4")
    visitor.sees_tokens(_ROSE.split())
    _points_right(visitor, Wanted(text=_ROSE, head=4), [(0, 0), (0, 3), (3, 0), (4, 1), (2, 4)])
    visitor.page.mouse.move(1, 1)
    expect(visitor.large.locator(".hoverlayer")).not_to_contain_text("attends")


def test_temperature_changes_the_numbers(arrive: Arrive) -> None:
    visitor = arrive(text=_ROSE)
    _points_right(visitor, Wanted(text=_ROSE), [(2, 1)])
    slider = visitor.page.locator(".st-key-temperature input[type=range]")
    for _ in range(2):  # 1, 1.5, 2
        slider.press("ArrowRight")
    expect(visitor.page).to_have_url(re.compile(r"temperature=2\b"))
    wanted = Wanted(text=_ROSE, controls=Controls(temperature=2.0))
    expect(visitor.where).to_contain_text(f": {wanted.large.max():.2f}.")
    _points_right(visitor, wanted, [(2, 1), (4, 3)])
    expect(visitor.where).not_to_contain_text(f": {Wanted(text=_ROSE).large.max():.2f}.")


def test_a_mask_changes_the_numbers_and_hides_cells(arrive: Arrive) -> None:
    visitor = arrive(text=_ROSE, head="6")
    visitor.switches("Causal")
    expect(visitor.page).to_have_url(re.compile("causal=1"))
    expect(visitor.page.get_by_text("hidden cells exactly 0")).to_be_visible()
    _points_right(visitor, Wanted(text=_ROSE, head=6, controls=Controls(mask=Causal())), [(1, 0), (4, 4)])
    hidden = visitor.points_at(0, 3, 5)
    visitor.page.mouse.move(*visitor.cell(1, 1, 5))
    expect(hidden).to_contain_text("rose (1) attends to rose (1)")
    visitor.page.mouse.move(*visitor.cell(0, 3, 5))
    expect(hidden).not_to_contain_text("attends")


def test_a_row_without_a_key_says_so_instead_of_a_number(arrive: Arrive) -> None:
    visitor = arrive(text=_ROSE, padding="1", window="1", window_radius="0")
    wanted = Wanted(text=_ROSE, controls=Controls(mask=Padding(1) & LocalWindow(0)))
    assert list(np.flatnonzero(wanted.trace.no_key[0, 0])) == [4]
    expect(visitor.large.locator(".annotation-text")).to_have_text(["no key allowed"])
    expect(visitor.page.get_by_role("alert")).to_contain_text("No key allowed in row 4 “rose”")
    told = visitor.points_at(4, 2, 5)
    expect(told).to_contain_text("rose (4): no key allowed")
    expect(told).not_to_contain_text(re.compile(r"0\.\d"))


def test_fewer_heads_are_other_heads(arrive: Arrive) -> None:
    visitor = arrive(text=_ROSE, head="2")
    expect(visitor.grid.locator(".annotation-text")).to_have_count(8)
    visitor.chooses("Number of heads", "4")
    expect(visitor.grid.locator(".annotation-text")).to_have_text(["H0 previous", "H1 next", "H2 first", "H3 itself"])
    expect(visitor.page.get_by_text("d_k = 64 / 4 = 16")).to_be_visible()
    _points_right(visitor, Wanted(text=_ROSE, options=(("n_heads", 4),), head=2), [(1, 0), (4, 0), (3, 2)])
    expect(visitor.page.get_by_test_id("stAlert")).to_have_count(0)


def test_bert(arrive: Arrive) -> None:
    visitor = arrive(text="The cat sat.")
    visitor.page.get_by_role("radio", name="BERT").click()
    visitor.sees_tokens(["[CLS]", "the", "cat", "sat", ".", "[SEP]"])
    visitor.page.get_by_role("combobox", name="Layer", exact=True).click()
    expect(visitor.page.get_by_role("option")).to_have_text(["0", "1", "2", "3", "4", "5"])
    visitor.page.get_by_role("option", name="5", exact=True).click()
    expect(visitor.page.get_by_text("Layer 5, all 12 heads:")).to_be_visible()
    wanted = Wanted(text="The cat sat.", source="minilm", layer=5)
    row, key = np.unravel_index(wanted.large.argmax(), wanted.large.shape)
    tokens = wanted.tokens.tokens
    told = f"“{tokens[row]}” ({row}) looks at “{tokens[key]}” ({key}): {wanted.large.max():.2f}."
    expect(visitor.where).to_contain_text(told)
    _points_right(visitor, wanted, [(0, 0), (2, 3), (5, 1)])
    expect(visitor.page.get_by_role("combobox", name="Number of heads")).to_have_count(0)


def test_a_click_on_a_head_of_the_grid_enlarges_it(arrive: Arrive) -> None:
    visitor = arrive(text=_ROSE)
    visitor.is_settled()
    title = visitor.grid.locator(".annotation-text", has_text="H5 local average").bounding_box()
    assert title is not None
    middle = title["x"] + title["width"] / 2, title["y"] + title["height"] + 40
    visitor.page.mouse.move(*middle)
    expect(visitor.grid.locator(".hoverlayer")).to_contain_text(re.compile(r"^L0 H5.* attends to .*: 0\.\d{4}"))
    visitor.page.mouse.click(*middle)
    expect(visitor.page).to_have_url(re.compile(r"head=5\b"))
    expect(visitor.page.get_by_text("Layer 0, head 5", exact=True)).to_be_visible()
    _points_right(visitor, Wanted(text=_ROSE, head=5), [(0, 0), (2, 0), (4, 2)])
    expect(visitor.page).not_to_have_url(re.compile("focus="))


def test_a_click_follows_a_query_and_its_key_and_a_second_click_lets_them_go(arrive: Arrive) -> None:
    visitor = arrive(text=_ROSE)
    visitor.clicks(2, 4, 5)
    expect(visitor.page).to_have_url(re.compile(r"focus=2\b"))
    expect(visitor.where).to_contain_text(f"“is” (2) looks mostly at “rose” (1): {Wanted(text=_ROSE).large[2, 1]:.2f}.")
    expect(visitor.page.get_by_role("combobox", name="Token to follow")).to_have_value("2  is")
    visitor.clicks(2, 0, 5)  # another key of the same query
    expect(visitor.where).to_contain_text(f"“is” (2) attends to “a” (0): {Wanted(text=_ROSE).large[2, 0]:.6f}")
    visitor.clicks(2, 0, 5)
    expect(visitor.where).to_contain_text("Strongest:")
    expect(visitor.page).not_to_have_url(re.compile("focus="))


def test_a_click_still_works_after_the_picture_has_changed(arrive: Arrive) -> None:
    visitor = arrive(text=_ROSE)
    visitor.type_sentence("one two three four")
    visitor.sees_tokens(["one", "two", "three", "four"])
    visitor.clicks(3, 0, 4)
    expect(visitor.where).to_contain_text("“four” (3) looks mostly at “three” (2)")
    visitor.clicks(1, 1, 4)
    expect(visitor.where).to_contain_text("“two” (1) looks mostly at “one” (0)")
    expect(visitor.page).not_to_have_url(re.compile("focus=3"))


def test_the_reset_button(arrive: Arrive) -> None:
    visitor = arrive(text=_ROSE, temperature="0", causal="1", heads="2")
    expect(visitor.grid.locator(".annotation-text")).to_have_count(2)
    visitor.page.get_by_role("button", name="Reset the controls").click()
    expect(visitor.grid.locator(".annotation-text")).to_have_count(8)
    expect(visitor.page).to_have_url(re.compile(r"/heads\?text=a\+rose\+is\+a\+rose$"))
    _points_right(visitor, Wanted(text=_ROSE), [(0, 4), (2, 1)])
    expect(visitor.page.get_by_role("switch", name="Causal")).not_to_be_checked()
