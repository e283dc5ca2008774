"""The page on masks and temperature, as a person uses it: paint, undo, follow a token, change the view, start again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

import mha_viz
from mha_viz import Controls
from mha_viz.masks import Causal, Mask, Painted
from mha_viz.words import say
from tests.browser.component_page import browser_of
from tests.browser.masks_guest import PATIENCE, TEXT, WORDS, Guest
from tests.serving import served

pytestmark = pytest.mark.browser

VIEWS = ("mask", "temperature", "stages", "difference")
Come = Callable[..., Guest]


@pytest.fixture(scope="module")
def masks_browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    with browser_of(request) as browser:
        yield browser


@pytest.fixture(scope="module")
def masks_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("masks") / "log.txt") as address:
        yield address


@pytest.fixture
def come(masks_browser: Browser, masks_server: str) -> Iterator[Come]:
    """Lets somebody come to the page by a link; nobody may leave with an error in the console."""
    guests: list[Guest] = []

    def arrives(*, width: int = 1280, **link: str) -> Guest:
        guests.append(Guest(masks_browser, masks_server, width, **({"text": TEXT} | link)))
        return guests[-1]

    yield arrives
    for guest in guests:
        guest.context.close()
    assert [guest.errors for guest in guests] == [[] for _ in guests]


def paint(*boxes: tuple[int, int, int, int], n: int = len(WORDS)) -> np.ndarray:
    """bool (query, key): first and last query, first and last key of each rectangle."""
    cells = np.zeros((n, n), dtype=bool)
    for q0, q1, k0, k1 in boxes:
        cells[q0 : q1 + 1, k0 : k1 + 1] = True
    return cells


def run_of(mask: Mask | None, source: str = "toy", **where: Any) -> tuple[np.ndarray, tuple[str, ...]]:
    """Weights (layer, head, query, key) of an independent run, NaN where hidden, and its tokens."""
    model = mha_viz.open_model(source)
    tokens = model.tokenize(TEXT)
    trace = model.run(tokens, Controls(mask=mask, **where))
    return np.where(trace.visible, trace.weights, np.nan), tokens.tokens


def test_painting_a_rectangle_changes_the_mask_the_link_and_the_models_numbers(come: Come) -> None:
    guest, painted = come(), paint((1, 2, 1, 3))
    guest.paint_is(paint())
    guest.drags((1, 1), (2, 3))
    guest.has_link(painted="1", painted_cells=Painted.of(painted).cells)
    guest.rests()
    guest.sees(say("masks.cells", seen=19, all=25))
    guest.sees(f"{19 / 25:.3f}")
    guest.paint_is(painted)
    guest.goes_to("temperature")
    weights, tokens = run_of(Painted.of(painted))
    guest.reads(weights[0, 0], tokens, [(0, 0), (1, 0), (1, 2), (2, 4), (2, 3), (4, 3)])


def test_a_painted_cell_acts_in_every_layer_of_bert(come: Come) -> None:
    guest, painted = come(source="minilm", layer="5", head="3"), paint((0, 6, 0, 0), n=7)
    guest.page.mouse.move(*guest.cell(3, 0, 7))
    guest.drags((0, 0), (6, 0), 7)
    guest.has_link(painted_cells=Painted.of(painted).cells)
    guest.goes_to("temperature")
    weights, tokens = run_of(Painted.of(painted), "minilm")
    guest.reads(weights[5, 3], tokens, [(1, 1), (3, 6), (2, 0), (6, 5)])


def test_several_strokes_one_of_which_takes_paint_off(come: Come) -> None:
    guest = come(text=TEXT, causal="1")
    guest.drags((3, 0), (4, 2))
    guest.has_link(painted_cells=Painted.of(paint((3, 4, 0, 2))).cells)
    guest.rests()
    guest.drags((4, 2), (4, 1))
    wanted = paint((3, 3, 0, 2), (4, 4, 0, 0))
    guest.has_link(painted_cells=Painted.of(wanted).cells, causal="1")
    guest.goes_to("temperature")
    weights, tokens = run_of(Causal() & Painted.of(wanted))
    guest.reads(weights[0, 0], tokens, [(4, 1), (4, 0), (3, 3), (0, 1)])


def test_undo_takes_back_stroke_after_stroke(come: Come) -> None:
    guest = come()
    undo = guest.page.get_by_role("button", name=say("masks.undo"))
    expect(undo).to_be_disabled(timeout=PATIENCE)
    first, both = paint((0, 1, 4, 4)), paint((0, 1, 4, 4), (4, 4, 0, 1))
    guest.drags((0, 4), (1, 4))
    guest.has_link(painted_cells=Painted.of(first).cells)
    guest.rests()
    guest.drags((4, 0), (4, 1))
    guest.has_link(painted_cells=Painted.of(both).cells)
    guest.rests()
    undo.click()
    guest.has_link(painted_cells=Painted.of(first).cells, painted="1")
    guest.rests()
    guest.paint_is(first)
    undo.click()
    guest.has_link(painted_cells="", painted="")
    guest.rests()
    expect(undo).to_be_disabled(timeout=PATIENCE)
    guest.paint_is(paint())


def test_a_row_label_paints_the_row_and_the_row_without_a_key_is_named(come: Come) -> None:
    guest = come()
    guest.presses_row(2)
    guest.has_link(painted_cells=Painted.of(paint((2, 2, 0, 4))).cells)
    alert = guest.page.get_by_role("alert")
    expect(alert).to_contain_text("No key allowed in row 2 “three”", timeout=PATIENCE)
    guest.sees(say("masks.of_rows", n_tokens=5))
    guest.goes_to("temperature")
    notes = guest.page.locator(".st-key-large_head .annotation-text")
    expect(notes).to_have_text([say("figure.no_key")], timeout=PATIENCE)
    expect(guest.hovers(2, 2, 5)).to_contain_text("three (2): no key allowed", timeout=PATIENCE)
    guest.goes_to("mask")
    guest.presses_row(2)
    guest.has_link(painted_cells="")
    expect(alert).to_have_count(0, timeout=PATIENCE)


def test_the_link_of_a_painted_mask_restores_it_in_a_fresh_browser(come: Come) -> None:
    painter, painted = come(temperature="2"), paint((0, 4, 2, 2), (3, 4, 3, 4))
    painter.drags((0, 2), (4, 2))
    painter.has_link(painted_cells=Painted.of(paint((0, 4, 2, 2))).cells)
    painter.rests()
    painter.drags((3, 3), (4, 4))
    painter.has_link(painted_cells=Painted.of(painted).cells)
    other = come(**painter.link)
    other.paint_is(painted)
    assert other.link == painter.link
    other.goes_to("temperature")
    weights, tokens = run_of(Painted.of(painted), temperature=2.0)
    other.reads(weights[0, 0], tokens, [(3, 1), (3, 3), (0, 2), (1, 4)])


def test_the_stages_follow_a_token_that_was_clicked_in_the_large_head(come: Come) -> None:
    guest = come(view="temperature")
    expect(guest.hovers(3, 1, 5)).to_contain_text("four (3)", timeout=PATIENCE)
    guest.page.mouse.click(*guest.spot("large_head", 0.3, 0.7))
    guest.has_link(focus="3")
    guest.goes_to("stages")
    guest.sees("Row 3 through all five stages")
    guest.page.get_by_role("combobox", name=say("focus.title")).click()
    guest.page.get_by_role("option", name="1 two", exact=False).click()
    guest.has_link(focus="1")
    guest.sees("Row 1 through all five stages")


def test_the_stages_follow_a_token_that_was_clicked_in_them(come: Come) -> None:
    guest = come(view="stages", temperature="2")
    # The middle of the third of five pictures, in its last row.
    place = guest.spot("stages", 2.9 / 5.8, 4.5 / 5)
    guest.page.mouse.move(1, 1)
    guest.page.mouse.move(*place)
    expect(guest.page.locator(".st-key-stages .hoverlayer")).to_contain_text("five (4)", timeout=PATIENCE)
    guest.page.mouse.click(*place)
    guest.has_link(focus="4")
    guest.sees("Row 4 through all five stages")


def test_the_reset_button_takes_the_paint_off(come: Come) -> None:
    cells = Painted.of(paint((0, 4, 0, 0))).cells
    guest = come(painted="1", painted_cells=cells, causal="1", inverted="causal", temperature="5", in_heads="1")
    expect(guest.page.get_by_role("alert")).to_have_count(0, timeout=PATIENCE)
    guest.presses("controls.reset")
    guest.has_link(painted="", painted_cells="", causal="", inverted="", temperature="", in_heads="")
    guest.rests()
    guest.paint_is(paint())
    guest.goes_to("temperature")
    weights, tokens = run_of(None)
    guest.reads(weights[0, 0], tokens, [(0, 0), (1, 0), (4, 2)])


def test_one_click_gives_the_compound_mask_and_a_card_takes_one_out_again(come: Come) -> None:
    guest = come()
    guest.presses("masks.preset")
    guest.has_link(causal="1", padding="1", window="1")
    guest.rests()
    guest.page.locator(".st-key-switch_padding").get_by_role("button").click()
    guest.has_link(causal="1", padding="", window="1")


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("source", ["toy", "minilm"])
def test_nothing_scrolls_sideways_on_a_telephone(come: Come, view: str, source: str) -> None:
    guest = come(width=390, view=view, source=source, causal="1", temperature="2", text="The animal was too tired.")
    drawn = {"mask": "canvas.cells", "temperature": "canvas.cells", "stages": ".st-key-stage_bars .js-plotly-plot"}
    guest.sees(guest.page.locator(drawn.get(view, ".st-key-grid .js-plotly-plot")))
    widths = guest.page.evaluate(
        """() => [document.documentElement, document.querySelector("[data-testid=stMain]")]
                 .map((part) => [part.scrollWidth, part.clientWidth])"""
    )
    assert all(whole <= seen for whole, seen in widths), widths
