"""Metrics that depend on what a token is: special tokens, punctuation, words; and the share of the layer's output."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.controls import Controls
from mha_viz.errors import RecordError
from mha_viz.masks import Causal, HideKey, LocalWindow, Padding
from mha_viz.metrics import GROUPS, METRICS, even_values, measured, rows_of
from mha_viz.metrics.places import marks_of, places_of
from mha_viz.trace import HeadVectors
from tests.unit.build import sequence, trace

BERT = ("[CLS]", "The", "cat", ",", "the", "[SEP]", "[MASK]", "$", "[SEP]")


def bert_like(**changes):
    special = tuple(word in ("[CLS]", "[SEP]") for word in BERT)
    words = (None, 0, 1, 2, 3, None, 4, 5, None)
    known = {
        "special": special,
        "word_ids": words,
        "surfaces": tuple("" if of else w for w, of in zip(BERT, special, strict=True)),
    }
    return sequence(BERT, **(known | changes))


def marks(tokens, padding=()):
    return marks_of(tokens, np.isin(np.arange(tokens.n_tokens), padding))


def one(value: np.ndarray) -> float:
    return float(value[0, 0])


def test_what_each_token_is():
    found = marks(bert_like())
    assert np.flatnonzero(found.cls).tolist() == [0]
    assert np.flatnonzero(found.sep).tolist() == [5, 8]
    assert np.flatnonzero(found.special).tolist() == [0, 5, 8]
    assert np.flatnonzero(found.punctuation).tolist() == [3, 7]
    assert np.flatnonzero(found.plain).tolist() == [1, 2, 3, 4, 6, 7]


def test_padding_is_neither_special_nor_plain_and_may_stand_on_the_left():
    tokens = sequence(
        ["[PAD]", "[CLS]", "a", "[SEP]", "[PAD]"], special=(True, True, False, True, True), word_ids=(None,) * 5
    )
    found = marks(tokens, [0, 4])
    assert np.flatnonzero(found.cls).tolist() == [1]
    assert np.flatnonzero(found.sep).tolist() == [3]
    assert np.flatnonzero(found.special).tolist() == [1, 3]


@pytest.mark.parametrize("text", [".", "...", "—", "«", "€", "。", "🙂", "$"])
def test_punctuation_and_symbols(text):
    assert marks(sequence(["a", text])).punctuation.tolist() == [False, True]


@pytest.mark.parametrize("text", ["a.", "don't", "1", "##s", "猫", "[MASK]"])
def test_what_is_no_punctuation(text):
    assert not marks(sequence(["a", text])).punctuation.any()


def test_where_the_tokenizer_does_not_locate_tokens_their_own_text_counts_without_the_space_mark():
    tokens = sequence(["Ġ.", "▁,", "Ġcat", "cat"], surfaces=("",) * 4)
    assert marks(tokens).punctuation.tolist() == [True, True, False, False]
    assert places_of(trace(tokens)).same_word[2].tolist() == [False, False, False, True]


def test_the_same_word_is_another_word_with_the_same_text_not_another_piece_of_its_own():
    """un aff un aff, "cat Cat": the word of two pieces stands twice, each piece finds both pieces of the other."""
    tokens = sequence(["un", "un", "Un", "un", "cat"], word_ids=(0, 0, 1, 1, 2))
    same = places_of(trace(tokens)).same_word
    expected = np.zeros((5, 5), dtype=bool)
    expected[:2, 2:4] = expected[2:4, :2] = True
    assert np.array_equal(same, expected)


def test_special_tokens_and_padding_are_no_words():
    tokens = sequence(["[SEP]", "a", "[SEP]", "a"], special=(True, False, True, False), word_ids=(None, 0, None, 1))
    assert np.argwhere(places_of(trace(tokens)).same_word).tolist() == [[1, 3], [3, 1]]
    padded = trace(tokens, controls=Controls(mask=Padding(1)))
    assert not places_of(padded).same_word.any()


def test_shares_on_kinds_are_sums_of_columns():
    run = trace(bert_like(), n_layers=2, n_heads=3, seed=4)
    weights = run.weights.astype(np.float64)
    for name, keys in [("cls", [0]), ("sep", [5, 8]), ("special", [0, 5, 8]), ("punctuation", [3, 7])]:
        expected = weights[..., keys].sum(axis=-1).mean(axis=-1)
        assert METRICS[name].compute(run) == pytest.approx(expected, abs=1e-6)
        assert METRICS[name].even(run) == pytest.approx(np.full((2, 3), len(keys) / 9))


def test_the_same_word_counts_only_rows_that_have_it_among_their_keys():
    run = trace(bert_like(), seed=6)
    expected = (run.weights[..., 1, 4] + run.weights[..., 4, 1]) / 2
    assert METRICS["same_word"].compute(run) == pytest.approx(expected, abs=1e-6)
    assert METRICS["same_word"].even(run) == pytest.approx(np.full((1, 2), 1 / 9))
    causal = trace(bert_like(), seed=6, controls=Controls(mask=Causal()))
    assert METRICS["same_word"].compute(causal) == pytest.approx(causal.weights[..., 4, 1], abs=1e-6)
    assert METRICS["same_word"].even(causal) == pytest.approx(np.full((1, 2), 1 / 5))


def plain_distance(run) -> np.ndarray:
    """In float64, cell by cell."""
    tokens, values = run.query_tokens, np.empty(run.weights.shape[:2])
    plain = [i for i in range(tokens.n_tokens) if not tokens.special[i] and not run.padding[i]]
    for at in np.ndindex(values.shape):
        rows = []
        for query in plain:
            row = {key: float(run.weights[*at, query, key]) for key in plain}
            if (rest := sum(row.values())) > 0:
                rows.append(sum(abs(query - key) * weight for key, weight in row.items()) / rest)
        values[at] = np.mean(rows) if rows else np.nan
    return values


@pytest.mark.parametrize("mask", [None, Causal(), Padding(3), LocalWindow(1), HideKey(5)])
def test_the_distance_without_special_tokens_equals_a_loop_over_cells(mask):
    run = trace(bert_like(), n_layers=2, seed=8, controls=Controls(mask=mask))
    assert METRICS["distance_plain"].compute(run) == pytest.approx(plain_distance(run), abs=1e-5)


def test_a_row_with_nothing_left_without_special_tokens_is_left_out():
    tokens = sequence(3, special=(True, False, False))
    weights = np.array([[[[0, 0, 1], [1, 0, 0], [0.5, 0.25, 0.25]]]])
    assert one(METRICS["distance_plain"].compute(trace(tokens, weights=weights))) == pytest.approx(0.5)
    weights[0, 0, 2] = [1, 0, 0]
    assert np.isnan(METRICS["distance_plain"].compute(trace(tokens, weights=weights))).all()


def test_looking_back_is_below_0_and_ahead_above():
    back, ahead = np.zeros((5, 5)), np.zeros((5, 5))
    back[:, 0], ahead[:, 4] = 1, 1
    run = trace(5, weights=np.stack([back, ahead])[None])
    assert METRICS["offset"].compute(run)[0] == pytest.approx([-2.0, 2.0])
    assert METRICS["distance"].compute(run)[0] == pytest.approx([2.0, 2.0])
    assert METRICS["sink"].compute(run)[0] == pytest.approx([1.0, 1.0])
    assert METRICS["first"].compute(run)[0] == pytest.approx([1.0, 0.0])


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("cls", sequence(["a", "[SEP]"], special=(False, True))),
        ("sep", sequence(["[CLS]", "a"], special=(True, False))),
        ("special", sequence(2)),
        ("punctuation", sequence(2)),
        ("same_word", sequence(2)),
        ("output_share", sequence(2)),
    ],
)
def test_without_anything_to_compute_it_from_there_is_no_number_and_no_even_value(name, tokens):
    run = trace(tokens)
    assert np.isnan(METRICS[name].compute(run)).all()
    assert np.isnan(METRICS[name].even(run)).all()
    assert np.isnan(measured(run)[name]).all()
    assert np.isnan(even_values(run)[name]).all()


def with_vectors(n_tokens=3, n_heads=2, seed=0, silent=None, **changes):
    """A trace whose heads put out random vectors, d_k = 4, and a random W_O."""
    random = np.random.default_rng(seed)
    outputs = random.standard_normal((n_heads, n_tokens, 4)).astype(np.float32)
    if silent is not None:
        outputs[silent] = 0
    vectors = HeadVectors(*([(outputs,)] * 4))
    W_O = random.standard_normal((4 * n_heads, 4 * n_heads)).astype(np.float32)
    return trace(n_tokens, n_heads=n_heads, vectors=vectors, **changes), [W_O]


@given(st.integers(1, 5), st.integers(1, 4), st.integers(0, 10**6))
def test_the_output_share_is_the_length_of_each_heads_part(n_tokens, n_heads, seed):
    run, W_O = with_vectors(n_tokens, n_heads, seed)
    assert run.vectors is not None
    rows = W_O[0].astype(np.float64).reshape(n_heads, 4, -1)
    parts = run.vectors.head_output[0].astype(np.float64) @ rows  # (head, token, d_model)
    lengths = np.linalg.norm(parts, axis=-1)
    expected = (lengths / lengths.sum(axis=0)).mean(axis=-1)
    assert METRICS["output_share"].compute(run, W_O)[0] == pytest.approx(expected, abs=1e-9)
    assert METRICS["output_share"].compute(run, W_O).sum() == pytest.approx(1.0)
    assert METRICS["output_share"].even(run, W_O) == pytest.approx(np.full((1, n_heads), 1 / n_heads))
    assert measured(run, W_O)["output_share"][0] == pytest.approx(expected, abs=1e-9)
    assert even_values(run, W_O)["output_share"] == pytest.approx(np.full((1, n_heads), 1 / n_heads))


def test_a_silent_head_puts_out_nothing_and_with_all_silent_there_is_no_share():
    run, W_O = with_vectors(silent=1)
    assert METRICS["output_share"].compute(run, W_O)[0] == pytest.approx([1.0, 0.0])
    run, W_O = with_vectors(silent=[0, 1])
    assert np.isnan(METRICS["output_share"].compute(run, W_O)).all()
    assert np.isnan(METRICS["output_share"].even(run, W_O)).all()


def test_tokens_of_padding_put_out_nothing_that_counts():
    run, W_O = with_vectors(3, controls=Controls(mask=Padding(1)))
    shares = rows_of(run, 0, W_O).contributions
    assert shares is not None
    assert METRICS["output_share"].compute(run, W_O)[0] == pytest.approx(shares[:, :2].mean(axis=-1))


def test_a_W_O_that_does_not_fit_is_refused():  # noqa: N802 - its name in the papers
    run, W_O = with_vectors()
    with pytest.raises(RecordError, match="W_O"):
        measured(run, W_O * 2)
    with pytest.raises(RecordError, match="W_O"):
        measured(run, [W_O[0][:, :3]])
    assert np.isnan(measured(trace(3), W_O)["output_share"]).all()  # no model made this trace: it has no vectors


def test_even_values_are_those_of_each_head_where_masks_differ_between_heads_and_layers():
    controls = Controls(mask=Causal(), heads=frozenset({1}), layers=frozenset({1}))
    run = trace(bert_like(), n_layers=2, n_heads=2, controls=controls)
    even = even_values(run)
    assert even["previous"] == pytest.approx(
        np.array([[8 / 81, 8 / 81], [8 / 81, sum(1 / n for n in range(2, 10)) / 9]])
    )
    assert even["cls"] == pytest.approx(np.array([[1 / 9, 1 / 9], [1 / 9, sum(1 / n for n in range(1, 10)) / 9]]))


def test_every_metric_belongs_to_a_group_that_is_shown() -> None:
    assert {metric.group for metric in METRICS.values()} == set(GROUPS)
