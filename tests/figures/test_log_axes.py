"""Axes in powers are written in one size, and stacked bars carry their sum."""

from __future__ import annotations

import pytest

from mha_viz.figures.bars import Bars, bars
from mha_viz.figures.charts import Line, lines
from tests.figures import contract


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([1.0, 32.0], ("1", "2", "5", "10", "20", "50")),
        ([0.02, 1.0], ("0.02", "0.05", "0.1", "0.2", "0.5", "1")),
        ([1.0, 9_000.0], ("1", "10", "100", "1,000", "10,000")),
        ([1e6, 3e6], ("10<sup>6</sup>", "2 · 10<sup>6</sup>")),
    ],
)
def test_round_numbers_are_written_along_an_axis_in_powers(values: list[float], texts: tuple[str, ...]) -> None:
    figure = lines([Line("a", [64, 128], values)], "x", "y", log_x=True, log_y=True)
    assert figure.layout.yaxis.ticktext == texts
    assert figure.layout.xaxis.ticktext == ("64", "128")
    assert min(contract.fonts(contract.sent(figure))) >= contract.SMALLEST_FONT
    low, high = min(figure.layout.yaxis.tickvals), max(figure.layout.yaxis.tickvals)
    assert min(values) / 2 < low <= min(values) * 2
    assert max(values) / 2 < high <= max(values) * 2


def test_very_small_numbers_skip_decades_and_nothing_and_zeros_are_drawn_all_the_same() -> None:
    figure = lines([Line("a", [1, 2, 3], [1e-17, 0.0, 1.0])], "x", "y", log_y=True)
    assert len(figure.layout.yaxis.ticktext) <= 7
    assert figure.layout.yaxis.ticktext[0].startswith("10<sup>\u2212")
    assert lines([], "x", "y", log_x=True, log_y=True).layout.yaxis.ticktext == ("1",)


def test_a_formula_is_dashed_without_points_in_the_colour_of_what_it_is_of() -> None:
    measured, theory = lines(
        [Line("a", [1, 2], [1, 2], colour=1), Line("b", [1, 2], [1, 3], formula=True, colour=1)], "x", "y"
    ).data
    assert (measured.mode, measured.line.dash) == ("lines+markers", "solid")
    assert (theory.mode, theory.line.dash) == ("lines", "dash")
    assert measured.line.color == theory.line.color


def test_stacked_bars_carry_their_sum() -> None:
    series = [Bars("a", [4800.0, 704.0]), Bars("b", [0.0, 4096.0])]
    figure = bars(series, [("plain",), ("less",)], "KB", stacked=True)
    assert figure.layout.barmode == "stack"
    assert figure.layout.yaxis.tickformat == ","  # 5,000 as elsewhere on a page
    assert [(one.x, one.y, one.text) for one in figure.layout.annotations] == [
        (0, 4800.0, "<b>4,800</b>"),
        (1, 4800.0, "<b>4,800</b>"),
    ]
    assert min(contract.fonts(contract.sent(figure))) >= contract.SMALLEST_FONT
    assert not bars(series, [("plain",), ("less",)], "KB").layout.annotations
