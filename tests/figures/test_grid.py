"""All heads in one figure: one scale, head i is trace i, hovering names the right tokens, and it never grows without bound."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mha_viz.controls import Controls, HeadId
from mha_viz.errors import InputError
from mha_viz.figures import grid_step, head_grid
from mha_viz.figures.cells import pooled, runs, with_gaps
from mha_viz.figures.grid import MOST_CELLS, most_cells_a_side
from mha_viz.figures.head import HEIGHT
from mha_viz.figures.labels import hover_labels
from mha_viz.masks import Causal, LocalWindow, Padding
from tests.figures import contract
from tests.unit.build import sequence, trace

HEAD_COUNTS = [1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 20, 32, 64, 128]


def box(tile) -> tuple[float, float, float, float]:
    """Left, top, right and bottom edge of a head's cells."""
    rows, columns = contract.cells(tile).shape
    left, top = tile.x0 - tile.dx / 2, tile.y0 - tile.dy / 2
    return left, top, left + columns * tile.dx, top + rows * tile.dy


@pytest.mark.parametrize("n_heads", HEAD_COUNTS)
@pytest.mark.parametrize("mask", [None, Causal(), Padding(5)], ids=repr)
def test_every_figure_keeps_to_the_contract(n_heads, mask):
    figure = head_grid(trace(5, n_heads=n_heads, controls=Controls(mask=mask)), 0, chosen=n_heads - 1)
    contract.check(figure)
    assert figure.layout.height == HEIGHT
    assert len(contract.heatmaps(figure)) == n_heads


@pytest.mark.parametrize("n_heads", [1, 4, 12, 16])
def test_trace_i_is_head_i_with_exactly_its_weights(n_heads):
    run = trace(20, n_layers=3, n_heads=n_heads)
    figure = head_grid(run, 2)
    assert len(figure.data) == n_heads
    for head, tile in enumerate(figure.data):
        assert tile.name == str(HeadId(2, head))
        assert str(HeadId(2, head)) in tile.hovertemplate
        assert np.array_equal(contract.cells(tile), run.weights[2, head])


@pytest.mark.parametrize("n_heads", HEAD_COUNTS)
@pytest.mark.parametrize("n_tokens", [1, 7, 20])
def test_heads_stand_apart_within_the_axes_in_reading_order(n_heads, n_tokens):
    figure = head_grid(trace(n_tokens, n_heads=n_heads), 0)
    boxes = [box(tile) for tile in figure.data]
    right, bottom = figure.layout.xaxis.range[1], figure.layout.yaxis.range[0]
    for index, (left, top, right_edge, bottom_edge) in enumerate(boxes):
        assert left >= -1e-6
        assert top >= -1e-6
        assert right_edge <= right + 1e-6
        assert bottom_edge <= bottom + 1e-6
        for other in boxes[index + 1 :]:
            assert other[0] >= right_edge - 1e-6 or other[1] >= bottom_edge - 1e-6 or other[2] <= left + 1e-6
    assert boxes == sorted(boxes, key=lambda edges: (round(edges[1], 6), edges[0]))


