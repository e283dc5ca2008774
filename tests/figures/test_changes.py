"""Two runs with aligned tokens, drawn: labels, scale, what is hovered; the matrix of changes; two models by depth."""

from __future__ import annotations

import numpy as np
import pytest

from mha_viz import Controls
from mha_viz.analysis.compare import changes_of, head_difference
from mha_viz.analysis.sizes import by_depth
from mha_viz.controls import HeadId
from mha_viz.figures import aligned_labels, change_heatmap, change_matrix, change_step, depth_plot, theme
from mha_viz.masks import Causal, Padding
from tests.figures import contract, rules
from tests.unit.build import sequence, trace

A, B = "the cat sat on the mat", "the dog sat quietly on a <b>mat</b>"


@pytest.mark.parametrize("controls", [Controls(), Controls(mask=Causal()), Controls(mask=Padding(9))])
def test_the_heatmap_keeps_to_the_rules_and_shows_the_difference(controls):
    a, b = rules.run(text=A), rules.run(controls, text=B)
    found = head_difference(a, b, 0, 1)
    figure = change_heatmap(found)
    rules.check(figure)
    drawn = rules.heatmaps(figure)[0]
    np.testing.assert_array_equal(rules.cells(drawn), found.change)
    np.testing.assert_array_equal(drawn.customdata[..., 0], found.a)
    np.testing.assert_array_equal(drawn.customdata[..., 1], found.b)
    axis = figure.layout.coloraxis
    assert axis.cmin == -axis.cmax
    assert axis.cmax >= found.largest
    assert axis.colorbar.tickvals == (axis.cmin, 0.0, axis.cmax)
    assert axis.colorscale[4][1] == theme.DIVERGING[4]
    for part in ("customdata[0]", "customdata[1]", "%{z:+.4f}"):
        assert part in drawn.hovertemplate
    assert theme.HIDDEN.colour in rules.picture(figure)


def test_equal_runs_are_drawn_with_a_scale_and_without_hatching():
    run = rules.run()
    figure = change_heatmap(head_difference(run, run, 0, 0))
    rules.check(figure)
    assert not rules.cells(rules.heatmaps(figure)[0]).any()
    assert rules.picture(figure) == ""


def test_the_labels_say_what_became_of_each_token():
    a, b = trace(sequence(["the", "<cat>", "old", "sat"])), trace(sequence(["the", "dog", "sat", "now"]))
    found = head_difference(a, b, 0, 0)
    labels = aligned_labels(found.alignment)
    assert labels[0] == "the"
    assert any("→" in text for text in labels)
    assert any(text.startswith("− ") for text in labels)
    assert any(text.startswith("+ ") for text in labels)
    assert "&lt;cat&gt;" in " ".join(labels)
    figure = change_heatmap(found)
    assert list(figure.layout.yaxis.ticktext) == labels
    assert rules.hover_texts(figure.layout.xaxis2, 0) == ["the (0 → 0)"]


def test_many_tokens_are_drawn_as_the_change_farthest_from_0_with_the_weights_of_that_cell():
    a, b = trace(300, seed=1), trace(300, seed=2)
    found = head_difference(a, b, 0, 0)
    assert change_step(found.alignment) == 3
    figure = change_heatmap(found)
    rules.check(figure)
    drawn = rules.heatmaps(figure)[0]
    cells = rules.cells(drawn)
    assert cells.shape == (100, 100)
    block = found.change[3:6, 6:9]
    at = np.unravel_index(np.abs(block).argmax(), block.shape)
    assert cells[1, 2] == block[at]
    assert tuple(drawn.customdata[1, 2]) == (found.a[3:6, 6:9][at], found.b[3:6, 6:9][at])
    odd = change_heatmap(head_difference(trace(200, seed=1), trace(199, seed=1), 0, 0))
    rules.check(odd)


def test_the_matrix_of_changes():
    a, b = trace(5, n_layers=2, n_heads=3), trace(5, n_layers=2, n_heads=3, seed=1)
    changes = changes_of(a, b)
    figure = change_matrix(changes, chosen=HeadId(1, 1))
    assert min(contract.fonts(contract.sent(figure))) >= contract.SMALLEST_FONT
    (drawn,) = contract.heatmaps(figure)
    np.testing.assert_array_equal(contract.cells(drawn), changes.distance.astype(np.float32))
    np.testing.assert_array_equal(drawn.customdata[..., 0], changes.cells)
    assert figure.layout.coloraxis.cmin == 0.0
    assert figure.layout.coloraxis.cmax >= changes.distance.max()
    assert "%{customdata[0]:.4f}" in drawn.hovertemplate
    nothing = change_matrix(changes_of(a, a))
    assert nothing.layout.coloraxis.cmax > 0
    assert not contract.cells(contract.heatmaps(nothing)[0]).any()
    none = change_matrix(changes_of(trace(sequence(["[X]"], special=(True,))), trace(sequence(["word"]))))
    assert [list(row) for row in contract.heatmaps(none)[0].text] == [["", ""]]


def test_two_models_stand_in_one_picture_by_depth():
    a, b = trace(4, n_layers=2, n_heads=3), trace(4, n_layers=5, n_heads=2)
    figure = depth_plot(by_depth(a, "entropy"), by_depth(b, "entropy"), "Entropy")
    assert min(contract.fonts(contract.sent(figure))) >= contract.SMALLEST_FONT
    assert [len(drawn.x) for drawn in figure.data] == [6, 2, 10, 5]
    assert list(figure.data[1].x) == [0.25, 0.75]
    np.testing.assert_array_equal(figure.data[3].y, np.median(by_depth(b, "entropy").values, axis=1))
    assert figure.layout.xaxis.range == (0, 1)
