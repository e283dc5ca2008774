"""The designed heads do what their names say, as long as d_k leaves them room."""

from __future__ import annotations

import random

import numpy as np
import pytest

import mha_viz
from mha_viz.masks import Causal, LocalWindow
from mha_viz.models.toy.jobs import KEPT, job_of, share_kept
from mha_viz.models.toy.model import ToyModel
from mha_viz.trace import AttentionTrace

#: d_model and n_heads; d_k from 8 to 64, dividing evenly into groups of columns and not.
SIZES = [(16, 1), (16, 2), (17, 1), (64, 8), (96, 12), (90, 9), (120, 10), (128, 8), (192, 16), (64, 1), (512, 8)]
SIZES_WITH_MANY_HEADS = [(128, 16), (256, 32), (512, 64)]
LENGTHS = [2, 3, 7, 16, 40, 60, 61, 128, 200]


def opened(d_model: int = 64, n_heads: int = 8, seed: int = 0) -> ToyModel:
    model = mha_viz.open_model("toy", d_model=d_model, n_heads=n_heads, seed=seed)
    assert isinstance(model, ToyModel)
    return model


def words(length: int, seed: int) -> str:
    """Seeded words, about half of which stand more than once."""
    drawn = random.Random(seed)
    return " ".join(f"{drawn.choice('bcdfgk')}o{drawn.randrange(2 + length // 2)}" for _ in range(length))


def on_promised(trace: AttentionTrace, head: int) -> np.ndarray:
    """(row,) what each query that has a promised key puts on its promised keys."""
    promised = job_of(head).promised(trace.query_tokens)
    return np.where(promised, trace.weights[0, head], 0.0).sum(axis=-1)[promised.any(axis=-1)]


def is_promised(head: int, d_k: int, length: int) -> bool:
    """Equal words are told apart by their vectors, for which d_k below 16 has few columns."""
    return job_of(head).kind != "same_word" or d_k >= 16 or length <= 60


