"""Before, after and the difference: one scale with zero in the middle, hatched where either run hides."""

from __future__ import annotations

import numpy as np
import pytest

from mha_viz.controls import Controls
from mha_viz.errors import InputError
from mha_viz.figures import difference_grid, difference_heatmap, head_grid, theme
from mha_viz.figures.cells import pooled_changes
from mha_viz.figures.grid import MOST_CELLS
from mha_viz.masks import BlockDiagonal, Causal, Padding
from tests.figures import rules

CONTROLS = {
    "nothing": Controls(),
    "temperature": Controls(temperature=4.0),
    "causal": Controls(mask=Causal()),
    "rows without a key": Controls(mask=BlockDiagonal(2) & Padding(2)),
    "nothing visible": Controls(mask=Padding(6)),
}


@pytest.mark.parametrize("name", CONTROLS)
def test_every_figure_keeps_to_the_rules(name):
    before, after = rules.run(), rules.run(CONTROLS[name])
    rules.check(difference_heatmap(before, after, 0, 1, focus=2))
    rules.check(difference_grid(before, after, 0, chosen=1))


def test_the_three_pictures_are_before_after_and_after_less_before():
    before, after = rules.run(), rules.run(Controls(temperature=4.0, mask=Causal()))
    first, second, change = (rules.cells(drawn) for drawn in rules.heatmaps(difference_heatmap(before, after, 0, 2)))
    shown = after.visible[0, 2]
    assert np.array_equal(first, before.weights[0, 2])
    assert np.array_equal(second[shown], after.weights[0, 2][shown])
    assert np.array_equal(change[shown], (after.weights - before.weights)[0, 2][shown])
    assert np.isnan(second[~shown]).all()
    assert np.isnan(change[~shown]).all()


def test_a_cell_hidden_in_either_run_is_hatched_in_the_difference():
    plain, masked = rules.run(), rules.run(Controls(mask=Causal()))
    for before, after in ((plain, masked), (masked, plain)):
        figure = difference_heatmap(before, after, 0, 0)
        *_, change = rules.heatmaps(figure)
        assert np.array_equal(np.isnan(rules.cells(change)), ~masked.visible[0, 0])
        assert theme.HIDDEN.colour in rules.picture(figure)
        for drawn in rules.heatmaps(difference_grid(before, after, 0)):
            assert np.array_equal(np.isnan(rules.cells(drawn)), ~masked.visible[0, 0])
    assert rules.picture(difference_heatmap(plain, plain, 0, 0)) == ""


@pytest.mark.parametrize("name", CONTROLS)
def test_the_scale_of_the_difference_is_symmetrical_about_0_and_holds_all_of_it(name):
    before, after = rules.run(), rules.run(CONTROLS[name])
    for figure in (difference_heatmap(before, after, 0, 1), difference_grid(before, after, 0)):
        axis = figure.layout[rules.heatmaps(figure)[-1].coloraxis]
        assert axis.cmin == -axis.cmax
        assert axis.colorscale[len(axis.colorscale) // 2][0] == 0.5
        for drawn in rules.heatmaps(figure):
            if drawn.coloraxis == rules.heatmaps(figure)[-1].coloraxis:
                assert np.abs(np.nan_to_num(rules.cells(drawn))).max() <= axis.cmax * (1 + 1e-6)


def test_the_scales_are_printed():
    before, after = rules.run(), rules.run(CONTROLS["temperature"])
    figure = difference_heatmap(before, after, 0, 1)
    texts = [note.text for note in figure.layout.annotations]
    for axis in (figure.layout.coloraxis, figure.layout.coloraxis2, figure.layout.coloraxis3):
        assert {theme.number(axis.cmin), theme.number(axis.cmax)} <= set(texts)
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (
        figure.layout.coloraxis2.cmin,
        figure.layout.coloraxis2.cmax,
    )
    axis = difference_grid(before, after, 0).layout.coloraxis
    assert axis.showscale
    assert list(axis.colorbar.ticktext) == [theme.number(axis.cmin), "0", theme.number(axis.cmax)]


def test_the_grid_stands_like_the_grid_of_weights():
    before, after = rules.run(), rules.run(CONTROLS["causal"])
    figure = difference_grid(before, after, 0, chosen=3, titles=list("abcd"))
    assert [drawn.name for drawn in figure.data] == [drawn.name for drawn in head_grid(after, 0).data]
    assert [note.text for note in figure.layout.annotations] == list("abcd")
    for head, drawn in enumerate(figure.data):
        shown = after.visible[0, head]
        assert np.array_equal(rules.cells(drawn)[shown], (after.weights - before.weights)[0, head][shown])
        assert "%{z:+.4f}" in drawn.hovertemplate
    (shape,) = figure.layout.shapes
    assert shape.x0 == pytest.approx(figure.data[3].x0 - 0.5)


def test_a_pooled_difference_is_the_one_farthest_from_0():
    changes = np.array([[[0.1, -0.4, 0.0, np.nan], [0.2, 0.3, np.nan, np.nan]] * 2], dtype=np.float32)
    small, step = pooled_changes(changes, 2)
    assert step == 2
    assert small[0, 0].tolist() == [np.float32(-0.4), 0.0]
    one, _ = pooled_changes(np.full((1, 4, 4), np.nan, dtype=np.float32), 2)
    assert np.isnan(one).all()


def test_many_tokens_are_bounded():
    before, after = rules.run(text=300), rules.run(Controls(mask=Causal()), text=300)
    figure = difference_heatmap(before, after, 0, 0, focus=299)
    assert all(rules.cells(drawn).shape == (60, 60) for drawn in rules.heatmaps(figure))
    rules.check(figure)
    assert sum(rules.cells(drawn).size for drawn in difference_grid(before, after, 0).data) <= MOST_CELLS


def test_runs_of_different_sentences_are_refused():
    for make in (lambda a, b: difference_heatmap(a, b, 0, 0), lambda a, b: difference_grid(a, b, 0)):
        with pytest.raises(InputError, match="same sentence"):
            make(rules.run(), rules.run(text="one two"))


@pytest.mark.parametrize("place", [(1, 0), (0, 4), (0, -1)])
def test_a_layer_or_head_that_does_not_exist_is_refused(place):
    with pytest.raises(InputError):
        difference_heatmap(rules.run(), rules.run(), *place)
    with pytest.raises(InputError):
        difference_grid(rules.run(), rules.run(), place[0], chosen=place[1] or 4)


def test_figures_are_values():
    def make() -> list[str]:
        before, after = rules.run(), rules.run(CONTROLS["causal"])
        return [difference_heatmap(before, after, 0, 1).to_json(), difference_grid(before, after, 0).to_json()]

    assert make() == make()
