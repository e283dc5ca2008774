"""A file of weights, as a person brings it: uploaded, shown, found again by its link, and the row holds on every screen."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from mha_viz.words import say
from tests.browser.conftest import Arrive
from tests.browser.visitor import NARROW, WIDE, Visitor, hover_text

pytestmark = pytest.mark.browser

_TOKENS = ["the", "cat", "<b>sat</b>"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two layers of two heads, each row another one."""
    odds = np.exp(np.random.default_rng(1).standard_normal((2, 2, 3, 3)))
    np.savez(tmp_path / "my weights.npz", weights=odds / odds.sum(axis=-1, keepdims=True), tokens=_TOKENS)
    return tmp_path / "my weights.npz"


def _gives(visitor: Visitor, file: Path) -> None:
    visitor.page.locator("input[type=file]").set_input_files(file)


def test_a_file_is_given_shown_and_found_again_by_its_link(arrive: Arrive, file: Path) -> None:
    mine = arrive()
    mine.is_settled()
    mine.page.get_by_role("radio", name=say("source.own"), exact=True).click()
    expect(mine.page.get_by_text("np.savez").first).to_be_visible()
    expect(mine.large).to_have_count(0)
    _gives(mine, file)
    mine.sees_tokens(_TOKENS)
    expect(mine.page.locator(".mha-own strong")).to_have_text("my weights.npz")
    weight = float(np.load(file)["weights"][0, 0, 0, 1])
    expect(mine.points_at(0, 1, 3)).to_contain_text(hover_text("the (0)", "cat (1)", weight))
    expect(mine.page).to_have_url(re.compile(r"file=[0-9a-f]{32}"))
    mine.page.reload()
    mine.sees_tokens(_TOKENS)
    other = arrive(**dict(part.split("=") for part in mine.link().split("&")))
    other.sees_tokens(_TOKENS)
    expect(other.page.get_by_role("alert")).to_have_count(0)


def test_a_wrong_file_is_told_and_what_was_there_stays(arrive: Arrive, file: Path, tmp_path: Path) -> None:
    visitor = arrive(source="own")
    expect(visitor.page.get_by_text("np.savez").first).to_be_visible()
    _gives(visitor, file)
    visitor.sees_tokens(_TOKENS)
    wrong = np.array(np.load(file)["weights"])
    wrong[0, 1, 2] *= 2
    np.savez(tmp_path / "wrong.npz", weights=wrong, tokens=_TOKENS)
    visitor.page.get_by_role("button", name=say("own_page.other")).click()
    _gives(visitor, tmp_path / "wrong.npz")
    expect(visitor.page.get_by_role("alert")).to_contain_text("layer 0, head 1, query 2, sums to 2")
    visitor.sees_tokens(_TOKENS)


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_row_of_sources_fits(arrive: Arrive, file: Path, size: tuple[int, int]) -> None:
    visitor = arrive(size=size, source="own")
    expect(visitor.page.get_by_text("np.savez").first).to_be_visible()
    for _ in range(2):  # without a file, and with one
        main = visitor.page.get_by_test_id("stMain")
        assert main.evaluate("main => main.scrollWidth <= main.clientWidth")
        boxes = [box.bounding_box() for box in visitor.page.get_by_test_id("stMain").get_by_role("radio").all()[:4]]
        tops = {round(box["y"]) for box in boxes if box is not None}
        assert len(boxes) == 4
        assert len(tops) == 1  # one line
        assert all(box is not None and box["x"] >= 0 and box["x"] + box["width"] <= size[0] for box in boxes)
        if not visitor.large.count():
            _gives(visitor, file)
            visitor.sees_tokens(_TOKENS)
