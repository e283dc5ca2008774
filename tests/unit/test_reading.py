"""Words are sums over key pieces and means over query pieces; special tokens are raw, hidden, or hidden and renormalised."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from mha_viz import Causal, Controls, HideKey, InputError, Padding
from mha_viz.analysis.reading import LEVELS, SPECIALS, read
from tests.unit.build import sequence, trace

#: [CLS] un ##believ ##able cats [SEP]
PIECES = sequence(
    ["[CLS]", "un", "##believ", "##able", "cats", "[SEP]"],
    special=(True, False, False, False, False, True),
    word_ids=(None, 0, 0, 0, 1, None),
    surfaces=("", "Un", "believ", "able", "cats", ""),
)
RUN = trace(PIECES, n_layers=2, n_heads=3)


def by_hand(weights: np.ndarray) -> np.ndarray:
    """(query, key) of pieces to words, by the rule as it is printed."""
    groups = [[0], [1, 2, 3], [4], [5]]
    return np.array(
        [[np.mean([sum(weights[q, k] for k in keys) for q in queries]) for keys in groups] for queries in groups]
    )


def test_the_plain_reading_is_the_run_itself() -> None:
    shown = read(RUN)
    assert shown.weights is RUN.weights
    assert shown.query_tokens is RUN.query_tokens
    assert shown.removed is None
    assert [shown.place_of(i) for i in range(6)] == list(range(6))


def test_to_a_word_the_sum_and_from_a_word_the_mean() -> None:
    shown = read(RUN, "words")
    for layer, head in np.ndindex(2, 3):
        np.testing.assert_allclose(shown.weights[layer, head], by_hand(RUN.weights[layer, head]), atol=1e-6)
    assert shown.query_tokens.tokens == ("[CLS]", "Unbelievable", "cats", "[SEP]")
    assert shown.groups == ((0,), (1, 2, 3), (4,), (5,))


def test_a_two_by_two_case_worked_out_by_hand() -> None:
    tokens = sequence(["a", "##b", "c"], word_ids=(0, 0, 1))
    weights = np.array([[[[0.5, 0.25, 0.25], [0.1, 0.1, 0.8], [0.3, 0.3, 0.4]]]])
    shown = read(trace(tokens, weights=weights), "words")
    # from "ab": the mean of (.75, .25) and (.2, .8); from "c": (.6, .4)
    np.testing.assert_allclose(shown.weights[0, 0], [[0.475, 0.525], [0.6, 0.4]], atol=1e-7)


def test_hidden_special_tokens_leave_what_they_took() -> None:
    shown = read(RUN, specials="hidden")
    np.testing.assert_array_equal(shown.weights, RUN.weights[:, :, 1:5, 1:5])
    assert shown.removed is not None
    np.testing.assert_allclose(shown.weights.sum(axis=-1) + shown.removed, 1.0, atol=1e-6)
    assert (shown.weights.sum(axis=-1) < 1 - 1e-4).all()
    np.testing.assert_allclose(shown.removed, RUN.weights[:, :, 1:5, [0, 5]].sum(axis=-1), atol=1e-6)


def test_renormalised_rows_keep_their_proportions() -> None:
    hidden, renormalised = read(RUN, specials="hidden"), read(RUN, specials="renormalised")
    np.testing.assert_allclose(renormalised.weights.sum(axis=-1), 1.0, atol=1e-6)
    assert hidden.removed is not None
    left = 1.0 - hidden.removed[..., None]
    np.testing.assert_allclose(renormalised.weights * left, hidden.weights, atol=1e-6)
    np.testing.assert_array_equal(renormalised.removed, hidden.removed)


def test_places_and_positions_are_told_apart() -> None:
    shown = read(RUN, "words", "hidden")
    assert shown.query_tokens.tokens == ("Unbelievable", "cats")
    assert [shown.place_of(position) for position in range(6)] == [None, 0, 0, 0, 1, None]
    assert shown.place_of(None) is None
    assert [shown.position_of(place) for place in (0, 1)] == [1, 4]
    assert [shown.query_tokens.number(place) for place in (0, 1)] == [1, 4]


def test_a_word_may_be_seen_if_one_of_its_pieces_may() -> None:
    run = trace(PIECES, controls=Controls(mask=Causal()))
    shown = read(run, "words")
    # Within a word later pieces see earlier ones; the word before sees none of it.
    assert shown.visible[0, 0].tolist() == np.tril(np.ones((4, 4), dtype=bool)).tolist()
    assert (shown.weights[~shown.visible] == 0).all()
    np.testing.assert_allclose(shown.weights.sum(axis=-1), 1.0, atol=1e-6)


def test_pieces_without_a_key_do_not_lower_the_mean_of_their_word() -> None:
    weights = RUN.weights[:1, :1].copy()
    weights[0, 0, 2] = 0.0
    visible = np.ones((1, 1, 6, 6), dtype=bool)
    visible[0, 0, 2] = False
    run = trace(PIECES, weights=weights, visible=visible, no_key=~visible.any(axis=-1))
    shown = read(run, "words")
    np.testing.assert_allclose(shown.weights.sum(axis=-1), 1.0, atol=1e-6)
    whole = weights[0, 0, [1, 3]].mean(axis=0)
    np.testing.assert_allclose(shown.weights[0, 0, 1, [0, 2, 3]], whole[[0, 4, 5]], atol=1e-6)
    assert not shown.no_key.any()


def test_a_row_that_nothing_is_left_of_counts_as_one_without_a_key() -> None:
    weights = np.full((1, 1, 6, 6), 1 / 6)
    weights[0, 0, 1] = [1, 0, 0, 0, 0, 0]
    shown = read(trace(PIECES, weights=weights), specials="renormalised")
    assert shown.no_key[0, 0].tolist() == [True, False, False, False]
    assert shown.weights[0, 0, 0].tolist() == [0, 0, 0, 0]
    assert shown.removed is not None
    assert shown.removed[0, 0, 0] == 1


def test_padding_stays_padding_by_words_and_goes_with_the_special_tokens() -> None:
    padded = PIECES.padded(8, "[PAD]", 0)
    run = trace(padded, controls=Controls(mask=Padding(3)))
    words = read(run, "words")
    assert words.padding.tolist() == [False, False, False, True, True, True]  # [SEP] is padding by the mask
    assert read(run, specials="hidden").query_tokens.tokens == ("un", "##believ", "##able", "cats")


def test_words_are_written_as_typed_even_if_the_tokenizer_does_not_say_where_they_stand() -> None:
    unplaced = sequence(["un", "##able", "x"], word_ids=(0, 0, 1), surfaces=("", "", ""))
    assert read(trace(unplaced), "words").query_tokens.tokens == ("unable", "x")


def test_a_single_unknown_piece_stays_unknown() -> None:
    tokens = sequence(["[UNK]", "a"], unknown=(True, False), surfaces=("☃", "a"))
    shown = read(trace(tokens), "words").query_tokens
    assert (shown.tokens[0], shown.unknown[0], shown.surfaces[0]) == ("[UNK]", True, "☃")


def test_only_special_tokens_and_none_of_them_wanted() -> None:
    tokens = sequence(["[CLS]", "[SEP]"], special=(True, True), word_ids=(None, None))
    with pytest.raises(InputError, match="special tokens only"):
        read(trace(tokens), specials="hidden")
    assert read(trace(tokens), "words").n_tokens == 2


@pytest.mark.parametrize(("level", "specials"), [("letters", "raw"), ("words", "gone")])
def test_there_is_no_other_reading(level: str, specials: str) -> None:
    with pytest.raises(InputError, match="There are: pieces, words"):
        read(RUN, level, specials)


def test_a_reading_can_not_be_written_into() -> None:
    for specials in SPECIALS:
        with pytest.raises(ValueError, match="read-only"):
            read(RUN, "words", specials).weights[0, 0, 0, 0] = 1


@settings(max_examples=60, deadline=None)
@given(some.data())
def test_rows_sum_to_1_or_to_what_is_said_to_be_left(data: some.DataObject) -> None:
    n_tokens = data.draw(some.integers(1, 9))
    special = tuple(data.draw(some.lists(some.booleans(), min_size=n_tokens, max_size=n_tokens)))
    starts = data.draw(some.lists(some.booleans(), min_size=n_tokens, max_size=n_tokens))
    numbers = np.cumsum(starts).tolist()
    word_ids = tuple(None if is_special else number for is_special, number in zip(special, numbers, strict=True))
    tokens = sequence([f"w{i}" for i in range(n_tokens)], special=special, word_ids=word_ids)
    mask = data.draw(some.sampled_from([None, Causal(), HideKey(0)]))
    run = trace(tokens, n_layers=2, controls=Controls(mask=mask), seed=data.draw(some.integers(0, 99)))
    for level in LEVELS:
        for state in SPECIALS:
            if state != "raw" and all(special):
                continue
            shown = read(run, level, state)
            sums = shown.weights.sum(axis=-1)
            if state == "hidden" and shown.removed is not None:
                alive = ~np.stack([run.no_key[:, :, list(group)].all(axis=-1) for group in shown.groups], axis=-1)
                np.testing.assert_allclose((sums + shown.removed)[alive], 1.0, atol=1e-5)
            else:
                np.testing.assert_allclose(sums, ~shown.no_key, atol=1e-5)
            assert (shown.weights[~shown.visible] == 0).all()
            assert shown.weights.shape == (2, 2, len(shown.groups), len(shown.groups))
            assert [position for group in shown.groups for position in group] == [
                position for position in range(n_tokens) if state == "raw" or not special[position]
            ]
