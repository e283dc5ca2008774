"""Temperature inside the model and as a repaint: the charts hold the numbers of independent runs, and never NaN."""

from __future__ import annotations

import base64
import math
import re
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mha_viz import Causal, Controls, Padding
from mha_viz.masks import BlockDiagonal
from mha_viz.ui.parameters import TEMPERATURES
from mha_viz.words import say
from tests.app import masks_page
from tests.app.masks_page import (
    SOURCES,
    component,
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

LARGE = "large_head"


@pytest.fixture(autouse=True)
def _warm_server(monkeypatch: pytest.MonkeyPatch) -> None:
    masks_page.on_a_warm_server(monkeypatch)


# Temperature: inside the model, and as a repaint


def given_scores(app: AppTest) -> np.ndarray:
    """(query, key) that the browser softmaxes again, NaN where hidden."""
    given = component(app, "repainter")
    return np.frombuffer(base64.b64decode(given["scores"]), dtype="<f4").reshape(given["n"], given["n"])


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("temperature", ["0.3", "4"])
def test_the_repaint_has_the_scores_at_temperature_1_whatever_the_slider(source: str, temperature: str) -> None:
    layer = 0 if source == "toy" else 3
    app = opened(view="temperature", source=source, layer=str(layer), head="1", temperature=temperature, causal="1")
    unchanged = Controls(mask=Causal())
    wanted = np.where(visible_of(source, unchanged, layer)[1], scaled_scores(source, unchanged, layer)[1], np.nan)
    np.testing.assert_allclose(given_scores(app), wanted, rtol=2e-5, atol=2e-4)
    inside = Controls(float(temperature), Causal())
    same(heatmaps(app, LARGE)[0], masks_page.weights(source, inside)[layer, 1])


def layer_bars(app: AppTest) -> tuple[np.ndarray, list[str], list[str]]:
    """Differences, their names and colours."""
    chart = figure(app, "layer_difference")
    return (
        numbers(chart["data"][0]["x"]),
        chart["layout"]["yaxis"]["ticktext"],
        chart["data"][0]["marker"]["color"],
    )


def test_below_the_changed_layer_nothing_differs_at_it_the_same_and_above_it_not() -> None:
    app = opened(view="temperature", source="minilm", in_layers="2", temperature="4", layer="2")
    shown, names, colours = layer_bars(app)
    inside = masks_page.weights("minilm", Controls(4.0, layers=frozenset({2})))
    wanted = []
    for layer in range(6):
        scaled = scaled_scores("minilm", Controls(), layer)
        plain = softmax(scaled, np.ones_like(scaled, dtype=bool), 4.0 if layer == 2 else 1.0)
        wanted.append(np.abs(inside[layer] - plain).max())
    assert (shown[:2] == 0).all()
    assert shown[2] < 1e-6
    assert (shown[3:] > 0.01).all()
    np.testing.assert_allclose(shown[3:], wanted[3:], atol=1e-5)
    assert [name == say("figure.layer_changed", layer=layer) for layer, name in enumerate(names)] == [
        layer == 2 for layer in range(6)
    ]
    assert len(set(colours)) == 2


def test_in_all_layers_only_the_first_is_the_same() -> None:
    shown, names, _ = layer_bars(opened(view="temperature", source="minilm", temperature="4"))
    assert shown[0] < 1e-6
    assert (shown[1:] > 0.01).all()
    assert names == [say("figure.layer_changed", layer=layer) for layer in range(6)]


def test_at_temperature_1_nothing_differs_and_no_layer_is_changed() -> None:
    shown, names, _ = layer_bars(opened(view="temperature", source="minilm", causal="1", in_layers="1.3"))
    assert (shown < 1e-6).all()
    assert names == [say("figure.layer", layer=layer) for layer in range(6)]


def test_in_some_heads_of_the_toy_the_repaint_is_the_run() -> None:
    shown, _, _ = layer_bars(opened(view="temperature", temperature="4", in_heads="0.3"))
    assert (shown < 1e-6).all()


def curve(app: AppTest) -> dict[str, Any]:
    return figure(app, "entropy_curve")


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("temperature", [0.05, 1.0, 5.0])
def test_the_entropy_of_the_chosen_row_and_its_slope(source: str, temperature: float) -> None:
    app = opened(view="temperature", source=source, temperature=f"{temperature:g}", focus="3", causal="1", head="2")
    unchanged = Controls(mask=Causal())
    scores = scaled_scores(source, unchanged, 0)[2, 3, :4]

    def entropy(at: float) -> float:
        weights = softmax(scores, np.ones(4, dtype=bool), at)
        return float(-(weights[weights > 0] * np.log(weights[weights > 0])).sum())

    (line, *_, point) = curve(app)["data"]
    powers = numbers(line["x"])
    wanted = [entropy(10.0**power) for power in powers]
    np.testing.assert_allclose(numbers(line["y"]), wanted, atol=1e-4)
    assert numbers(point["y"])[0] == pytest.approx(entropy(temperature), abs=1e-4)
    weights = softmax(scores, np.ones(4, dtype=bool), temperature)
    slope = float((weights * (scores - (weights * scores).sum()) ** 2).sum() / temperature**3)
    told = [note["text"] for note in curve(app)["layout"]["annotations"] if note["text"].startswith("T = ")]
    (numbers_told,) = [re.findall(r"−?[\d.]+(?:e−?\d+)?", text) for text in told]
    told_temperature, told_entropy, told_slope = (float(text.replace("−", "-")) for text in numbers_told)
    assert told_temperature == temperature
    assert told_entropy == pytest.approx(entropy(temperature), abs=6e-4)
    assert told_slope == pytest.approx(slope, rel=0.02, abs=1e-6)


# No temperature shows what is no number


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("masked", [False, True], ids=["", "masked"])
def test_no_step_of_the_slider_shows_nan(source: str, masked: bool) -> None:
    mask = BlockDiagonal(4) & Padding(6) if masked else None
    link = {"blocks": "1", "padding": "1", "padding_last": "6"} if masked else {}
    app = opened(view="temperature", source=source, **link)
    assert {0.0, 1.0, math.inf} <= set(TEMPERATURES)
    for temperature in TEMPERATURES:
        app.select_slider(key="temperature").set_value(temperature).run()
        shown = heatmaps(ran(app), LARGE)[0]
        wanted = masks_page.weights(source, Controls(temperature, mask))[0, 0]
        assert (np.isnan(shown) == np.isnan(wanted)).all()
        assert np.isfinite(shown).all() or masked
        same(shown, wanted)
        assert np.isfinite(layer_bars(app)[0]).all()
        for line in curve(app)["data"]:
            assert np.isfinite(numbers(line["y"])).all()
        texts = [note["text"] for note in curve(app)["layout"]["annotations"]]
        told = " ".join([*texts, *(part.value for part in app.markdown), *(part.value for part in app.caption)])
        assert "nan" not in told.lower().split()
