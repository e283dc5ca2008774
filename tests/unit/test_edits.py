"""Edits of tokens: their short form, what is refused, and what they make of a sequence of known tokens."""

from __future__ import annotations

import re
import urllib.parse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.edits import (
    MOST_CHARACTERS,
    MOST_EDITS,
    DropToken,
    Edits,
    MaskToken,
    PutWord,
    SwapTokens,
    described,
    parse,
)
from mha_viz.errors import InputError, TooLongError
from mha_viz.models.editing import Piece, edited
from mha_viz.spec import ModelSpec
from tests.unit.build import sequence

SPEC = ModelSpec("small", 1, 2, 8, 6)
PLACES = st.integers(0, 999_999)
WORDS = st.text(min_size=1, max_size=20).filter(lambda word: word.strip())
STEPS = st.one_of(
    st.builds(MaskToken, PLACES),
    st.builds(DropToken, PLACES),
    st.builds(SwapTokens, PLACES, PLACES),
    st.builds(PutWord, PLACES, WORDS),
)


def test_the_short_form_is_what_links_hold():
    edits = Edits((MaskToken(3), SwapTokens(2, 5), PutWord(4, "cat"), DropToken(1)))
    assert edits.text == "mask-3.swap-2-5.put-4-cat.drop-1"
    assert parse(edits.text) == edits
    assert Edits().text == ""
    assert parse("") == Edits()
    assert not Edits()
    assert Edits().then(MaskToken(0)) == Edits((MaskToken(0),))


@given(st.lists(STEPS, max_size=8))
def test_every_word_survives_the_short_form_and_a_link(steps):
    edits = Edits(tuple(steps))
    assert parse(edits.text) == edits
    in_link = urllib.parse.parse_qs(urllib.parse.urlencode({"e": edits.text}), keep_blank_values=True)["e"][0]
    assert parse(in_link) == edits
    assert not set(edits.text) & set(" &=#%+/?\\\n\t\"'<>")


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("don't", "put-0-don~27t"),
        ("a-b.c", "put-0-a~2Db~2Ec"),
        ("##s", "put-0-~23~23s"),
        ("猫", "put-0-猫"),
        ("e\u0301", "put-0-e~CC~81"),
        ("~41", "put-0-~7E41"),
        ("_", "put-0-~5F"),
        ("2024-01", "put-0-2024~2D01"),
        (" cat ", "put-0-cat"),
        ("a\ud800b", "put-0-a~EF~BF~BDb"),
    ],
)
def test_odd_characters_of_a_word_are_written_as_bytes(word, text):
    step = PutWord(0, word)
    assert step.text == text
    assert parse(text) == Edits((step,))


WRONG = ["mask", "mask-", "mask-x", "mask--1", "mask-1-2", "swap-1", "put-1", "put-1-", "put-1-a-b", "put-1-~F"]
WRONG += ["put-1-~FF", "put-1-a b", "put-1-<b>", "move-1", "mask-1.", ".", "mask-1..mask-2", "mask-9999999", "MASK-1"]
WRONG += ["mask-١", "put-1-~20", " mask-1", "mask-1\n", "\x00"]


@pytest.mark.parametrize("text", WRONG)
def test_a_text_that_is_no_short_form_is_refused(text):
    with pytest.raises(InputError):
        parse(text)


def test_a_refusal_shows_what_was_got_and_what_is_allowed():
    with pytest.raises(InputError, match=re.escape("'jump-<b>'")) as caught:
        parse("jump-<b>")
    for allowed in ("mask-3", "drop-3", "swap-2-5", "put-4-cat"):
        assert allowed in str(caught.value)
    with pytest.raises(InputError, match=str(MOST_EDITS)):
        parse(".".join(["mask-0"] * (MOST_EDITS + 1)))
    with pytest.raises(InputError, match=str(MOST_EDITS)):
        Edits((MaskToken(0),) * (MOST_EDITS + 1))
    with pytest.raises(InputError, match="-1"):
        SwapTokens(0, -1)
    for word in ("", "  ", "x" * (MOST_CHARACTERS + 1)):
        with pytest.raises(InputError, match=str(MOST_CHARACTERS)):
            PutWord(0, word)


def test_steps_are_told_in_words():
    tokens = ("the", "cat")
    assert described(MaskToken(1), tokens) == "cat (token 1) is masked"
    assert described(DropToken(0), tokens) == "the (token 0) is left out"
    assert described(SwapTokens(0, 1), tokens) == "the (token 0) and cat (token 1) change places"
    assert described(PutWord(1, "dog"), tokens) == "“dog” stands in place of cat (token 1)"
    assert described(MaskToken(9), tokens) == "9 (token 9) is masked"


