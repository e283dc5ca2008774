"""Every page of the menu runs, first shown and later, and its pictures hold the numbers of an independent run."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mha_viz import Controls
from mha_viz.ui.page_table import PAGES
from mha_viz.words.en import EN
from tests.app.driver import (
    APP,
    HEAD_PAGES,
    HEADS,
    ROOT,
    SENTENCE,
    Wanted,
    assert_same,
    axis_texts,
    figure,
    grid_weights,
    large_weights,
    opened,
    shows,
    untroubled,
)

_PAGES = pytest.mark.parametrize("page", HEAD_PAGES)

_REFUSING = """
import importlib.abc, json, sys

class Refuse(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            raise ImportError(f"{name} was asked for")

sys.meta_path.insert(0, Refuse())
from streamlit.testing.v1 import AppTest

app = AppTest.from_file(sys.argv[2], default_timeout=120).run()
for page in sys.argv[3:]:
    app.switch_page(page).run()
print(json.dumps({
    "headers": [header.value for header in app.header],
    "doors": [link.proto.label for link in app.get("page_link")],
    "charts": [chart.key for chart in app.get("plotly_chart")],
    "stopped": [[problem.message, problem.stack_trace] for problem in app.exception],
}))
"""


def _without(module: str, *pages: str) -> dict[str, list]:
    """What the page holds in a fresh process that cannot import ``module``."""
    command = [sys.executable, "-c", _REFUSING, module, str(APP), *pages]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(ran.stdout.splitlines()[-1])


@_PAGES
def test_every_page_draws_the_large_head_of_the_first_sentence(page: str) -> None:
    app = opened(page)
    shows(app, Wanted())
    assert not app.warning
    assert not app.error


@_PAGES
def test_every_page_names_the_tokens_on_both_axes(page: str) -> None:
    app = opened(page, text="the cat sat on the mat. the cat lay on the rug.")
    words = ["the", "cat", "sat", "on", "the", "mat", ".", "the", "cat", "lay", "on", "the", "rug", "."]
    assert axis_texts(app, "yaxis") == axis_texts(app, "xaxis") == words


@_PAGES
def test_every_page_runs_on_bert(page: str) -> None:
    shows(opened(page, source="minilm", layer="3", head="7"), Wanted(source="minilm", layer=3, head=7))


def test_the_grid_holds_every_head_of_the_layer() -> None:
    for link, wanted in (
        ({}, Wanted()),
        ({"source": "minilm", "layer": "5", "causal": "1"}, Wanted(source="minilm", layer=5)),
    ):
        shown = grid_weights(opened(HEADS, **link))
        assert len(shown) == wanted.trace.spec.n_heads
        if not link:
            assert_same(shown, wanted.heads)
        else:
            assert np.isnan(shown[:, *np.triu_indices(shown.shape[-1], 1)]).all()


def test_the_grid_and_the_large_head_share_one_colour_scale() -> None:
    app = opened(HEADS, source="minilm", layer="2", head="4")
    scales = [figure(app, key)["layout"]["coloraxis"] for key in ("grid", "large_head")]
    largest = Wanted(source="minilm", layer=2).heads.max()
    assert [scale["cmin"] for scale in scales] == [0.0, 0.0]
    assert scales[0]["cmax"] == scales[1]["cmax"] >= largest
    assert {trace["coloraxis"] for trace in figure(app, "grid")["data"]} == {"coloraxis"}


def test_rows_are_queries() -> None:
    """The causal mask tells: a row sees what stands before it, so gaps lie right of the diagonal."""
    shown = large_weights(opened(HEADS, causal="1"))
    assert np.isnan(shown[0, 1:]).all()
    assert not np.isnan(shown[-1]).any()
    assert figure(opened(HEADS), "large_head")["layout"]["yaxis"]["range"] == [len(shown) - 0.5, -0.5]


def test_start_is_painted_before_torch_is_imported() -> None:
    """In this process the import itself fails, so whatever stands on the page was there before it."""
    page = _without("torch")
    assert page["headers"] == [EN["start.title"]]
    assert page["doors"] == [EN[f"page.{entry.name}.door"] for entry in PAGES if not entry.default]
    assert len(page["stopped"]) == 1
    assert page["charts"] == []


def test_a_stray_failure_shows_no_traceback() -> None:
    ((message, stack),) = _without("torch")["stopped"]
    assert "torch" not in message
    assert str(ROOT) not in message
    assert list(stack) == []


def test_the_toy_never_needs_transformers() -> None:
    page = _without("transformers", HEADS)
    assert page["stopped"] == []
    assert page["charts"] == ["grid", "large_head"]


@_PAGES
@pytest.mark.usefixtures("cold_server")
def test_a_page_reached_without_the_frame_goes_through_it(page: str) -> None:
    """On a fresh server Streamlit runs a page's file by itself; the guard sends the visitor through app.py and back."""
    app = AppTest.from_file(APP, default_timeout=120)
    app.query_params = {"text": "a rose is a rose", "head": "1"}
    app.switch_page(page).run()
    shows(app, Wanted(text="a rose is a rose", head=1))
    assert app.query_params == {"text": "a rose is a rose", "head": "1"}
    assert app.text_input(key="text").value == "a rose is a rose"
    has_grid = "grid" in [chart.key for chart in app.get("plotly_chart")]
    assert has_grid == (page == HEADS)


def test_the_view_stays_when_the_page_changes() -> None:
    app = opened(HEADS, temperature="3", head="2")
    app.switch_page("pages/start.py").run()
    shows(app, Wanted(head=2, controls=Controls(temperature=3.0)))
    app.switch_page(HEADS).run()
    shows(app, Wanted(head=2, controls=Controls(temperature=3.0)))
    assert app.query_params == {"temperature": "3", "head": "2"}


def test_nothing_of_another_view_is_left_on_the_default_page() -> None:
    app = opened()
    assert untroubled(app)
    assert app.query_params == {}
    assert app.text_input(key="text").value == SENTENCE
    assert app.text_input(key="pair").value == ""
