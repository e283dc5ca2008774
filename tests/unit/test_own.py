"""Weights from elsewhere become a trace with the same numbers, or are refused with what is wrong and where."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import mha_viz
from mha_viz.errors import InputError
from mha_viz.export import trace_from_npz
from mha_viz.figures import head_heatmap, print_overview
from mha_viz.metrics import METRICS
from mha_viz.own import MOST_TOKENS
from tests.refs import arrays, tokens

WORDS = ["a", "b", "c"]


def rows(*shape: int, seed: int = 0) -> np.ndarray:
    """Random weights whose rows sum to 1."""
    odds = np.exp(np.random.default_rng(seed).standard_normal(shape))
    return odds / odds.sum(axis=-1, keepdims=True)


def refused(weights: Any, words: Any = WORDS, **options) -> str:
    with pytest.raises(InputError) as caught:
        mha_viz.trace_from_arrays(weights, words, **options)
    return str(caught.value)


def test_the_reference_arrays_become_a_trace_of_the_same_numbers():
    weights = arrays("b")["coref/attn"][0]
    words = tokens("b")["coref"]["tokens"]
    words = words[0] if isinstance(words[0], list) else words
    trace = mha_viz.trace_from_arrays(weights, words, name="MiniLM")
    assert trace.weights.shape == (6, 12, 16, 16)
    assert np.abs(trace.weights - weights).max() <= 1e-7
    assert trace.query_tokens.tokens == tuple(words)
    assert (trace.spec.name, trace.output, trace.vectors) == ("MiniLM", None, None)
    assert trace.checks.passed
    entropy = arrays("d")["head_entropy_nats"]
    assert np.abs(METRICS["entropy"].compute(trace) - entropy).max() < 1e-5


def test_layers_heads_and_batches_may_be_left_out():
    weights = rows(2, 3, 3)
    whole = mha_viz.trace_from_arrays(weights[None], WORDS)
    for given in (weights, weights.tolist(), [weights], (weights[None],), weights[None, None], torch.tensor(weights)):
        trace = mha_viz.trace_from_arrays(given, WORDS)
        assert trace.weights.shape == (1, 2, 3, 3)
        assert np.abs(trace.weights - whole.weights).max() < 1e-7
    assert mha_viz.trace_from_arrays(weights[0], WORDS).weights.shape == (1, 1, 3, 3)


def test_tensors_of_half_precision_and_with_gradients_are_taken_with_their_own_tolerance():
    weights = torch.tensor(rows(2, 2, 3, 3), dtype=torch.float32, requires_grad=True)
    for dtype, limit in ((torch.bfloat16, 4e-3), (torch.float16, 4e-3), (torch.float32, 1e-5)):
        trace = mha_viz.trace_from_arrays(weights.to(dtype), WORDS)
        assert trace.checks.tolerance == limit
        assert np.array_equal(trace.weights, weights.detach().to(dtype).float().numpy())
    off = weights.detach() * 1.002
    assert mha_viz.trace_from_arrays(off.half(), WORDS).checks.row_sum_error > 1e-3
    assert "allowed: 1e-05" in refused(off)


def test_what_was_given_may_change_afterwards_and_the_trace_does_not():
    weights = rows(1, 1, 3, 3).astype(np.float32)
    trace = mha_viz.trace_from_arrays(weights, WORDS)
    before = trace.weights.copy()
    weights[:] = 7
    assert np.array_equal(trace.weights, before)


def test_a_row_of_nothing_is_a_row_without_a_key():
    weights = rows(2, 2, 3, 3)
    weights[1, 0, 2] = 0
    trace = mha_viz.trace_from_arrays(weights, WORDS)
    assert np.argwhere(trace.no_key).tolist() == [[1, 0, 2]]
    assert not trace.visible[1, 0, 2].any()
    assert trace.visible.sum() == 2 * 2 * 9 - 3
    assert trace.checks.rows_without_key == 1


def test_keys_may_be_other_tokens_than_queries():
    trace = mha_viz.trace_from_arrays(rows(1, 2, 3, 4), WORDS, key_tokens=["w", "x", "y", "z"])
    figure = head_heatmap(trace, 0, 1)
    assert list(figure.layout.xaxis.ticktext) == ["w", "x", "y", "z"]
    assert list(figure.layout.yaxis.ticktext) == WORDS


def test_what_is_hidden_is_hatched_and_an_output_is_kept():
    causal = np.tril(np.ones((3, 3), dtype=bool))
    weights = np.where(causal, rows(1, 2, 3, 3), 0)
    weights /= weights.sum(axis=-1, keepdims=True)
    trace = mha_viz.trace_from_arrays(weights, WORDS, visible=causal, output=np.ones((3, 8)))
    assert (trace.visible == causal).all()
    assert (trace.spec.d_model, trace.spec.d_k) == (8, 4)
    assert np.isnan(head_heatmap(trace, 0, 0).data[0].z).sum() == 3
    assert print_overview(trace).layout.images
    broken = weights.copy()
    broken[0, 1, 0] = [0.5, 0.25, 0.25]
    assert "0.25 at layer 0, head 1, query 0, key 1" in refused(broken, visible=causal)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda w: w.__setitem__((1, 0, 2, 1), np.nan), ("1 weights", "nan at layer 1, head 0, query 2, key 1")),
        (lambda w: w.__setitem__((0, 1, 0, 2), np.inf), ("inf at layer 0, head 1, query 0, key 2",)),
        (lambda w: w.__setitem__((1, 1, 1, 0), -0.25), ("-0.25 at layer 1, head 1, query 1, key 0", "below 0")),
        (
            lambda w: w.__setitem__((1, 0, 1), [0.5, 0.5, 0.5]),
            ("1 of 12 rows", "layer 1, head 0, query 1", "1.5", "0.5"),
        ),
        (
            lambda w: w.__setitem__((0, 0, 0), [0.2, 0.3, 0.4]),
            ("layer 0, head 0, query 0", "sums to 0.9", "0.1", "1e-05"),
        ),
    ],
)
def test_a_wrong_value_is_named_with_its_place(change, told):
    weights = rows(2, 2, 3, 3)
    change(weights)
    sentence = refused(weights)
    for part in told:
        assert part in sentence


@pytest.mark.parametrize(
    ("weights", "words", "told"),
    [
        (rows(1, 2, 3, 3), ["a", "b"], ("(1, 2, 3, 3)", "2 and 2 tokens")),
        (rows(3, 4), WORDS, ("3 queries and 4 keys", "key_tokens")),
        (rows(1, 1, 1, 1, 3, 3), WORDS, ("(1, 1, 1, 1, 3, 3)",)),
        (rows(3), WORDS, ("(3,)", "(layer, head, query, key)")),
        ((rows(2, 2, 3, 3), rows(2, 2, 3, 3)), WORDS, ("batch of 2",)),
        ((rows(1, 2, 3, 3), rows(1, 4, 3, 3)), WORDS, ("(1, 2, 3, 3) and (1, 4, 3, 3)",)),
        ((), WORDS, ("eager",)),
        ((None, None), WORDS, ("eager",)),
        (np.zeros((1, 0, 3, 3)), WORDS, ("no weights",)),
        ([[[0.5, 0.5], [1.0]]], WORDS, ("list", "no array of numbers")),
        (np.array([["x"]]), ["a"], ("no array of numbers",)),
        ("weights", WORDS, ("str",)),
        (rows(3, 3), [], ("no tokens",)),
        (rows(3, 3), "a b c", ("str", "list of texts")),
        (rows(3, 3), ["a", 2, "c"], ("list of texts",)),
        (rows(1, 1), ["w"] * (MOST_TOKENS + 1), (f"{MOST_TOKENS + 1:,} tokens", f"{MOST_TOKENS:,}")),
    ],
)
def test_what_does_not_fit_is_refused_with_what_was_got_and_what_is_needed(weights, words, told):
    sentence = refused(weights, words)
    for part in told:
        assert part in sentence


def test_other_things_that_do_not_fit():
    assert "(2, 2)" in refused(rows(3, 3), visible=np.ones((2, 2)))
    assert "2 entries for 3" in refused(rows(3, 3), special=[True, False])
    assert "(2, 4)" in refused(rows(3, 3), output=np.ones((2, 4)))
    assert "2 heads" in refused(rows(2, 3, 3), output=np.ones((3, 5)))


def test_special_tokens_are_told_and_then_can_be_left_out():
    trace = mha_viz.trace_from_arrays(rows(1, 2, 3, 3), ["[CLS]", "b", "c"], special=[True, False, False])
    shown = mha_viz.read(trace, "pieces", "hidden")
    assert shown.query_tokens.tokens == ("b", "c")
    assert np.array_equal(shown.weights, trace.weights[:, :, 1:, 1:])


def test_a_plain_npz_of_weights_and_tokens_is_read(tmp_path):
    weights = rows(2, 2, 3, 3).astype(np.float32)
    np.savez(tmp_path / "plain.npz", weights=weights, tokens=np.array(WORDS))
    trace = trace_from_npz(tmp_path / "plain.npz")
    assert np.array_equal(trace.weights, weights)
    assert trace.query_tokens.tokens == ("a", "b", "c")
