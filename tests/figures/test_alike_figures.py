"""Heads beside one another: a table of distances with its clusters framed, and two distances of each pair."""

from __future__ import annotations

import numpy as np

from mha_viz.figures import theme
from mha_viz.figures.alike import head_distances, pair_distances
from tests.figures import contract, rules

TABLE = np.array([[0.0, 0.1, 0.7], [0.1, 0.0, np.nan], [0.7, np.nan, 0.0]])


def test_the_table_names_its_heads_and_frames_clusters_of_several() -> None:
    figure = head_distances(TABLE, ["H2", "H0", "H1"], [2, 1], highest=0.83)
    rules.check(figure)
    (cells,) = contract.heatmaps(figure)
    np.testing.assert_array_equal(contract.cells(cells), TABLE.astype(np.float32))
    assert figure.layout.xaxis.ticktext == figure.layout.yaxis.ticktext == ("H2", "H0", "H1")
    (frame,) = figure.layout.shapes
    assert (frame.x0, frame.y0, frame.x1, frame.y1) == (-0.5, -0.5, 1.5, 1.5)
    assert frame.line.color == theme.ACCENT
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0.0, 0.83)
    assert cells.texttemplate == "%{z:.2f}"
    assert [list(row) for row in cells.customdata][1][2] == "H0 and H1"


def test_many_heads_have_their_names_and_numbers_for_pointing() -> None:
    figure = head_distances(np.zeros((72, 72)), [f"H{n}" for n in range(72)], [72], highest=1.0)
    rules.check(figure)
    (cells,) = contract.heatmaps(figure)
    assert cells.texttemplate is None
    assert not figure.layout.xaxis.showticklabels


def test_a_dot_is_a_pair_and_the_cuts_are_lines() -> None:
    one, other = np.array([0.1, 0.7]), np.array([0.9, np.nan])
    figure = pair_distances(one, other, ["a", "b"], ("by map", "by output"), (0.83, 1.0), (0.35, 0.5))
    rules.check(figure)
    (dots,) = figure.data
    np.testing.assert_array_equal(np.asarray(dots.x), one.astype(np.float32))
    np.testing.assert_array_equal(np.asarray(dots.y), other.astype(np.float32))
    assert dots.text == ("a", "b")
    across, down = figure.layout.shapes
    assert (across.x0, across.x1, down.y0, down.y1) == (0.35, 0.35, 0.5, 0.5)
    assert figure.layout.xaxis.range[1] >= 0.83
