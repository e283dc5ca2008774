"""A model of the Hub, as a person gets it: chosen from the list, fetched, cancelled, fetched to its end, and linked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from mha_viz.models.huggingface import HuggingFaceModel
from mha_viz.words import say
from tests.browser.visitor import NARROW, WIDE, Visitor, hover_text
from tests.models import families, hub_models
from tests.models.hub_server import HubServer
from tests.serving import served

pytestmark = pytest.mark.browser

NAME, SHORT = "albert/albert-base-v2", "albert-base-v2"
WEIGHTS = "model.safetensors"
_FIRST = 120_000  # milliseconds; a fresh process imports torch and transformers, on a busy computer
_TEXT = "the cat sat on the mat"
_TOKENS = ["[CLS]", "the", "cat", "sat", "on", "the", "mat", "[SEP]"]


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[HubServer]:
    """A Hub that has one model of the list, and takes its time."""
    made = hub_models.padded(families.save(tmp_path / "made", "albert"))
    with HubServer({NAME: made}) as server:
        server.faults.slow = 20_000  # the whole would take most of a minute
        yield server


@pytest.fixture
def address(hub: HubServer, tmp_path: Path, chromium: Browser) -> Iterator[str]:
    """The app, with an empty cache, and that Hub instead of the real one."""
    own = {"HF_ENDPOINT": hub.address, "HF_HOME": str(tmp_path / "home"), "NO_PROXY": "*", "no_proxy": "*"}
    with served(tmp_path / "log.txt", environment=own) as address:
        yield address


def _button(visitor: Visitor, name: str | re.Pattern[str]) -> Locator:
    return visitor.page.get_by_role("button", name=name)


def _card(visitor: Visitor, name: str) -> Locator:
    return visitor.page.locator(f".st-key-choose_{name}")


def _percent(bar: Locator) -> int:
    return int(bar.get_attribute("aria-valuenow") or 0)


def test_from_the_list_to_a_heatmap_and_to_another_browser(chromium: Browser, address: str, hub: HubServer) -> None:
    mine = Visitor(chromium, address, WIDE, "light").open("heads", {"source": "hub", "text": _TEXT})
    _card(mine, SHORT).get_by_role("button").click()
    expect(mine.page).to_have_url(re.compile(rf"model={re.escape(NAME).replace('/', '(/|%2F)')}"))
    fetch = re.compile("^" + say("hub.fetch", size=""))
    _button(mine, fetch).click()
    bar = mine.page.get_by_role("progressbar")
    expect(bar).to_have_attribute("aria-valuenow", re.compile("[1-9]"))
    early = _percent(bar)
    expect(bar).not_to_have_attribute("aria-valuenow", str(early))
    assert _percent(bar) > early

    _button(mine, say("hub.cancel")).click()
    expect(mine.page.get_by_text("are here already")).to_be_visible()
    hub.mend()
    _button(mine, fetch).click()
    expect(mine.large.locator(".ytick")).not_to_have_count(0, timeout=_FIRST)
    mine.sees_tokens(_TOKENS)
    (resumed,) = hub.gets(WEIGHTS)
    assert re.fullmatch(r"bytes=[1-9]\d*-", resumed.range or "")

    commit = hub.commit(NAME)
    expect(mine.page).to_have_url(re.compile(f"revision={commit}"))
    yours = Visitor(chromium, address, WIDE, "dark", fresh=True).open("heads?" + mine.link(), {})
    yours.sees_tokens(_TOKENS)
    expect(yours.page.get_by_text(f"version {commit[:8]}")).to_be_visible()
    assert yours.link() == mine.link()
    model = HuggingFaceModel(hub.models[NAME], NAME)
    weight = model.run(model.tokenize(_TEXT)).weights[0, 0, 3, 2]
    for visitor in (mine, yours):
        expect(visitor.points_at(3, 2, len(_TOKENS))).to_contain_text(hover_text("sat (3)", "cat (2)", weight))
    _leave(mine, yours)


def test_on_a_phone_every_card_can_be_read_and_chosen(chromium: Browser, address: str, hub: HubServer) -> None:
    visitor = Visitor(chromium, address, NARROW, "dark").open("heads", {"source": "hub"})
    buttons = visitor.page.get_by_role("button", name=say("hub.choose"), exact=True)
    expect(buttons).to_have_count(9)
    for place in (*buttons.all(), *visitor.page.locator(".mha-model").all()):
        box = place.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= NARROW[0]
        assert place.evaluate("one => one.scrollWidth <= one.clientWidth")
    _card(visitor, SHORT).get_by_role("button").click()
    expect(_button(visitor, say("run.choose_another"))).to_be_in_viewport()
    _button(visitor, say("run.choose_another")).click()
    expect(buttons).to_have_count(9)
    _leave(visitor)


def _leave(*visitors: Visitor) -> None:
    """Nobody leaves with an error in the console or a request to another computer."""
    for visitor in visitors:
        visitor.leave()
    assert [visitor.errors for visitor in visitors] == [[] for _ in visitors]
    assert [visitor.outside for visitor in visitors] == [[] for _ in visitors]
