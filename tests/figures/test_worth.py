"""Bars of what heads are worth, and panels with the largest ones ranked."""

from __future__ import annotations

import numpy as np

from mha_viz.figures import theme
from mha_viz.figures.bars import Bars, bars
from mha_viz.figures.worth import RANKED, ranked_panel
from tests.figures import contract
from tests.figures.test_matrix import legible


def test_bars_stand_beside_one_another_over_what_they_are_of() -> None:
    figure = bars(
        [Bars("a", [1, 2]), Bars("b<i>", [3, 4])], [("H0", "slot 1"), ("H1", "–")], "share", level=1.0, colours=(1, 2)
    )
    legible(figure)
    assert [tuple(trace.y) for trace in figure.data] == [(1, 2), (3, 4)]
    assert [trace.marker.color for trace in figure.data] == theme.HEADS[1:3]
    assert figure.layout.xaxis.ticktext == ("H0<br>slot 1", "H1<br>–")
    assert figure.layout.barmode == "group"
    assert "<i>" not in figure.data[1].hovertemplate
    assert figure.layout.shapes[0].y0 == 1.0


def test_an_axis_in_powers_ends_where_it_is_told_and_a_missing_bar_is_none() -> None:
    figure = bars([Bars("a", [1e-16, None, 0.5])], [("x",), ("y",), ("z",)], "ratio", log_span=(1e-18, 1e3))
    legible(figure)
    assert figure.layout.yaxis.type == "log"
    assert figure.layout.yaxis.range == (-18.0, 3.0)
    assert figure.data[0].y == (1e-16, None, 0.5)


def test_the_largest_heads_carry_their_rank() -> None:
    values = np.arange(24.0).reshape(2, 12)
    figure = ranked_panel(values, 50.0)
    legible(figure)
    (cells,) = contract.heatmaps(figure)
    texts = [text for row in cells.text for text in row]
    assert texts[-RANKED:] == [f"<b>{rank}</b>" for rank in range(RANKED, 0, -1)]
    assert not any(texts[:-RANKED])
    assert figure.layout.coloraxis.cmax == 50.0
    assert figure.layout.xaxis.ticktext[:4] == ("H0", "", "", "H3")
    assert cells.hovertext[1][4] == "L1 H4"
    assert not figure.layout.coloraxis.showscale


def test_equal_heads_have_no_ranks() -> None:
    (cells,) = contract.heatmaps(ranked_panel(np.full((2, 3), 1.0) + np.array([0, 1e-4, 0]), 2.0))
    assert not any(text for row in cells.text for text in row)


def test_of_many_bars_only_some_are_named_and_pointing_tells_all() -> None:
    places = [[f"L0 H{head}"] for head in range(12)]
    figure = bars([Bars("a", range(12))], places, "share", written=range(0, 12, 6))
    assert figure.layout.xaxis.tickvals == (0, 6)
    assert figure.layout.xaxis.ticktext == ("L0 H0", "L0 H6")
    assert figure.data[0].customdata[7] == "L0 H7"
