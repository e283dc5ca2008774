"""The toy reads words as they stand, and single characters of Chinese and Japanese, exactly as typed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mha_viz

MODEL = mha_viz.open_model("toy")


def read(text: str, pair: str | None = None) -> list[str]:
    return list(MODEL.tokenize(text, pair).tokens)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("the cat sat", ["the", "cat", "sat"]),
        ("the cat sat on the mat. the cat", ["the", "cat", "sat", "on", "the", "mat", ".", "the", "cat"]),
        (
            "<s> hello </s> <b>bold</b> a<br>b &amp; $x$",
            ["<s>", "hello", "</s>", "<b>bold</b>", "a<br>b", "&amp;", "$x$"],
        ),
        ("2024-01-02 2024-01-01 2023-05-01", ["2024-01-02", "2024-01-01", "2023-05-01"]),
        ("My name is [MASK].", ["My", "name", "is", "[MASK]", "."]),
        ("[CLS] ##ing #000001 %{z}", ["[CLS]", "##ing", "#000001", "%{z}"]),
        ("猫追老鼠", ["猫", "追", "老", "鼠"]),
        ("今天天气很好，我们走。", ["今", "天", "天", "气", "很", "好", "，", "我", "们", "走", "。"]),
        ("cat追dog", ["cat", "追", "dog"]),
        ("か\u3099 ハ\u309aン", ["か\u3099", "ハ\u309a", "ン"]),
        ("👩\u200d👩\u200d👧 hi", ["👩\u200d👩\u200d👧", "hi"]),
        ("a\u200bb \u200b", ["a\u200bb", "\u200b"]),
        (".", ["."]),
        ("...", ["..."]),
        ("what?! No...", ["what", "?!", "No", "..."]),
        ("3.14 a.b", ["3.14", "a.b"]),
        ("שלום עולם, مرحبا", ["שלום", "עולם", ",", "مرحبا"]),
        ("e\u0301te\u0301", ["e\u0301te\u0301"]),
        ("Hi", ["Hi"]),
    ],
)
def test_tokens_are_as_typed(text, tokens):
    read_tokens = MODEL.tokenize(text)
    assert list(read_tokens.tokens) == tokens
    assert read_tokens.surfaces == read_tokens.tokens
    assert not any(read_tokens.special)
    assert not any(read_tokens.unknown)
    assert read_tokens.word_ids == tuple(range(len(tokens)))


@given(st.text(max_size=80).filter(lambda text: bool(text.strip())))
def test_every_visible_character_of_a_text_is_in_some_token_in_order(text):
    tokens = MODEL.tokenize(text)
    assert "".join(tokens.tokens) == "".join(text.split())
    assert all(tokens.tokens)


def test_one_token_gives_one_row_of_one_key():
    trace = MODEL.run(MODEL.tokenize("Hi"))
    assert trace.weights.shape == (1, 8, 1, 1)
    assert (trace.weights == 1.0).all()
    assert (MODEL.run(MODEL.tokenize(".")).weights == 1.0).all()


def test_a_lone_surrogate_becomes_the_replacement_character():
    tokens = MODEL.tokenize("a\ud800b")
    assert tokens.tokens == ("a\ufffdb",)
    assert tokens.text == "a\ufffdb"
    assert MODEL.tokenize("ok", "x\udfff").pair == "x\ufffd"
    assert MODEL.tokenize("\ud83d\ude00").tokens == ("😀",)  # two halves that belong together
    assert np.isfinite(MODEL.run(tokens).weights).all()


def test_the_same_word_has_the_same_number_however_it_is_written():
    ids = MODEL.tokenize("The the THE cat straße STRASSE").ids
    assert ids[0] == ids[1] == ids[2]
    assert ids[3] != ids[0]
    assert ids[4] == ids[5]


def test_a_second_sentence_is_segment_1_after_the_first():
    tokens = MODEL.tokenize("the cat sat", "the dog")
    assert tokens.tokens == ("the", "cat", "sat", "the", "dog")
    assert tokens.segment_ids == (0, 0, 0, 1, 1)
    assert tokens.word_ids == (0, 1, 2, 3, 4)
    assert tokens.pair == "the dog"


@pytest.mark.parametrize("pair", [None, "", "   ", "\n"])
def test_a_blank_second_sentence_is_none(pair):
    tokens = MODEL.tokenize("the cat", pair)
    assert tokens.pair is None
    assert tokens.segment_ids == (0, 0)


@pytest.mark.parametrize("text", ["", " ", "\n\t ", "\u3000"])
def test_nothing_to_read_is_refused_with_what_to_do(text):
    with pytest.raises(mha_viz.InputError, match="Type a sentence"):
        MODEL.tokenize(text)


def test_more_tokens_than_the_limit_are_refused_with_both_numbers_and_cut_on_request():
    text = " ".join(f"w{i}" for i in range(600))
    with pytest.raises(mha_viz.TooLongError) as caught:
        MODEL.tokenize(text)
    assert "600" in str(caught.value)
    assert "512" in str(caught.value)
    cut = MODEL.tokenize(text, cut=True)
    assert cut.n_tokens == 512
    assert cut.cut_from == 600
    assert cut.tokens == tuple(f"w{i}" for i in range(512))
    assert cut.text == text
    assert MODEL.tokenize(" ".join(["a"] * 512)).cut_from is None


def test_a_pair_that_is_too_long_keeps_its_segments_when_cut():
    cut = MODEL.tokenize("a " * 510, "b " * 10, cut=True)
    assert cut.segment_ids == (0,) * 510 + (1,) * 2
    assert cut.cut_from == 520


def test_more_characters_than_the_limit_are_refused_with_both_numbers():
    with pytest.raises(mha_viz.TooLongError) as caught:
        MODEL.tokenize("x" * 20_001)
    assert "20,001" in str(caught.value)
    assert "20,000" in str(caught.value)
    with pytest.raises(mha_viz.TooLongError):
        MODEL.tokenize("x" * 10_000, "y" * 10_001)
    assert MODEL.tokenize("x" * 10_000, "y" * 10_000).n_tokens == 2


def test_a_text_cut_by_its_characters_says_so():
    cut = MODEL.tokenize("x" * 25_000, cut=True)
    assert cut.tokens == ("x" * 20_000,)
    assert len(cut.text) == 20_000
    assert cut.cut_from is None


def test_a_word_of_5000_characters_is_one_token():
    assert MODEL.tokenize("a " + "b" * 5_000).n_tokens == 2


def test_a_thousand_equal_words_are_cut_and_each_finds_the_others():
    cut = MODEL.tokenize("buffalo " * 1_000, cut=True)
    assert cut.cut_from == 1_000
    trace = MODEL.run(cut)
    same_word = trace.weights[0, 4]
    assert trace.checks.passed
    assert np.diagonal(same_word).max() < 0.1


def test_padding_is_never_a_key_and_changes_no_real_row():
    tokens = MODEL.tokenize("the cat sat on the mat")
    plain = MODEL.run(tokens)
    padded = MODEL.run(MODEL.pad(tokens, 10))
    assert padded.weights.shape == (1, 8, 10, 10)
    assert (padded.weights[..., 6:] == 0).all()
    assert np.abs(padded.weights[:, :, :6, :6] - plain.weights).max() < 1e-6
    assert padded.output is not None
    assert plain.output is not None
    assert np.abs(padded.output[:6] - plain.output).max() < 1e-5
    assert padded.padding.tolist() == [False] * 6 + [True] * 4
    assert padded.checks.hidden_cells == 8 * 10 * 4
