"""Pictures by a real Chromium, and exported pages in one whose network is off: their numbers are those of the run."""

from __future__ import annotations

import asyncio
import io
import os
import re
import tempfile
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import plotly.graph_objects as go
import pytest
from playwright.sync_api import Browser

import mha_viz
from mha_viz import figures
from mha_viz.analysis.work import finished
from mha_viz.export import Part, numbers_file
from mha_viz.export.caption import caption_of
from mha_viz.export.pictures import html_page, picture_bytes, picture_file
from mha_viz.figures import theme
from tests.browser.component_page import browser_of
from tests.serving import chromium

pytestmark = pytest.mark.browser

HOSTILE = "<script>hit=1</script> </script> <img/src/onerror=hit=1> $x$ =1+1 #000001 a\x00b שלום 😀 猫 &lt; <b>b</b>"
_NUMBERS = """async () => {
  const graph = document.querySelector(".js-plotly-plot");
  while (!graph?._fullData?.length) await new Promise(requestAnimationFrame);
  return graph.calcdata.filter((of) => of[0].z).map((of) => Array.from(of[0].z, (row) => Array.from(row, (z) => z ?? null)));
}"""


@pytest.fixture(scope="module")
def reader(request: pytest.FixtureRequest) -> Iterator[Browser]:
    with browser_of(request) as browser:
        yield browser


