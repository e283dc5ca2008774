"""Odd text in a real browser: it appears as typed wherever it appears, and is never markup."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.app.driver import Wanted
from tests.browser.conftest import Arrive
from tests.browser.visitor import hover_text

pytestmark = pytest.mark.browser

#: Each is a token of the toy, short enough for an axis.
_ODD = [
    "<b>",
    "</s>",
    "$x$",
    "##ing",
    "#000001",
    "%{z}",
    "2024-01-02",
    "2024-01-02",
    "👩‍👩‍👧",
    "שלום",
    "&amp;",
    "*b*_i_`c`",
    ":material/home:",
    "http://e.com",
    "![i](//e.com/x)",
    "a@b.com",
]
_TEXT = " ".join(_ODD)


def _has_no_markup(place: Locator) -> None:
    """Neither a link nor an image, no mathematics, no bold or struck letters came out of the text."""
    expect(place).to_have_count(1)
    expect(place.locator("a, img, .katex, del, em, s, code, [data-testid=stIconMaterial]")).to_have_count(0)


def test_odd_tokens_on_the_axes_and_in_the_strip(arrive: Arrive) -> None:
    visitor = arrive()
    visitor.type_sentence(_TEXT)
    visitor.sees_tokens(_ODD)
    expect(visitor.page.get_by_role("list", name="Tokens").get_by_role("listitem")).to_have_text(_ODD)
    for place in (visitor.large, visitor.grid, visitor.page.get_by_role("list", name="Tokens")):
        _has_no_markup(place)


def test_odd_tokens_beside_the_pointer(arrive: Arrive) -> None:
    visitor = arrive(text=_TEXT, head="6")
    visitor.sees_tokens(_ODD)
    even = 1 / len(_ODD)
    for place, token in enumerate(_ODD):
        told = hover_text(f"{token} ({place})", f"{token} ({place})", even)
        expect(visitor.points_at(place, place, len(_ODD))).to_have_text(told)
        _has_no_markup(visitor.large)


def test_odd_tokens_in_the_sentence_and_the_box_of_tokens(arrive: Arrive) -> None:
    visitor = arrive(text=_TEXT)
    box = visitor.page.get_by_role("combobox", name="Token to follow")
    for place in (2, 12, 14):
        box.click()
        visitor.page.get_by_role("option", name=f"{place}  {_ODD[place]}", exact=True).click()
        before = _ODD[place - 1]
        expect(visitor.where).to_contain_text(f"“{_ODD[place]}” ({place}) looks mostly at “{before}” ({place - 1})")
        _has_no_markup(visitor.where)


#: Six fit into a notice. The last four groups hold what Markdown would read even behind a backslash.
_NOTICED = [
    ["<b>", "</s>", "$x$", "##ing", "#000001", "%{z}"],
    ["*b*_i_`c`", "~~s~~", "[a](b)", "![i](b)", ":red[x]", "&amp;"],
    ["->", "--", "a|b", "👩‍👩‍👧", "שלום", "+1"],
    ["http://e.com"],
    ["a@b.com", "www.e.com"],
    [":material/home:"],
    [":streamlit:", ":smile:"],
]


@pytest.mark.parametrize("tokens", _NOTICED, ids=" ".join)
def test_odd_tokens_in_a_notice(arrive: Arrive, tokens: list[str]) -> None:
    """Rows without a key are named, with their tokens."""
    visitor = arrive(
        text=" ".join(["x", *tokens]), padding="1", padding_last=str(len(tokens)), window="1", window_radius="0"
    )
    notice = visitor.page.get_by_role("alert")
    expect(notice).to_contain_text("No key allowed in row 1 ")
    named = ", ".join(f"{place} “{token}”" for place, token in enumerate(tokens, start=1))
    expect(notice).to_contain_text(f"No key allowed in row {named}:")
    _has_no_markup(notice.get_by_test_id("stMarkdownContainer"))


def test_a_lone_surrogate_in_a_link(arrive: Arrive) -> None:
    """Half of a character; no encoding can carry it, so that the browser's or the server's sign for it is shown."""
    visitor = arrive("heads?text=a%ED%A0%80b+c")
    expect(visitor.large.locator(".ytick text")).to_have_text([re.compile("^a\ufffd+b$"), "c"])
    expect(visitor.page.get_by_test_id("stException")).to_have_count(0)


def test_chinese_is_read_character_by_character_and_offered_the_toy(arrive: Arrive) -> None:
    visitor = arrive(source="minilm")
    visitor.type_sentence("猫追老鼠")
    unknown = sum(Wanted(text="猫追老鼠", source="minilm").tokens.unknown)
    expect(visitor.page.get_by_test_id("stAlert")).to_contain_text(f"does not know {unknown} of 4 tokens")
    visitor.page.get_by_role("button", name="Use the toy").click()
    visitor.sees_tokens(["猫", "追", "老", "鼠"])
    expect(visitor.page.get_by_test_id("stAlert")).to_have_count(0)


def test_too_many_words_are_counted_and_cut_on_request(arrive: Arrive) -> None:
    visitor = arrive(source="minilm")
    visitor.type_sentence("word " * 600)
    notice = visitor.page.get_by_test_id("stAlert")
    expect(notice).to_contain_text("602 tokens; the model reads at most 512")
    expect(visitor.large).to_have_count(0)
    visitor.page.get_by_role("button", name="Read only the part that fits").click()
    expect(notice.first).to_contain_text("512 of 602")
    expect(visitor.page.get_by_role("grid", name="Layer 0, head 0: 512 queries")).to_be_visible()
    expect(visitor.page.get_by_test_id("stException")).to_have_count(0)