@pytest.mark.parametrize(("n_heads", "n_tokens"), [(12, 20), (8, 5), (5, 13), (64, 30), (1, 512), (12, 512), (3, 100)])
def test_hovering_a_cell_names_its_own_query_and_key(n_heads, n_tokens):
    run = trace(n_tokens, n_heads=n_heads)
    step = grid_step(run)
    names = hover_labels(run.key_tokens)
    figure = head_grid(run, 0)

    def named(axis, place: float) -> str:
        """The text that Plotly shows: that of the tick within a ten-thousandth of the axis."""
        low, high = axis.range
        near = [
            text
            for value, text in zip(axis.tickvals, axis.ticktext, strict=True)
            if abs(value - place) < abs(high - low) / 10_000
        ]
        assert len(near) == 1
        return near[0]

    for tile in (figure.data[0], figure.data[-1]):
        side = contract.cells(tile).shape[0]
        for cell in {0, side // 2, side - 1}:
            first, last = cell * step, min((cell + 1) * step, n_tokens) - 1
            expected = names[first] if step == 1 else f"{names[first]} … {names[last]}"
            assert named(figure.layout.xaxis, tile.x0 + cell * tile.dx) == expected
            assert named(figure.layout.yaxis, tile.y0 + cell * tile.dy) == expected


def test_all_heads_share_one_scale_from_0_to_the_layers_largest_weight():
    run = trace(6, n_layers=2, n_heads=4)
    for layer in range(2):
        figure = head_grid(run, layer)
        largest = run.weights[layer].max()
        assert figure.layout.coloraxis.cmin == 0.0
        assert largest * (1 - 1e-6) <= figure.layout.coloraxis.cmax <= min(1.0, largest * 1.1)


@pytest.mark.parametrize(("n_heads", "n_tokens"), [(1, 512), (8, 91), (12, 74), (12, 512), (64, 300), (512, 60)])
def test_the_grid_never_has_more_cells_than_its_bound(n_heads, n_tokens):
    run = trace(n_tokens, n_heads=n_heads)
    figure = head_grid(run, 0)
    assert sum(contract.cells(tile).size for tile in figure.data) <= MOST_CELLS
    contract.check(figure)


def test_cells_are_exact_up_to_the_bound_and_pooled_above_it():
    assert most_cells_a_side(16) == 64
    assert grid_step(trace(64, n_heads=16)) == 1
    assert grid_step(trace(65, n_heads=16)) == 2
    assert grid_step(trace(130, n_heads=16)) == 3


def test_a_pooled_cell_is_the_largest_weight_of_the_tokens_it_covers():
    run = trace(130, n_heads=16, controls=Controls(mask=Causal()))
    step = grid_step(run)
    figure = head_grid(run, 0)
    for head in (0, 15):
        z = contract.cells(figure.data[head])
        assert z.shape == (44, 44)
        for row, column in ((0, 0), (20, 3), (43, 43), (43, 0)):
            block = np.s_[row * step : (row + 1) * step, column * step : (column + 1) * step]
            assert z[row, column] == run.weights[0, head][block].max()
        assert np.isnan(z[0, 1:]).all()


@settings(max_examples=50)
@given(st.integers(1, 40), st.integers(1, 12), st.integers(0, 10**6))
def test_pooling_loses_no_maximum_and_hides_only_what_is_wholly_hidden(n, most, seed):
    random = np.random.default_rng(seed)
    visible = random.random((n, n)) < 0.5
    weights = with_gaps(random.random((2, n, n), dtype=np.float32), visible)
    small, step = pooled(weights, most)
    side = -(-n // step)
    assert small.shape == (2, side, side)
    assert side <= most
    for row in range(side):
        for column in range(side):
            block = np.s_[:, row * step : (row + 1) * step, column * step : (column + 1) * step]
            covered = weights[block].reshape(2, -1)
            if np.isnan(covered).all():
                assert np.isnan(small[:, row, column]).all()
            else:
                assert np.array_equal(small[:, row, column], np.nanmax(covered, axis=1))


def test_the_first_and_length_of_each_stretch():
    assert runs(np.array([True, True, False, True, False])) == [(0, 2), (3, 1)]
    assert runs(np.array([False, False])) == []
    assert runs(np.array([True])) == [(0, 1)]


def test_a_cell_has_no_number_where_it_is_hidden_and_nowhere_else():
    run = trace(6, n_heads=3, controls=Controls(mask=LocalWindow(1) & Padding(2)))
    for head, tile in enumerate(head_grid(run, 0).data):
        z = contract.cells(tile)
        assert np.array_equal(np.isnan(z), ~run.visible[0, head])
        assert np.array_equal(z[run.visible[0, head]], run.weights[0, head][run.visible[0, head]])
        assert tile.hoverongaps is False


def test_hidden_cells_are_hatched_under_every_head_in_one_picture():
    run = trace(6, n_heads=12, controls=Controls(mask=Causal()))
    figure = head_grid(run, 0)
    (image,) = figure.layout.images
    (picture,) = contract.hatched(figure)
    assert image.layer == "below"
    path = next(part.get("d") for part in picture if part.tag.endswith("path"))
    corners = {tuple(float(number) for number in part.split("h")[0].split()) for part in (path or "").split("M")[1:]}
    expected = {(round(box(tile)[0], 2), round(box(tile)[1], 2)) for tile in figure.data}
    assert {(round(x, 2), round(y, 2)) for x, y in corners} == expected
    assert len(head_grid(trace(6, n_heads=12), 0).layout.images) == 0


def test_the_chosen_head_is_outlined_exactly():
    run = trace(9, n_heads=12)
    for chosen in (0, 5, 11):
        figure = head_grid(run, 0, chosen=chosen)
        (shape,) = figure.layout.shapes
        assert (shape.x0, shape.y0, shape.x1, shape.y1) == pytest.approx(box(figure.data[chosen]))
    assert len(head_grid(run, 0).layout.shapes) == 0


def test_each_head_has_its_title_above_it():
    run = trace(6, n_heads=8)
    for titles in (None, [f"H{head} job" for head in range(8)]):
        figure = head_grid(run, 0, titles=titles)
        assert [note.text for note in figure.layout.annotations] == (titles or [f"H{head}" for head in range(8)])
        for note, tile in zip(figure.layout.annotations, figure.data, strict=True):
            left, top, right, _ = box(tile)
            assert note.x == pytest.approx((left + right) / 2)
            assert note.y == pytest.approx(top)
            assert note.yanchor == "bottom"


def test_a_silenced_head_is_faint_and_says_so():
    controls = Controls(silenced=frozenset({HeadId(1, 2), HeadId(0, 0)}))
    figure = head_grid(trace(4, n_layers=2, n_heads=4, controls=controls), 1)
    assert [tile.opacity < 0.5 for tile in figure.data] == [False, False, True, False]
    assert ["silenced" in tile.hovertemplate for tile in figure.data] == [False, False, True, False]


def test_no_user_text_is_in_a_hover_template():
    def templates(words):
        return [tile.hovertemplate for tile in head_grid(trace(sequence(words)), 0).data]

    assert templates(["%{z}", "<b>x</b>", "%{customdata}"]) == templates(["a", "b", "c"])


@pytest.mark.parametrize(("layer", "chosen"), [(1, None), (-1, None), (0, 2), (0, -1)])
def test_a_layer_or_head_that_does_not_exist_is_refused(layer, chosen):
    with pytest.raises(InputError) as caught:
        head_grid(trace(4), layer, chosen=chosen)
    assert f"L{layer}" in str(caught.value)
    assert "heads 0 to 1" in str(caught.value)


def test_figures_are_values():
    run = trace(7, n_heads=4, controls=Controls(mask=Causal()))
    assert head_grid(run, 0, chosen=1).to_json() == head_grid(run, 0, chosen=1).to_json()
    assert head_grid(run, 0, chosen=1).to_json() != head_grid(run, 0, chosen=2).to_json()


def test_one_token_gives_full_cells():
    figure = head_grid(trace(1, n_heads=4), 0)
    assert [contract.cells(tile).tolist() for tile in figure.data] == [[[1.0]]] * 4
    assert figure.layout.coloraxis.cmax == 1.0
