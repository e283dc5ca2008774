"""Stages, before and after, where the controls act, and colours: the charts hold the numbers of independent runs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mha_viz import Causal, Controls, LocalWindow, Padding
from mha_viz.masks import BlockDiagonal, HideQuery
from mha_viz.words import say
from tests.app import masks_page
from tests.app.masks_page import (
    SHORT,
    SOURCES,
    figure,
    heatmaps,
    numbers,
    opened,
    ran,
    same,
    scaled_scores,
    softmax,
    visible_of,
)

LARGE, GRID = "large_head", "grid"


@pytest.fixture(autouse=True)
def _warm_server(monkeypatch: pytest.MonkeyPatch) -> None:
    masks_page.on_a_warm_server(monkeypatch)


# Stages

PLACES: dict[str, tuple[dict[str, str], Controls, int, int]] = {
    "plain": ({}, Controls(), 0, 0),
    "controls": (
        {"temperature": "2", "causal": "1", "window": "1", "head": "3"},
        Controls(2.0, Causal() & LocalWindow(2)),
        0,
        3,
    ),
    "zero": ({"temperature": "0", "padding": "1"}, Controls(0.0, Padding(1)), 0, 0),
    "infinity": ({"temperature": "inf", "causal": "1", "head": "2"}, Controls(math.inf, Causal()), 0, 2),
    "rows without a key": (
        {"blocks": "1", "padding": "1", "padding_last": "6", "temperature": "0.5"},
        Controls(0.5, BlockDiagonal(4) & Padding(6)),
        0,
        0,
    ),
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(("link", "controls", "layer", "head"), PLACES.values(), ids=list(PLACES))
def test_the_five_stages_are_those_of_an_independent_run(source, link, controls, layer, head) -> None:
    if source == "minilm":
        link, layer = {**link, "layer": "3"}, 3
    app = opened(view="stages", source=source, **link)
    shown = heatmaps(app, "stages")
    scaled, visible = scaled_scores(source, controls, layer)[head], visible_of(source, controls, layer)[head]
    d_k = masks_page.model(source).spec.d_k
    divided = scaled if controls.temperature in (0.0, math.inf) else scaled / controls.temperature
    size = np.abs(scaled).max()
    for cells, wanted in zip(shown[:3], (scaled * math.sqrt(d_k), scaled, divided), strict=True):
        assert np.isfinite(cells).all()
        np.testing.assert_allclose(cells, wanted, rtol=2e-5, atol=2e-6 * size)
    np.testing.assert_allclose(shown[3], np.where(visible, divided, np.nan), rtol=2e-5, atol=2e-6 * size)
    same(shown[4], masks_page.weights(source, controls)[layer, head])
    if controls.temperature != 0:  # where two scores are almost equal, which is larger depends on the last digit
        np.testing.assert_allclose(shown[4], softmax(scaled, visible, controls.temperature), atol=5e-4)


@pytest.mark.parametrize("source", SOURCES)
def test_the_bars_follow_the_row_that_is_chosen(source: str) -> None:
    controls = Controls(2.0, Causal())
    app = opened(view="stages", source=source, temperature="2", causal="1", focus="4", head="1", text=SHORT)
    scaled, visible = scaled_scores(source, controls, 0, SHORT)[1, 4], visible_of(source, controls, 0, SHORT)[1, 4]
    d_k = masks_page.model(source).spec.d_k
    weights = masks_page.weights(source, controls, SHORT)[0, 1, 4]
    bars = [part for part in figure(app, "stage_bars")["data"] if part["type"] == "bar"]
    keys = np.flatnonzero(visible)
    wanted = [scaled * math.sqrt(d_k), scaled, scaled / 2, scaled[keys] / 2, weights[keys]]
    assert len(bars) == 5
    for part, values in zip(bars, wanted, strict=True):
        np.testing.assert_allclose([entry[1] for entry in part["customdata"]], values, rtol=2e-5, atol=2e-5)
    assert numbers(bars[3]["y"]).tolist() == numbers(bars[4]["y"]).tolist() == keys.tolist()
    assert say("stages.row", position=4) in [part.value for part in app.markdown]


def test_the_softmax_without_subtracting_the_maximum_breaks_in_float16() -> None:
    """The toy's designed heads have scores far above what float16 can take the exponential of."""
    app = opened(view="stages", text=SHORT, focus="2")
    scores = scaled_scores("toy", Controls(), 0, SHORT)[0, 2]
    assert scores.max() > 11.1
    (table,) = app.dataframe
    rows = table.value.set_index(say("stages.dtype"))
    with np.errstate(over="ignore", invalid="ignore"):
        for name in ("float16", "float32"):
            odds = np.exp(scores.astype(name))
            broken = int((~np.isfinite(odds / odds.sum())).sum())
            assert int(rows.loc[name, say("stages.broken")]) == broken
    assert int(rows.loc["float16", say("stages.broken")]) > 0
    assert float(rows.loc["float16", say("stages.error")]) < 2e-3
    (told,) = [part.value for part in app.markdown if f"{scores.max():.3f}" in part.value]
    assert f"{np.exp(scores - scores.max()).sum():.4f}" in told


# Before and after


@pytest.mark.parametrize("source", SOURCES)
def test_before_after_and_their_difference(source: str) -> None:
    layer = 0 if source == "toy" else 4
    app = opened(view="difference", source=source, layer=str(layer), head="2", temperature="3", causal="1")
    before = masks_page.weights(source, Controls())[layer]
    after = masks_page.weights(source, Controls(3.0, Causal()))[layer]
    for cells, wanted in zip(heatmaps(app, "difference"), (before[2], after[2], (after - before)[2]), strict=True):
        same(cells, wanted, atol=4e-6)
    tiles = heatmaps(app, GRID)
    assert len(tiles) == len(before)
    same(np.stack(tiles), after - before, atol=4e-6)
    for axis in (figure(app, GRID)["layout"]["coloraxis"], figure(app, "difference")["layout"]["coloraxis3"]):
        assert axis["cmin"] == -axis["cmax"]
    assert say("difference.none") not in masks_page.said(app)


