"""One number a head as a matrix and against the layers; types of heads; heads on a map."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import pytest

from mha_viz.controls import HeadId
from mha_viz.figures import head_map, layer_colours, metric_by_layer, metric_matrix, theme, type_colours, type_matrix
from tests.figures import contract


def legible(figure: go.Figure) -> None:
    """The part of the contract that holds for figures that are no heatmap of tokens."""
    assert min(contract.fonts(contract.sent(figure))) >= contract.SMALLEST_FONT
    assert figure.layout.height is not None
    assert figure.layout.width is None


VALUES = np.array([[0.1, 0.9, np.nan], [0.4, 0.5, 0.6]])
TEXTS = [["0.10", "0.90", "–"], ["0.40", "0.50", "0.60"]]


def test_the_matrix_holds_the_numbers_and_names_rows_and_columns() -> None:
    figure = metric_matrix(VALUES, TEXTS, "Entropy", low=0.0, high=1.0, chosen=HeadId(1, 2))
    legible(figure)
    (cells,) = contract.heatmaps(figure)
    np.testing.assert_array_equal(contract.cells(cells), VALUES.astype(np.float32))
    assert [list(row) for row in cells.text] == TEXTS
    assert figure.layout.yaxis.ticktext == ("L0", "L1")
    assert figure.layout.xaxis.ticktext == ("H0", "H1", "H2")
    (outline,) = figure.layout.shapes
    assert (outline.x0, outline.y0) == (1.5, 0.5)
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0.0, 1.0)


def test_numbers_below_0_have_0_in_the_middle_of_two_colours() -> None:
    figure = metric_matrix(np.array([[-2.0, 1.0]]), [["−2", "1"]], "Offset", low=-2.0, high=1.0)
    axis = figure.layout.coloraxis
    assert (axis.cmin, axis.cmax) == (-2.0, 2.0)
    assert axis.colorscale[4][1] == theme.DIVERGING[4]


def test_many_heads_keep_their_numbers_for_pointing() -> None:
    few, many = (metric_matrix(np.zeros((1, n)), [["0"] * n], "x") for n in (18, 19))
    assert few.data[0].texttemplate == "%{text}"
    assert many.data[0].texttemplate is None
    assert "%{text}" in many.data[0].hovertemplate


@pytest.mark.parametrize("values", [np.full((2, 3), np.nan), np.zeros((2, 3)), np.full((1, 1), 5.0)])
def test_no_numbers_or_equal_ones_still_make_a_figure(values: np.ndarray) -> None:
    figure = metric_matrix(values, [["x"] * values.shape[1]] * values.shape[0], "x")
    legible(figure)
    assert figure.layout.coloraxis.cmax > figure.layout.coloraxis.cmin


def test_against_the_layers_stand_every_head_and_the_mean_of_those_that_have_a_number() -> None:
    figure = metric_by_layer(VALUES, "Entropy", even=np.array([0.5, 0.7]))
    legible(figure)
    heads, means, even = figure.data
    np.testing.assert_array_equal(np.asarray(heads.y, dtype=float), VALUES.ravel())
    assert list(heads.text) == ["L0 H0", "L0 H1", "L0 H2", "L1 H0", "L1 H1", "L1 H2"]
    assert np.round(np.asarray(heads.x, dtype=float)).tolist() == [0, 0, 0, 1, 1, 1]
    assert means.y == pytest.approx((0.5, 0.5))
    assert list(even.y) == [0.5, 0.7]
    assert len(metric_by_layer(VALUES, "x", even=np.array([np.nan, 1.0])).data) == 2


def test_each_type_has_its_own_colour_and_the_last_is_grey() -> None:
    names = ["previous", "next", "sink", "same_word", "itself", "special", "block", "broad", "mixed"]
    colours = type_colours(names)
    assert len(set(colours.values())) == 9
    assert colours["mixed"] == theme.GUIDE


def test_the_matrix_of_types_says_each_in_words() -> None:
    figure = type_matrix(
        [["sink", ""], ["mixed", "sink"]], {"sink": "Sink!", "mixed": "Mixed!"}, [["a", "b"], ["c", "d"]]
    )
    legible(figure)
    (cells,) = contract.heatmaps(figure)
    assert [list(row) for row in cells.text] == [["Sink!", "–"], ["Mixed!", "Sink!"]]
    assert [list(row) for row in cells.z] == [[0, None], [1, 0]]
    assert [colour for _, colour in cells.colorscale] == [theme.TYPES[0], theme.TYPES[0], theme.GUIDE, theme.GUIDE]


def test_the_map_holds_one_dot_a_head_in_flat_order() -> None:
    points = np.array([[0.0, 1.0], [2.0, 0.0], [-1.0, -1.0], [0.5, 0.5]])
    colours = layer_colours(2)
    groups = ["L0", "L0", "L1", "L1"]
    figure = head_map(points, 2, groups, colours, chosen=2, notes=["a", "b", "c", "d"])
    legible(figure)
    dots = figure.data[-1]
    assert list(dots.text) == ["L0 H0", "L0 H1", "L1 H0", "L1 H1"]
    np.testing.assert_array_equal(np.column_stack([dots.x, dots.y]).astype(float), points)
    assert list(dots.marker.color) == [colours[group] for group in groups]
    assert list(dots.marker.line.width) == [0, 0, 4, 0]
    assert dots.customdata[1] == "L0<br>b"
    assert [trace.name for trace in figure.data[:-1]] == ["L0", "L1"]
    assert figure.layout.yaxis.scaleanchor == "x"
    assert {note.text for note in figure.layout.annotations} == {"L0 H0", "L0 H1", "<b>L1 H0</b>", "L1 H1"}


def test_of_many_heads_only_the_chosen_one_is_named_on_the_map() -> None:
    points = np.zeros((72, 2))
    figure = head_map(points, 12, ["L0"] * 72, layer_colours(1), chosen=13)
    assert [note.text for note in figure.layout.annotations] == ["<b>L1 H1</b>"]