@pytest.fixture
def drawing(reader: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kaleido finds the browser of these tests, if it is one that only Playwright knows."""
    if chromium() is None:
        monkeypatch.setenv("BROWSER_PATH", reader.browser_type.executable_path)


@pytest.fixture(scope="module")
def run() -> mha_viz.AttentionTrace:
    model = mha_viz.open_model("toy", n_heads=4)
    controls = mha_viz.Controls(temperature=2.0, mask=mha_viz.Causal() & ~mha_viz.HideQuery(3))
    return model.run(model.tokenize(HOSTILE), controls)


class Reader:
    """A tab without a network that looks at one file; what it complains of and asks for is kept."""

    def __init__(self, browser: Browser, path: Path) -> None:
        self.context = browser.new_context(offline=True, color_scheme="dark")
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda problem: self.complaints.append(str(problem)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())

    def numbers(self) -> list[np.ndarray]:
        return [np.array(z, dtype=np.float64) for z in self.page.evaluate(_NUMBERS)]

    def leave(self) -> None:
        assert self.complaints == []
        assert [url for url in self.asked if not url.startswith(("file:", "data:", "blob:"))] == []
        assert self.page.evaluate("typeof hit") == "undefined"
        self.context.close()


def exact(run: mha_viz.AttentionTrace, head: int) -> np.ndarray:
    return np.where(run.visible[0, head], run.weights[0, head], np.nan)


def test_a_page_without_a_network_shows_the_numbers_of_the_run_and_runs_nothing_that_was_typed(reader, run, tmp_path):
    caption = caption_of(run, layer=0, head=2)
    path = picture_file(figures.head_heatmap(run, 0, 2), tmp_path / "x.html", caption, title="<i>L0 H2</i>")
    tab = Reader(reader, path)
    (z,) = tab.numbers()
    np.testing.assert_array_equal(z.astype(np.float32), exact(run, 2).astype(np.float32))
    told = tab.page.locator("figcaption").inner_text()
    assert (
        "<script>hit=1</script> </script> <img/src/onerror=hit=1> $x$ =1+1 #000001 a\\u0000b שלום 😀 猫 &lt; <b>b</b>"
        in told
    )
    assert "Temperature: 2." in told
    assert tab.page.locator("h1").inner_text() == "<i>L0 H2</i>"
    labels = tab.page.locator(".ytick text").all_text_contents()
    assert [label.replace("\u200b", "") for label in labels][1:] == [
        *(
            "</script>",
            "<img/src/onerro…",
            "$x$",
            "=1+1",
            "#000001",
            "a\\u0000b",
            "שלום",
            "😀",
            "猫",
            "&lt;",
            "<b>b</b>",
        ),
    ]
    assert tab.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert tab.page.evaluate("document.querySelectorAll('script[src], img[src^=http], link').length") == 0
    tab.leave()


def test_all_views_are_pages_without_complaint_and_with_their_numbers(reader, run, tmp_path):
    heads = [mha_viz.HeadId(0, head) for head in range(4)]
    drawn = {
        "grid": figures.print_grid(run, 0),
        "overview": figures.print_overview(run),
        "cells": figures.print_cells(run, 0, 1),
        "lines": figures.print_lines(run, heads),
        "arcs": figures.print_lines(run, heads, layout="arcs"),
    }
    for name, figure in drawn.items():
        tab = Reader(reader, picture_file(figure, tmp_path / f"{name}.html", caption_of(run)))
        numbers = tab.numbers()
        if name == "grid":
            for head, z in enumerate(numbers):
                np.testing.assert_array_equal(z.astype(np.float32), exact(run, head).astype(np.float32))
        if name == "overview":
            np.testing.assert_array_equal(numbers[0], np.asarray(figure.data[0].z, dtype=np.float64))
        if name in ("lines", "arcs"):
            assert tab.page.locator(".scatterlayer .trace").count() == len(figure.data)
        tab.leave()


def test_no_policy_of_the_page_lets_anything_be_fetched(reader, run, tmp_path):
    path = picture_file(figures.head_heatmap(run, 0, 0), tmp_path / "x.html")
    tab = Reader(reader, path)
    tab.numbers()
    refused = tab.page.evaluate("fetch('http://127.0.0.1:9/').then(() => 'sent', (problem) => String(problem))")
    assert "TypeError" in refused
    assert any("Content Security Policy" in text for text in tab.complaints)
    page = re.sub(r"<script.*?</script>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert not re.search("https?://", page)
    tab.context.close()


def pixels(png: bytes) -> np.ndarray:
    """(row, column, channel) of an 8-bit PNG, by its own rules: no package for pictures is needed."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height, depth, kind = (
        int.from_bytes(png[16:20], "big"),
        int.from_bytes(png[20:24], "big"),
        png[24],
        png[25],
    )
    assert (depth, kind) in ((8, 2), (8, 6))
    channels, file, packed = (3 if kind == 2 else 4), io.BytesIO(png[8:]), b""
    while True:
        size, name = int.from_bytes(file.read(4), "big"), file.read(4)
        data = file.read(size)
        file.read(4)
        packed += data if name == b"IDAT" else b""
        if name == b"IEND":
            break
    lines = np.frombuffer(zlib.decompress(packed), dtype=np.uint8).reshape(height, 1 + width * channels)
    out = np.zeros((height, width, channels), dtype=np.int64)
    before = np.zeros((width, channels), dtype=np.int64)
    for row in range(height):
        before = out[row] = _unfiltered(lines[row], before, channels)
    return out


