"""A painted mask is text that a link can hold: it comes back cell by cell, and no other text does harm."""

from __future__ import annotations

import base64
import re
import tracemalloc
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.errors import InputError
from mha_viz.masks import Painted
from tests.unit.any_masks import squares
from tests.unit.build import sequence

#: What stands in a link as it is.
URL_SAFE = re.compile("[A-Za-z0-9_-]*")
#: Bytes: a few times what the largest mask takes.
LITTLE = 4_000_000


def hidden(side: int, *boxes: tuple[int, int, int, int]) -> np.ndarray:
    """A square with these rectangles hidden: first row, last row, first column, last column."""
    cells = np.zeros((side, side), dtype=bool)
    for top, bottom, left, right in boxes:
        cells[top : bottom + 1, left : right + 1] = True
    return cells


def text_of(packed: bytes) -> str:
    """As a painted mask writes its bytes."""
    return base64.urlsafe_b64encode(zlib.compress(packed, 9)).decode().rstrip("=")


def refused(text: str) -> bool:
    try:
        Painted(text)
    except InputError as problem:
        return problem.key == "error.painted"
    return False


#: Texts of every length that base64 can have, over 4.
GOOD = {
    "20": Painted.of(hidden(7, (1, 2, 2, 4))).cells,
    "23": Painted.of(hidden(7, (1, 2, 2, 4), (6, 6, 0, 6))).cells,
    "18": Painted.of(hidden(7, (0, 0, 6, 6))).cells,
    "long": Painted.of(np.random.default_rng(0).random((40, 40)) < 0.5).cells,
}
each_good = pytest.mark.parametrize("good", GOOD.values(), ids=GOOD)


@given(squares(64))
def test_every_square_comes_back_cell_by_cell(cells):
    mask = Painted.of(cells)
    assert URL_SAFE.fullmatch(mask.cells)
    assert (mask.visible(sequence(len(cells))) == ~cells).all()
    assert Painted(mask.cells) == mask
    assert Painted.of(~mask.visible(sequence(len(cells)))) == mask


@given(squares(20))
def test_what_is_hidden_is_given_as_a_square_or_as_nothing(cells):
    kept = Painted.of(cells).hidden()
    assert kept.dtype == bool
    assert (kept == cells).all() if cells.any() else kept.shape == (0, 0)


def test_the_largest_square_with_rectangles_comes_back_and_is_a_short_text():
    cells = hidden(512, (0, 99, 200, 511), (300, 300, 0, 511), (0, 511, 7, 7), (511, 511, 511, 511))
    mask = Painted.of(cells)
    assert (mask.hidden() == cells).all()
    assert len(mask.cells) < 600
    everything = Painted.of(np.ones((512, 512), dtype=bool))
    assert not everything.visible(sequence(512)).any()


def test_the_largest_square_at_random_comes_back():
    cells = np.random.default_rng(3).random((512, 512)) < 0.5
    assert (Painted.of(cells).hidden() == cells).all()


def test_a_square_beyond_the_largest_is_refused():
    with pytest.raises(InputError) as caught:
        Painted.of(np.ones((513, 513), dtype=bool))
    assert caught.value.key == "error.painted"


def test_nothing_painted_is_no_text():
    for side in (1, 5, 512):
        assert Painted.of(np.zeros((side, side), dtype=bool)) == Painted() == Painted("")


def test_on_a_longer_sentence_what_is_beyond_the_square_is_visible():
    mask = Painted.of(np.ones((2, 2), dtype=bool))
    assert mask.visible(sequence(3)).astype(int).tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 1]]


def test_on_a_shorter_sentence_the_square_is_cut():
    cells = hidden(5, (0, 1, 0, 0), (4, 4, 0, 4))
    assert Painted.of(cells).visible(sequence(2)).astype(int).tolist() == [[0, 1], [0, 1]]
    assert Painted.of(cells).visible(sequence(1)).astype(int).tolist() == [[0]]


