"""Metrics equal reference numbers and cases worked by hand, and leave out the rows that mean nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.controls import Controls
from mha_viz.masks import Causal, LocalWindow, Mask, Padding
from mha_viz.metrics import METRICS, even_values, layers_of, measured, row_entropy, rows_of
from tests.refs import arrays, tokens
from tests.unit.build import sequence, softmax, trace

REFERENCE = arrays("d")
NAMES = [
    "entropy",
    "entropy_share",
    "effective",
    "distance",
    "offset",
    "distance_plain",
    "self",
    "previous",
    "next",
    "first",
    "special",
    "cls",
    "sep",
    "punctuation",
    "same_word",
    "confidence",
    "sink",
    "output_share",
]
IN_TOKENS = ["effective", "distance", "offset", "distance_plain"]


@pytest.fixture(scope="module")
def minilm():
    """The reference's own weights, as a trace."""
    words = tokens("d")["tokens"]
    special = tuple(word in ("[CLS]", "[SEP]") for word in words)
    return trace(sequence(words, special=special), weights=REFERENCE["attn"])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("entropy", REFERENCE["head_entropy_nats"]),
        ("entropy_share", REFERENCE["head_entropy_normalised"]),
        ("self", REFERENCE["avg_self"]),
        ("previous", REFERENCE["avg_prev"]),
        ("next", REFERENCE["avg_next"]),
        ("first", REFERENCE["avg_to_cls"]),
        ("special", REFERENCE["avg_to_cls"] + REFERENCE["avg_to_sep"]),
        ("cls", REFERENCE["avg_to_cls"]),
        ("sep", REFERENCE["avg_to_sep"]),
        ("distance", REFERENCE["mean_distance"]),
        ("effective", REFERENCE["row_effective_tokens"].mean(axis=-1)),
        ("confidence", REFERENCE["attn"].astype(np.float64).max(axis=-1).mean(axis=-1)),
        ("sink", REFERENCE["attn"].astype(np.float64).mean(axis=-2).max(axis=-1)),
    ],
)
def test_it_equals_the_reference(minilm, name, expected):
    values = METRICS[name].compute(minilm)
    assert values.shape == (6, 12)
    assert np.abs(values - expected).max() <= 1e-6


def test_all_at_once_are_those_of_each_alone(minilm):
    values, even = measured(minilm), even_values(minilm)
    assert list(values) == list(even) == NAMES
    rows = layers_of(minilm)
    again, even_again = measured(minilm, rows=rows), even_values(minilm, rows=rows)
    for name, metric in METRICS.items():
        assert values[name].dtype == even[name].dtype == np.float64
        assert values[name].shape == even[name].shape == (6, 12)
        np.testing.assert_array_equal(values[name], metric.compute(minilm))
        np.testing.assert_array_equal(even[name], metric.even(minilm))
        np.testing.assert_array_equal(values[name], again[name])
        np.testing.assert_array_equal(even[name], even_again[name])


def test_the_entropy_of_each_row_equals_the_reference():
    assert np.abs(row_entropy(REFERENCE["attn"].astype(np.float64)) - REFERENCE["row_entropy_nats"]).max() <= 1e-6


def test_the_metrics_are_these_each_under_its_own_name():
    assert list(METRICS) == NAMES
    assert all(metric.name == name for name, metric in METRICS.items())
    units = dict.fromkeys(NAMES, "share") | {"entropy": "nats"} | dict.fromkeys(IN_TOKENS, "tokens")
    assert {name: metric.unit for name, metric in METRICS.items()} == units
    for metric in METRICS.values():
        assert metric.unit != "share" or (metric.low, metric.high) == (0.0, 1.0)


