"""Scores on their way to weights, repainting, entropy against temperature, and the softmax step by step."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays as any_array

import mha_viz
from mha_viz import stages as stages_module
from mha_viz.controls import Controls, HeadId
from mha_viz.errors import InputError
from mha_viz.masks import BlockDiagonal, Causal, Padding
from mha_viz.stages import entropy_by_temperature, limit_of, repainted, softmax_steps, stages_of
from tests.refs import arrays
from tests.unit.layers import layer_of, random_layer

TEMPERATURES = [0.0, 5e-324, 1e-45, 1e-30, 1e-3, 0.1, 0.7, 1.0, 3.0, 1e3, 1e30, 1e39, 1e308, math.inf]
DEAD = BlockDiagonal(2) & Padding(2)


def scores(most: int = 12):
    return any_array(np.float32, st.integers(1, most), elements=st.floats(-1e4, 1e4, width=32))


def minilm() -> np.ndarray:
    """The scaled scores of the reference, (layer, head, query, key)."""
    return arrays("d")["scores"].astype(np.float64)


# Stages


def test_the_stages_of_a_hand_computed_row():
    layer = layer_of(np.array([[[4.0, 2.0], [0.0, -6.0]]]), Controls(temperature=2.0, mask=Causal()), d_k=4)
    stages = stages_of(layer, 0)
    assert stages.raw.tolist() == [[4.0, 2.0], [0.0, -6.0]]
    assert stages.scaled.tolist() == [[2.0, 1.0], [0.0, -3.0]]
    assert stages.tempered.tolist() == [[1.0, 0.5], [0.0, -1.5]]
    assert stages.masked.tolist() == [[1.0, -math.inf], [0.0, -1.5]]
    assert stages.weights is layer.weights[0] or np.array_equal(stages.weights, layer.weights[0])
    assert (stages.temperature, stages.limit, stages.uniform) == (2.0, None, False)


@pytest.mark.parametrize("temperature", [0.25, 1.0, 4.0])
@pytest.mark.parametrize("mask", [None, Causal(), DEAD], ids=repr)
def test_the_softmax_of_the_masked_stage_is_what_the_model_computed(temperature, mask):
    model = mha_viz.open_model("toy", n_heads=4, weights="random")
    tokens = model.tokenize("the cat sat on the mat")
    layer = model.inspect_layer(tokens, Controls(temperature=temperature, mask=mask), 0)
    for head in range(4):
        masked = stages_of(layer, head).masked
        odds = np.exp(masked)
        sums = odds.sum(axis=-1, keepdims=True)
        weights = np.divide(odds, sums, out=np.zeros_like(odds), where=sums > 0)
        assert np.abs(weights - layer.weights[head]).max() < 2e-6


@pytest.mark.parametrize(
    ("temperature", "limit"), [(0.0, "zero"), (1e-45, "zero"), (1e39, "infinity"), (math.inf, "infinity")]
)
def test_at_a_limit_nothing_is_divided_and_it_says_which(temperature, limit):
    stages = stages_of(random_layer(4, controls=Controls(temperature=temperature)), 1)
    assert stages.limit == limit
    assert np.array_equal(stages.tempered, stages.scaled)


def test_the_limits_begin_where_the_kernel_takes_them_for_limits():
    attention = pytest.importorskip("mha_viz.attention")
    assert attention.SMALLEST_TEMPERATURE == stages_module.SMALLEST_TEMPERATURE
    assert attention.LARGEST_TEMPERATURE == stages_module.LARGEST_TEMPERATURE
    assert limit_of(1e-30) is None
    assert limit_of(1e30) is None


def test_a_temperature_that_acts_elsewhere_changes_no_stage():
    square = np.random.default_rng(0).standard_normal((2, 3, 3))
    in_other_layer = layer_of(square, Controls(temperature=9.0, layers=frozenset({1})), layer=0, n_layers=2)
    in_other_head = layer_of(square, Controls(temperature=9.0, heads=frozenset({1})))
    for layer in (in_other_layer, in_other_head):
        stages = stages_of(layer, 0)
        assert stages.temperature == 1.0
        assert np.array_equal(stages.tempered, stages.scaled)
    assert stages_of(in_other_head, 1).temperature == 9.0


def test_a_uniform_head_says_so():
    layer = random_layer(3, controls=Controls(uniform=frozenset({HeadId(0, 1)})))
    assert [stages_of(layer, head).uniform for head in (0, 1)] == [False, True]


@given(st.sampled_from(TEMPERATURES), st.sampled_from([None, Causal(), DEAD]), st.integers(0, 10**6))
def test_no_stage_is_ever_not_a_number(temperature, mask, seed):
    layer = random_layer(5, controls=Controls(temperature=temperature, mask=mask), seed=seed)
    for array in stages_of(layer, 0)[:5]:
        assert not np.isnan(array).any()


# Repainting


@pytest.mark.parametrize("temperature", ["0.25", "0.5", "2", "4"])
def test_repainting_gives_the_references_numbers(temperature):
    expected = arrays("c")[f"coref/display_T{temperature}/attn"]
    for number, scaled in enumerate(minilm()):
        layer = layer_of(scaled * math.sqrt(32), d_k=32)
        weights = repainted(layer, float(temperature))
        assert weights.dtype == np.float32
        assert np.abs(weights - expected[number]).max() < 1e-5


def test_at_the_changed_layer_repainting_is_running_inside_the_model_and_above_it_is_not():
    inside, plain = arrays("c")["coref/layer2_T4/attn"], minilm()
    differences = [
        np.abs(
            repainted(layer_of(plain[layer] * math.sqrt(32), d_k=32), 4.0 if layer == 2 else 1.0) - inside[layer]
        ).max()
        for layer in range(6)
    ]
    assert max(differences[:3]) < 1e-5
    assert min(differences[3:]) > 0.01


def test_both_limits_are_exact_and_ties_share():
    layer = layer_of(np.array([[[5.0, 5.0, 1.0], [0.0, 2.0, 1.0], [3.0, 3.0, 3.0]]]), Controls(mask=Padding(1)))
    assert repainted(layer, 0.0)[0].tolist() == [[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [0.5, 0.5, 0.0]]
    assert repainted(layer, math.inf)[0].tolist() == [[0.5, 0.5, 0.0]] * 3


@given(st.sampled_from(TEMPERATURES), st.sampled_from([None, Causal(), DEAD]), st.integers(0, 10**6))
def test_rows_sum_to_1_hidden_cells_and_rows_without_a_key_are_0(temperature, mask, seed):
    layer = random_layer(6, controls=Controls(mask=mask), seed=seed)
    weights = repainted(layer, temperature)
    assert np.abs(weights.sum(axis=-1) - layer.visible.any(axis=-1)).max() < 1e-5
    assert (weights[~layer.visible] == 0).all()


@given(st.sampled_from([t for t in TEMPERATURES if 1e-3 <= t <= 1e3]), st.integers(0, 10**6))
def test_temperature_never_changes_which_key_is_first(temperature, seed):
    layer = random_layer(6, seed=seed)
    assert np.array_equal(repainted(layer, temperature).argmax(axis=-1), layer.scores.argmax(axis=-1))


def test_repainting_does_not_depend_on_the_temperature_of_the_run():
    square = np.random.default_rng(1).standard_normal((2, 4, 4))
    plain, hot = (repainted(layer_of(square, Controls(temperature=t)), 2.0) for t in (1.0, 5.0))
    assert np.array_equal(plain, hot)


def test_a_uniform_head_stays_uniform():
    layer = random_layer(4, controls=Controls(mask=Causal(), uniform=frozenset({HeadId(0, 1)})))
    weights = repainted(layer, 0.5)
    assert weights[1, 3].tolist() == [0.25] * 4
    assert weights[0, 3].max() > 0.3


@pytest.mark.parametrize("temperature", [-1.0, math.nan])
def test_a_temperature_that_is_none_is_refused(temperature):
    with pytest.raises(InputError, match="temperature"):
        repainted(random_layer(2), temperature)


# Entropy against temperature


def test_the_entropies_of_the_reference_are_met():
    expected = arrays("c")["coref/all_T4/mean_entropy_per_layer"][
        0
    ]  # in the first layer all temperatures act on equal scores
    rows = minilm()[0].reshape(-1, 16)
    assert np.mean([entropy_by_temperature(row, [4.0]).entropies[0] for row in rows]) == pytest.approx(
        expected, abs=1e-5
    )


@given(scores())
def test_entropy_grows_from_the_ties_at_the_top_to_all_allowed_keys(row):
    entropies, slopes = entropy_by_temperature(row, TEMPERATURES)
    assert np.isfinite(entropies).all()
    assert np.isfinite(slopes).all()
    assert (np.diff(entropies) >= -1e-9).all()
    assert (slopes >= 0).all()
    assert entropies[0] == pytest.approx(math.log((row == row.max()).sum()))
    assert entropies[-1] == pytest.approx(math.log(len(row)))
    assert slopes[0] == slopes[-1] == 0.0


@given(any_array(np.float64, st.integers(2, 8), elements=st.floats(-5, 5)), st.floats(0.2, 20))
def test_the_slope_is_the_derivative(row, temperature):
    step = 1e-4 * temperature
    around = entropy_by_temperature(row, [temperature - step, temperature + step]).entropies
    slope = entropy_by_temperature(row, [temperature]).slopes[0]
    assert slope == pytest.approx((around[1] - around[0]) / (2 * step), rel=1e-4, abs=1e-7)


def test_the_slope_is_the_variance_of_the_scores_over_the_cube_of_the_temperature():
    row, temperature = np.array([1.0, 3.0, -2.0]), 1.7
    weights = np.exp(row / temperature) / np.exp(row / temperature).sum()
    variance = weights @ row**2 - (weights @ row) ** 2
    assert entropy_by_temperature(row, [temperature]).slopes[0] == pytest.approx(variance / temperature**3)


def test_hidden_scores_do_not_count():
    shown = entropy_by_temperature([1.0, 2.0], TEMPERATURES)
    for hidden in (math.nan, -math.inf):
        assert np.array_equal(entropy_by_temperature([1.0, hidden, 2.0], TEMPERATURES), shown)
    assert not np.array(entropy_by_temperature([-math.inf, math.nan], TEMPERATURES)).any()


# The softmax step by step


def test_a_hand_computed_softmax():
    steps = softmax_steps([1.0, 3.0, -math.inf], np.float64)
    assert steps.top == 3.0
    assert steps.differences.tolist() == [-2.0, 0.0, -math.inf]
    assert steps.exponentials == pytest.approx([math.exp(-2), 1.0, 0.0])
    assert steps.total == pytest.approx(1 + math.exp(-2))
    assert steps.weights == pytest.approx([math.exp(-2) / (1 + math.exp(-2)), 1 / (1 + math.exp(-2)), 0.0])
    assert steps.naive_exponentials == pytest.approx([math.exp(1), math.exp(3), 0.0])
    assert steps.naive_weights == pytest.approx(steps.weights)


@pytest.mark.parametrize(("dtype", "largest"), [(np.float16, 11.09), (np.float32, 88.72), (np.float64, 709.78)])
def test_without_subtracting_a_score_above_the_precisions_end_gives_no_number(dtype, largest):
    below, above = softmax_steps([largest - 1, 0.0], dtype), softmax_steps([largest + 1, 0.0], dtype)
    assert below.overflows_above == pytest.approx(largest, abs=0.01)
    assert np.isfinite(below.naive_weights).all()
    assert np.isinf(above.naive_exponentials[0])
    assert np.isinf(above.naive_total)
    assert np.isnan(above.naive_weights[0])
    assert above.weights.dtype == dtype
    assert np.isfinite(above.weights).all()


def test_without_subtracting_very_small_scores_give_no_number_either():
    steps = softmax_steps([-200.0, -201.0], np.float32)
    assert np.isnan(steps.naive_weights).all()
    assert steps.weights == pytest.approx([1 / (1 + math.exp(-1)), 1 / (1 + math.exp(1))], rel=1e-6)


@given(scores(), st.sampled_from([np.float16, np.float32, np.float64]))
def test_the_stable_way_always_gives_weights(row, dtype):
    steps = softmax_steps(row, dtype)
    assert np.isfinite(steps.weights).all()
    assert steps.weights.astype(np.float64).sum() == pytest.approx(1.0, abs=5e-3)
    assert steps.exponentials.max() == 1.0


def test_a_row_without_a_key_has_weights_of_0():
    steps = softmax_steps([-math.inf, math.nan], np.float32)
    assert steps.top == 0.0
    assert steps.weights.tolist() == [0.0, 0.0]
