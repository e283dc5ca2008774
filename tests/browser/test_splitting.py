"""The splitting animation in a small app, and as a file from a disk without a network."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

import mha_viz
from mha_viz.figures import splitting_animation
from tests.browser.animation_guest import Guest
from tests.browser.component_page import browser_of
from tests.serving import served

pytestmark = pytest.mark.browser

_APP = Path(__file__).parent / "apps" / "splitting.py"
_N_HEADS, _D_K = 4, 16
Watch = Callable[..., Guest]


@pytest.fixture(scope="module")
def splitting_browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    with browser_of(request) as browser:
        yield browser


@pytest.fixture(scope="module")
def splitting_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("splitting") / "log.txt", _APP) as address:
        yield address


@pytest.fixture
def watch(splitting_browser: Browser, splitting_app: str) -> Iterator[Watch]:
    """Lets somebody watch; nobody may leave with an error in the console."""
    guests: list[Guest] = []

    def come(link: str = "", **options: object) -> Guest:
        guests.append(Guest(splitting_browser, f"{splitting_app}/?{link}", **options))  # type: ignore[arg-type]
        return guests[-1]

    yield come
    for guest in guests:
        guest.context.close()
    assert [guest.errors for guest in guests] == [[] for _ in guests]


@pytest.fixture(scope="module")
def layer() -> mha_viz.LayerTrace:
    """What the small app shows."""
    model = mha_viz.open_model("toy", n_heads=_N_HEADS)
    return model.inspect_layer(
        model.tokenize("the <b>cat</b> sat on the mat"), mha_viz.Controls(mask=mha_viz.Causal()), 0
    )


def _told(guest: Guest, text: str) -> None:
    expect(guest.page.get_by_text(re.compile(f"told {re.escape(text)}$"))).to_be_visible()


def _values_are_in_place(guest: Guest) -> None:
    for head in range(_N_HEADS):
        for row, column in ((1, 0), (4, 7), (5, _D_K - 1)):
            assert guest.is_drawn("value", head, row, head * _D_K + column), (head, row, column)


def test_playing_moves_the_cells_and_they_end_where_they_must(watch):
    guest = watch("step=project")
    guest.at(2)
    _values_are_in_place(guest)
    before = guest.picture()
    guest.button("Play").click()
    pictures = guest.frames(25)
    assert len(set(pictures)) > 5
    expect(guest.title).to_contain_text("3 / 9")
    guest.at(3)
    guest.button("Pause").click()
    assert guest.picture() != before
    _values_are_in_place(guest)
    _told(guest, "split 0 all play")


def test_playing_goes_to_the_end_by_itself_and_stops_there(watch):
    guest = watch("step=weigh", calm=True)
    guest.root.get_by_label("Speed").select_option("4")
    guest.button("Play").click()
    expect(guest.title).to_contain_text("9 / 9", timeout=15_000)
    expect(guest.button("Play")).to_be_visible()
    _told(guest, "output 0 all play")


def test_pausing_stops_between_two_steps_and_playing_goes_on_from_there(watch):
    guest = watch("step=project")
    guest.at(2)
    guest.button("Play").click()
    guest.frames(8)
    guest.button("Pause").click()
    assert len(set(guest.frames(15))) == 1
    assert 0 < guest.state("time") < 1100
    assert guest.state("frame") == 0
    held = guest.state("time")
    guest.button("Play").click()
    guest.frames(5)
    assert guest.state("time") > held


def test_nothing_is_drawn_while_nothing_moves(watch):
    guest = watch("step=softmax")
    guest.at(6)
    assert guest.state("frame") == 0
    assert len(set(guest.frames(10))) == 1


def test_the_keys(watch):
    guest = watch()
    guest.stage.focus()
    for key, told in (
        ("ArrowRight", "project 0 all play"),
        ("End", "output 0 all play"),
        ("ArrowLeft", "join 0 all play"),
        ("3", "join 3 one play"),
        ("3", "join 3 all play"),
        ("2", "join 2 one play"),
        ("a", "join 2 all play"),
        ("Home", "x 2 all play"),
    ):
        guest.page.keyboard.press(key)
        _told(guest, told)
    guest.page.keyboard.press("9")  # there is no such head
    assert guest.state("head") == 2
    guest.page.keyboard.press("Space")
    expect(guest.button("Pause")).to_be_visible()
    guest.page.keyboard.press("Space")
    expect(guest.button("Play")).to_be_visible()


def test_f_fills_the_screen_with_a_larger_picture_and_gives_it_back(watch):
    guest = watch("step=split")
    guest.at(3)
    guest.stage.focus()
    width = guest.root.bounding_box()["width"]
    guest.page.keyboard.press("f")
    guest.page.wait_for_function("root => root.matches(':fullscreen')", arg=guest.root.element_handle())
    guest.at(3)
    assert guest.root.bounding_box()["width"] > width
    assert guest.is_drawn("value", 2, 4, 2 * _D_K + 5)
    guest.page.keyboard.press("f")
    guest.page.wait_for_function("root => !root.matches(':fullscreen')", arg=guest.root.element_handle())
    guest.at(3)
    assert guest.root.bounding_box()["width"] == width


def test_a_key_on_a_control_is_the_controls_own(watch):
    guest = watch(calm=True)
    guest.button("One step on").focus()
    guest.page.keyboard.press("Space")
    guest.at(2)
    expect(guest.button("Play")).to_be_visible()
    guest.root.get_by_role("slider").focus()
    guest.page.keyboard.press("ArrowRight")
    guest.at(3)


def test_a_rerun_in_the_middle_does_not_begin_again(watch):
    guest = watch("step=project")
    guest.root.evaluate("(root) => { root.dataset.mine = '1'; }")
    guest.button("Play").click()
    expect(guest.title).to_contain_text("3 / 9")
    guest.page.get_by_role("button", name="another run").click()
    expect(guest.page.get_by_text(re.compile("^runs 2"))).to_be_visible()
    assert guest.root.get_attribute("data-mine") == "1"
    assert guest.state("playing") is True
    assert guest.state("step") >= 2
    expect(guest.title).to_contain_text("4 / 9")


def test_other_numbers_keep_the_step_and_the_playing(watch):
    guest = watch("step=split")
    guest.at(3)
    guest.button("Play").click()
    expect(guest.title).to_contain_text("4 / 9")
    guest.page.get_by_role("button", name="two heads").click()
    expect(guest.root.locator(".split-chip")).to_have_text(["All", "0", "1"])
    assert guest.state("step") >= 3
    assert guest.state("playing") is True


def test_one_head_is_followed_and_the_others_are_dimmed(watch):
    guest = watch("step=split")
    guest.at(3)
    guest.button("Follow head 1 alone").click()
    _told(guest, "split 1 one play")
    guest.at(3)
    assert guest.is_drawn("value", 1, 3, _D_K + 4)
    assert not any(guest.is_drawn("value", 0, row, column) for row in range(6) for column in range(_D_K))
    expect(guest.button("Follow head 1 alone")).to_have_attribute("aria-pressed", "true")


def test_what_is_hidden_goes_out_of_play(watch):
    guest = watch("step=scores", calm=True)
    guest.at(4)
    assert guest.is_drawn("scaled", 0, 1, 5)
    guest.button("One step on").click()
    guest.at(5)
    assert guest.is_drawn("scaled", 0, 5, 1)
    assert not guest.is_drawn("scaled", 0, 1, 5)
    assert "hidden" in guest.points_at("scaled", 0, 1, 5)


def test_the_theme_is_followed_live(watch):
    guest = watch("step=scores")
    guest.at(4)
    pictures = []
    for scheme, ink in (
        ("light", r"rgb\(\d\d, \d\d, \d\d\)"),
        ("dark", r"rgb\(2\d\d, 2\d\d, 2\d\d\)"),
        ("light", r"rgb\(\d\d, "),
    ):
        guest.page.emulate_media(color_scheme=scheme)
        expect(guest.title).to_have_css("color", re.compile(ink))
        expected = "#fafafa" if scheme == "dark" else "#31333f"
        guest.page.wait_for_function(
            "([root, light]) => (parseInt(root.splitting.inks.text.slice(1, 3), 16) > 128) === light",
            arg=[guest.root.element_handle(), expected == "#fafafa"],
        )
        guest.frames(2)
        pictures.append(guest.picture())
    assert pictures[0] == pictures[2] != pictures[1]


def test_reduced_motion_steps_without_travelling(watch):
    guest = watch("step=project", calm=True)
    guest.at(2)
    before = guest.picture()
    guest.button("One step on").click()
    pictures = guest.frames(15)
    assert set(pictures) <= {before, pictures[-1]}
    _values_are_in_place(guest)


def test_all_steps_on_one_sheet(watch):
    guest = watch("motion=sheet")
    expect(guest.root.locator("figure")).to_have_count(9)
    expect(guest.root.locator("figcaption strong").last).to_contain_text("9 / 9")
    guest.button("Every step on one sheet").click()
    expect(guest.root.locator("figure")).to_have_count(1)


@pytest.mark.parametrize("step", ["scores", "softmax", "output"])
def test_what_is_shown_of_a_cell_is_the_layers_number(watch, layer, step):
    guest = watch(f"step={step}")
    array, recorded = {
        "scores": ("scaled", layer.scores / np.sqrt(_D_K)),
        "softmax": ("weights", layer.weights),
        "output": ("joined", layer.head_output.transpose(1, 0, 2).reshape(layer.output.shape)),
    }[step]
    column = 3 if recorded.ndim == 3 else 2 * _D_K + 3
    value = recorded[2, 5, column] if recorded.ndim == 3 else recorded[5, column]
    said = guest.points_at(array, 2, 5, column)
    assert said.endswith(_written(float(np.float32(value)))), said
    assert "head 2" in said


def _written(value: float) -> str:
    small = value != 0 and abs(value) < 0.001
    text = re.sub(r"e([+-])0*(\d)", r"e\1\2", f"{value:.2e}") if small else f"{value:.4f}"
    return ": " + text.replace("-", "−")


def test_tokens_are_text(watch):
    guest = watch("step=scores")
    assert guest.root.locator("b b, bdi b").count() == 0
    expect(guest.root.locator(".split-chips bdi")).not_to_have_count(0)


def test_names_and_the_order_of_focus(watch):
    guest = watch("step=mask")
    expect(guest.root.locator("[aria-live=polite]")).not_to_be_empty()
    names = guest.root.get_by_role("button").evaluate_all(
        "(buttons) => buttons.map((button) => button.getAttribute('aria-label') || button.textContent)"
    )
    assert all(names)
    guest.stage.focus()
    order = []
    for _ in range(4):
        guest.page.keyboard.press("Tab")
        order.append(guest.root.evaluate("(root) => root.getRootNode().activeElement?.getAttribute('aria-label')"))
    assert [name.split(" (")[0] for name in order] == ["First step", "One step back", "Play", "One step on"]


@pytest.mark.parametrize("size", [(390, 844), (1280, 800), (1920, 1080)])
def test_nothing_but_the_stage_scrolls_sideways(watch, size):
    guest = watch("step=softmax", size=size)
    assert guest.page.evaluate("document.documentElement.scrollWidth") <= size[0]
    box = guest.root.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= size[0]


def test_a_file_from_the_disk_plays_without_a_network_and_shows_the_same_numbers(splitting_browser, layer, tmp_path):
    file = tmp_path / "animation.html"
    file.write_text(splitting_animation(layer, focus=2).to_html(), encoding="utf-8")
    guest = Guest(splitting_browser, file.as_uri(), root="#split", offline=True)
    guest.page.keyboard.press("Space")
    expect(guest.title).to_contain_text("3 / 9")
    guest.page.keyboard.press("Space")
    guest.page.keyboard.press("End")
    guest.page.keyboard.press("ArrowLeft")
    guest.page.keyboard.press("ArrowLeft")
    guest.at(7)
    for head in range(_N_HEADS):
        said = guest.points_at("weights", head, 5, 2)
        assert said.endswith(_written(float(layer.weights[head, 5, 2]))), said
    assert guest.errors == []
    assert guest.asked == [file.as_uri()]
    guest.context.close()


def test_the_picture_of_all_steps_can_be_saved(splitting_browser, layer, tmp_path):
    file = tmp_path / "animation.html"
    file.write_text(splitting_animation(layer).to_html(), encoding="utf-8")
    guest = Guest(splitting_browser, file.as_uri(), root="#split", offline=True)
    with guest.page.expect_download() as download:
        guest.button("Save every step as a PNG").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")
    guest.context.close()