def test_two_rows_worked_by_hand():
    weights = np.array([[[[0.25, 0.75], [0.5, 0.5]], [[1.0, 0.0], [0.0, 1.0]]]])
    run = trace(sequence(2, special=(False, True)), weights=weights)
    value = {name: metric.compute(run)[0].tolist() for name, metric in METRICS.items()}
    mixed = 0.25 * math.log(4) + 0.75 * math.log(4 / 3)
    assert value["entropy"] == pytest.approx([(mixed + math.log(2)) / 2, 0.0], abs=1e-7)
    assert value["entropy_share"] == pytest.approx([(mixed / math.log(2) + 1) / 2, 0.0], abs=1e-7)
    assert value["self"] == pytest.approx([0.375, 1.0])
    assert value["previous"] == pytest.approx([0.25, 0.0])
    assert value["next"] == pytest.approx([0.375, 0.0])
    assert value["first"] == pytest.approx([0.375, 0.5])
    assert value["special"] == pytest.approx([0.625, 0.5])
    assert value["sep"] == pytest.approx([0.625, 0.5])
    assert value["effective"] == pytest.approx([(math.exp(mixed) + 2) / 2, 1.0])
    assert value["distance"] == pytest.approx([(0.75 + 0.5) / 2, 0.0])
    assert value["offset"] == pytest.approx([(0.75 - 0.5) / 2, 0.0])
    assert value["distance_plain"] == pytest.approx([0.0, 0.0])
    assert value["confidence"] == pytest.approx([0.625, 1.0])
    assert value["sink"] == pytest.approx([0.625, 0.5])
    for name in ("cls", "punctuation", "same_word", "output_share"):
        assert np.isnan(value[name]).all()


def test_a_perfect_head_for_the_previous_token_reads_n_minus_1_of_n():
    weights = np.eye(5, k=-1)
    weights[0, 0] = 1.0
    run = trace(5, weights=weights[None, None])
    assert METRICS["previous"].compute(run).item() == pytest.approx(4 / 5)
    assert METRICS["self"].compute(run).item() == pytest.approx(1 / 5)


def even(run) -> dict[str, float]:
    """Of the first layer, in which no head differs from another; without the metrics that there is nothing for."""
    values = {name: per_head[0] for name, per_head in even_values(run).items()}
    values = {name: per_head for name, per_head in values.items() if not np.isnan(per_head).all()}
    assert all((per_head == per_head[0]).all() for per_head in values.values())
    return {name: per_head[0].item() for name, per_head in values.items()}


def test_even_attention_without_a_mask_worked_by_hand():
    assert even(trace(sequence(4, special=(True, False, False, True)))) == pytest.approx(
        {
            "entropy": math.log(4),
            "entropy_share": 1.0,
            "self": 1 / 4,
            "previous": 3 / 16,
            "next": 3 / 16,
            "first": 1 / 4,
            "special": 1 / 2,
            "cls": 1 / 4,
            "sep": 1 / 4,
            "effective": 4.0,
            "distance": (6 + 4 + 4 + 6) / 16,
            "offset": 0.0,
            "distance_plain": 1 / 2,
            "confidence": 1 / 4,
            "sink": 1 / 4,
        }
    )


def test_even_attention_under_a_causal_mask_worked_by_hand():
    run = trace(sequence(3, special=(False, True, False)), controls=Controls(mask=Causal()))
    assert even(run) == pytest.approx(
        {
            "entropy": (math.log(2) + math.log(3)) / 3,
            "entropy_share": 1.0,
            "self": (1 + 1 / 2 + 1 / 3) / 3,
            "previous": (1 / 2 + 1 / 3) / 3,
            "next": 0.0,
            "first": (1 + 1 / 2 + 1 / 3) / 3,
            "special": (1 / 2 + 1 / 3) / 3,
            "sep": (1 / 2 + 1 / 3) / 3,
            "effective": 2.0,
            "distance": (0 + 1 / 2 + 1) / 3,
            "offset": -(0 + 1 / 2 + 1) / 3,
            "distance_plain": (0 + 1) / 2,
            "confidence": (1 + 1 / 2 + 1 / 3) / 3,
            "sink": (1 + 1 / 2 + 1 / 3) / 3,
        }
    )


def test_even_is_reckoned_layer_by_layer():
    run = trace(3, n_layers=2, controls=Controls(mask=LocalWindow(0), layers=frozenset({1})))
    assert METRICS["self"].even(run) == pytest.approx(np.array([[1 / 3] * 2, [1.0] * 2]))
    assert METRICS["entropy"].even(run) == pytest.approx(np.array([[math.log(3)] * 2, [0.0] * 2]))


def test_rows_without_a_key_are_left_out():
    """Window 0 and two tokens of padding: query 2 and 3 see nothing, the others themselves alone."""
    run = trace(4, controls=Controls(mask=LocalWindow(0) & Padding(2)))
    assert rows_of(run, 0).counts.tolist() == [[True, True, False, False]] * 2
    assert METRICS["self"].compute(run)[0] == pytest.approx([1.0, 1.0])
    assert METRICS["first"].compute(run)[0] == pytest.approx([0.5, 0.5])


