"""A click follows the token that its picture was drawn at, whatever the reading is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from mha_viz.analysis.reading import read
from mha_viz.ui import clicks, picking, state
from tests.app.driver import Wanted


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A session whose page shows MiniLM's sentence without special tokens."""
    kept: dict[str, Any] = {"focus": None, "key": None, "layer": 0, "head": 0}
    for module in (clicks, picking, state):
        monkeypatch.setattr(module.st, "session_state", kept)
    picking.remember(read(Wanted(source="minilm").trace, specials="renormalised"))
    return kept


def clicked(session: dict[str, Any], chart: str, **place: Any) -> tuple[Any, Any]:
    session["clicks"] = SimpleNamespace(
        picked={"chart": chart, "trace": 0, "point": None, "row": None, "column": None, **place}
    )
    clicks._take({"norms": 2}, 12)
    return session["focus"], session["key"]


def test_the_large_head_is_followed_through_its_reading(session: dict[str, Any]) -> None:
    assert clicked(session, "large_head", row=9, column=1) == (10, 2)
    assert clicked(session, "large_head", row=9, column=1) == (None, None)


@pytest.mark.parametrize(
    ("chart", "wanted"), [("writes", (10, 2)), ("rollout", (10, 2)), ("stages", (10, None)), ("norms", (20, None))]
)
def test_pictures_by_tokens_are_followed_by_tokens(
    session: dict[str, Any], chart: str, wanted: tuple[Any, Any]
) -> None:
    assert clicked(session, chart, row=10, column=2) == wanted


def test_a_key_in_the_plane_is_a_key_and_a_query_a_query(session: dict[str, Any]) -> None:
    assert clicked(session, "vectors", trace=0, point=10) == (10, None)
    assert clicked(session, "vectors", trace=1, point=2) == (10, 2)


@pytest.mark.parametrize("chart", ["metric_matrix", "type_matrix", "as_query", "found_matrix"])
def test_a_cell_of_heads_and_a_dot_choose_the_head(session: dict[str, Any], chart: str) -> None:
    clicked(session, chart, row=3, column=7)
    assert (session["layer"], session["head"]) == (3, 7)
    clicked(session, "head_map", point=13)
    assert (session["layer"], session["head"]) == (1, 1)


def test_a_bar_is_the_key_or_the_query_it_was_drawn_for(session: dict[str, Any]) -> None:
    for chart in ("token_row", "token_column"):
        picking.remember_bars(chart, [2, 5, 9])  # of the reading, which begins after [CLS]
    assert clicked(session, "token_row", point=1) == (None, 6)
    assert clicked(session, "token_column", point=2) == (10, None)
    assert clicked(session, "token_column", point=3) == (10, None)


def test_nonsense_from_a_browser_changes_nothing(session: dict[str, Any]) -> None:
    assert clicked(session, "large_head", row="x") == (None, None)
    assert clicked(session, "large_head", row=99, column=0) == (None, None)
    assert clicked(session, "nowhere", row=1) == (None, None)