def run_of(text: str, d_model: int = 64, n_heads: int = 8, seed: int = 0, **controls) -> AttentionTrace:
    model = opened(d_model, n_heads, seed)
    return model.run(model.tokenize(text), mha_viz.Controls(**controls))


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize(("d_model", "n_heads"), SIZES)
def test_every_row_puts_nine_tenths_on_the_promised_keys(d_model, n_heads, length):
    for seed in range(3):
        trace = run_of(words(length, seed), d_model, n_heads, seed)
        for head in range(n_heads):
            if is_promised(head, d_model // n_heads, length):
                kept = on_promised(trace, head)
                assert kept.size == 0 or kept.min() >= 0.9, (job_of(head).kind, head, seed)


@pytest.mark.parametrize(("d_model", "n_heads"), SIZES_WITH_MANY_HEADS)
def test_many_heads_keep_their_promises_at_ever_larger_distances(d_model, n_heads):
    trace = run_of(words(60, 4), d_model, n_heads)
    for head in range(n_heads):
        assert on_promised(trace, head).min() >= 0.9, (job_of(head).kind, head)


@pytest.mark.parametrize(
    "text",
    [
        "production economic plans raise production",
        "region june was warm region",
        "watch despite all this watch",
        "allowed local cars are allowed",
    ],
)
def test_equal_words_find_each_other_beside_words_with_similar_vectors(text):
    """With d_k = 8 a word has four columns, and in some directions two different words nearly coincide."""
    trace = run_of(text)
    kept = on_promised(trace, 4)
    assert len(kept) == 2
    assert kept.min() >= 0.9


@pytest.mark.parametrize(("d_model", "n_heads"), [(64, 8), (320, 40), (96, 8), (77, 7)])
def test_equal_words_find_each_other_in_many_sentences_of_60_tokens(d_model, n_heads):
    failed = []
    for seed in range(40):
        trace = run_of(words(60, 1000 + seed), d_model, n_heads, seed)
        failed += [seed] if on_promised(trace, 4).min() < 0.9 else []
    assert not failed


@pytest.mark.parametrize("length", [5, 30, 200])
def test_a_head_for_one_position_gives_it_about_095_so_that_temperature_shows(length):
    plain = run_of(words(length, 1), 176, 11)
    warm = run_of(words(length, 1), 176, 11, temperature=3.0)
    for head in (0, 1, 3, 7, 8, 9, 10):
        kept = on_promised(plain, head)
        inner = kept[1:-1] if kept.size > 4 else kept  # with a neighbour on both sides, one less at the edges
        assert inner.min() > 0.93
        assert inner.max() < 0.99
        assert on_promised(warm, head).max() < on_promised(plain, head).min() - 0.1


def test_the_order_of_the_jobs():
    kinds = [job_of(head).kind for head in range(7)]
    assert kinds == ["previous", "next", "first", "itself", "same_word", "local", "even"]
    assert [job_of(head).offset for head in range(7)] == [-1, 1, None, 0, None, None, None]
    beyond = [(job_of(head).kind, job_of(head).offset, job_of(head).distance) for head in range(7, 13)]
    assert beyond == [
        ("back", -2, 2),
        ("ahead", 2, 2),
        ("back", -3, 3),
        ("ahead", 3, 3),
        ("back", -4, 4),
        ("ahead", 4, 4),
    ]
    offsets = [job_of(head).offset for head in range(7, 207)]
    assert len(set(offsets)) == 200


def test_a_single_head_looks_at_the_previous_token():
    trace = run_of("one two three four five", n_heads=1)
    assert trace.weights[0, 0].argmax(axis=-1)[1:].tolist() == [0, 1, 2, 3]


def test_what_each_job_promises_by_hand():
    tokens = opened().tokenize("a b a c")
    promised = {job_of(head).kind: job_of(head).promised(tokens).astype(int).tolist() for head in range(9)}
    assert promised["previous"] == [[0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]
    assert promised["next"] == [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert promised["first"] == [[1, 0, 0, 0]] * 4
    assert promised["itself"] == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    assert promised["same_word"] == [[0, 0, 1, 0], [0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]
    assert promised["local"] == [[1, 1, 1, 0], [1, 1, 1, 1], [1, 1, 1, 1], [0, 1, 1, 1]]
    assert promised["even"] == [[1, 1, 1, 1]] * 4
    assert promised["back"] == [[0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]]
    assert promised["ahead"] == [[0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]]


def test_the_head_for_everything_is_exactly_even():
    trace = run_of(words(7, 0))
    assert np.abs(trace.weights[0, 6] - 1 / 7).max() < 1e-7
    causal = run_of(words(7, 0), mask=Causal())
    assert np.abs(causal.weights[0, 6] - np.tri(7) / np.arange(1, 8)[:, None]).max() < 1e-7


def test_a_word_that_stands_three_times_shares_its_weight_between_the_other_two():
    weights = run_of("x alpha beta x gamma x", 128, 8).weights[0, 4]
    assert weights[0, [3, 5]].sum() > 0.99
    assert weights[3, [0, 5]].sum() > 0.99
    assert weights[3, 3] < 1e-3


@pytest.mark.parametrize(("d_model", "n_heads"), [(64, 16), (64, 32), (64, 64), (16, 16)])
def test_too_many_heads_leave_too_few_columns_and_some_fail(d_model, n_heads):
    trace = run_of(words(120, 2), d_model, n_heads)
    shares = {head: share_kept(trace, head) for head in range(7)}
    assert any(share is not None and share < KEPT for share in shares.values())


def test_the_share_kept_is_the_mean_over_the_rows_that_have_a_promised_key():
    trace = run_of("one two three")
    previous = trace.weights[0, 0]
    assert share_kept(trace, 0) == pytest.approx((previous[1, 0] + previous[2, 1]) / 2)
    assert share_kept(trace, 4) is None  # no word stands twice
    assert share_kept(trace, 7) == pytest.approx(trace.weights[0, 7, 2, 0])


def test_promised_keys_that_a_mask_hides_are_not_promised():
    causal = run_of("one two three", mask=Causal())
    assert share_kept(causal, 1) is None
    assert share_kept(run_of("a b a", mask=LocalWindow(1)), 4) is None
    assert share_kept(run_of("a b a", mask=Causal()), 4) == pytest.approx(1.0, abs=0.06)
