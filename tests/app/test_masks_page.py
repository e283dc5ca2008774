"""The mask workbench: what is switched on acts inside the model, stands in the link, and comes back from it."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mha_viz import MASKS, Causal, Controls, LocalWindow, Mask, Padding
from mha_viz.masks import (
    AcrossSentences,
    BlockDiagonal,
    BlockSparse,
    DilatedWindow,
    GlobalTokens,
    HideKey,
    HideQuery,
    Painted,
    Segments,
    Strided,
    WithinSentence,
    density,
    reach,
)
from mha_viz.words import say
from tests.app import masks_page
from tests.app.masks_page import SENTENCE, SHORT, SOURCES, VIEWS, button, cards, clicked, opened, painter, ran, same


@pytest.fixture(autouse=True)
def _warm_server(monkeypatch: pytest.MonkeyPatch) -> None:
    masks_page.on_a_warm_server(monkeypatch)


#: Links of masks, and what they mean.
LINKS: list[tuple[dict[str, str], Mask]] = [
    ({"causal": "1"}, Causal()),
    ({"padding": "1", "padding_last": "2"}, Padding(2)),
    ({"window": "1", "window_radius": "1"}, LocalWindow(1)),
    ({"dilated": "1", "dilated_radius": "1", "dilated_step": "3"}, DilatedWindow(1, 3)),
    ({"strided": "1", "strided_stride": "2"}, Strided(2)),
    ({"global": "1", "global_first": "2"}, GlobalTokens(2)),
    ({"blocks": "1", "blocks_size": "3"}, BlockDiagonal(3)),
    ({"sparse": "1", "sparse_size": "1", "sparse_seed": "7", "sparse_radius": "0"}, BlockSparse(1, 0, 1, 1, 7)),
    ({"within": "1"}, WithinSentence()),
    ({"across": "1"}, AcrossSentences()),
    ({"hide_key": "1", "hide_key_position": "3"}, HideKey(3)),
    ({"hide_query": "1", "hide_query_position": "2"}, HideQuery(2)),
    ({"causal": "1", "hide_key": "1"}, Causal() & HideKey(0)),
    ({"blocks": "1", "padding": "1", "padding_last": "4"}, Padding(4) & BlockDiagonal(4)),
    ({"segments": "1", "segments_size": "3", "segments_memory": "0"}, Segments(3, 0)),
    ({"causal": "1", "global": "1", "join": "any"}, Causal() | GlobalTokens(1)),
    ({"causal": "1", "inverted": "causal"}, ~Causal()),
    ({"causal": "1", "window": "1", "inverted": "causal.window", "join": "any"}, ~Causal() | ~LocalWindow(2)),
    ({"causal": "1", "window": "1", "inverted": "window"}, Causal() & ~LocalWindow(2)),
]
linked = pytest.mark.parametrize(("link", "mask"), LINKS, ids=[" ".join(link) for link, _ in LINKS])


def acts(app: AppTest, mask: Mask | None, source: str = "toy", **where: object) -> None:
    """The painter shows the mask, and so does the difference view, with the numbers of an independent run."""
    pair = app.session_state["pair"] or None
    text = app.session_state["text"]
    tokens = masks_page.tokens(source, text, pair)
    expected = np.ones((tokens.n_tokens,) * 2, dtype=bool) if mask is None else mask.visible(tokens)
    if app.session_state["view"] == "mask":
        assert (painter(app)[0] == expected).all()
    app.segmented_control(key="view").set_value("difference").run()
    layer, head = app.session_state["layer"], app.session_state["head"]
    wanted = masks_page.weights(source, Controls(mask=mask, **where), text, pair)  # type: ignore[arg-type]
    same(masks_page.heatmaps(ran(app), "difference")[1], wanted[layer, head])
    app.segmented_control(key="view").set_value("mask").run()


def test_every_kind_is_in_a_link() -> None:
    assert {name for link, _ in LINKS for name in link} >= set(MASKS) - {"painted"}


@linked
def test_a_mask_of_a_link_acts_in_the_toy_and_is_written_back(link: dict[str, str], mask: Mask) -> None:
    app = opened(**link, text=SHORT, pair="six seven eight")
    assert masks_page.said(app) == "" or not mask.visible(masks_page.tokens("toy", SHORT, "six seven eight")).all()
    acts(app, mask)
    assert app.query_params == {**link, "text": SHORT, "pair": "six seven eight"}


@linked
def test_a_mask_of_a_link_acts_in_every_layer_of_bert(link: dict[str, str], mask: Mask) -> None:
    acts(opened(**link, source="minilm", layer="4", head="7", pair="They sleep."), mask, "minilm")


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(
    "link",
    [
        {},
        {"causal": "1", "temperature": "3"},
        {"padding": "1", "padding_last": "500"},
        {"blocks": "1", "padding": "1", "padding_last": "5", "temperature": "0", "focus": "1"},
        {"text": "hi", "temperature": "inf"},
        {"across": "1", "temperature": "inf"},
    ],
    ids=["plain", "controls", "no key at all", "rows without a key", "short", "nothing across"],
)
def test_every_view_runs_to_its_end(view: str, source: str, link: dict[str, str]) -> None:
    app = opened(view=view, source=source, **link)
    expected = {
        "mask": ["large_head"],
        "temperature": ["large_head", "layer_difference", "entropy_curve"],
        "stages": ["stages", "stage_bars"],
        "difference": ["difference", "grid"],
    }
    drawn = masks_page.charts(app)
    hidden = "500" in link.values() or "across" in link
    assert drawn == [chart for chart in expected[view] if not (hidden and chart in ("entropy_curve", "stage_bars"))]


@pytest.mark.parametrize(
    ("link", "mask"),
    [
        ({}, None),
        ({"causal": "1"}, Causal()),
        ({"window": "1", "window_radius": "1"}, LocalWindow(1)),
        ({"blocks": "1", "padding": "1", "padding_last": "5"}, BlockDiagonal(4) & Padding(5)),
    ],
    ids=["none", "causal", "window", "rows without a key"],
)
@pytest.mark.parametrize(("source", "n_layers"), [("toy", 1), ("minilm", 6)])
def test_density_reach_and_rows_without_a_key_are_shown(source, n_layers, link, mask) -> None:
    app = opened(source=source, **link)
    n = masks_page.tokens(source).n_tokens
    visible = np.ones((n, n), dtype=bool) if mask is None else mask.visible(masks_page.tokens(source))
    told_density, told_reach, told_dead = cards(app)
    reached = reach(visible, n_layers).sum(axis=-1)
    dead = np.flatnonzero(~visible.any(axis=-1))
    for part in (f"{density(visible):.3f}", str(visible.sum()), str(n * n)):
        assert part in told_density
    for part in (f"{reached.mean():.1f}", str(reached.max()), f"layers {n_layers}"):
        assert part in told_reach
    assert f" {len(dead)} " in told_dead
    named = [f"{row} “" in masks_page.said(app) for row in dead]
    assert all(named)
    assert bool(named) is bool("No key allowed" in masks_page.said(app))


def test_one_click_gives_causal_padding_and_window() -> None:
    app = clicked(opened(), "masks.preset")
    acts(app, Causal() & Padding(1) & LocalWindow(2))
    assert app.query_params == {"causal": "1", "padding": "1", "window": "1"}
    assert [toggle.value for toggle in app.toggle if toggle.key in ("causal", "padding", "window")] == [True] * 3


def test_that_click_takes_the_numbers_of_the_sidebar_and_joins_with_and() -> None:
    app = clicked(opened(join="any", window_radius="4", padding_last="3", source="minilm"), "masks.preset")
    acts(app, Causal() & Padding(3) & LocalWindow(4), "minilm")


def test_that_click_gives_the_masks_themselves_where_they_were_turned_round() -> None:
    acts(clicked(opened(causal="1", inverted="causal"), "masks.preset"), Causal() & Padding(1) & LocalWindow(2))


@pytest.mark.parametrize("name", MASKS)
def test_each_kind_is_used_and_used_no_more_by_its_card(name: str) -> None:
    app = opened(text=SHORT)
    assert button(app, f"switch_{name}").label == say("masks.add")
    app = clicked(app, f"switch_{name}")
    assert button(app, f"switch_{name}").label == say("masks.remove")
    assert app.query_params == {name: "1", "text": SHORT}
    acts(app, MASKS[name]())
    app = clicked(app, f"switch_{name}")
    assert app.query_params == {"text": SHORT}
    acts(app, None)


def test_a_kind_that_is_used_has_its_numbers_in_the_sidebar() -> None:
    app = clicked(opened(text=SHORT), "switch_sparse")
    for name, number in (("size", 1), ("radius", 0), ("global_blocks", 0), ("random_blocks", 2), ("seed", 5)):
        app.number_input(key=f"sparse_{name}").set_value(number)
    acts(ran(app.run()), BlockSparse(1, 0, 0, 2, 5))
    app.toggle(key="sparse").set_value(False).run()
    acts(ran(app), None)
    assert not [box for box in app.number_input if box.key and box.key.startswith("sparse")]


def test_and_and_or() -> None:
    app = opened(causal="1", text=SHORT)
    assert not [control for control in app.segmented_control if control.key == "join"]
    app = clicked(app, "switch_global")
    acts(app, Causal() & GlobalTokens(1))
    app.segmented_control(key="join").set_value("any").run()
    acts(ran(app), Causal() | GlobalTokens(1))
    assert app.query_params["join"] == "any"
    app.segmented_control(key="join").set_value("all").run()
    acts(ran(app), Causal() & GlobalTokens(1))


def test_turned_round() -> None:
    app = clicked(opened(causal="1", text=SHORT), "switch_hide_key")
    app.pills(key="inverted").set_value(["causal"]).run()
    acts(ran(app), ~Causal() & HideKey(0))
    assert app.query_params["inverted"] == "causal"
    app.pills(key="inverted").set_value(["causal", "hide_key"]).run()
    acts(ran(app), ~Causal() & ~HideKey(0))
    app.pills(key="inverted").set_value([]).run()
    acts(ran(app), Causal() & HideKey(0))
    assert "inverted" not in app.query_params


def test_no_mask() -> None:
    app = opened(causal="1", window="1", inverted="window", join="any", text=SHORT)
    app = clicked(app, "masks.none")
    acts(app, None)
    assert "causal" not in app.query_params
    assert "inverted" not in app.query_params
    assert button(app, "masks.none").disabled


def test_no_warning_and_no_link_of_a_first_visit() -> None:
    app = opened()
    assert masks_page.said(app) == ""
    assert app.query_params == {}
    assert button(app, "masks.undo").disabled
    assert button(app, "masks.none").disabled


# Painted by hand


def paint(side: int, *boxes: tuple[int, int, int, int]) -> np.ndarray:
    cells = np.zeros((side, side), dtype=bool)
    for top, bottom, left, right in boxes:
        cells[top : bottom + 1, left : right + 1] = True
    return cells


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("side", [5, 3, 40])
def test_a_painted_mask_of_a_link_is_restored_and_written_back_equal(source: str, side: int) -> None:
    mask = Painted.of(paint(side, (0, 1, 1, 2), (2, 2, 0, side - 1)))
    link = {"painted": "1", "painted_cells": mask.cells, "source": source} | ({} if side == 5 else {"causal": "1"})
    app = opened(**link, text=SHORT)
    tokens = masks_page.tokens(source, SHORT)
    assert (painter(app)[1] == ~mask.visible(tokens)).all()
    acts(app, mask if side == 5 else Causal() & mask, source)
    wanted = {**link, "text": SHORT} if source == "minilm" else {**link, "text": SHORT} | {"source": "toy"}
    assert {"source": "toy", **app.query_params} == wanted


def test_paint_is_kept_while_it_is_not_used() -> None:
    cells = Painted.of(paint(5, (1, 2, 1, 2))).cells
    app = clicked(opened(painted="1", painted_cells=cells, text=SHORT), "switch_painted")
    acts(app, None)
    assert not painter(app)[1].any()
    assert app.query_params["painted_cells"] == cells
    acts(clicked(app, "switch_painted"), Painted(cells))


@pytest.mark.parametrize("cells", ["nonsense", "eNpjYGcoeMAABAAHQQF", "<b>", "%00", "A" * 5000])
def test_a_painted_mask_that_cannot_be_read_is_told_and_left_out(cells: str) -> None:
    app = opened(painted="1", painted_cells=cells, text=SHORT)
    assert "painted_cells" in masks_page.said(app)
    acts(app, None)
    assert app.query_params == {"painted": "1", "text": SHORT}


def test_reset_takes_every_mask_out_and_keeps_the_view() -> None:
    link = dict.fromkeys(MASKS, "1")
    link |= {"painted_cells": Painted.of(paint(5, (0, 0, 0, 4))).cells, "temperature": "3", "in_heads": "1.2"}
    link |= {"join": "any", "inverted": "causal.painted", "sparse_seed": "9", "blocks_size": "2"}
    app = opened(**link, text=SENTENCE, head="1", scale="log", palette="cividis")
    assert app.query_params["inverted"] == "causal.painted"
    app = clicked(app, "controls.reset")
    assert app.query_params == {"head": "1", "scale": "log", "palette": "cividis"}
    acts(app, None)
