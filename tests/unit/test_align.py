"""Which token stands for which: cases worked by hand, against a search of all alignments, and both ways round."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.analysis.align import Alignment, align, align_runs
from mha_viz.errors import RecordError
from mha_viz.spec import ModelSpec
from tests.unit.build import sequence, trace


def bert(words: str, pair: str | None = None):
    """[CLS] words [SEP], or with a second sentence and its [SEP]."""
    first = words.split()
    second = [] if pair is None else [*pair.split(), "[SEP]"]
    tokens = ("[CLS]", *first, "[SEP]", *second)
    special = tuple(token.startswith("[") for token in tokens)
    return sequence(
        tokens,
        text=words,
        pair=pair,
        special=special,
        segment_ids=(0,) * (len(first) + 2) + (1,) * len(second),
        word_ids=tuple(None if kind else place for place, kind in enumerate(special)),
        surfaces=tuple("" if kind else token for token, kind in zip(tokens, special, strict=True)),
    )


def shown(alignment: Alignment) -> list[str]:
    signs = {"same": "{0}", "replaced": "{0}>{1}", "deleted": "-{0}", "inserted": "+{1}"}
    return [signs[line.kind].format(line.a, line.b) for line in alignment.lines]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("the cat sat", "the cat sat", ["the", "cat", "sat"]),
        ("the cat sat", "the dog sat", ["the", "cat>dog", "sat"]),
        ("it was tired", "it was very tired", ["it", "was", "+very", "tired"]),
        ("it was very tired", "it was tired", ["it", "was", "-very", "tired"]),
        ("a b", "c d e", ["+c", "a>d", "b>e"]),
        ("the cat saw the dog", "the dog", ["-the", "-cat", "-saw", "the", "dog"]),
        ("x", "y", ["x>y"]),
        ("The cat", "the cat", ["The>the", "cat"]),
    ],
)
def test_known_pairs(a, b, expected):
    found = align(sequence(a.split()), sequence(b.split()))
    assert shown(found) == expected


def test_a_repeated_word_is_told_apart_by_where_it_stands():
    found = align(sequence(["the", "cat", "saw", "the", "dog"]), sequence(["the", "cat", "saw", "a", "dog"]))
    assert shown(found) == ["the", "cat", "saw", "the>a", "dog"]
    twice = align(sequence(["the"] * 3), sequence(["the"] * 2))
    assert (twice.count("same"), twice.count("deleted")) == (2, 1)


def test_capitals_count_as_the_model_writes_them_and_not_as_typed():
    a, b = sequence(["The", "cat"]), sequence(["the", "cat"])
    assert align(a, b).count("same") == 1
    assert align(a, b, typed=True).count("same") == 2


def test_special_tokens_stand_beside_special_tokens_only():
    found = align(bert("one two"), bert("three"))
    assert shown(found)[0] == "[CLS]"
    assert shown(found)[-1] == "[SEP]"
    assert found.count("replaced") == 1
    for pair in align(bert("a b", "c d"), sequence(["a", "b", "c", "d", "e", "f"])).pairs:
        if pair.a is not None and pair.b is not None:
            assert pair.kind == "same"  # [CLS] and [SEP] have nothing there
    nothing = align(sequence(["[CLS]"], special=(True,)), sequence(["word"]))
    assert nothing.common == ()
    assert sorted(pair.kind for pair in nothing.pairs) == ["deleted", "inserted"]


def test_a_swapped_pair_of_sentences_is_compared_sentence_by_sentence():
    a, b = bert("the cat sat", "a dog barked loudly"), bert("a dog barked loudly", "the cat sat")
    for left, right in ((a, b), (b, a)):
        found = align(left, right)
        assert found.swapped
        assert found.count("same") == left.n_tokens == len(found.pairs)
        for pair in found.pairs:
            assert left.tokens[pair.a] == right.tokens[pair.b]
    assert "other order" in align(a, b).sentence
    assert not align(a, a).swapped
    same = bert("a b", "a b")
    assert [(pair.a, pair.b) for pair in align(same, same).pairs] == [(at, at) for at in range(same.n_tokens)]


def test_models_of_other_shape_are_aligned_by_words_and_it_says_so():
    pieces = sequence(["play", "##ing", "now"], word_ids=(0, 0, 1), surfaces=("Play", "ing", "now"))
    whole = sequence(["playing", "now"])
    a, b = trace(pieces), trace(whole, n_layers=2)
    runs = align_runs(a, b)
    assert [line.kind for line in runs.alignment.lines] == ["same", "same"]
    assert runs.alignment.lines[0].a == "Playing"
    assert runs.a.n_tokens == runs.b.n_tokens == 2
    assert "whole words" in runs.alignment.sentence
    same = align_runs(a, trace(pieces, seed=4))
    assert same.alignment.count("same") == 3
    assert "whole words" not in same.alignment.sentence


def test_what_one_tokenizer_takes_apart_is_one_word_in_both():
    """One takes didn't apart, the other keeps the full stop on its word."""
    a = sequence(
        ["[CLS]", "she", "didn", "'", "t", "go", "."], special=(True, *[False] * 6), word_ids=(None, *range(6))
    )
    b = sequence(["She", "didn't", "g", "##o."], word_ids=(0, 1, 2, 2), surfaces=("She", "didn't", "g", "o."))
    runs = align_runs(trace(a), trace(b, n_layers=2))
    assert [(line.kind, line.a, line.b) for line in runs.alignment.lines] == [
        ("deleted", "[CLS]", ""),
        ("same", "she", "She"),
        ("same", "didn't", "didn't"),
        ("same", "go.", "go."),
    ]
    assert runs.a.weights.sum(axis=-1) == pytest.approx(np.ones((1, 2, 4)), abs=1e-6)
    other = align_runs(trace(a), trace(sequence(["He", "didn't", "go."]), n_layers=2))
    assert [line.a for line in other.alignment.lines if line.a] == list(a.tokens)  # another text: words as they are


