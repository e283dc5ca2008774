"""One head large: exact cells, integer axes, hidden cells and rows without a key told apart."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.controls import Controls
from mha_viz.errors import InputError
from mha_viz.figures import head_heatmap, theme
from mha_viz.figures.cells import highest_weight
from mha_viz.figures.head import HEIGHT
from mha_viz.masks import Causal, LocalWindow, Padding
from tests.figures import contract
from tests.unit.build import sequence, trace

REPEATED = ["the", "cat", "sat", "on", "the", "mat", ".", "the", "cat", "lay", "on", "the", "rug"]
ODD = [
    "<s>",
    "",
    " ",
    "\u200b",
    "\u202e",
    "#000001",
    "W" * 60,
    "👩\u200d👩\u200d👧",
    "שלום",
    "猫",
    "%{z}",
    "$x$",
    "&amp;",
]
DEAD = Controls(mask=LocalWindow(1) & Padding(3))


@pytest.mark.parametrize(
    "run",
    [
        trace(sequence(REPEATED)),
        trace(sequence(ODD), controls=Controls(mask=Causal())),
        trace(6, controls=DEAD),
        trace(3, controls=Controls(mask=Padding(3))),
        trace(1),
        trace(1, controls=Controls(mask=Padding(1))),
        trace(60, n_layers=2, n_heads=3),
    ],
    ids=["repeated words", "odd tokens", "rows without key", "nothing visible", "one cell", "one hidden cell", "60"],
)
def test_every_figure_keeps_to_the_contract(run):
    figure = head_heatmap(run, run.spec.n_layers - 1, run.spec.n_heads - 1, focus=0)
    contract.check(figure)
    assert figure.layout.height == HEIGHT


def test_the_cells_are_exactly_the_weights():
    run = trace(13, n_layers=2, n_heads=3)
    (cells,) = contract.heatmaps(head_heatmap(run, 1, 2))
    assert np.array_equal(contract.cells(cells), run.weights[1, 2])
    assert cells.x0 is None
    assert cells.y0 is None


@pytest.mark.parametrize("mask", [Causal(), LocalWindow(1), Padding(2), LocalWindow(0) & Padding(3)], ids=repr)
def test_a_cell_has_no_number_where_it_is_hidden_and_nowhere_else(mask):
    run = trace(7, controls=Controls(mask=mask))
    (cells,) = contract.heatmaps(head_heatmap(run, 0, 1))
    z = contract.cells(cells)
    assert np.array_equal(np.isnan(z), ~run.visible[0, 1])
    assert np.array_equal(z[run.visible[0, 1]], run.weights[0, 1][run.visible[0, 1]])
    assert cells.hoverongaps is False


def test_repeated_words_and_dates_keep_a_row_and_a_column_each_in_their_order():
    for words in (REPEATED, ["2024-01-02", "2024-01-01", "2023-05-01"]):
        figure = head_heatmap(trace(sequence(words)), 0, 0)
        for axis in (figure.layout.xaxis, figure.layout.yaxis):
            assert list(axis.tickvals) == list(range(len(words)))
            assert list(axis.ticktext) == words
        assert contract.cells(contract.heatmaps(figure)[0]).shape == (len(words), len(words))


def test_rows_are_queries_from_the_top_and_columns_keys_from_the_left():
    figure = head_heatmap(trace(4), 0, 0)
    assert tuple(figure.layout.xaxis.range) == tuple(figure.layout.xaxis2.range) == (-0.5, 3.5)
    assert tuple(figure.layout.yaxis.range) == tuple(figure.layout.yaxis2.range) == (3.5, -0.5)
    assert "key" in figure.layout.xaxis.title.text
    assert "query" in figure.layout.yaxis.title.text


def test_queries_and_keys_may_be_different_sequences():
    queries, keys = sequence(["a", "b"]), sequence(["x", "y", "z"])
    run = trace(3)
    assert run.output is not None
    crossed = dataclasses.replace(
        run,
        query_tokens=queries,
        key_tokens=keys,
        weights=run.weights[:, :, :2].copy(),
        visible=run.visible[:, :, :2].copy(),
        no_key=run.no_key[:, :, :2].copy(),
        output=run.output[:2].copy(),
    )
    figure = head_heatmap(crossed, 0, 0)
    assert list(figure.layout.yaxis.ticktext) == ["a", "b"]
    assert list(figure.layout.xaxis.ticktext) == ["x", "y", "z"]
    assert contract.cells(contract.heatmaps(figure)[0]).shape == (2, 3)


def test_hovering_names_every_token_in_full_with_its_position():
    figure = head_heatmap(trace(sequence(["the", "W" * 60, "<s>", "the"])), 0, 0)
    (cells,) = contract.heatmaps(figure)
    assert (cells.xaxis, cells.yaxis) == ("x2", "y2")
    for axis in (figure.layout.xaxis2, figure.layout.yaxis2):
        assert list(axis.tickvals) == [0, 1, 2, 3]
        assert list(axis.ticktext) == ["the (0)", "W" * 60 + " (1)", "&lt;s&gt; (2)", "the (3)"]
    for part in ("%{x}", "%{y}", "%{z"):
        assert part in cells.hovertemplate


def test_no_user_text_is_in_a_hover_template():
    def templates(words):
        run = trace(sequence(words), controls=DEAD)
        return [part.hovertemplate for part in head_heatmap(run, 0, 0).data]

    assert templates(["%{z}", "<b>x</b>", "%{customdata}", "d", "e", "f"]) == templates(list("abcdef"))


def test_of_many_tokens_some_are_labelled_in_even_steps_and_all_are_named_on_hover():
    figure = head_heatmap(trace(100), 0, 0)
    for axis, most in ((figure.layout.xaxis, 24), (figure.layout.yaxis, 26)):
        steps = np.diff(axis.tickvals)
        assert len(set(steps)) == 1
        assert most / 2 < len(axis.tickvals) <= most
        assert list(axis.ticktext) == [f"w{position}" for position in axis.tickvals]
    assert len(figure.layout.xaxis2.ticktext) == len(figure.layout.yaxis2.ticktext) == 100


def test_512_tokens_are_drawn_cell_by_cell():
    run = trace(512, n_heads=1)
    figure = head_heatmap(run, 0, 0, focus=511)
    contract.check(figure)
    assert np.array_equal(contract.cells(contract.heatmaps(figure)[0]), run.weights[0, 0])
    assert figure.layout.height == HEIGHT


def test_nothing_is_hatched_where_nothing_is_hidden():
    figure = head_heatmap(trace(5), 0, 0)
    assert len(figure.layout.images) == 0
    assert len(figure.layout.annotations) == 0


def test_hidden_cells_are_hatched_in_one_picture_under_the_cells():
    figure = head_heatmap(trace(5, controls=Controls(mask=Causal())), 0, 0)
    (image,) = figure.layout.images
    assert image.layer == "below"
    assert (image.x, image.y, image.sizex, image.sizey) == (-0.5, -0.5, 5, 5)
    assert (image.xref, image.yref) == ("x", "y")
    (picture,) = contract.hatched(figure)
    assert theme.HIDDEN.colour in image.source.replace("%23", "#")
    assert theme.NO_KEY.colour not in image.source.replace("%23", "#")
    assert picture.get("viewBox") == "0 0 5 5"


def test_rows_without_a_key_are_hatched_in_their_own_colour_named_and_told_on_hover():
    run = trace(6, controls=DEAD)
    assert np.flatnonzero(run.no_key[0, 0]).tolist() == [4, 5]
    figure = head_heatmap(run, 0, 0)
    contract.hatched(figure)
    source = figure.layout.images[0].source.replace("%23", "#")
    assert theme.NO_KEY.colour in source
    assert theme.HIDDEN.colour in source
    assert len(figure.layout.images) == 1
    (note,) = figure.layout.annotations
    assert note.text == "no key allowed"
    assert note.y == 4.5
    told = [part for part in figure.data if part.type == "scatter" and part.hovertemplate]
    assert list(told[0].y) == [4, 5]
    assert told[0].hovertemplate.startswith("%{y}: no key allowed")


def test_separate_rows_without_a_key_each_have_their_note_up_to_a_bound():
    # Windows of radius 0 over padding that the sequence has in between: every second query sees nothing.
    n = 40
    padding = tuple(position % 2 == 1 for position in range(n))
    figure = head_heatmap(trace(sequence(n, padding=padding), controls=Controls(mask=LocalWindow(0))), 0, 0)
    assert [note.y for note in figure.layout.annotations] == [1, 3, 5, 7, 9, 11, 13, 15]
    told = [part for part in figure.data if part.type == "scatter" and part.hovertemplate]
    assert list(told[0].y) == list(range(1, n, 2))


def test_when_every_key_is_hidden_the_whole_picture_says_so():
    figure = head_heatmap(trace(3, controls=Controls(mask=Padding(3))), 0, 0)
    assert np.isnan(contract.cells(contract.heatmaps(figure)[0])).all()
    assert [note.text for note in figure.layout.annotations] == ["no key allowed"]
    assert figure.layout.annotations[0].y == 1
    assert tuple(figure.layout.yaxis.range) == (2.5, -0.5)


def test_the_row_of_the_token_in_focus_is_outlined():
    figure = head_heatmap(trace(5), 0, 0, focus=3)
    (shape,) = figure.layout.shapes
    assert (shape.x0, shape.x1, shape.y0, shape.y1) == (-0.5, 4.5, 2.5, 3.5)
    assert len(head_heatmap(trace(5), 0, 0).layout.shapes) == 0


def test_the_scale_is_that_of_the_layer_unless_it_is_given():
    run = trace(5, n_heads=3)
    tops = {head_heatmap(run, 0, head).layout.coloraxis.cmax for head in range(3)}
    assert tops == {highest_weight(run, 0)}
    assert head_heatmap(run, 0, 0, highest=0.5).layout.coloraxis.cmax == 0.5


@given(st.integers(1, 200))
def test_the_scale_ends_at_the_largest_weight_rounded_up_to_two_figures(n):
    run = trace(n, weights=np.full((1, 1, n, n), 1 / n))
    top = highest_weight(run, 0)
    assert (1 - 1e-6) / n <= top <= min(1.1 / n, 1.0)
    assert float(f"{top:.1e}") == pytest.approx(top, rel=1e-9)


@pytest.mark.parametrize(
    ("place", "parts"),
    [
        ({"layer": 2, "head": 0}, ["L2 H0", "0 to 1", "0 to 2"]),
        ({"layer": -1, "head": 0}, ["L-1 H0"]),
        ({"layer": 0, "head": 3}, ["L0 H3", "0 to 2"]),
        ({"layer": 0, "head": 0, "focus": 4}, ["4", "0 to 3"]),
        ({"layer": 0, "head": 0, "focus": -1}, ["-1", "0 to 3"]),
    ],
)
def test_a_place_that_does_not_exist_is_refused_with_those_that_do(place, parts):
    with pytest.raises(InputError) as caught:
        head_heatmap(trace(4, n_layers=2, n_heads=3), **place)
    assert all(part in str(caught.value) for part in parts)


def test_figures_are_values():
    run = trace(sequence(ODD), controls=DEAD)
    before = pickle.dumps(run)
    one = head_heatmap(run, 0, 1, focus=2).to_json()
    assert one == head_heatmap(run, 0, 1, focus=2).to_json()
    assert one == head_heatmap(pickle.loads(before), 0, 1, focus=2).to_json()
    assert one != head_heatmap(run, 0, 0, focus=2).to_json()
    assert pickle.dumps(run) == before
