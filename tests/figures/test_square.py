"""A square of any numbers, rows of layers, and norms beside weights: exact cells, texts, gaps and bounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.controls import Controls
from mha_viz.errors import InputError, RecordError
from mha_viz.figures import Colour, Square, head_heatmap, layer_rows, norm_heatmaps, row_keys, square_heatmap
from mha_viz.figures.cells import highest_weight
from mha_viz.figures.layers import MOST_KEYS
from mha_viz.masks import Causal, LocalWindow, Padding
from tests.figures import contract, rules
from tests.unit.build import sequence, trace

NASTY = ["<b>x</b>", "the", "the", "2020-01-01", "a" * 40, "$x$"]


def numbers(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(n), size=n)


@given(st.integers(1, 40), st.integers(0, 99))
def test_cells_are_the_numbers(n, seed):
    values = numbers(n, seed)
    figure = square_heatmap(values, sequence(n), sequence(n), title="share")
    contract.check(figure)
    (drawn,) = contract.heatmaps(figure)
    np.testing.assert_allclose(contract.cells(drawn), values, atol=1e-7)
    assert figure.layout.coloraxis.colorbar.title.text == "share"


@pytest.mark.parametrize("mask", [None, Causal(), LocalWindow(1) & Padding(2)], ids=repr)
def test_a_head_is_such_a_square(mask):
    """Cell by cell and word by word."""
    run = trace(6, controls=Controls(mask=mask))
    square = square_heatmap(
        run.weights[0, 1],
        run.query_tokens,
        run.key_tokens,
        highest=highest_weight(run, 0),
        focus=2,
        visible=run.visible[0, 1],
        no_key=run.no_key[0, 1],
    )
    assert square.to_json() == head_heatmap(run, 0, 1, focus=2).to_json()


def test_hidden_cells_have_no_colour_and_rows_without_one_say_so():
    seen = np.tril(np.ones((4, 4), dtype=bool))
    seen[2] = False
    figure = square_heatmap(numbers(4), sequence(4), sequence(4), visible=seen)
    contract.check(figure)
    assert (np.isnan(contract.cells(contract.heatmaps(figure)[0])) == ~seen).all()
    assert [text.text for text in figure.layout.annotations] == ["no key allowed"]
    assert len(contract.hatched(figure)) == 1


def test_words_are_never_markup_or_dates_and_stay_apart():
    figure = square_heatmap(numbers(6), sequence(NASTY), sequence(NASTY), hover="%{y} has %{x}")
    contract.check(figure)
    assert figure.layout.xaxis.ticktext[0] == "&lt;b&gt;x&lt;/b&gt;"
    assert len(figure.layout.xaxis.tickvals) == 6
    assert figure.data[0].hovertemplate == "%{y} has %{x}<extra></extra>"


def test_queries_and_keys_may_differ():
    figure = square_heatmap(np.full((2, 3), 1 / 3), sequence(2), sequence(3))
    assert contract.cells(contract.heatmaps(figure)[0]).shape == (2, 3)
    with pytest.raises(RecordError, match="values"):
        square_heatmap(np.ones((3, 2)), sequence(2), sequence(3))
    with pytest.raises(InputError, match="position 2"):
        square_heatmap(np.ones((2, 3)), sequence(2), sequence(3), focus=2)


@pytest.mark.parametrize("scale", ["linear", "root", "log"])
@pytest.mark.parametrize("n_layers", [1, 6, 24])
def test_rows_of_layers_hold_the_numbers(scale, n_layers):
    rows = np.stack([numbers(6, seed)[0] for seed in range(n_layers)])
    figure = layer_rows(rows, sequence(NASTY), chosen=n_layers - 1, colour=Colour(scale=scale))
    contract.check(figure)
    (drawn,) = contract.heatmaps(figure)
    shown = contract.cells(drawn) if scale == "linear" else np.asarray(drawn.customdata)
    np.testing.assert_allclose(shown, rows, atol=1e-7)
    assert list(figure.layout.yaxis.ticktext) == [f"L{layer}" for layer in range(n_layers)]
    assert figure.layout.shapes[0].y0 == n_layers - 1.5


def test_of_many_keys_the_largest_are_shown_in_order():
    rows = np.zeros((3, 50))
    large = [3, 7, 40]
    rows[[0, 1, 2], large] = [0.5, 0.9, 0.2]
    keys = row_keys(rows)
    assert len(keys) == MOST_KEYS
    assert keys == sorted(keys)
    assert set(large) <= set(keys)
    figure = layer_rows(rows, sequence(50))
    contract.check(figure)
    texts = figure.layout.xaxis2.ticktext
    assert texts[keys.index(40)] == "w40 (40)"
    assert contract.cells(contract.heatmaps(figure)[0])[2, keys.index(40)] == np.float32(0.2)


def test_the_height_depends_on_the_number_of_layers_alone():
    short, long = (layer_rows(np.ones((6, 2)) / 2, sequence(words)) for words in (["a", "b"], ["a" * 40, "b"]))
    assert short.layout.height == long.layout.height


@pytest.mark.parametrize("mask", [None, Causal()], ids=repr)
@pytest.mark.parametrize("n_tokens", [1, 5, 130])
def test_norms_stand_beside_weights_each_with_its_own_scale(mask, n_tokens):
    run = trace(n_tokens, controls=Controls(mask=mask))
    weights, norms = run.weights[0, 0], 7 * run.weights[0, 0] ** 2
    figure = norm_heatmaps(run, Square("weights", weights), Square("norms", norms), run.visible[0, 0], focus=0)
    rules.check(figure)
    left, right = (rules.cells(drawn) for drawn in rules.heatmaps(figure))
    if n_tokens < 64:
        np.testing.assert_allclose(left, np.where(run.visible[0, 0], weights, np.nan))
        np.testing.assert_allclose(right, np.where(run.visible[0, 0], norms, np.nan))
    assert np.nanmax(left) == weights.max()
    assert left.shape[0] <= 65
    assert figure.layout.coloraxis.cmax <= 1
    assert figure.layout.coloraxis2.cmax >= norms.max()


def test_norms_of_a_silent_layer_are_drawn():
    run = trace(3)
    figure = norm_heatmaps(run, Square("a", run.weights[0, 0]), Square("b", np.zeros((3, 3))), run.visible[0, 0])
    rules.check(figure)
