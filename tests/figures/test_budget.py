"""Costs beside one head, the published comparison, and which slot each head takes."""

from __future__ import annotations

import math

import numpy as np
import plotly.graph_objects as go
import pytest

from mha_viz.figures.budget import Line, cost_lines, published_scores
from mha_viz.figures.slots import slot_matrix
from tests.figures import contract


def legible(figure: go.Figure) -> None:
    assert min(contract.fonts(contract.sent(figure))) >= contract.SMALLEST_FONT
    assert figure.layout.height >= 300
    assert figure.layout.width is None


def test_costs_are_drawn_over_all_of_their_range_on_axes_with_powers_of_2() -> None:
    heads = [1, 3, 9, 81]
    lines = [Line("maps", heads), Line("parameters", [1] * 4), Line("work", [1] * 4)]
    figure = cost_lines(heads, lines, chosen=9)
    legible(figure)
    assert [list(one.y) for one in figure.data] == [heads, [1] * 4, [1] * 4]
    assert len({(one.line.width, one.line.dash) for one in figure.data}) == 3
    assert (
        figure.data[1].line.width > figure.data[2].line.width
    )  # the line below is seen on both sides of the one above
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        assert axis.type == "log"
        assert axis.range[0] <= 0
        assert axis.range[1] >= math.log10(81)
        assert all(math.log2(tick).is_integer() for tick in axis.tickvals)
        assert 2 <= len(axis.tickvals) <= 8
    (mark,) = figure.layout.shapes
    assert mark.x0 == mark.x1 == 9


@pytest.mark.parametrize("heads", [[1], [1, 2], [1, 7919], [2**power for power in range(15)]])
def test_any_d_model_has_axes_that_hold_its_heads(heads: list[int]) -> None:
    figure = cost_lines(heads, [Line("maps", heads)])
    legible(figure)
    assert figure.layout.xaxis.range[1] >= math.log10(heads[-1])
    assert len(figure.layout.xaxis.tickvals) <= 8
    assert not figure.layout.shapes


def test_published_scores_say_their_numbers_and_fill_the_best() -> None:
    figure = published_scores([1, 8, 16], [24.9, 25.8, 25.8], [5.0, 4.92, 4.91])
    legible(figure)
    bleu, perplexity = figure.data
    assert list(bleu.text) == ["24.9", "25.8", "25.8"]
    assert list(perplexity.text) == ["5.00", "4.92", "4.91"]
    assert list(bleu.marker.symbol) == ["circle-open", "circle", "circle"]
    assert list(perplexity.marker.symbol) == ["circle-open", "circle-open", "circle"]
    assert (bleu.yaxis, perplexity.yaxis) == ("y", "y2")
    assert figure.layout.xaxis.ticktext == ("1", "8", "16")
    assert figure.layout.yaxis2.domain[1] < figure.layout.yaxis.domain[0]


def test_the_matrix_of_slots_has_a_row_for_each_head_with_its_name_and_numbers() -> None:
    weights = np.array([[0.9, 0.05, 0.05], [0.125, 0.75, 0.125]])
    figure = slot_matrix(weights, [3, 0], ["slot 0", "slot 1", "<b>"], "weight")
    legible(figure)
    (cells,) = contract.heatmaps(figure)
    np.testing.assert_array_equal(contract.cells(cells), weights.astype(np.float32))
    assert [list(row) for row in cells.text] == [["0.90", "0.05", "0.05"], ["0.12", "0.75", "0.12"]]
    assert figure.layout.yaxis.ticktext == ("H3", "H0")
    assert figure.layout.yaxis.autorange == "reversed"
    assert figure.layout.xaxis.ticktext == ("slot 0", "slot 1", "&lt;b&gt;")
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0.0, 1.0)


def test_many_heads_have_room_for_their_rows() -> None:
    few, many = (slot_matrix(np.full((n, 5), 0.2), list(range(n)), ["x"] * 5, "w") for n in (1, 32))
    assert few.layout.height == 380
    assert (many.layout.height - 50) / 32 >= 20