@given(squares(12), st.integers(1, 16))
def test_on_any_sentence_the_cells_that_both_have_keep_their_paint(cells, n):
    visible = Painted.of(cells).visible(sequence(n))
    side = min(n, len(cells))
    assert (visible[:side, :side] == ~cells[:side, :side]).all()
    assert visible[side:].all()
    assert visible[:, side:].all()


def test_the_good_texts_have_every_length_over_4():
    assert {len(text) % 4 for text in GOOD.values()} == {0, 2, 3}


@each_good
def test_a_text_that_was_cut_anywhere_is_refused(good):
    assert [length for length in range(1, len(good)) if not refused(good[:length])] == []


@each_good
@pytest.mark.parametrize("more", ["A", "AAAA", "=", "==", "!", " ", "\n", "&x=1", "%00", GOOD["20"]])
def test_a_text_with_something_after_it_is_refused(good, more):
    assert refused(good + more)


@each_good
@pytest.mark.parametrize("strange", ["&", "!!!!", " ", "+", "/", "=", "é", "\u202e", "\0", "<b>"])
def test_a_text_with_something_strange_within_it_is_refused(good, strange):
    assert refused(good[:4] + strange + good[4:])
    assert refused(strange + good)


@each_good
def test_a_text_with_a_wrong_letter_is_refused_or_says_the_same(good):
    """The sum at the end fits no longer; here and there a letter has bits that nobody reads."""
    same = 0
    for place in range(len(good)):
        letter = "A" if good[place] != "A" else "z"
        changed = good[:place] + letter + good[place + 1 :]
        if not refused(changed):
            assert (Painted(changed).hidden() == Painted(good).hidden()).all(), changed
            same += 1
    assert same < 5


@pytest.mark.parametrize("strange", [None, 5, b"eNpjYGcoeMAABAAHQQFY", ["A"]])
def test_what_is_no_text_is_refused(strange):
    assert refused(strange)


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"\0",
        b"\0\0\0",
        b"\0\7",
        b"\0\7" + b"\0" * 6,
        b"\0\7" + b"\0" * 8,
        b"\2\1" + b"\0" * ((513 * 513 + 7) // 8),
        b"\xff\xff" + b"\0" * 32768,
    ],
    ids=["empty", "half a side", "side 0 and more", "no cells", "a byte short", "a byte long", "513", "65535"],
)
def test_bytes_that_are_no_square_are_refused(packed):
    assert refused(text_of(packed))


@given(st.text(max_size=60))
def test_any_other_text_is_refused(text):
    assert text == "" or refused(text)


@given(st.binary(max_size=60))
def test_any_other_bytes_are_refused_or_are_a_square(packed):
    text = text_of(packed)
    if not refused(text):
        side = int.from_bytes(packed[:2], "big")
        assert Painted(text).hidden().shape == (side, side)
        assert len(packed) == 2 + -(-side * side // 8)


def test_the_refusal_names_a_little_of_the_text():
    with pytest.raises(InputError) as caught:
        Painted("x" * 5000)
    assert "xxx" in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("packed", [b"\0" * 10**8, b"\1\0" + b"\0" * 10**8, b"\xff" * 10**8])
def test_a_text_that_unpacks_to_very_much_is_refused_and_never_unpacked(packed):
    _takes_little(text_of(packed))


@pytest.mark.parametrize("side", [513, 5_000, 65_535])
@pytest.mark.parametrize("cells", [b"", b"\0", b"\0" * 1_000])
def test_a_side_that_is_claimed_but_not_there_takes_no_memory(side, cells):
    _takes_little(text_of(side.to_bytes(2, "big") + cells))


def _takes_little(text: str) -> None:
    tracemalloc.start()
    try:
        assert refused(text)
        assert tracemalloc.get_traced_memory()[1] < LITTLE
    finally:
        tracemalloc.stop()
