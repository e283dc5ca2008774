"""Lines over powers of ten: what is too small stands on the floor, what is too large leaves the picture, intervals fit."""

from __future__ import annotations

import math

import pytest

from mha_viz.figures.charts import Line, lines
from mha_viz.figures.trials import Points, scores
from tests.figures import contract


def test_what_is_below_the_floor_stands_on_it_and_the_axis_says_so() -> None:
    line = Line("a", [0, 1, 2, 3], [1.0, 1e-3, 0.0, None], [0.5, 1e-3, 0.0, None], below=[0.3, 9e-4, 0.0, None])
    figure = lines([line], "x", "y", log_y=True, floor=1e-6)
    (trace,) = figure.data
    assert list(trace.y) == [1.0, 1e-3, 1e-6, None]
    assert trace.error_y.array == pytest.approx([0.5, 1e-3, 0.0, 0.0])
    assert trace.error_y.arrayminus == pytest.approx([0.3, 9e-4, 0.0, 0.0])
    assert figure.layout.yaxis.ticktext[0].startswith("≤ 10")
    assert figure.layout.yaxis.tickvals[0] == pytest.approx(1e-6)
    assert figure.layout.yaxis.range[0] < -6
    assert figure.layout.yaxis.range[1] >= 0
    assert min(contract.fonts(contract.sent(figure))) >= contract.SMALLEST_FONT


def test_the_axis_holds_what_is_drawn_and_no_more() -> None:
    figure = lines(
        [Line("a", [0, 1], [2e-4, 3e-2], [5e-2, 0.0], below=[1e-4, 0.0])],
        "x",
        "y",
        log_y=True,
        floor=1e-10,
        ceiling=1e4,
    )
    assert figure.layout.yaxis.range[0] == pytest.approx(-4.3)  # the interval ends at 1e-4
    assert figure.layout.yaxis.range[1] == pytest.approx(-0.7)  # and at 5.02e-2
    assert not any("≤" in text or "≥" in text for text in figure.layout.yaxis.ticktext)


def test_no_interval_goes_below_the_floor() -> None:
    (trace,) = lines([Line("a", [0], [1e-5], [1e-4])], "x", "y", log_y=True, floor=1e-6).data
    assert trace.error_y.arrayminus == pytest.approx([9e-6])


def test_what_explodes_stands_at_the_ceiling_with_no_loose_interval() -> None:
    series = [Line("a", [0, 1, 2], [1.0, 1e30, 0.0], [0.0, 1e31, 1e9], below=[0.0, 1e30, 0.0])]
    figure = lines([*series, Line("b", [0, 1], [0.1, 0.2])], "x", "y", log_y=True, floor=1e-6, ceiling=1e4)
    assert figure.layout.yaxis.range[1] == pytest.approx(4.3)
    assert len(figure.layout.yaxis.ticktext) <= 7
    assert figure.layout.yaxis.ticktext[-1] == "≥ 10<sup>4</sup>"
    assert figure.data[0].y == pytest.approx((1.0, 1e4, 1e-6))
    assert figure.data[0].error_y.array == pytest.approx([0.0, 0.0, 1e4])  # from the floor to the ceiling
    assert figure.data[0].error_y.arrayminus == pytest.approx([0.0, 1e4 - 1e-6, 0.0])


def test_a_line_may_be_dashed_so_that_one_under_it_is_seen() -> None:
    over, under = lines([Line("a", [0], [1.0], dash=1), Line("b", [0], [1.0])], "x", "y").data
    assert (over.line.dash, under.line.dash) == ("dash", "solid")


def test_symmetric_intervals_stay_symmetric_without_a_floor() -> None:
    (trace,) = lines([Line("a", [1, 2], [1.0, 2.0], [0.1, 0.2])], "x", "y").data
    assert trace.error_y.arrayminus is None
    assert trace.error_y.symmetric


def test_scores_over_powers_of_ten() -> None:
    figure = scores([Points("a", [(1.0,), (1e-4,)], [None, None])], ["p", "q"], "x", "y", log_y=True)
    assert figure.layout.yaxis.type == "log"
    assert math.isclose(figure.layout.yaxis.dtick, 1)