@pytest.mark.parametrize("source", SOURCES)
def test_without_controls_the_difference_is_nothing_and_the_page_says_so(source: str) -> None:
    app = opened(view="difference", source=source)
    assert (heatmaps(app, "difference")[2] == 0).all()
    assert say("difference.none") in masks_page.said(app)


# Scope


@pytest.mark.parametrize("view", ["temperature", "difference"])
def test_controls_in_chosen_layers_of_bert(view: str) -> None:
    app = opened(view=view, source="minilm", causal="1", temperature="2", layer="1")
    app.multiselect(key="in_layers").set_value([1, 3]).run()
    inside = masks_page.weights("minilm", Controls(2.0, Causal(), layers=frozenset({1, 3})))
    for layer in (0, 1, 2, 5):
        app.selectbox(key="layer").set_value(layer).run()
        shown = heatmaps(ran(app), LARGE)[0] if view == "temperature" else heatmaps(ran(app), "difference")[1]
        same(shown, inside[layer, 0])
    assert app.query_params["in_layers"] == "1.3"


@pytest.mark.parametrize("view", ["temperature", "difference"])
def test_controls_in_chosen_heads_of_the_toy(view: str) -> None:
    app = opened(view=view, hide_query="1", temperature="2")
    app.multiselect(key="in_heads").set_value([0, 5]).run()
    inside = masks_page.weights("toy", Controls(2.0, HideQuery(0), heads=frozenset({0, 5})))
    plain = masks_page.weights("toy", Controls())
    for head in (0, 1, 5, 7):
        app.selectbox(key="head").set_value(head).run()
        shown = heatmaps(ran(app), LARGE)[0] if view == "temperature" else heatmaps(ran(app), "difference")[1]
        same(shown, inside[0, head])
        acted = head in (0, 5)
        assert np.isnan(shown).any() == acted
        assert ("No key allowed" in masks_page.said(app)) == acted
        if not acted:
            same(shown, plain[0, head], atol=0)
    assert app.query_params["in_heads"] == "0.5"


def test_each_model_keeps_its_own_scope() -> None:
    app = opened(view="difference", source="minilm", causal="1", in_layers="0.5", in_heads="1")
    same(heatmaps(app, "difference")[1], masks_page.weights("minilm", Controls(1.0, Causal(), frozenset({0, 5})))[0, 0])
    app.segmented_control(key="source").set_value("toy").run()
    wanted = masks_page.weights("toy", Controls(mask=Causal(), heads=frozenset({1})))
    same(
        np.stack(heatmaps(ran(app), GRID)),
        np.where(np.isnan(wanted[0]), np.nan, wanted[0] - masks_page.weights("toy", Controls())[0]),
    )


# Colour


def scale(app: AppTest) -> dict[str, Any]:
    return figure(app, LARGE)["layout"]["coloraxis"]


def hovered(app: AppTest) -> np.ndarray:
    """The weights that hovering the large head names."""
    (cells,) = [part for part in figure(app, LARGE)["data"] if part["type"] == "heatmap"]
    return numbers(cells["customdata"] if "customdata" in cells["hovertemplate"] else cells["z"])


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(
    "colour",
    [{"scale": "root"}, {"scale": "log"}, {"palette": "cividis"}, {"own": "1"}, {"scale": "log", "own": "1"}],
    ids=lambda link: " ".join(link.values()),
)
def test_colours_of_the_link_change_the_scale_and_not_what_hovering_tells(source: str, colour: dict[str, str]) -> None:
    link = {"view": "temperature", "source": source, "padding": "1", "head": "5"}
    plain, coloured = opened(**link), opened(**link, **colour)
    wanted = masks_page.weights(source, Controls(mask=Padding(1)))[0]
    assert np.nanmax(wanted[5]) < 0.95 * np.nanmax(wanted)  # so that a scale of its own is another one
    same(hovered(plain), wanted[5])
    same(hovered(coloured), wanted[5])
    assert (np.isnan(heatmaps(coloured, LARGE)[0]) == np.isnan(wanted[5])).all()
    assert scale(plain) != scale(coloured)
    assert coloured.query_params.items() >= colour.items()


def test_a_log_scale_prints_weights() -> None:
    app = opened(view="temperature", source="minilm", scale="log", palette="inferno")
    bar = scale(app)["colorbar"]
    places, texts = numbers(bar["tickvals"]), bar["ticktext"]
    assert texts[0].startswith("≤")
    printed = [float(text.removeprefix("≤ ")) for text in texts]
    assert printed == sorted(printed)
    assert (np.diff(places) > 0).all()
    shares = np.log(np.array(printed) / printed[0]) / math.log(printed[-1] / printed[0])
    np.testing.assert_allclose(places, shares, atol=0.02)


@pytest.mark.parametrize("temperature", ["0", "1e-300", "1e-6", "1e300", "inf"])
@pytest.mark.parametrize("view", ["temperature", "stages", "difference"])
def test_extreme_temperatures_of_a_link_show_no_nan_in_any_view(temperature: str, view: str) -> None:
    app = opened(view=view, temperature=temperature, source="minilm", text=SHORT)
    for key in masks_page.charts(app):
        for cells in heatmaps(app, key):
            assert np.isfinite(cells).all(), key
