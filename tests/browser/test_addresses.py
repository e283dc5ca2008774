"""The address bar: it restores the view, on a fresh server and on a warm one, and "back" undoes the last change."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from mha_viz import Causal, Controls
from tests.app.driver import Wanted
from tests.browser.conftest import Arrive
from tests.browser.visitor import HEAD_PATHS, Visitor, hover_text

pytestmark = pytest.mark.browser

_PATHS = HEAD_PATHS
_LINK = {"text": "a rose is a rose", "temperature": "0.7", "causal": "1", "head": "3"}
_WORDS = ["a", "rose", "is", "a", "rose"]


def _sees_the_view(visitor: Visitor, path: str) -> None:
    visitor.sees_tokens(_WORDS)
    expect(visitor.sentence).to_have_value(_LINK["text"])
    expect(visitor.page.get_by_role("switch", name="Causal")).to_be_checked()
    expect(visitor.page.locator(".st-key-temperature").get_by_text("0.7", exact=True)).to_be_visible()
    wanted = Wanted(text=_LINK["text"], head=3, controls=Controls(temperature=0.7, mask=Causal()))
    told = hover_text("a (3)", "is (2)", wanted.large[3, 2])
    expect(visitor.points_at(3, 2, 5)).to_contain_text(told)
    expect(visitor.page).to_have_url(re.compile(rf"/{path}\?{re.escape('text=a+rose+is+a+rose&')}"))
    assert set(visitor.link().split("&")) == {"text=a+rose+is+a+rose", "temperature=0.7", "causal=1", "head=3"}
    expect(visitor.page.get_by_test_id("stAlert")).to_have_count(0)
    expect(visitor.page.get_by_text("Page not found")).to_have_count(0)


@pytest.mark.usefixtures("cold_server")
@pytest.mark.parametrize("path", _PATHS)
def test_a_link_is_the_first_thing_that_a_fresh_server_is_asked(arrive: Arrive, path: str) -> None:
    _sees_the_view(arrive(path, **_LINK), path)


@pytest.mark.parametrize("path", _PATHS)
def test_a_link_on_a_warm_server(arrive: Arrive, path: str) -> None:
    _sees_the_view(arrive(path, **_LINK), path)


def test_the_address_of_a_view_made_by_hand_restores_it_elsewhere(arrive: Arrive) -> None:
    maker = arrive()
    maker.type_sentence("a rose is a rose")
    maker.sees_tokens(_WORDS)
    maker.page.get_by_role("radio", name="BERT").click()
    maker.sees_tokens(["[CLS]", *_WORDS, "[SEP]"])
    maker.switches("Causal")
    maker.chooses("Layer", "4")
    expect(maker.page).to_have_url(re.compile("layer=4"))
    expect(maker.page.get_by_text("Layer 4, all 12 heads:")).to_be_visible()
    maker.is_settled()
    maker.clicks(5, 0, 7)
    expect(maker.where).to_contain_text("“rose” (5) looks")
    expect(maker.page).to_have_url(re.compile("focus=5"))
    other = arrive("heads?" + maker.link())
    other.sees_tokens(["[CLS]", *_WORDS, "[SEP]"])
    expect(other.where).to_have_text(maker.where.inner_text())
    expect(other.page.get_by_role("switch", name="Causal")).to_be_checked()
    assert other.link() == maker.link()
    expect(other.page.get_by_test_id("stAlert")).to_have_count(0)


def test_back_undoes_the_last_change_and_forward_does_it_again(arrive: Arrive) -> None:
    visitor = arrive()
    visitor.type_sentence("a rose is a rose")
    visitor.sees_tokens(_WORDS)
    expect(visitor.page).to_have_url(re.compile("text=a"))
    visitor.switches("Causal")
    expect(visitor.page).to_have_url(re.compile("causal=1"))
    expect(visitor.page.get_by_text("hidden cells exactly 0")).to_be_visible()
    visitor.page.go_back()
    expect(visitor.page.get_by_text("nothing hidden")).to_be_visible()
    expect(visitor.page.get_by_role("switch", name="Causal")).not_to_be_checked()
    visitor.sees_tokens(_WORDS)
    visitor.page.go_back()
    expect(visitor.large.locator(".ytick text").nth(1)).to_have_text("animal")
    expect(visitor.page).not_to_have_url(re.compile(r"\?"))
    visitor.page.go_forward()
    visitor.sees_tokens(_WORDS)
    expect(visitor.page.get_by_role("switch", name="Causal")).not_to_be_checked()


def test_the_menu_and_back_keep_the_view(arrive: Arrive) -> None:
    visitor = arrive(text="a rose is a rose", head="2")
    visitor.sees_tokens(_WORDS)
    visitor.goes_to("start")
    expect(visitor.page.get_by_role("heading", name="See what attention heads read")).to_be_visible()
    visitor.sees_tokens(_WORDS)
    expect(visitor.page).to_have_url(re.compile(r"/\?text=a\+rose\+is\+a\+rose&head=2$"))
    visitor.page.go_back()  # the menu opened the bare address, and the link was written after that
    expect(visitor.page).to_have_url(re.compile(r"/$"))
    visitor.sees_tokens(_WORDS)
    visitor.page.go_back()
    expect(visitor.grid).to_be_visible()
    visitor.sees_tokens(_WORDS)
    expect(visitor.page.get_by_text("Layer 0, head 2", exact=True)).to_be_visible()
    expect(visitor.page).to_have_url(re.compile(r"/heads\?text=a\+rose\+is\+a\+rose&head=2$"))
    expect(visitor.large).not_to_contain_text("animal")


def test_the_door_leads_to_the_same_view(arrive: Arrive) -> None:
    visitor = arrive("", text="a rose is a rose", temperature="0")
    visitor.sees_tokens(_WORDS)
    visitor.page.get_by_role("link", name="See every head").click()
    expect(visitor.grid).to_be_visible()
    visitor.sees_tokens(_WORDS)
    expect(visitor.page).to_have_url(re.compile(r"/heads\?text=a\+rose\+is\+a\+rose&temperature=0$"))
    expect(visitor.page.get_by_test_id("stAlert")).to_have_count(0)


def test_two_visitors_never_see_each_others_sentence(arrive: Arrive) -> None:
    mine, yours = arrive(), arrive()
    mine.type_sentence("my secret plan")
    mine.sees_tokens(["my", "secret", "plan"])
    yours.type_sentence("your tulips")
    yours.sees_tokens(["your", "tulips"])
    mine.switches("Causal")
    expect(mine.page.get_by_text("hidden cells exactly 0")).to_be_visible()
    mine.sees_tokens(["my", "secret", "plan"])
    third = arrive()
    expect(third.large.locator(".ytick text").first).to_have_text("The")
    for visitor, words in ((mine, "tulips"), (yours, "secret"), (third, "secret"), (third, "tulips")):
        assert words not in visitor.page.content()
    expect(yours.page.get_by_text("nothing hidden")).to_be_visible()


def test_an_impossible_link_is_answered_with_a_sentence(arrive: Arrive) -> None:
    visitor = arrive(heads="999", temperature="nan")
    notice = visitor.page.get_by_test_id("stAlert")
    expect(notice).to_contain_text("heads = 999")
    expect(notice).to_contain_text("temperature = nan")
    expect(visitor.grid.locator(".annotation-text")).to_have_count(8)
    expect(visitor.page).not_to_have_url(re.compile("heads=|temperature="))
    expect(visitor.page.get_by_test_id("stException")).to_have_count(0)
