"""Five stages side by side and one row of them as bars: every number in its place, hidden keys hatched in one picture."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mha_viz.controls import Controls
from mha_viz.errors import InputError
from mha_viz.figures import bar_keys, panel_step, stage_bars, stage_heatmaps, theme
from mha_viz.figures.labels import hover_labels
from mha_viz.figures.stages import BARS_HEIGHT, MOST_BARS, stage_titles
from mha_viz.masks import BlockDiagonal, Causal, HideQuery, Padding
from mha_viz.stages import stages_of
from tests.figures import rules
from tests.unit.layers import layer_of, words

DEAD = Controls(mask=BlockDiagonal(2) & Padding(2))
ODD = ["<s>", "%{z}", "W" * 60, "2024-01-02", "2024-01-02", "&amp;", "#000001", ""]
LAYERS = {
    "plain": lambda: rules.layer(),
    "causal at 0.5": lambda: rules.layer(Controls(temperature=0.5, mask=Causal())),
    "limit 0": lambda: rules.layer(Controls(temperature=0.0)),
    "limit infinity": lambda: rules.layer(Controls(temperature=math.inf, mask=Causal())),
    "almost 0": lambda: rules.layer(Controls(temperature=1e-30)),
    "rows without a key": lambda: rules.layer(DEAD),
    "nothing visible": lambda: rules.layer(Controls(mask=Padding(6))),
    "one token": lambda: rules.layer(text="one"),
    "all scores 0": lambda: layer_of(np.zeros((1, 3, 3))),
    "odd tokens": lambda: layer_of(np.ones((1, 8, 8)), tokens=words(ODD)),
    "130 tokens": lambda: rules.layer(Controls(mask=Causal()), text=130),
}


def text_beside(figure, stage: int, row: int) -> str:
    """The number that stands beside a bar."""
    (numbers,) = [trace for trace in figure.data if trace.type == "scatter" and trace.mode == "text"]
    return numbers.text[stage * (len(numbers.text) // 5) + row]


@pytest.mark.parametrize("name", LAYERS)
def test_every_figure_keeps_to_the_rules(name):
    layer = LAYERS[name]()
    for figure in (stage_heatmaps(layer, 0, focus=0), stage_bars(layer, 0, 0)):
        rules.check(figure)
    assert stage_heatmaps(layer, 0).layout.height == stage_heatmaps(rules.layer(), 0).layout.height
    assert stage_bars(layer, 0, 0).layout.height == BARS_HEIGHT


def test_trace_i_is_stage_i_with_exactly_its_numbers():
    layer = rules.layer(Controls(temperature=0.5, mask=Causal()))
    for head in range(4):
        stages = stages_of(layer, head)
        maps = rules.heatmaps(stage_heatmaps(layer, head))
        shown = layer.visible[head]
        for drawn, expected in zip(maps[:3], stages[:3], strict=True):
            assert np.array_equal(rules.cells(drawn), expected.astype(np.float32))
        for drawn, expected in zip(maps[3:], (stages.tempered, stages.weights), strict=True):
            assert np.array_equal(np.isnan(rules.cells(drawn)), ~shown)
            assert np.array_equal(rules.cells(drawn)[shown], expected[shown].astype(np.float32))


def test_scores_have_zero_in_the_middle_and_every_scale_is_printed_below():
    layer = rules.layer(Controls(temperature=0.5, mask=Causal()))
    figure = stage_heatmaps(layer, 1)
    axes = [figure.layout[drawn.coloraxis] for drawn in rules.heatmaps(figure)]
    assert [axis.cmin == -axis.cmax for axis in axes] == [True, True, True, True, False]
    assert (axes[2].cmin, axes[2].cmax) == (axes[3].cmin, axes[3].cmax)
    assert axes[4].cmin == 0.0
    texts = [note.text for note in figure.layout.annotations]
    for axis, drawn in zip(axes, rules.heatmaps(figure), strict=True):
        z = rules.cells(drawn)
        assert axis.cmin * (1 + 1e-6) <= np.nanmin(z)
        assert np.nanmax(z) <= axis.cmax * (1 + 1e-6)
        assert {theme.number(axis.cmin), theme.number(axis.cmax)} <= set(texts)


def test_each_stage_is_named():
    def titles(controls: Controls) -> list[str]:
        layer = rules.layer(controls)
        expected = stage_titles(stages_of(layer, 0), layer.spec.d_k)
        shown = [note.text for note in stage_heatmaps(layer, 0).layout.annotations]
        assert [text for text in shown if text.startswith("<b>")] == [f"<b>{title}</b>" for title in expected]
        return expected

    assert titles(Controls(temperature=0.5)) == ["Q Kᵀ", "÷ √16", "÷ T = 0.5", "masked", "weights"]
    assert titles(Controls(temperature=0.0))[2] == "T → 0"
    assert titles(Controls(temperature=math.inf))[2] == "T → ∞"
    assert titles(Controls(temperature=9.0, heads=frozenset({1})))[2] == "÷ T = 1"


@pytest.mark.parametrize("n_tokens", [1, 6, 100])
def test_hovering_a_cell_of_any_stage_names_its_own_query_and_key(n_tokens):
    layer = rules.layer(text=n_tokens)
    figure, step = stage_heatmaps(layer, 0), panel_step(layer)
    names = hover_labels(layer.key_tokens)
    for drawn in rules.heatmaps(figure):
        assert (drawn.xaxis, drawn.yaxis) == ("x2", "y2")
        assert "%{x}" in drawn.hovertemplate
        assert "%{y}" in drawn.hovertemplate
        side = rules.cells(drawn).shape[0]
        for cell in {0, side // 2, side - 1}:
            first, last = cell * step, min((cell + 1) * step, n_tokens) - 1
            expected = names[first] if step == 1 else f"{names[first]} … {names[last]}"
            assert rules.hover_texts(figure.layout.xaxis2, drawn.x0 + cell * drawn.dx) == [expected]
            assert rules.hover_texts(figure.layout.yaxis2, drawn.y0 + cell * drawn.dy) == [expected]


def test_only_masked_scores_and_weights_are_hatched_in_one_picture():
    figure = stage_heatmaps(rules.layer(DEAD), 0)
    hatching = rules.picture(figure)
    assert theme.HIDDEN.colour in hatching
    assert theme.NO_KEY.colour in hatching
    assert rules.picture(stage_heatmaps(rules.layer(), 0)) == ""
    assert [np.isnan(rules.cells(drawn)).any() for drawn in rules.heatmaps(figure)] == [False, False, False, True, True]


def test_rows_without_a_key_say_so_on_hover():
    layer = rules.layer(Controls(mask=HideQuery(2)))
    told = [trace for trace in stage_heatmaps(layer, 0).data if "no key" in (trace.hovertemplate or "")]
    assert list(told[0].y) == [2.5, 2.5]


def test_the_row_in_focus_is_outlined_in_all_five():
    figure = stage_heatmaps(rules.layer(), 0, focus=4)
    assert [(shape.y0, shape.y1) for shape in figure.layout.shapes] == [(4, 5)] * 5
    for shape, drawn in zip(figure.layout.shapes, rules.heatmaps(figure), strict=True):
        assert (shape.x0, shape.x1) == pytest.approx((drawn.x0 - 0.5, drawn.x0 + 5.5))


def test_512_tokens_are_pooled_to_the_value_farthest_from_0_of_what_a_cell_covers():
    square = np.random.default_rng(0).standard_normal((1, 512, 512))
    layer = layer_of(square, Controls(mask=Causal()))
    figure = stage_heatmaps(layer, 0, focus=511)
    assert panel_step(layer) == 8
    raw, *_, weights = (rules.cells(drawn) for drawn in rules.heatmaps(figure))
    assert raw.shape == weights.shape == (64, 64)
    covered = layer.scores[0, 24:32, 40:48].ravel()
    assert raw[3, 5] == covered[np.abs(covered).argmax()]
    assert weights[5, 3] == layer.weights[0, 40:48, 24:32].max()
    assert np.isnan(weights[3, 5])
    assert figure.layout.shapes[0].y0 == 63
    assert len(figure.to_json()) < 300_000
    rules.check(figure)


# Bars


def test_the_numbers_of_a_hand_computed_row_stand_beside_their_bars():
    scores = np.array([[[4.0, 2.0, -2.0]] * 3])
    figure = stage_bars(layer_of(scores, Controls(mask=Padding(1))), 0, 0)
    texts = [[text_beside(figure, stage, key) for key in range(3)] for stage in range(5)]
    assert texts[0] == ["4.00", "2.00", "−2.00"]
    assert texts[1] == texts[2] == ["2.00", "1.00", "−1.00"]
    assert texts[3] == ["2.00", "1.00", "−∞"]
    assert texts[4] == ["0.731", "0.269", "0"]
    assert [list(bars.y) for bars in figure.data[:5]] == [[0, 1, 2]] * 3 + [[0, 1]] * 2


def test_a_bars_length_is_its_number_on_the_scale_of_its_stage():
    figure = stage_bars(rules.layer(Controls(mask=Causal())), 1, 5)
    for bars in figure.data[:5]:
        values = np.array([value for _, value in bars.customdata])
        lengths = np.asarray(bars.x, dtype=np.float64)
        assert lengths * values[0] == pytest.approx(values * lengths[0])
        ends = np.concatenate([np.asarray(bars.base), np.asarray(bars.base) + lengths])
        assert ends.min() >= 0
        assert ends.max() <= figure.layout.xaxis.range[1]


def test_a_hidden_key_has_no_bar_but_hatching():
    layer = rules.layer(Controls(mask=Causal()))
    figure = stage_bars(layer, 0, 2)
    assert [len(bars.y) for bars in figure.data[:5]] == [6, 6, 6, 3, 3]
    assert theme.HIDDEN.colour in rules.picture(figure)
    (told,) = [trace for trace in figure.data if "hidden" in (trace.hovertemplate or "")]
    assert list(told.customdata) == hover_labels(layer.key_tokens)[3:] * 2
    assert rules.picture(stage_bars(rules.layer(), 0, 2)) == ""


def test_a_row_without_a_key_says_so():
    figure = stage_bars(rules.layer(Controls(mask=HideQuery(1))), 0, 1)
    assert theme.NO_KEY.colour in rules.picture(figure)
    assert "no key allowed" in [note.text for note in figure.layout.annotations]
    assert [len(bars.y) for bars in figure.data[:5]] == [6, 6, 6, 0, 0]


def test_of_many_keys_those_with_the_largest_weights_are_shown_in_their_order():
    layer = layer_of(np.random.default_rng(0).standard_normal((1, 60, 60)))
    keys = bar_keys(layer, 0, 7)
    assert keys == sorted(keys)
    assert set(keys) == set(np.argsort(layer.weights[0, 7])[-MOST_BARS:].tolist())
    assert list(stage_bars(layer, 0, 7).layout.yaxis.ticktext) == [f"w{key}" for key in keys]
    assert bar_keys(rules.layer(), 0, 0) == list(range(6))


def test_no_user_text_is_in_a_hover_template():
    def templates(texts: list[str]) -> list[str]:
        layer = layer_of(np.ones((1, 3, 3)), Controls(mask=Causal()), tokens=words(texts))
        return [trace.hovertemplate for f in (stage_heatmaps(layer, 0), stage_bars(layer, 0, 1)) for trace in f.data]

    assert templates(["%{z}", "<b>x</b>", "%{customdata}"]) == templates(["a", "b", "c"])


@pytest.mark.parametrize(("head", "row"), [(4, 0), (-1, 0), (0, 6), (0, -1)])
def test_a_head_or_token_that_does_not_exist_is_refused(head, row):
    with pytest.raises(InputError):
        stage_heatmaps(rules.layer(), head, focus=row)
    with pytest.raises(InputError):
        stage_bars(rules.layer(), head, row)


def test_figures_are_values():
    one, two = (rules.layer(DEAD) for _ in range(2))
    assert stage_heatmaps(one, 1, focus=2).to_json() == stage_heatmaps(two, 1, focus=2).to_json()
    assert stage_bars(one, 1, 2).to_json() == stage_bars(two, 1, 2).to_json()