def test_a_row_without_a_key_is_left_out_though_it_is_no_padding():
    @dataclass(frozen=True)
    class StrictlyBefore(Mask):
        name = "strictly_before"

        def visible(self, tokens):
            return np.tri(tokens.n_tokens, k=-1, dtype=bool)

    run = trace(3, controls=Controls(mask=StrictlyBefore()), seed=2)
    assert not run.padding.any()
    assert rows_of(run, 0).counts.tolist() == [[False, True, True]] * 2
    assert METRICS["previous"].compute(run)[0] == pytest.approx((1 + run.weights[0, :, 2, 1]) / 2)
    assert even(run)["previous"] == pytest.approx((1 + 1 / 2) / 2)
    assert even(run)["entropy"] == pytest.approx(math.log(2) / 2)


def test_rows_of_padding_are_left_out_whether_the_mask_or_the_sequence_declares_them():
    plain = trace(3, seed=5)
    rows = np.concatenate([plain.weights[0], np.zeros((2, 3, 1), dtype=np.float32)], axis=-1)
    padding_row = np.tile(np.array([[[1.0, 0.0, 0.0, 0.0]]], dtype=np.float32), (2, 1, 1))
    weights = np.concatenate([rows, padding_row], axis=1)[None]
    by_sequence = trace(sequence(3).padded(4, "[PAD]", 0), weights=weights)
    by_mask = trace(4, weights=weights, controls=Controls(mask=Padding(1)))
    for name, metric in METRICS.items():
        assert metric.compute(by_sequence) == pytest.approx(metric.compute(plain), abs=1e-6, nan_ok=True), name
        assert metric.compute(by_mask) == pytest.approx(metric.compute(plain), abs=1e-6, nan_ok=True), name
        assert metric.even(by_sequence) == pytest.approx(metric.even(plain), nan_ok=True), name


def test_a_row_with_a_single_key_has_no_choice_and_no_entropy_share():
    alone = trace(3, controls=Controls(mask=LocalWindow(0)))
    assert np.isnan(METRICS["entropy_share"].compute(alone)).all()
    assert np.isnan(METRICS["entropy_share"].even(alone)).all()
    assert METRICS["entropy"].compute(alone)[0].tolist() == [0.0, 0.0]
    assert np.isnan(METRICS["entropy_share"].compute(trace(1))).all()


def test_rows_with_a_choice_count_alone_in_the_entropy_share():
    weights = np.array([[[[1.0, 0.0], [0.25, 0.75]]]])
    run = trace(2, weights=weights, controls=Controls(mask=Causal()))
    expected = (0.25 * math.log(4) + 0.75 * math.log(4 / 3)) / math.log(2)
    assert METRICS["entropy_share"].compute(run).item() == pytest.approx(expected)


def test_without_any_row_that_means_something_there_is_no_number():
    run = trace(2, controls=Controls(mask=Padding(2)))
    for metric in METRICS.values():
        assert np.isnan(metric.compute(run)).all()
        assert np.isnan(metric.even(run)).all()


MASKED = st.sampled_from(
    [None, Causal(), LocalWindow(0), LocalWindow(2), Padding(2), Causal() & LocalWindow(1), LocalWindow(1) & Padding(3)]
)


@given(st.integers(1, 12), MASKED, st.integers(0, 10**6))
def test_every_value_lies_within_its_bounds(n, mask: Mask | None, seed):
    run = trace(n, controls=Controls(mask=mask), seed=seed, n_layers=2, n_heads=3)
    for metric in METRICS.values():
        values = metric.compute(run)
        values = values[~np.isnan(values)]
        highest = metric.high or {"entropy": math.log(n), "effective": n}.get(metric.name, n - 1)
        lowest = 1 - n if metric.low is None else metric.low
        assert (values >= lowest - 1e-6).all()
        assert (values <= highest + 1e-5).all()


@given(st.integers(1, 12), MASKED)
def test_even_is_the_metric_of_even_weights(n, mask: Mask | None):
    controls = Controls(mask=mask)
    visible = trace(n, controls=controls).visible
    run = trace(n, weights=softmax(np.zeros((1, 2, n, n)), visible), controls=controls)
    for metric in METRICS.values():
        assert metric.compute(run) == pytest.approx(metric.even(run), abs=1e-6, nan_ok=True)
