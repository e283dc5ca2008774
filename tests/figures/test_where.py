"""Masks that leave rows without a key, or act in some heads only, are drawn so in every figure."""

from __future__ import annotations

import numpy as np
import pytest

from mha_viz.controls import Controls
from mha_viz.figures import difference_grid, difference_heatmap, head_grid, head_heatmap, stage_heatmaps, theme
from mha_viz.masks import MASKS, BlockDiagonal, Causal, HideQuery, Padding, Painted
from tests.figures import contract, rules
from tests.unit.build import trace

#: Of 8 tokens the last 4 are padding: two whole blocks, in which nobody sees a key.
DEAD = BlockDiagonal(2) & Padding(4)


def drawn_red(figure) -> bool:
    return any(theme.NO_KEY.colour in image.source.replace("%23", "#") for image in figure.layout.images)


def told_on_hover(figure) -> list[float]:
    """Rows whose hover text says that no key is allowed."""
    told = [part for part in figure.data if part.type == "scatter" and part.hovertemplate]
    return sorted({float(row) for part in told for row in part.y})


def test_block_diagonal_and_padding_leave_rows_without_a_key_which_are_flagged_and_drawn():
    run = trace(8, n_heads=3, controls=Controls(mask=DEAD))
    assert (run.no_key == ([False] * 4 + [True] * 4)).all()
    figure = head_heatmap(run, 0, 1)
    contract.check(figure)
    assert drawn_red(figure)
    assert [note.text for note in figure.layout.annotations] == ["no key allowed"]
    assert figure.layout.annotations[0].y == 5.5
    assert told_on_hover(figure) == [4, 5, 6, 7]
    assert np.isnan(contract.cells(contract.heatmaps(figure)[0])[4:]).all()


def test_rows_without_a_key_are_drawn_in_the_stages_too():
    figure = stage_heatmaps(rules.layer(Controls(mask=BlockDiagonal(2) & Padding(2))), 0)
    rules.check(figure)
    assert theme.NO_KEY.colour in rules.picture(figure)
    assert told_on_hover(figure) == [4.5, 5.5]
    masked, weights = (rules.cells(heatmap) for heatmap in rules.heatmaps(figure)[3:])
    for cells in (masked, weights):
        assert np.isnan(cells[4:]).all()
        assert np.isfinite(cells[[0, 1, 2, 3], [0, 1, 2, 3]]).all()
    assert all(np.isfinite(rules.cells(heatmap)).all() for heatmap in rules.heatmaps(figure)[:3])


def test_a_mask_in_one_head_is_drawn_in_that_head_alone():
    run = trace(5, n_heads=3, controls=Controls(mask=HideQuery(2), heads=frozenset({1})))
    for head, dead in ((0, []), (1, [2]), (2, [])):
        figure = head_heatmap(run, 0, head)
        contract.check(figure)
        assert told_on_hover(figure) == dead
        assert drawn_red(figure) is bool(dead)
        assert np.isnan(contract.cells(contract.heatmaps(figure)[0])).any() == bool(dead)
    grid = head_grid(run, 0)
    contract.check(grid)
    gaps = [np.flatnonzero(np.isnan(contract.cells(tile)).all(axis=1)).tolist() for tile in grid.data]
    assert gaps == [[], [2], []]
    (picture,) = contract.hatched(grid)
    path = next(part.get("d") for part in picture if part.tag.endswith("path"))
    assert (path or "").count("M") == 1  # one head's box is hatched


def test_a_difference_hides_what_the_changed_head_hides_and_shows_the_others_whole():
    plain = trace(5, n_heads=3)
    run = trace(5, n_heads=3, controls=Controls(mask=Causal(), heads=frozenset({1})))
    for head in range(3):
        _, _, change = rules.heatmaps(difference_heatmap(plain, run, 0, head))
        assert np.array_equal(np.isnan(rules.cells(change)), ~run.visible[0, head])
    unchanged = [not np.isnan(rules.cells(tile)).any() for tile in rules.heatmaps(difference_grid(plain, run, 0))]
    assert unchanged == [True, False, True]


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("inverted", [False, True], ids=["", "not"])
def test_every_kind_is_drawn_with_exactly_its_cells(name, inverted):
    mask = MASKS[name]() if name != "painted" else Painted.of(np.eye(9, k=2, dtype=bool))
    run = trace(9, controls=Controls(mask=~mask if inverted else mask))
    shown = mask.visible(run.key_tokens) != inverted
    for figure in (head_heatmap(run, 0, 1), head_grid(run, 0)):
        contract.check(figure)
        z = contract.cells(contract.heatmaps(figure)[-1])
        assert np.array_equal(np.isnan(z), ~shown)
        assert np.array_equal(z[shown], run.weights[0, 1][shown])
