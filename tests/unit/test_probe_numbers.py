"""Where a probe's words stand among tokens, and the numbers claims are held against; against finding the head, and loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.analysis.find import find_head
from mha_viz.controls import Controls
from mha_viz.masks import Causal, HideKey
from mha_viz.probes.measure import best_times, luck_at_offset, luck_of, pair_numbers
from mha_viz.probes.places import Word, by_words, find_word
from tests.unit.build import sequence, trace


def test_a_word_of_several_pieces_is_asked_with_the_mean_and_reached_with_the_sum_of_them():
    tokens = sequence(["un", "##bro", "##ken", "now"], word_ids=(0, 0, 0, 1), surfaces=("Un", "bro", "ken", "now"))
    run = trace(tokens, n_heads=3, seed=4)
    reading, (word, now) = by_words(run, [(0, 1, 2), (3,)])
    numbers = pair_numbers(reading, now, [word])
    assert numbers.weight[0] == pytest.approx(run.weights[0, :, 3, :3].sum(axis=-1))
    assert numbers.chance == pytest.approx(np.full((1, 3), 1 / 2))
    back = pair_numbers(reading, word, [now])
    assert back.weight[0] == pytest.approx(run.weights[0, :, :3, 3].mean(axis=-1))
    assert find_word(tokens, Word("unbroken")) == (0, 1, 2)
    assert find_word(tokens, Word("broken")) is None


def test_words_that_the_tokenizer_takes_apart_are_put_together():
    tokens = sequence(["didn", "'", "t", "苹", "果", "的"])
    assert find_word(tokens, Word("Didn't")) == (0, 1, 2)
    assert find_word(tokens, Word("苹果")) == (3, 4)
    whole = sequence(["红苹", "果", "x"], word_ids=(0, 0, 1))
    assert find_word(whole, Word("苹果")) is None
    run = trace(tokens, seed=2)
    reading, places = by_words(run, [(3, 4), (0, 1, 2)])
    assert reading.n_tokens == 3
    assert places == (1, 0)
    assert pair_numbers(reading, 0, [1]).weight[0] == pytest.approx(run.weights[0, :, :3, 3:5].sum(-1).mean(-1))


def test_an_occurrence_is_counted_over_both_sentences_and_not_within_words():
    tokens = sequence(["cat", "cats", "a", "cat"], segment_ids=(0, 0, 1, 1))
    assert find_word(tokens, Word("cat", 1)) == (0,)
    assert find_word(tokens, Word("cat", 2)) == (3,)
    assert find_word(tokens, Word("cat", 3)) is None
    split = sequence(["ca", "t"], segment_ids=(0, 1), word_ids=(0, 0))
    assert find_word(split, Word("cat")) is None


def test_tokenizers_that_do_not_tell_the_text_are_read_by_their_tokens():
    tokens = sequence(["▁the", "Ġcat"], surfaces=("", ""))
    assert find_word(tokens, Word("cat")) == (1,)


MASKED = st.sampled_from([None, Causal(), HideKey(1)])


@given(st.integers(2, 7), MASKED, st.integers(0, 10**6), st.data())
def test_the_numbers_of_one_key_are_those_of_finding_the_head(n, mask, seed, data):
    run = trace(n, n_layers=2, n_heads=3, controls=Controls(mask=mask), seed=seed)
    query, key = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))
    numbers, found = pair_numbers(run, query, [key]), find_head(run, query, key)
    np.testing.assert_allclose(numbers.weight, found.weight)
    np.testing.assert_allclose(numbers.chance, found.chance)
    np.testing.assert_allclose(numbers.times, found.times)
    np.testing.assert_array_equal(numbers.rank, found.rank_in_row)


@given(st.integers(2, 7), MASKED, st.integers(0, 10**6), st.data())
def test_luck_is_a_count_over_all_other_pairs(n, mask, seed, data):
    run = trace(n, n_layers=2, n_heads=3, controls=Controls(mask=mask), seed=seed)
    query = data.draw(st.integers(0, n - 1))
    key = data.draw(st.integers(0, n - 1).filter(lambda at: at != query))

    def best(i: int, j: int) -> float:
        known = find_head(run, i, j).times
        return float(np.nanmax(known)) if np.isfinite(known).any() else np.nan

    bests = best_times(run)
    expected = [[best(i, j) if i != j else np.nan for j in range(n)] for i in range(n)]
    np.testing.assert_allclose(bests, expected)
    own = bests[query, key]
    if np.isnan(own):
        return
    others = [(i, j) for i, j in np.ndindex(n, n) if (i, j) != (query, key) and np.isfinite(bests[i, j])]
    larger = [bests[pair] > own + 1e-6 for pair in others]
    assert luck_of(bests, own, query, [key]) == (1 + sum(larger), 1 + len(others))
    alike = [bests[i, j] > own + 1e-6 for i, j in others if j - i == key - query]
    assert luck_at_offset(bests, own, query, key) == (1 + sum(alike), 1 + len(alike))
