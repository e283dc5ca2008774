"""Colours show weights as chosen; what is hovered and printed stays the weight."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.controls import Controls, HeadId
from mha_viz.errors import InputError
from mha_viz.figures import Colour, head_grid, head_heatmap, theme
from mha_viz.figures.cells import highest_weight, with_gaps
from mha_viz.figures.colour import PALETTES, SCALES
from mha_viz.masks import BlockDiagonal, Causal, Padding
from tests.figures import rules

DEAD = Controls(mask=BlockDiagonal(2) & Padding(2))
ALL = [Colour(*choice) for choice in product(SCALES, (True, False), PALETTES)]
FIGURES = {
    "head": lambda run, colour: head_heatmap(run, 0, 1, colour=colour),
    "grid": lambda run, colour: head_grid(run, 0, colour=colour),
}


def bar(figure: Any) -> tuple[list[float], list[str]]:
    colour_bar = figure.layout.coloraxis.colorbar
    return list(colour_bar.tickvals), list(colour_bar.ticktext)


@pytest.mark.parametrize("colour", ALL, ids=repr)
@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize(
    "controls", [Controls(), DEAD, Controls(mask=Padding(6))], ids=["plain", "dead rows", "no key"]
)
def test_every_colouring_keeps_to_the_rules(colour, figure, controls):
    rules.check(FIGURES[figure](rules.run(controls), colour))


@pytest.mark.parametrize("figure", FIGURES)
def test_the_usual_colours_are_those_without_a_choice(figure):
    run = rules.run(Controls(mask=Causal()))
    plain = head_heatmap(run, 0, 1) if figure == "head" else head_grid(run, 0)
    assert FIGURES[figure](run, Colour()).to_json() == plain.to_json()


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("scale", ["root", "log"])
def test_hovering_shows_the_exact_weight_and_hidden_cells_have_none(figure, scale):
    run = rules.run(Controls(mask=Causal()))
    maps = rules.heatmaps(FIGURES[figure](run, Colour(scale)))
    for head, drawn in zip([1] if figure == "head" else range(4), maps, strict=True):
        exact = with_gaps(run.weights[0, head], run.visible[0, head])
        assert np.array_equal(np.asarray(drawn.customdata, dtype=np.float32), exact, equal_nan=True)
        assert "%{customdata:.4f}" in drawn.hovertemplate
        assert "%{z" not in drawn.hovertemplate
        assert np.array_equal(np.isnan(rules.cells(drawn)), np.isnan(exact))
        assert np.nanmin(rules.cells(drawn)) >= 0.0
        assert np.nanmax(rules.cells(drawn)) <= 1.0 + 1e-6


def test_only_other_scales_send_the_weights_twice():
    run = rules.run()
    for colour in ALL:
        (drawn,) = rules.heatmaps(head_heatmap(run, 0, 0, colour=colour))
        assert (drawn.customdata is None) == (colour.scale == "linear")


@given(st.floats(1e-3, 1.0), st.floats(0.0, 1.0))
def test_a_root_scale_shows_the_square_root_of_a_weights_share_of_the_highest(highest, share):
    drawn = Colour("root").cells(np.array([[share * highest]]), highest)["z"]
    assert np.asarray(drawn).item() == pytest.approx(share**0.5, abs=1e-6)


def test_a_log_scale_has_equal_steps_for_equal_ratios_down_to_its_floor():
    weights = np.array([[1.0, 0.1, 0.01, 0.001, 1e-4, 1e-9, 0.0]])
    drawn = np.asarray(Colour("log").cells(weights, 1.0)["z"])
    assert drawn[0] == pytest.approx([1.0, 0.75, 0.5, 0.25, 0.0, 0.0, 0.0], abs=1e-6)


@pytest.mark.parametrize("scale", ["root", "log"])
@pytest.mark.parametrize("highest", [1.0, 0.63, 0.1, 0.042, 0.002])
def test_the_bar_prints_real_weights_where_their_colours_are(scale, highest):
    colour = Colour(scale)
    axis: Any = colour.axis(highest, "weight")
    places, texts = axis["colorbar"]["tickvals"], axis["colorbar"]["ticktext"]
    weights = [float(text.removeprefix("≤ ").replace("−", "-")) for text in texts]
    drawn = np.asarray(colour.cells(np.array([weights]), highest)["z"])[0]
    assert drawn == pytest.approx(places, abs=1e-6)
    assert (axis["cmin"], axis["cmax"]) == (places[0], places[-1]) == (0.0, 1.0)
    assert weights[-1] == pytest.approx(highest)
    assert all(b - a > 0.05 for a, b in pairwise(places))
    assert len(texts) >= 4
    assert texts[0].startswith("≤ ") == (scale == "log")
    assert all(weight == float(f"{weight:.0e}") and f"{weight:.0e}"[0] in "0125" for weight in weights[:-1])


def test_a_scale_for_each_head_ends_at_its_own_largest_weight_and_prints_it():
    run = rules.run(Controls(temperature=3.0))
    figure = head_grid(run, 0, colour=Colour(shared=False), titles=list("abcd"))
    for head, drawn in enumerate(rules.heatmaps(figure)):
        highest = highest_weight(run, 0, head)
        assert (drawn.zmin, drawn.zmax) == (0.0, highest)
        assert run.weights[0, head].max() <= highest * (1 + 1e-6)
        assert figure.layout.annotations[head].text == f"H{head} ≤ {theme.number(highest)}"
        assert f"≤ {theme.number(highest)}" in drawn.hovertemplate
    assert head_heatmap(run, 0, 2, colour=Colour(shared=False)).layout.coloraxis.cmax == highest_weight(run, 0, 2)


def test_a_scale_for_each_head_that_is_not_linear_gives_every_head_the_whole_bar():
    run = rules.run(Controls(temperature=3.0))
    for head, drawn in enumerate(rules.heatmaps(head_grid(run, 0, colour=Colour("root", shared=False)))):
        expected = np.sqrt(run.weights[0, head] / highest_weight(run, 0, head))
        assert rules.cells(drawn) == pytest.approx(expected, abs=1e-6)


def test_a_silenced_head_says_so_with_any_colours():
    run = rules.run(Controls(silenced=frozenset({HeadId(0, 2)})))
    for colour in ALL:
        drawn = rules.heatmaps(head_grid(run, 0, colour=colour))[2]
        assert "silenced" in drawn.hovertemplate
        assert drawn.opacity < 0.5


@pytest.mark.parametrize("palette", PALETTES)
def test_a_palette_grows_lighter_all_the_way(palette):
    colours = head_heatmap(rules.run(), 0, 0, colour=Colour(palette=palette)).layout.coloraxis.colorscale

    def lightness(colour: str) -> float:
        if colour.startswith("#"):
            parts = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
        else:
            parts = [int(part) for part in colour.removeprefix("rgb(").rstrip(")").split(",")]
        return float(np.dot(parts, [0.2126, 0.7152, 0.0722]))

    steps = [lightness(colour) for _, colour in colours]
    assert steps == sorted(steps)


@pytest.mark.parametrize("wrong", [{"scale": "cubic"}, {"palette": "greys"}, {"palette": "jet"}])
def test_a_colouring_that_there_is_none_of_is_refused_with_those_there_are(wrong):
    with pytest.raises(InputError) as caught:
        Colour(**wrong)
    assert next(iter(wrong.values())) in str(caught.value)
    assert "viridis" in str(caught.value) or "linear" in str(caught.value)


def test_equal_colours_give_equal_figures():
    run = rules.run(DEAD)
    for colour in ALL:
        again = Colour(colour.scale, colour.shared, colour.palette)
        assert head_grid(run, 0, colour=colour).to_json() == head_grid(run, 0, colour=again).to_json()
