"""Importance of heads without a model: means, orders, what is kept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.analysis.agreement import rank_agreement
from mha_viz.analysis.importance import (
    METHODS,
    HeadImportance,
    RemovalCurve,
    agreement_sentence,
    keep_most,
    mean_weights,
    order_of,
    taken_out,
)
from mha_viz.controls import Controls, HeadId
from mha_viz.errors import InputError, RecordError
from mha_viz.masks import Causal, Padding
from tests.unit.build import sequence, trace

PER_SAMPLE = np.array([[[1.0, -2.0], [0.0, 0.0]], [[-1.0, 4.0], [0.0, 0.0]]])


def importance(per_sample: np.ndarray = PER_SAMPLE) -> HeadImportance:
    return HeadImportance("gradient", "even", per_sample, np.zeros(len(per_sample)))


def test_the_absolute_value_is_inside_the_mean():
    measured = importance()
    assert measured.values.tolist() == [[1.0, 3.0], [0.0, 0.0]]
    assert measured.signed.tolist() == [[0.0, 1.0], [0.0, 0.0]]
    assert measured.n_samples == 2


def test_normalised_values_have_length_1_in_each_layer_and_0_where_all_are():
    normalised = importance().normalised
    assert normalised[0] == pytest.approx([1 / np.sqrt(10), 3 / np.sqrt(10)])
    assert normalised[1].tolist() == [0.0, 0.0]


def test_heads_that_were_not_reached_are_not_numbers():
    partly = PER_SAMPLE.copy()
    partly[:, 1, 1] = np.nan
    measured = importance(partly)
    assert measured.measured.tolist() == [[True, True], [True, False]]
    assert np.isnan(measured.normalised[1, 1])
    with pytest.raises(InputError, match="1 of 4 heads are not measured"):
        order_of(measured.values)


def test_arrays_are_read_only_and_shapes_are_held():
    with pytest.raises(ValueError, match="read-only"):
        importance().per_sample[0] = 0
    with pytest.raises(RecordError):
        HeadImportance("gradient", "even", PER_SAMPLE, np.zeros(3))
    with pytest.raises(RecordError):
        RemovalCurve((HeadId(0, 0),), "zero", "even", np.arange(2), np.zeros((1, 2)), np.zeros((1, 3)))


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_told_in_words(method):
    measured = HeadImportance(method, "" if method == "weight" else "pair", PER_SAMPLE, np.zeros(2))
    assert measured.title
    assert measured.sentence.endswith("Samples: 2.")
    assert ("1 / number of tokens" in measured.sentence) == (method == "weight")


@pytest.mark.parametrize("mask", [None, Causal(), Padding(2)], ids=repr)
def test_the_mean_weight_is_1_over_the_number_of_tokens_whatever_the_weights(mask):
    runs = [trace(n, n_layers=2, controls=Controls(mask=mask), seed=n) for n in (4, 7)]
    hidden = 2 if mask == Padding(2) else 0
    naive = mean_weights(runs)
    for turn, n in enumerate((4, 7)):
        assert np.abs(naive.per_sample[turn] - 1 / (n - hidden)).max() <= 1e-7
    assert naive.sentence
    with pytest.raises(RecordError):
        mean_weights([])


def test_padding_of_the_sequence_does_not_count_in_the_mean_weight():
    padded = sequence(3).padded(5, "[PAD]", 0)
    assert mean_weights([trace(padded)]).values == pytest.approx(1 / 3)


def test_orders():
    values = np.array([[0.5, 0.1], [0.9, 0.5]])
    assert order_of(values) == ((1, 0), (0, 0), (1, 1), (0, 1))
    assert order_of(values, "least") == ((0, 1), (0, 0), (1, 1), (1, 0))
    random = order_of(values, "random", seed=3)
    assert random == order_of(values, "random", seed=3)
    assert set(random) == set(order_of(values))
    assert len({order_of(values, "random", seed=seed) for seed in range(20)}) > 5
    with pytest.raises(InputError, match="There are: most, least, random"):
        order_of(values, "best")


@given(st.integers(1, 4), st.integers(1, 5), st.integers(0, 999))
def test_the_most_important_are_kept(layers, heads, seed):
    values = np.random.default_rng(seed).random((layers, heads))
    count = seed % (values.size + 1)
    gone = keep_most(values, count).silenced
    assert len(gone) == values.size - count
    kept = [values[head] for head in np.ndindex(values.shape) if head not in gone]
    assert not gone or not kept or min(kept) >= max(values[head] for head in gone)
    assert keep_most(values, count, "uniform").uniform == gone


def test_what_is_changed_already_stays():
    before = Controls(temperature=2.0, silenced=frozenset({HeadId(0, 1)}))
    after = keep_most(np.array([[0.0, 0.0, 1.0]]), 2, controls=before)
    assert after == Controls(temperature=2.0, silenced=frozenset({HeadId(0, 1)}) | {HeadId(0, 1)})
    assert taken_out([HeadId(0, 2)], "uniform", before).uniform == {HeadId(0, 2)}
    assert taken_out([], "zero") == Controls()


@pytest.mark.parametrize("count", [-1, 4])
def test_a_count_that_is_not_possible_is_refused(count):
    with pytest.raises(InputError, match="0 to 3 can"):
        keep_most(np.ones((1, 3)), count)


def test_rank_agreement_by_hand():
    values = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert rank_agreement(values, values**2) == 1.0
    assert rank_agreement(values, -values) == -1.0
    assert rank_agreement(values, np.array([[1.0, 2.0], [4.0, 3.0]])) == pytest.approx(0.8)  # 1 - 6 * 2 / (4 * 15)
    gap = values.copy()
    gap[0, 0] = np.nan
    assert rank_agreement(values, gap) == 1.0
    assert np.isnan(rank_agreement(values, np.full((2, 2), 0.25)))
    with pytest.raises(RecordError):
        rank_agreement(values, values[:1])


def test_how_far_two_methods_agree_is_told_in_words():
    other = HeadImportance("zero", "even", PER_SAMPLE**2, np.zeros(2))
    assert agreement_sentence(importance(), other).startswith("“Gradient” and “Silenced” rank the heads")
    assert "1.000" in agreement_sentence(importance(), other)
    same = mean_weights([trace(3, n_layers=2)])
    assert "no ranks to compare" in agreement_sentence(importance(), same)


def test_where_a_curve_falls_below_a_cosine():
    cosine = np.array([[1.0, 0.9, 0.4], [1.0, 0.9, 0.6]])
    curve = RemovalCurve((HeadId(0, 0),) * 4, "zero", "even", np.array([0, 2, 4]), 1 - cosine, cosine)
    assert curve.lost_at(0.95) == 2
    assert curve.lost_at(0.6) == 4
    assert curve.lost_at(0.1) is None
    assert curve.sentence(0.6).endswith("falls below 0.6 once 4 of 4 heads are gone.")
    assert curve.sentence(0.1).endswith("stays 0.1 or more with 4 of 4 heads gone.")
    assert curve.mean_loss == pytest.approx([0, 0.1, 0.5])