def pieces(word, tokens, position):
    """Every letter a piece."""
    return [Piece(letter, ord(letter), letter == "?", letter) for letter in word if letter != "_"]


def made(tokens, *steps):
    return edited(tokens, Edits(steps), SPEC, ("[M]", 99), pieces)


#: [C] w0 w1a w1b [S], the second word in two pieces; the last word of the second sentence.
FRAMED = sequence(
    ["[C]", "a", "b", "##c", "[S]"],
    special=(True, False, False, False, True),
    word_ids=(None, 0, 1, 1, None),
    segment_ids=(0, 0, 1, 1, 1),
    ids=(7, 10, 11, 12, 8),
    unknown=(False, True, False, False, False),
    surfaces=("", "A", "B", "c", ""),
)


def test_a_masked_token_keeps_its_place_word_and_segment():
    masked = made(FRAMED, MaskToken(1))
    assert masked.tokens == ("[C]", "[M]", "b", "##c", "[S]")
    assert masked.ids == (7, 99, 11, 12, 8)
    assert masked.unknown == (False,) * 5
    assert masked.surfaces == ("", "[M]", "B", "c", "")
    for name in ("special", "word_ids", "segment_ids", "padding", "text", "pair"):
        assert getattr(masked, name) == getattr(FRAMED, name)


def test_swapped_tokens_move_and_words_and_segments_stay_where_they_are():
    swapped = made(FRAMED, SwapTokens(1, 3))
    assert swapped.tokens == ("[C]", "##c", "b", "a", "[S]")
    assert swapped.ids == (7, 12, 11, 10, 8)
    assert swapped.unknown == (False, False, False, True, False)
    assert swapped.surfaces == ("", "c", "B", "A", "")
    assert swapped.word_ids == FRAMED.word_ids
    assert swapped.segment_ids == FRAMED.segment_ids
    assert made(FRAMED, SwapTokens(1, 3), SwapTokens(3, 1)) == FRAMED
    assert made(FRAMED, SwapTokens(2, 2)) == FRAMED


def test_a_word_of_several_pieces_moves_the_rest_on_and_counts_as_one_word():
    put = made(FRAMED, PutWord(1, "x?"))
    assert put.tokens == ("[C]", "x", "?", "b", "##c", "[S]")
    assert put.ids == (7, ord("x"), ord("?"), 11, 12, 8)
    assert put.word_ids == (None, 0, 0, 1, 1, None)
    assert put.segment_ids == (0, 0, 0, 1, 1, 1)
    assert put.special == (True, False, False, False, False, True)
    assert put.unknown == (False, False, True, False, False, False)


def test_positions_of_a_step_count_in_what_the_steps_before_it_left():
    assert made(FRAMED, PutWord(1, "xy"), MaskToken(3)).tokens == ("[C]", "x", "y", "[M]", "##c", "[S]")
    assert made(FRAMED, DropToken(1), MaskToken(1)).tokens == ("[C]", "[M]", "##c", "[S]")


def test_words_are_counted_anew_when_one_has_lost_its_last_piece():
    assert made(FRAMED, DropToken(1)).word_ids == (None, 0, 0, None)
    assert made(FRAMED, DropToken(2)).word_ids == (None, 0, 1, None)


@pytest.mark.parametrize("position", [0, 4])
@pytest.mark.parametrize("step", [MaskToken, DropToken, lambda at: PutWord(at, "x"), lambda at: SwapTokens(1, at)])
def test_special_tokens_must_stay(step, position):
    with pytest.raises(InputError, match=re.escape(f"Token {position}, {FRAMED.tokens[position]}, belongs")):
        made(FRAMED, step(position))


def test_what_cannot_be_done_is_said():
    with pytest.raises(InputError, match="no token at position 5; positions go from 0 to 4"):
        made(FRAMED, MaskToken(5))
    with pytest.raises(InputError, match="no token at position 4"):
        made(FRAMED, DropToken(2), SwapTokens(1, 4))
    with pytest.raises(InputError, match="small has no mask token"):
        edited(FRAMED, Edits((MaskToken(1),)), SPEC, None, pieces)
    with pytest.raises(InputError, match="nothing to read in ___"):
        made(FRAMED, PutWord(1, "___"))
    with pytest.raises(TooLongError, match="7 tokens; the model reads at most 6"):
        made(FRAMED, PutWord(1, "xyz"))
    with pytest.raises(InputError, match="something must be left"):
        made(FRAMED, DropToken(1), DropToken(1), DropToken(1))


def test_without_surfaces_none_are_made_up():
    plain = sequence(["a", "b"], surfaces=("", ""))
    assert made(plain, MaskToken(0)).surfaces == ("", "")
