"""The mask to paint on alone in a small app, and what it shares with the repaint."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from mha_viz.errors import InputError
from mha_viz.ui.paint import Stroke, apply_stroke
from tests.browser.component_page import OTHER, PAINTED, VISIBLE, Look, Viewer, browser_of, looks

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def components_browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    with browser_of(request) as browser:
        yield browser


@pytest.fixture(scope="module")
def painter(components_browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Look]:
    yield from looks("painting.py", components_browser, tmp_path_factory)


@pytest.fixture(scope="module")
def repainter(components_browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Look]:
    yield from looks("repainting.py", components_browser, tmp_path_factory)


def _got(viewer: Viewer, text: str) -> None:
    expect(viewer.page.get_by_text(text)).to_be_visible()


def test_a_drag_hides_a_rectangle_and_another_from_within_it_shows_it_again(painter):
    viewer = painter(free=1)
    viewer.drags(viewer.cell(1, 2, 8), viewer.cell(3, 5, 8), let_go=False)
    expect(viewer.where).to_have_text("queries 1 to 3, keys 2 to 5: painting will hide 12 cells")
    assert viewer.looks_like(2, 1, 8, VISIBLE)
    viewer.page.mouse.up()
    _got(viewer, "strokes 1, painted 12, last (1, 3, 2, 5, True)")
    viewer.drags(viewer.cell(3, 5, 8), viewer.cell(2, 6, 8))
    _got(viewer, "strokes 2, painted 10, last (2, 3, 5, 6, False)")


def test_each_kind_of_cell_has_its_ink_and_its_words(painter):
    viewer = painter()
    viewer.page.mouse.click(*viewer.cell(7, 1, 8))
    _got(viewer, "strokes 1, painted 1")
    viewer.page.mouse.move(5, 5)
    expect(viewer.where).to_have_text("")
    for row, column, ink, state in (
        (7, 0, VISIBLE, "query 7 “cat!”, key 0 “the!”: visible"),
        (1, 7, OTHER, "query 1 “dog!”, key 7 “cat!”: hidden by another mask"),
        (7, 1, PAINTED, "query 7 “cat!”, key 1 “dog!”: hidden by painting"),
    ):
        assert viewer.looks_like(row, column, 8, ink), viewer.ink(row, column, 8)
        viewer.page.mouse.move(*viewer.cell(row, column, 8))
        expect(viewer.where).not_to_have_text("")
        expect(viewer.where).to_contain_text(state.rsplit(" ", 1)[1])
        assert viewer.text(viewer.where) == state
        viewer.page.mouse.move(5, 5)
        expect(viewer.where).to_have_text("")


def _corner(viewer) -> tuple[float, float]:
    """The upper left corner of the picture."""
    box = viewer.canvas.bounding_box()
    assert box is not None
    return box["x"], box["y"]


def test_labels_paint_whole_rows_and_columns(painter):
    viewer = painter(free=1)

    def beside(query: int) -> tuple[float, float]:
        return _corner(viewer)[0] - 20, viewer.cell(query, 0, 8)[1]

    def click_above(key: int) -> None:  # where the picture is now: a rerun may have moved it
        viewer.page.mouse.click(viewer.cell(0, key, 8)[0], _corner(viewer)[1] - 20)

    viewer.drags(beside(2), beside(3))
    _got(viewer, "strokes 1, painted 16, last (2, 3, 0, 7, True)")
    click_above(4)
    _got(viewer, "strokes 2, painted 22, last (0, 7, 4, 4, True)")
    click_above(4)
    _got(viewer, "strokes 3, painted 14, last (0, 7, 4, 4, False)")


def test_escape_and_letting_go_outside(painter):
    viewer = painter(free=1)
    viewer.drags(viewer.cell(1, 1, 8), viewer.cell(3, 3, 8), let_go=False)
    expect(viewer.where).to_contain_text("will hide 9")
    viewer.page.keyboard.press("Escape")
    expect(viewer.where).not_to_contain_text("will hide")
    viewer.page.mouse.up()
    viewer.drags(viewer.cell(6, 6, 8), (viewer.cell(7, 7, 8)[0] + 300, viewer.cell(7, 7, 8)[1] + 100))
    _got(viewer, "strokes 1, painted 4, last (6, 7, 6, 7, True)")


def test_the_keyboard_paints_too_and_keeps_its_place_and_the_focus(painter):
    viewer = painter(free=1)
    viewer.grid.focus()
    for key in ("ArrowDown", "ArrowRight", "Space"):
        viewer.page.keyboard.press(key)
    _got(viewer, "strokes 1, painted 1, last (1, 1, 1, 1, True)")
    for key in ("ArrowDown", "Shift+ArrowDown", "Shift+ArrowRight"):
        viewer.page.keyboard.press(key)
    expect(viewer.where).to_contain_text("queries 2 to 3, keys 1 to 2: painting will hide 4 cells")
    viewer.page.keyboard.press("Escape")
    expect(viewer.page.get_by_role("gridcell")).to_have_text(re.compile("^query 3 .*: visible$"))
    for key in ("Home", "Shift+End", "Enter"):
        viewer.page.keyboard.press(key)
    _got(viewer, "strokes 2, painted 9, last (3, 3, 0, 7, True)")
    expect(viewer.grid).to_be_focused()
    assert viewer.page.get_by_role("gridcell").get_attribute("aria-colindex") == "8"


def test_a_finger_paints_and_the_grid_does_not_scroll(painter):
    viewer = painter(free=1, touch=True, width=390)
    viewer.page.touchscreen.tap(*viewer.cell(4, 2, 8))
    _got(viewer, "strokes 1, painted 1, last (4, 4, 2, 2, True)")
    assert viewer.canvas.evaluate("(element) => getComputedStyle(element).touchAction") == "none"
    assert viewer.page.locator(".rows").evaluate("(element) => getComputedStyle(element).touchAction") == "auto"


def test_reruns_stack_no_listeners_and_do_not_mount_again(painter):
    viewer = painter(free=1)
    viewer.canvas.evaluate("(element) => { element.dataset.mine = '1'; }")
    for number in range(3):
        viewer.page.get_by_role("button", name="another run").click()
        viewer.page.mouse.click(*viewer.cell(number, 0, 8))
        _got(viewer, f"strokes {number + 1}, painted {number + 1}")
    assert viewer.canvas.get_attribute("data-mine") == "1"


def test_many_tokens_share_cells_and_the_text_says_so(painter):
    viewer = painter(n=200)
    _got(viewer, "4 × 4 tokens")
    assert viewer.looks_like(49, 0, 50, VISIBLE)
    viewer.page.mouse.move(*viewer.cell(10, 10, 50))
    expect(viewer.where).to_have_text(
        "queries 40 to 43, keys 40 to 43: 10 visible, 6 hidden by another mask, 0 hidden by painting"
    )
    viewer.drags(viewer.cell(49, 0, 50), viewer.cell(49, 1, 50))
    _got(viewer, "painted 32, last (196, 199, 0, 7, True)")


@pytest.mark.parametrize(
    "stroke",
    [
        None,
        "all",
        [0, 1, 0, 1, True],
        {"q0": 0, "q1": 1, "k0": 0, "k1": 1},
        {"q0": 0, "q1": 4, "k0": 0, "k1": 1, "hide": True},
        {"q0": -1, "q1": 1, "k0": 0, "k1": 1, "hide": True},
        {"q0": 2, "q1": 1, "k0": 0, "k1": 1, "hide": True},
        {"q0": 0.0, "q1": 1, "k0": 0, "k1": 1, "hide": True},
        {"q0": True, "q1": 1, "k0": 0, "k1": 1, "hide": True},
        {"q0": 0, "q1": 1, "k0": 0, "k1": math.nan, "hide": True},
        {"q0": 0, "q1": 1, "k0": 0, "k1": 1, "hide": 1},
        {"q0": 0, "q1": 1, "k0": 0, "k1": 1, "hide": True, "more": 1},
    ],
)
def test_a_hostile_stroke_is_refused(stroke):
    with pytest.raises(InputError) as refused:
        apply_stroke(np.zeros((4, 4), dtype=bool), stroke)
    assert refused.value.key == "error.stroke"


def test_a_stroke_changes_its_rectangle_alone_and_not_the_array_given():
    before = np.eye(4, dtype=bool)
    after = apply_stroke(before, Stroke(1, 2, 0, 3, hide=True))
    assert after.tolist() == [[True, False, False, False], [True] * 4, [True] * 4, [False, False, False, True]]
    assert apply_stroke(after, {"q0": 0, "q1": 3, "k0": 0, "k1": 3, "hide": False}).sum() == 0
    assert (before == np.eye(4, dtype=bool)).all()


# What both components do


@pytest.mark.parametrize("component", ["painter", "repainter"])
@pytest.mark.parametrize("n_tokens", [1, 20, 64, 512])
def test_nothing_scrolls_sideways_on_a_telephone(component, n_tokens, request):
    viewer = request.getfixturevalue(component)(width=390, n=n_tokens)
    box, width = viewer.canvas.bounding_box(), viewer.page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390
    assert box is not None
    assert box["x"] + box["width"] <= 390
    if n_tokens >= 20:
        assert box["width"] > 180


@pytest.mark.parametrize("component", ["painter", "repainter"])
@pytest.mark.parametrize("scale", [1, 1.5, 3])
def test_every_cell_is_whole_pixels_of_the_screen(component, scale, request):
    viewer = request.getfixturevalue(component)(n=20, scale=scale)
    drawn, box = viewer.canvas.evaluate("(canvas) => canvas.width"), viewer.canvas.bounding_box()
    assert box is not None
    assert drawn % 20 == 0
    assert drawn == pytest.approx(box["width"] * scale, abs=0.5)


@pytest.mark.parametrize("component", ["painter", "repainter"])
def test_the_theme_is_followed_live(component, request):
    viewer = request.getfixturevalue(component)(n=8)
    note = viewer.page.locator(".mha-root :is(p.small, p.hint)").last
    colours = []
    for scheme in ("light", "dark", "light"):
        viewer.switch_scheme(scheme)
        light_text = r"rgb\(2\d\d, 2\d\d, 2\d\d\)"
        expect(note).to_have_css("color", re.compile(light_text if scheme == "dark" else r"rgb\(\d\d, \d\d, \d\d\)"))
        colours.append(json.dumps(viewer.ink(7, 0, 8)))
    assert colours[0] == colours[2]


@pytest.mark.parametrize("component", ["painter", "repainter"])
def test_tokens_are_text_and_the_grid_has_a_name(component, request):
    viewer = request.getfixturevalue(component)(n=10)
    assert viewer.page.locator(".mha-root b").count() == 0
    labels = viewer.page.locator(".rows span")
    expect(labels).to_have_count(10)
    expect(labels.nth(2)).to_have_text("<b>barked</b>")
    assert labels.nth(6).get_attribute("title") == "6 an-extraordinarily-long-token" + "!" * (component == "painter")
    assert "queries in rows" in (viewer.grid.get_attribute("aria-label") or "")
    viewer.page.keyboard.press("Tab")
    for _ in range(30):
        if viewer.grid.evaluate("(element) => element.matches(':focus-visible')"):
            break
        viewer.page.keyboard.press("Tab")
    expect(viewer.grid).to_have_css("outline-style", "solid")
