"""Pages of the lab show no run: neither sentence nor controls, and the view waits unchanged for the other pages."""

from __future__ import annotations

import pytest

from mha_viz import Controls
from mha_viz.ui.page_table import PAGES
from mha_viz.words.en import EN
from tests.app.driver import HEADS, Wanted, opened, shows, untroubled

_LABS = pytest.mark.parametrize("page", [entry.file for entry in PAGES if not entry.reads])


@_LABS
def test_a_lab_has_neither_sentence_nor_controls(page: str) -> None:
    app = opened(page)
    assert untroubled(app)
    assert len(app.header) == 1
    assert not app.sidebar.children
    assert EN["sentence.first"] not in [box.label for box in app.text_input]


@_LABS
def test_the_view_outlives_a_visit_to_a_lab(page: str) -> None:
    app = opened(HEADS, temperature="3", head="2", text="a rose is a rose")
    app.switch_page(page).run()
    app.run()
    assert app.query_params == {"temperature": "3", "head": "2", "text": "a rose is a rose"}
    app.switch_page(HEADS).run()
    shows(app, Wanted(text="a rose is a rose", head=2, controls=Controls(temperature=3.0)))


def test_a_link_opens_a_view_of_a_lab() -> None:
    app = opened("pages/head_count.py", head_count_view="lookups", source="minilm")
    assert app.query_params == {"head_count_view": "lookups", "source": "minilm"}
    assert [chart.key for chart in app.get("plotly_chart")]
    assert untroubled(app)
