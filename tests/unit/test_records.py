"""Records refuse parts that contradict one another, and nobody can write into their arrays."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.controls import Controls
from mha_viz.errors import InputError, MhaVizError, RecordError, TooLongError
from mha_viz.masks import Causal, LocalWindow, Padding
from mha_viz.spec import ModelSpec, divisors
from mha_viz.trace import ROW_SUM_TOLERANCE
from tests.unit.build import CONDITIONS, layer_trace, sequence, trace


def weights_with(value: float, place: tuple[int, ...] = (0, 1, 2, 0)) -> np.ndarray:
    weights = np.full((1, 2, 3, 3), 1 / 3, dtype=np.float32)
    weights[place] = value
    return weights


@given(st.integers(1, 600))
def test_the_divisors_are_all_numbers_that_divide(number):
    assert list(divisors(number)) == [n for n in range(1, number + 1) if number % n == 0]


@pytest.mark.parametrize(("d_model", "n_heads"), [(64, 5), (16, 3), (512, 7), (12, 24)])
def test_heads_that_do_not_divide_are_refused_with_both_numbers_and_those_that_do(d_model, n_heads):
    with pytest.raises(InputError) as caught:
        ModelSpec("x", 1, n_heads, d_model, 10)
    sentence = str(caught.value)
    assert f"{n_heads} heads" in sentence
    assert str(d_model) in sentence
    assert ", ".join(map(str, divisors(d_model))) in sentence


@pytest.mark.parametrize("what", ["n_layers", "n_heads", "d_model", "max_tokens"])
@pytest.mark.parametrize("got", [0, -3])
def test_a_spec_number_below_1_is_refused_by_name(what, got):
    numbers = {"n_layers": 1, "n_heads": 1, "d_model": 8, "max_tokens": 8} | {what: got}
    with pytest.raises(InputError) as caught:
        ModelSpec("x", **numbers)
    assert what in str(caught.value)
    assert str(got) in str(caught.value)


def test_d_k_is_d_model_over_heads():
    assert [ModelSpec("x", 1, n, 64, 8).d_k for n in (1, 2, 4, 8, 16, 64)] == [64, 32, 16, 8, 4, 1]


@pytest.mark.parametrize("name", ["ids", "segment_ids", "special", "unknown", "word_ids", "surfaces", "padding"])
def test_a_sequence_with_lists_of_different_lengths_is_refused_by_name(name):
    short = getattr(sequence(4), name)[:-1]
    with pytest.raises(RecordError) as caught:
        sequence(4, **{name: short})
    sentence = str(caught.value)
    for part in (name, "3", "4"):
        assert part in sentence


def test_a_sequence_without_tokens_is_refused():
    with pytest.raises(InputError):
        sequence(0)


def test_equal_words_stay_apart_by_their_positions():
    tokens = sequence(["the", "cat", "the", "the"])
    assert tokens.n_tokens == 4
    assert tokens.tokens == ("the", "cat", "the", "the")


def test_the_unknown_share_counts_only_tokens_of_the_text():
    tokens = sequence(5, special=(True, False, False, False, True), unknown=(True, True, True, False, True))
    assert tokens.unknown_share == pytest.approx(2 / 3)
    assert sequence(2, special=(True, True)).unknown_share == 0.0


def test_padding_fills_up_to_the_length_with_special_tokens():
    tokens = sequence(["a", "b"]).padded(5, "[PAD]", 7)
    assert tokens.tokens == ("a", "b", "[PAD]", "[PAD]", "[PAD]")
    assert tokens.ids == (0, 1, 7, 7, 7)
    assert tokens.padding == (False, False, True, True, True)
    assert tokens.special == (False, False, True, True, True)
    assert tokens.word_ids == (0, 1, None, None, None)
    assert tokens.surfaces == ("a", "b", "", "", "")
    assert sequence(3).padded(3, "[PAD]", 0) == sequence(3).padded(1, "[PAD]", 0) == sequence(3)


@pytest.mark.parametrize("name", ["weights", "visible", "no_key", "output"])
def test_a_trace_array_of_the_wrong_shape_is_refused_with_both_shapes(name):
    good = getattr(trace(3), name)
    with pytest.raises(RecordError) as caught:
        trace(3, **{name: good[..., :-1]}) if name != "weights" else trace(3, weights=good[..., :-1])
    sentence = str(caught.value)
    for part in (name, str(good.shape), str(good[..., :-1].shape)):
        assert part in sentence


@pytest.mark.parametrize("name", ["query", "key", "value", "scores", "weights", "visible", "head_output", "output"])
def test_a_layer_trace_array_of_the_wrong_shape_is_refused_with_both_shapes(name):
    good = getattr(layer_trace(), name)
    with pytest.raises(RecordError) as caught:
        layer_trace(**{name: good[..., :-1]})
    sentence = str(caught.value)
    for part in (name, str(good.shape), str(good[..., :-1].shape)):
        assert part in sentence


@pytest.mark.parametrize("value", [0.34, 0.0, 1.0, -1 / 3])
def test_rows_that_do_not_sum_to_1_are_refused(value):
    with pytest.raises(RecordError, match="not right"):
        trace(3, weights=weights_with(value))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_numbers_are_refused_and_counted(value):
    with pytest.raises(RecordError, match="1 values that are not numbers"):
        trace(3, weights=weights_with(value))


@pytest.mark.parametrize(("dtype", "off"), [("float32", 5e-6), ("float16", 3e-3), ("bfloat16", 3e-3)])
def test_the_tolerance_of_a_rows_sum_is_that_of_the_dtype(dtype, off):
    conditions = dataclasses.replace(CONDITIONS, dtype=dtype)
    near = trace(3, weights=weights_with(1 / 3 + off), conditions=conditions)
    assert near.checks.row_sum_error == pytest.approx(off, rel=0.05)
    assert near.checks.tolerance == ROW_SUM_TOLERANCE[dtype]
    with pytest.raises(RecordError):
        trace(3, weights=weights_with(1 / 3 + 3 * ROW_SUM_TOLERANCE[dtype]), conditions=conditions)


def test_weight_on_a_hidden_cell_is_refused_however_small():
    weights = np.array([[[[1.0, 1e-30], [0.5, 0.5]]]], dtype=np.float32)
    with pytest.raises(RecordError, match="hidden cells"):
        trace(2, weights=weights, controls=Controls(mask=Causal()))
    assert trace(2, weights=weights).checks.hidden_cells == 0


def test_a_negative_weight_on_a_hidden_cell_is_refused_too():
    weights = np.array([[[[1.0, -1e-7], [0.5, 0.5]]]], dtype=np.float32)
    with pytest.raises(RecordError):
        trace(2, weights=weights, controls=Controls(mask=Causal()))


def test_a_run_in_training_mode_is_refused():
    with pytest.raises(RecordError, match="train"):
        trace(3, conditions=dataclasses.replace(CONDITIONS, training=True))


def test_a_row_of_zeros_must_be_flagged_as_without_key():
    controls = Controls(mask=LocalWindow(1) & Padding(3))
    good = trace(6, controls=controls)
    assert good.no_key[0].tolist() == [[False, False, False, False, True, True]] * 2
    assert good.checks.rows_without_key == 2 * 2
    with pytest.raises(RecordError):
        trace(6, controls=controls, no_key=np.zeros((1, 2, 6), dtype=bool))


def test_a_row_flagged_as_without_key_must_not_have_weights():
    with pytest.raises(RecordError):
        trace(3, no_key=np.array([[[True, False, False]] * 2]))


def test_the_checks_count_what_they_looked_at():
    checks = trace(4, n_layers=2, n_heads=3, controls=Controls(mask=Causal())).checks
    assert checks.hidden_cells == 2 * 3 * 6
    assert checks.hidden_weight == 0.0
    assert checks.row_sum_error <= 1e-6
    assert checks.passed


@pytest.mark.parametrize("record", [trace(4, controls=Controls(mask=Causal())), layer_trace()])
@pytest.mark.parametrize("pickled", [False, True])
def test_arrays_are_read_only_also_after_a_cache(record, pickled):
    kept = pickle.loads(pickle.dumps(record)) if pickled else record
    arrays = {name: value for name, value in vars(kept).items() if isinstance(value, np.ndarray)}
    assert len(arrays) >= 4
    for name, array in arrays.items():
        assert (array == getattr(record, name)).all()
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        kept.spec = None


def test_padding_of_a_trace_is_the_sequences_own_and_that_of_its_mask():
    tokens = sequence(3).padded(4, "[PAD]", 0)
    assert trace(tokens).padding.tolist() == [False, False, False, True]
    assert trace(tokens, controls=Controls(mask=Padding(2))).padding.tolist() == [False, False, True, True]
    assert trace(3, controls=Controls(mask=Causal())).padding.tolist() == [False] * 3


def test_what_a_trace_works_out_once_and_keeps_is_read_only_too():
    run = trace(3)
    with pytest.raises(ValueError, match="read-only"):
        run.padding[0] = True
    assert not run.padding.any()


def test_errors_are_pickled_with_their_sentence():
    problem = TooLongError("error.too_many_tokens", got=1600, limit=512)
    again = pickle.loads(pickle.dumps(problem))
    assert type(again) is TooLongError
    assert str(again) == str(problem)
    assert "1,600" in str(again)
    assert isinstance(again, InputError)
    assert isinstance(again, MhaVizError)
