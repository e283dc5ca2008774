"""What leaves a page is what stands on it: pictures, numbers, link, Python."""

from __future__ import annotations

import csv
import io
import json
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

import mha_viz
from mha_viz.edits import parse
from mha_viz.ui import pictures
from mha_viz.words import say
from tests.app.driver import HEADS, Wanted, assert_same, figure, large_weights, model, opened, said, untroubled

TEXT = "the animal did not cross the street because it was too tired"
LINK = {"source": "minilm", "text": TEXT, "layer": "3", "head": "1"}
OVERVIEW, LINES = "pages/overview.py", "pages/lines.py"


def asked(page: str = HEADS, **link: str) -> AppTest:
    """The page with the dialog open: what begins with "take_" is chosen in it, the rest is in the link.

    AppTest closes the dialog with the next click, as no browser does.
    """
    app = opened(page, **(LINK | {name: value for name, value in link.items() if not name.startswith("take_")}))
    for name in [name for name in link if name.startswith("take_")]:
        app.session_state[name] = link[name]
    app.button(key="take_away").click().run()
    assert untroubled(app)
    return app


def codes(app: AppTest) -> list[str]:
    return [block.value for block in app.code]


def press(app: AppTest) -> None:
    """The button that makes the file, with the dialog still open."""
    app.button(key="take_make").click()
    app.session_state["_asked_to_take"] = True
    app.run()
    assert untroubled(app)


def made(app: AppTest) -> tuple[str, bytes]:
    """The file, made."""
    press(app)
    name, data = app.session_state["_made_file"]
    return name, data


def shown(app: AppTest) -> dict[str, pictures.Picture]:
    return dict(app.session_state["_shown_pictures"])


def run_code(code: str) -> Any:
    """What the last line of the copied Python gives."""
    lines = code.rstrip().split("\n")
    start = max(place for place, line in enumerate(lines) if not line.startswith((" ", ")")))
    names: dict[str, Any] = {}
    exec("\n".join(lines[:start]), names)
    return eval("\n".join(lines[start:]), names)


@pytest.mark.parametrize(
    "link",
    [
        {},
        {"focus": "9", "scale": "log", "own": "1"},
        {"off": "L0H3.L2H1", "off_as": "uniform", "temperature": "2", "causal": "1"},
        {"edits": "put-2-dog.swap-5-7", "level": "words", "specials": "renormalised"},
        {"source": "toy", "heads": "4", "layer": "0", "head": "2", "pair": "a second one"},
    ],
)
def test_the_copied_python_makes_the_head_of_the_page(link: dict[str, str]) -> None:
    app = asked(take_part="python", **link)
    there = run_code(codes(app)[0])
    assert isinstance(there, go.Figure)
    assert_same(np.array(there.data[0].z, dtype=np.float32), large_weights(app))


def test_the_copied_python_of_the_overview_and_of_lines() -> None:
    assert "print_overview" in codes(asked(OVERVIEW, take_part="python"))[0]
    assert isinstance(run_code(codes(asked(OVERVIEW, take_part="python"))[0]), go.Figure)
    code = codes(asked(LINES, take_part="python", line_heads="L3H1.L5H11", line_layout="arcs"))[0]
    assert "HeadId(3, 1), mha_viz.HeadId(5, 11)" in code
    assert isinstance(run_code(code), go.Figure)


def test_hostile_words_stay_text_in_the_copied_python() -> None:
    text = "'); import os; os.abort() # \" \\ </script> {x}"
    there = run_code(codes(asked(take_part="python", text=text, layer="0", head="0"))[0])
    assert_same(np.array(there.data[0].z, dtype=np.float32), Wanted(source="minilm", text=text).large)


def test_the_link_opens_the_same_view_elsewhere() -> None:
    link = {"focus": "9", "temperature": "2", "off": "L0H3", "scale": "log", "edits": "mask-2"}
    app = asked(take_part="link", **link)
    query = dict(parse_qsl(urlsplit(codes(app)[0]).query))
    again = opened(HEADS, **query)
    assert_same(large_weights(again), large_weights(app))
    assert again.query_params == app.query_params


@pytest.mark.parametrize(
    ("page", "link", "keys"),
    [
        (HEADS, {}, {"grid", "large_head"}),
        (OVERVIEW, {}, {"overview", "large_head"}),
        (OVERVIEW, {"overview_view": "matrix"}, {"metric_matrix", "metric_by_layer"}),
        (LINES, {"line_heads": "L3H1.L5H11"}, {"line_picture"}),
        ("pages/through.py", {}, {"rollout", "through_rows"}),
        (HEADS, {"text": "the cat sat on the mat " * 60, "cut": "1"}, {"grid", "large_head"}),
    ],
)
def test_every_picture_of_the_page_can_be_taken(page: str, link: dict[str, str], keys: set[str]) -> None:
    there = shown(opened(page, **(LINK | link)))
    assert keys <= set(there)
    for key in keys:
        assert isinstance(there[key].make(), go.Figure)
        assert there[key].title


def test_the_picture_is_the_one_on_the_page() -> None:
    app = opened(HEADS, **LINK, focus="9", scale="root")
    drawn = json.loads(shown(app)["large_head"].make().to_json())
    assert drawn["data"] == figure(app, "large_head")["data"]


def test_html_holds_the_caption_and_the_numbers() -> None:
    app = asked(take_kind="html", temperature="2", off="L0H3")
    name, data = made(app)
    page = data.decode()
    assert name == "mha_viz-grid.html"
    for told in ("Temperature: 2.", "Silenced: L0 H3.", "all-MiniLM-L6-v2", TEXT, "mha_viz 0."):
        assert told in page
    assert "http" not in page.split("<figcaption>")[1]


@pytest.mark.parametrize(("extent", "n_rows"), [("head", 14 * 14), ("layer", 12 * 14 * 14), ("all", 72 * 14 * 14)])
def test_csv_holds_what_was_chosen(extent: str, n_rows: int) -> None:
    app = asked(take_part="numbers", take_file="csv", take_extent=extent)
    _, data = made(app)
    rows = list(csv.DictReader(io.StringIO(data.decode())))
    assert len(rows) == n_rows
    weights = Wanted(source="minilm", text=TEXT).trace.weights
    for row in rows[:: max(n_rows // 50, 1)]:
        place = tuple(int(row[name]) for name in ("layer", "head", "query", "key"))
        assert float(row["weight"]) == pytest.approx(float(weights[place]), abs=3e-6)


def test_npz_is_the_whole_run() -> None:
    _, data = made(asked(take_part="numbers", edits="mask-2", temperature="2"))
    read = mha_viz.read_npz(io.BytesIO(data))
    bert = model("minilm")
    run = bert.run(bert.edited(bert.tokenize(TEXT), parse("mask-2")), mha_viz.Controls(temperature=2.0))
    np.testing.assert_allclose(read.weights, run.weights, atol=3e-6)
    assert read.query_tokens.tokens == run.query_tokens.tokens
    assert read.controls == run.controls


def test_what_is_too_much_for_a_file_is_said() -> None:
    parts = {"take_part": "numbers", "take_file": "csv", "take_extent": "all"}
    app = asked(**parts, text="the cat sat on the mat " * 90, cut="1")
    press(app)
    assert any("spreadsheet takes" in notice for notice in said(app))


def test_without_a_run_nothing_opens() -> None:
    app = opened(HEADS, text="")
    app.button(key="take_away").click().run()
    assert untroubled(app)
    assert say("take.part.picture") not in [one.label for one in app.button]
