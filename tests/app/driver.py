"""Drives the app without a browser, reads what it put on the page, and gives what it should be from the Python API."""

from __future__ import annotations

import base64
import functools
import html
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

import mha_viz
from mha_viz.figures.bytes import MOST_EXACT
from mha_viz.words.en import EN
from tests.pages import WITH_HEAD

ROOT = Path(__file__).parents[2]
APP = ROOT / "app.py"
HEADS = "pages/heads.py"
#: Pages that show the large head; others show a layer, or several, instead.
HEAD_PAGES = [entry.file for entry in WITH_HEAD]
SENTENCE = EN["example.coreference"]
GRID, LARGE = "grid", "large_head"
_SECONDS = 120.0


def opened(page: str | None = None, /, **link: str) -> AppTest:
    """The app after a visitor opened this link; ``page`` is a script under the root, the default page if None."""
    app = AppTest.from_file(APP, default_timeout=_SECONDS)
    app.query_params = dict(link)
    if page is not None:
        app.switch_page(page)
    return app.run()


def figure(app: AppTest, key: str) -> dict[str, Any]:
    """A chart as it is sent to the browser."""
    (chart,) = [chart for chart in app.get("plotly_chart") if chart.key == key]
    return json.loads(chart.proto.spec)


def decoded(array: Any) -> np.ndarray:
    """An array of a figure's JSON, which holds it as base64."""
    flat = np.frombuffer(base64.b64decode(array["bdata"]), dtype=np.dtype(array["dtype"]))
    return flat.reshape([int(side) for side in array["shape"].split(",")]) if "shape" in array else flat


def large_weights(app: AppTest) -> np.ndarray:
    """(query, key) of the large head, NaN where nothing is drawn."""
    return decoded(figure(app, LARGE)["data"][0]["z"])


def grid_weights(app: AppTest) -> np.ndarray:
    """(head, query, key) of the grid, NaN where nothing is drawn."""
    return np.stack([decoded(trace["z"]) for trace in figure(app, GRID)["data"]])


def axis_texts(app: AppTest, axis: str = "yaxis") -> list[str]:
    """What stands along an axis of the large head, as a reader sees it."""
    return [html.unescape(text) for text in figure(app, LARGE)["layout"][axis]["ticktext"]]


def bodies(app: AppTest, name: str) -> list[str]:
    """The HTML elements of the page that hold something of this CSS class."""
    found = [element.proto.body for element in app.get("html")]
    return [body for body in found if re.search(rf"class='(?:[^']* )?{name}[ ']", body)]


def plain(body: str) -> str:
    """HTML as a reader sees it."""
    return html.unescape(re.sub(r"<[^>]*>", "", re.sub(r"<style>.*?</style>", "", body, flags=re.DOTALL)))


def said(app: AppTest) -> list[str]:
    """Every notice on the page, as a reader sees it."""
    notices = [*app.info, *app.warning, *app.error]
    return [re.sub(r"\\(.)", r"\1", notice.value.replace("\u200b", "")) for notice in notices]


def where(app: AppTest) -> str:
    """The sentence below the large head."""
    (body,) = bodies(app, "mha-where")
    return plain(body)


def button(app: AppTest, key: str) -> Any:
    """The button with the words of this key."""
    (found,) = [button for button in app.button if button.label == EN[key]]
    return found


def buttons(app: AppTest) -> list[str]:
    """The words on all buttons."""
    return [button.label for button in app.button]


def untroubled(app: AppTest) -> bool:
    """Whether the script ran to its end."""
    return len(app.exception) == 0


@functools.cache
def model(source: str = "toy", **options: Any) -> Any:
    """A model of the Python API, apart from the app's own."""
    return mha_viz.open_model(source, **options)


@dataclass(frozen=True)
class Wanted:
    """A view in the terms of the Python API."""

    text: str = SENTENCE
    pair: str | None = None
    source: str = "toy"
    options: tuple[tuple[str, Any], ...] = ()
    controls: mha_viz.Controls = field(default_factory=mha_viz.Controls)
    layer: int = 0
    head: int = 0
    cut: bool = False
    read_special: bool = False

    @functools.cached_property
    def trace(self) -> mha_viz.AttentionTrace:
        opened = model(self.source, **dict(self.options))
        tokens = opened.tokenize(self.text, self.pair, cut=self.cut, read_special=self.read_special)
        return opened.run(tokens, self.controls)

    @property
    def matrices(self) -> tuple[np.ndarray, ...]:
        """W_O of each layer."""
        return model(self.source, **dict(self.options)).output_matrices()

    @property
    def tokens(self) -> mha_viz.TokenSequence:
        return self.trace.key_tokens

    @property
    def heads(self) -> np.ndarray:
        """(head, query, key) of the layer, NaN where no attention is allowed."""
        return np.where(self.trace.visible[self.layer], self.trace.weights[self.layer], np.nan)

    @property
    def large(self) -> np.ndarray:
        """(query, key) of the head."""
        return self.heads[self.head]


def assert_same(shown: np.ndarray, wanted: np.ndarray) -> None:
    """Same gaps, same numbers: two float32 runs of one model."""
    np.testing.assert_allclose(shown, wanted, rtol=0, atol=2e-6, equal_nan=True)


def component(app: AppTest, name: str) -> tuple[dict[str, Any], np.ndarray]:
    """What a canvas was sent as bytes: its text, and the bytes after it."""
    (found,) = [part for part in app.get("bidi_component") if part.proto.component_name == f"mha_viz.{name}"]
    data = found.proto.bytes
    length = int.from_bytes(data[:4], "little")
    return json.loads(data[4 : 4 + length]), np.frombuffer(data[4 + length :], dtype=np.uint8)


def shows(app: AppTest, wanted: Wanted) -> None:
    """The large head is that of the independent run; of a long sentence, to one of 255 steps."""
    assert untroubled(app)
    if wanted.trace.n_tokens <= MOST_EXACT:
        assert_same(large_weights(app), wanted.large)
        return
    header, codes = component(app, "cells")
    weights = np.array([*map(float, header["weights"]), np.nan])[codes].reshape(wanted.large.shape)
    np.testing.assert_allclose(weights, wanted.large, rtol=0, atol=0.5 / 254 + 1e-4, equal_nan=True)


def silenced(n_layers: int, n_heads: int, kept: set[int]) -> mha_viz.Controls:
    """Controls that keep only these heads, written out."""
    silent = [(layer, head) for layer in range(n_layers) for head in range(n_heads) if head not in kept]
    return mha_viz.Controls(silenced=frozenset(mha_viz.HeadId(*head) for head in silent))
