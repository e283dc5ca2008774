"""What BERT reads of a text: pieces, special tokens, unknown ones, limits, and the text as typed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import mha_viz

pytestmark = pytest.mark.model


@pytest.fixture
def read(minilm):
    return minilm.tokenize


def inner(tokens) -> list[str]:
    """Without the frame of [CLS] and [SEP]."""
    return list(tokens.tokens[1:-1])


def test_a_word_stands_between_cls_and_sep_which_are_special(minilm, read):
    tokens = read("Hi")
    assert tokens.tokens == ("[CLS]", "hi", "[SEP]")
    assert tokens.special == (True, False, True)
    assert tokens.word_ids == (None, 0, None)
    assert tokens.surfaces == ("", "Hi", "")
    assert minilm.run(tokens).weights.shape == (6, 12, 3, 3)


def test_repeated_words_keep_their_own_positions(minilm, read):
    tokens = read("the cat sat on the mat. the cat lay on the rug.")
    assert tokens.tokens.count("the") == 4
    assert tokens.tokens.count("cat") == tokens.tokens.count(".") == 2
    assert minilm.run(tokens).weights.shape[-2:] == (tokens.n_tokens, tokens.n_tokens) == (16, 16)


def test_a_mask_token_typed_is_text_unless_special_tokens_are_read(minilm, read):
    text = read("My name is [MASK].")
    assert inner(text) == ["my", "name", "is", "[", "mask", "]", "."]
    assert not any(text.special[1:-1])
    special = read("My name is [MASK].", read_special=True)
    assert inner(special) == ["my", "name", "is", "[MASK]", "."]
    assert special.ids[4] == 103
    assert special.surfaces[4] == "[MASK]"
    assert special.special == (True, False, False, False, False, False, True)
    assert minilm.run(special).weights.shape[-1] == 7


@pytest.mark.parametrize("name", ["[CLS]", "[SEP]", "[PAD]", "[UNK]"])
def test_the_name_of_a_special_token_typed_stays_text(read, name):
    tokens = read(f"a {name} b")
    assert name not in inner(tokens)
    assert inner(tokens) == ["a", "[", *inner(read(name[1:-1])), "]", "b"]
    assert tokens.special == (True, *(False,) * (tokens.n_tokens - 2), True)
    assert tokens.unknown_share == 0.0


def test_a_frame_token_read_as_special_is_special(read):
    tokens = read("a [SEP] b", read_special=True)
    assert tokens.tokens == ("[CLS]", "a", "[SEP]", "b", "[SEP]")
    assert tokens.special == (True, False, True, False, True)


def test_the_special_names_are_offered(minilm):
    assert {"[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]"} <= set(minilm.special_names)


def test_surfaces_are_the_text_as_typed(read):
    tokens = read("Naïve CAFÉ didn't")
    assert inner(tokens) == ["naive", "cafe", "didn", "'", "t"]
    assert tokens.surfaces[1:-1] == ("Naïve", "CAFÉ", "didn", "'", "t")


def test_pieces_of_one_word_share_its_number(read):
    tokens = read("unbelievably tokenized ##ing")
    assert any(token.startswith("##") for token in tokens.tokens)
    for position, token in enumerate(tokens.tokens):
        if token.startswith("##"):
            assert tokens.word_ids[position] == tokens.word_ids[position - 1]
    assert "".join(tokens.surfaces) == "unbelievablytokenized##ing"
    assert inner(tokens)[-3:] == ["#", "#", "ing"]


def test_words_of_the_second_sentence_go_on_counting(read):
    tokens = read("the cat", "a dog")
    assert tokens.tokens == ("[CLS]", "the", "cat", "[SEP]", "a", "dog", "[SEP]")
    assert tokens.segment_ids == (0, 0, 0, 0, 1, 1, 1)
    assert tokens.word_ids == (None, 0, 1, None, 2, 3, None)
    assert tokens.surfaces == ("", "the", "cat", "", "a", "dog", "")
    assert tokens.tokens.count("[SEP]") == 2


def test_characters_that_the_model_has_no_entry_for_are_unknown(read):
    tokens = read("猫追老鼠")
    assert inner(tokens) == ["[UNK]"] * 4
    assert tokens.unknown_share == 1.0
    assert tokens.surfaces[1:-1] == ("猫", "追", "老", "鼠")
    assert read("the cat").unknown_share == 0.0
    assert read("the 猫").unknown_share == 0.5


@pytest.mark.parametrize(
    "text",
    [
        "<b> </s> $x$ &amp; %{z}",
        "#000001 ##ing",
        "2024-01-02 2024-01-01",
        "👩\u200d👩\u200d👧",
        "שלום עולם",
        "a\ud800b",
        "zero\u200bwidth",
        "x" * 5_000,
        ".",
        "the the the the",
    ],
)
def test_odd_texts_run(minilm, read, text):
    trace = minilm.run(read(text, cut=True))
    assert trace.checks.passed
    assert trace.query_tokens.n_tokens >= 3


def test_a_lone_surrogate_becomes_the_replacement_character(read):
    assert read("a\ud800b").text == "a\ufffdb"


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_nothing_to_read_is_refused_with_what_to_do(read, text):
    with pytest.raises(mha_viz.InputError, match="Type a sentence"):
        read(text)


@pytest.mark.parametrize("text", ["\u200b\u200b", "\u200d", "\x00", "\ufeff \u200b"])
def test_only_characters_that_the_model_skips_are_refused_with_why(read, text):
    with pytest.raises(mha_viz.InputError) as caught:
        read(text)
    assert caught.value.key == "error.no_tokens"
    assert "all-MiniLM-L6-v2" in str(caught.value)


def test_more_tokens_than_the_limit_are_refused_with_both_numbers_and_cut_on_request(minilm, read):
    text = "word " * 600
    with pytest.raises(mha_viz.TooLongError) as caught:
        read(text)
    assert "602" in str(caught.value)
    assert "512" in str(caught.value)
    cut = read(text, cut=True)
    assert cut.n_tokens == 512
    assert cut.cut_from == 602
    assert cut.tokens[-1] == "[SEP]"
    assert cut.special == (True, *(False,) * 510, True)
    assert cut.text == text
    assert minilm.run(cut).weights.shape == (6, 12, 512, 512)


def test_a_text_at_the_limit_is_whole(read):
    tokens = read("word " * 510)
    assert tokens.n_tokens == 512
    assert tokens.cut_from is None


def test_a_pair_that_is_too_long_is_cut_and_keeps_both_sentences(read):
    cut = read("one " * 400, "two " * 400, cut=True)
    assert cut.n_tokens == 512
    assert cut.cut_from == 803
    assert {"one", "two"} <= set(cut.tokens)
    assert sorted(set(cut.segment_ids)) == [0, 1]


def test_a_text_cut_by_its_characters_says_so(read):
    assert len(read("word\u200b" * 5_000, cut=True).text) == 20_000
    with pytest.raises(mha_viz.TooLongError) as caught:
        read("x" * 20_001)
    assert "20,001" in str(caught.value)
    long_word = read("x" * 25_000, cut=True)  # one word of too many letters is one unknown token
    assert long_word.n_tokens == 3
    assert len(long_word.text) == 20_000
    assert long_word.cut_from is None


def test_padding_uses_the_models_own_token(minilm, read):
    padded = minilm.pad(read("the cat"), 6)
    assert padded.tokens == ("[CLS]", "the", "cat", "[SEP]", "[PAD]", "[PAD]")
    assert padded.ids[-1] == 0
    assert padded.padding == (False, False, False, False, True, True)
    assert padded.special[-1]


def test_four_threads_reading_with_different_settings_never_mix(read):
    text = "My name is [MASK]. " * 120

    def one(turn: int):
        return read(text, cut=True, read_special=bool(turn % 2)) if turn % 4 < 2 else read(text[:190])

    alone = [one(turn) for turn in range(4)]
    assert len(set(alone)) == 3
    with ThreadPoolExecutor(max_workers=4) as pool:
        together = list(pool.map(one, range(80)))
    assert all(tokens == alone[turn % 4] for turn, tokens in enumerate(together))


def test_the_number_of_the_unknown_token_is_the_same_for_all_so_that_they_look_alike(minilm, read):
    one, other = minilm.run(read("猫")), minilm.run(read("鼠"))
    assert np.array_equal(one.weights, other.weights)
