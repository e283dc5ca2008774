"""Drives the page on masks and temperature without a browser, and reads the numbers that it sends to one."""

from __future__ import annotations

import base64
import functools
import html
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

import mha_viz
from mha_viz.words import say

_ROOT = Path(__file__).parents[2]
PAGE = "pages/masks.py"
SENTENCE = say("example.coreference")
SHORT = "one two three four five"
VIEWS = ("mask", "temperature", "stages", "difference")
SOURCES = ("toy", "minilm")


class _Warm(PagesManager):
    """Pages as on a server where somebody has opened the app already: every run goes through app.py."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        PagesManager.uses_pages_directory = False


def on_a_warm_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """AppTest forgets before each run that the app has its own navigation, which a server never does."""
    monkeypatch.setattr("streamlit.testing.v1.app_test.PagesManager", _Warm)


def opened(page: str = PAGE, /, **link: str) -> AppTest:
    """The page after a visitor opened this link, which ran to its end."""
    app = AppTest.from_file(_ROOT / "app.py", default_timeout=120)
    app.query_params = dict(link)
    app.switch_page(page)
    return ran(app.run())


def ran(app: AppTest) -> AppTest:
    """The same app, once it is certain that the script ran to its end."""
    assert [problem.value for problem in app.exception] == []
    return app


def clicked(app: AppTest, label_or_key: str) -> AppTest:
    """After a click on a button with this key, or with the words of this key."""
    (button,) = [button for button in app.button if label_or_key == button.key or button.label == words(label_or_key)]
    assert not button.disabled
    return ran(button.click().run())


def words(key: str) -> str:
    """What the table of words says; the key itself if it is none."""
    try:
        return say(key)
    except KeyError:
        return key


def button(app: AppTest, key: str) -> Any:
    (found,) = [button for button in app.button if button.key == key or button.label == words(key)]
    return found


def charts(app: AppTest) -> list[str]:
    """Keys of all charts, in order."""
    return [str(chart.key) for chart in app.get("plotly_chart")]


def figure(app: AppTest, key: str) -> dict[str, Any]:
    """A chart as it is sent to the browser."""
    (chart,) = [chart for chart in app.get("plotly_chart") if chart.key == key]
    return json.loads(chart.proto.spec)


def numbers(array: Any) -> np.ndarray:
    """Numbers of a figure's JSON: a list, or base64."""
    if isinstance(array, list):
        return np.array(array, dtype=float)
    flat = np.frombuffer(base64.b64decode(array["bdata"]), dtype=np.dtype(array["dtype"]))
    return flat.reshape([int(side) for side in array["shape"].split(",")]) if "shape" in array else flat


def heatmaps(app: AppTest, key: str) -> list[np.ndarray]:
    """The cells of each heatmap of a chart, NaN where nothing is drawn."""
    return [numbers(part["z"]) for part in figure(app, key)["data"] if part["type"] == "heatmap"]


def component(app: AppTest, name: str) -> dict[str, Any]:
    """What one of the page's own components is given."""
    (found,) = [part for part in app.get("bidi_component") if part.proto.component_name == f"mha_viz.{name}"]
    return json.loads(found.proto.json)


def painter(app: AppTest) -> tuple[np.ndarray, np.ndarray]:
    """bool (query, key): what the painter shows as visible, and as hidden by hand."""
    given = component(app, "painter")
    n = given["n"]

    def cells(name: str) -> np.ndarray:
        packed = np.frombuffer(base64.b64decode(given[name]), dtype=np.uint8)
        return np.unpackbits(packed, count=n * n).reshape(n, n).astype(bool)

    return cells("visible"), cells("painted")


def cards(app: AppTest) -> list[str]:
    """The numbers on the cards beside the mask, each with what stands around it."""
    bodies = [part.proto.body for part in app.get("html")]
    (body,) = [body for body in bodies if "class='mha-cards'" in body]
    parts = body.split("<div role='listitem'")[1:]
    return [html.unescape(re.sub(r"<[^>]*>", " ", "<div" + part)).strip() for part in parts]


def said(app: AppTest) -> str:
    """Every notice on the page, as a reader sees it."""
    return "\n".join(re.sub(r"\\(.)", r"\1", notice.value) for notice in (*app.info, *app.warning, *app.error))


@functools.cache
def model(source: str = "toy") -> Any:
    """A model of the Python API, apart from the app's own."""
    return mha_viz.open_model(source)


def tokens(source: str = "toy", text: str = SENTENCE, pair: str | None = None) -> mha_viz.TokenSequence:
    return model(source).tokenize(text, pair)


def weights(source: str, controls: mha_viz.Controls, text: str = SENTENCE, pair: str | None = None) -> np.ndarray:
    """(layer, head, query, key) of an independent run, NaN where no attention is allowed."""
    trace = model(source).run(tokens(source, text, pair), controls)
    return np.where(trace.visible, trace.weights, np.nan)


def same(shown: np.ndarray, wanted: np.ndarray, atol: float = 2e-6) -> None:
    """Same gaps, same numbers: two float32 runs of one model."""
    np.testing.assert_allclose(shown, wanted, rtol=1e-5, atol=atol, equal_nan=True)


def softmax(scores: np.ndarray, visible: np.ndarray, temperature: float) -> np.ndarray:
    """float64 (..., key), written another way than the package's; NaN where hidden."""
    with np.errstate(invalid="ignore", over="ignore"):
        below = np.where(visible, scores - np.where(visible, scores, -np.inf).max(axis=-1, keepdims=True), -np.inf)
        if temperature == 0:
            odds = np.where(below == 0, 1.0, 0.0)
        elif temperature == math.inf:
            odds = visible.astype(float)
        else:
            odds = np.exp2(below / temperature / math.log(2))
        return np.where(visible, odds / odds.sum(axis=-1, keepdims=True), np.nan)


def scaled_scores(source: str, controls: mha_viz.Controls, layer: int, text: str = SENTENCE) -> np.ndarray:
    """float64 (head, query, key) from the queries and keys of an independent run."""
    inside = model(source).inspect_layer(tokens(source, text), controls, layer)
    product = inside.query.astype(np.float64) @ inside.key.astype(np.float64).transpose(0, 2, 1)
    return product / math.sqrt(inside.spec.d_k)


def visible_of(source: str, controls: mha_viz.Controls, layer: int, text: str = SENTENCE) -> np.ndarray:
    """bool (head, query, key)"""
    return ~np.isnan(weights(source, controls, text)[layer])
