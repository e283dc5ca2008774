"""A lab in a real browser: it runs beside the pages, keeps what is done, waits for its turn, and ends when its visitor leaves."""

from __future__ import annotations

import json
import re
import time

import psutil
import pytest
from playwright.sync_api import expect

from mha_viz.labs.pool import GRACE
from mha_viz.words.en import EN
from tests.browser.conftest import Arrive
from tests.browser.visitor import NARROW, Visitor

pytestmark = pytest.mark.browser

_START, _AGAIN, _STOP = EN["labs.start"], EN["labs.again"], EN["work.stop"]
_VIEWS = [
    *(("head_count", f"head_count_view={view}") for view in ("budget", "lookups", "texts", "sweep")),
    *(("head_worth", f"head_worth_view={view}") for view in ("matter", "alike", "sharing", "depth")),
    *(("cost", f"cost_view={view}") for view in ("growth", "maps", "precision", "int8")),
    *(("depth_gradients", f"depth_gradients_view={view}") for view in ("stacks", "start", "block")),
    *(("sparse", f"sparse_view={view}") for view in ("patterns", "buckets", "segments", "speed", "models")),
    *(("pitfalls", f"pitfall={name}") for name in ("masks", "linear")),
    ("examine", ""),
]


def _running() -> list[psutil.Process]:
    """The processes of labs that this computer runs for the server of these tests."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if "mha_viz.labs.child" in process.cmdline():
                found.append(process)
        except psutil.Error:  # it has just ended
            continue
    return found


def _ended(seconds: float) -> bool:
    until = time.monotonic() + seconds
    while _running() and time.monotonic() < until:
        time.sleep(0.2)
    return not _running()


def _begins(visitor: Visitor, seed_count: int) -> None:
    """Trains look-ups: with so many seeds it goes on for longer than any test."""
    visitor.page.get_by_role("spinbutton", name=EN["lookups.seeds"], exact=True).fill(str(seed_count))
    visitor.page.keyboard.press("Enter")
    expect(visitor.page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_visible()
    visitor.page.get_by_role("button", name=_START, exact=True).click()
    expect(visitor.page.get_by_role("button", name=_STOP)).to_be_visible()


def test_a_training_goes_on_beside_other_pages_and_what_is_done_stays_when_it_is_stopped(arrive: Arrive) -> None:
    visitor = arrive("head_count", head_count_view="lookups")
    _begins(visitor, 20)
    expect(visitor.page.get_by_text(re.compile(r"^Results so far: [1-9]"))).to_be_visible()
    visitor.goes_to("heads")  # the view is there, and the training goes on
    visitor.sees_tokens(
        ["The", "animal", "didn't", "cross", "the", "street", "because", "it", "was", "too", "tired", "."]
    )
    assert len(_running()) == 1
    visitor.goes_to("head_count")
    visitor.page.get_by_role("button", name=_STOP).click()
    expect(visitor.page.get_by_text(re.compile(r"^Yours, stopped after \d+ s. Results: [1-9]"))).to_be_visible()
    assert _ended(20)
    expect(visitor.page.get_by_role("button", name=_AGAIN)).to_be_visible()
    with visitor.page.expect_download() as given:
        visitor.page.get_by_role("button", name=EN["labs.save"]).click()
    kept = json.loads(given.value.path().read_text(encoding="utf-8"))
    assert kept["rows"]
    assert not kept["whole"]
    assert kept["facts"]["command"].startswith("python -m mha_viz lab lookups")


def test_a_training_ends_when_its_visitor_has_gone_and_the_next_one_waits_till_then(arrive: Arrive) -> None:
    first, second = arrive("head_count", head_count_view="lookups"), arrive("head_count", head_count_view="lookups")
    _begins(first, 20)
    expect(first.page.get_by_text(re.compile(r"^\d+ % done"))).to_be_visible()
    _begins(second, 19)
    expect(second.page.get_by_text(re.compile(r"^waiting for \d+ other|^\d+ % done"))).to_be_visible()
    second.leave()
    first.leave()
    assert _ended(4 * GRACE)


@pytest.mark.parametrize(("page", "view"), _VIEWS, ids=[view or page for page, view in _VIEWS])
def test_every_view_of_a_lab_fits_on_a_phone_and_is_quiet(arrive: Arrive, page: str, view: str) -> None:
    visitor = arrive(page, size=NARROW, **dict(part.split("=") for part in view.split() if part))
    expect(visitor.page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_visible()
    expect(visitor.page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    beyond = "() => { const main = document.querySelector('[data-testid=stMain]'); return main.scrollWidth - main.clientWidth; }"
    assert visitor.page.evaluate(beyond) <= 0
    expect(visitor.page.get_by_test_id("stException")).to_have_count(0)
    expect(visitor.page.locator("[data-stale=true]")).to_have_count(0)


def test_a_card_opened_from_far_down_the_list_is_seen_from_its_top(arrive: Arrive) -> None:
    visitor = arrive("pitfalls")
    button = visitor.page.get_by_role("button", name=EN["pitfalls.open"]).nth(8)
    button.scroll_into_view_if_needed()
    button.click()
    expect(visitor.page.locator(".mha-verdict")).to_have_count(1)
    expect(visitor.page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    assert visitor.page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollTop") == 0