def test_one_shape_with_another_name_is_another_model():
    a = trace(3)
    b = trace(3, spec=ModelSpec("other", 1, 2, 8, 10_000))
    assert align_runs(a, b).alignment.typed


def test_an_alignment_has_every_token_once():
    one = sequence(["a", "b"])
    found = align(one, one)
    with pytest.raises(RecordError, match="1 entries for 2"):
        Alignment(one, one, found.pairs[:1])
    with pytest.raises(RecordError):
        Alignment(one, one, (*found.pairs, found.pairs[0]))


WORDS = st.lists(st.sampled_from("abc"), min_size=1, max_size=7)


def best(a: list[str], b: list[str]) -> tuple[int, int]:
    """The most equal pairs, and then the most pairs at all, by trying everything."""

    @cache
    def of(i: int, j: int) -> tuple[int, int]:
        if i == len(a) or j == len(b):
            return 0, 0
        same, pairs = of(i + 1, j + 1)
        return max(of(i + 1, j), of(i, j + 1), (same + (a[i] == b[j]), pairs + 1))

    return of(0, 0)


@given(WORDS, WORDS)
def test_it_is_as_good_as_the_best_of_all_and_keeps_the_order(a, b):
    found = align(sequence(a), sequence(b))
    assert (found.count("same"), len(found.common)) == best(a, b)
    for name in ("a", "b"):
        positions = [getattr(pair, name) for pair in found.pairs if getattr(pair, name) is not None]
        assert positions == sorted(positions)
    assert all((a[pair.a] == b[pair.b]) == (pair.kind == "same") for pair in found.common)


@given(WORDS, WORDS)
def test_the_other_way_round_is_the_mirror_image(a, b):
    found, back = align(sequence(a), sequence(b)), align(sequence(b), sequence(a))
    assert back.pairs == found.mirrored.pairs
    assert back.mirrored.pairs == found.pairs
    assert np.array_equal(found.places, back.places[::-1])


@given(WORDS)
def test_a_sequence_beside_itself_is_all_the_same(a):
    found = align(sequence(a), sequence(a))
    assert [(pair.a, pair.b, pair.kind) for pair in found.pairs] == [(at, at, "same") for at in range(len(a))]


def test_five_hundred_tokens_are_no_trouble():
    rng = np.random.default_rng(0)
    words = [f"w{n}" for n in rng.integers(0, 60, 512)]
    other = [word for word in words if rng.random() > 0.1]
    found = align(sequence(words), sequence(other))
    assert found.count("same") == len(other)
    assert found.count("deleted") == len(words) - len(other)