def _unfiltered(line: np.ndarray, above: np.ndarray, channels: int) -> np.ndarray:
    kind, raw = int(line[0]), line[1:].reshape(-1, channels).astype(np.int64)
    if kind == 0:
        return raw
    if kind == 1:
        return np.cumsum(raw, axis=0) % 256
    if kind == 2:
        return (raw + above) % 256
    row, left, corner = [], np.zeros(channels, dtype=np.int64), np.zeros(channels, dtype=np.int64)
    for here, up in zip(raw, above, strict=True):
        guess = (left + up) // 2
        if kind == 4:
            near = np.abs(np.stack([up - corner, left - corner, left + up - 2 * corner]))
            guess = np.where(
                (near[0] <= near[1]) & (near[0] <= near[2]), left, np.where(near[1] <= near[2], up, corner)
            )
        left, corner = (here + guess) % 256, up
        row.append(left)
    return np.array(row)


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_a_png_is_as_large_as_it_should_and_its_cells_have_the_colours_of_the_weights(drawing, scale):
    weights = np.array([[1.0, 0.0], [0.25, 0.75]])
    trace = mha_viz.trace_from_arrays(weights, ["a", "b"])
    figure = figures.head_heatmap(trace, 0, 0)
    picture = pixels(picture_bytes(figure, "png", ["caption"], scale=scale))
    paper = figures.on_paper(figure, ["caption"])
    assert picture.shape[:2] == (paper.layout.height * scale, paper.layout.width * scale)
    assert (picture[2, 2, :3] == 255).all()
    margin = paper.layout.margin
    wide, high = paper.layout.width - margin.l - margin.r, paper.layout.height - margin.t - margin.b
    stops = np.array([[int(stop[i : i + 2], 16) for i in (1, 3, 5)] for stop in theme.stops("viridis")])
    for (query, key), weight in np.ndenumerate(weights):
        x, y = margin.l + wide * (key + 0.5) / 2, margin.t + high * (query + 0.5) / 2
        place = weight * (len(stops) - 1)
        low = min(int(place), len(stops) - 2)
        colour = stops[low] + (stops[low + 1] - stops[low]) * (place - low)
        assert np.abs(picture[int(y * scale), int(x * scale), :3] - colour).max() <= 2, (query, key)


def test_svg_and_pdf_hold_every_label_and_no_script(drawing, run):
    figure = figures.head_heatmap(run, 0, 2)
    svg = picture_bytes(figure, "svg", caption_of(run, layer=0, head=2), title="L0 H2").decode()
    root = ElementTree.fromstring(svg)
    told = ["".join(element.itertext()) for element in root.iter("{http://www.w3.org/2000/svg}text")]
    shown = " ".join(told).replace("\u200b", "")
    for part in ("</script>", "$x$", "=1+1", "#000001", "a\\u0000b", "שלום", "😀", "猫", "L0 H2", "Temperature: 2."):
        assert part in shown
    kinds = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert not kinds & {"script", "foreignObject", "iframe"}
    assert not [name for element in root.iter() for name in element.attrib if name.lower().startswith("on")]
    pdf = picture_bytes(figure, "pdf", caption_of(run, layer=0, head=2))
    assert pdf.startswith(b"%PDF-")
    assert pdf.rstrip().endswith(b"%%EOF")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1


def test_a_picture_is_drawn_in_any_thread_also_where_an_event_loop_runs(drawing):
    figure = go.Figure(go.Scatter(x=[1, 2], y=[1, 2]), layout={"height": 100})
    found: list[bytes] = []
    thread = threading.Thread(target=lambda: found.append(picture_bytes(figure, "svg")))
    thread.start()
    thread.join(120)

    async def within() -> None:
        found.append(picture_bytes(figure, "svg"))

    thread = threading.Thread(target=lambda: asyncio.run(within()))
    thread.start()
    thread.join(120)
    assert [data[:4] for data in found] == [b"<svg", b"<svg"]


def test_nothing_is_left_behind_after_a_picture(drawing, tmp_path, monkeypatch):
    with tempfile.TemporaryDirectory(prefix="x") as own:  # a browser's sockets need a short name
        monkeypatch.setenv("TMPDIR", own)
        monkeypatch.setattr(tempfile, "tempdir", None)
        picture_file(go.Figure(layout={"height": 100}), tmp_path / "x.png")
        assert os.listdir(own) == []
    assert os.listdir(tmp_path) == ["x.png"]
    assert os.path.getsize(tmp_path / "x.png") > 100


def test_numbers_of_hostile_tokens_are_those_of_the_page(run, tmp_path):
    import pandas as pd

    finished(numbers_file(run, tmp_path / "x.csv", Part(heads=(2,))))
    table = pd.read_csv(tmp_path / "x.csv", keep_default_na=False)
    n = run.n_tokens
    assert np.array_equal(table["weight"].to_numpy(np.float32).reshape(n, n), run.weights[0, 2])
    assert html_page(figures.head_heatmap(run, 0, 2)).count("<script>hit") == 0
