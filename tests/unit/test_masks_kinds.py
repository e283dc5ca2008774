"""Every kind of mask: as written by hand on a few tokens, and its rule cell by cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.masks import (
    MASKS,
    AcrossSentences,
    BlockDiagonal,
    BlockSparse,
    Causal,
    DilatedWindow,
    GlobalTokens,
    HideKey,
    HideQuery,
    LocalWindow,
    Mask,
    Padding,
    Painted,
    Segments,
    Strided,
    WithinSentence,
)
from mha_viz.tokens import TokenSequence
from tests.unit.any_masks import any_mask, pairs
from tests.unit.build import sequence

PAIR = (0, 0, 0, 1, 1)

#: Five tokens, the last two of a second sentence; a row a query, 1 where the key is visible.
BY_HAND: list[tuple[Mask, str]] = [
    (Causal(), "10000 11000 11100 11110 11111"),
    (Padding(1), "11110 11110 11110 11110 11110"),
    (Padding(2), "11100 11100 11100 11100 11100"),
    (Padding(5), "00000 00000 00000 00000 00000"),
    (Padding(500), "00000 00000 00000 00000 00000"),
    (LocalWindow(0), "10000 01000 00100 00010 00001"),
    (LocalWindow(1), "11000 11100 01110 00111 00011"),
    (LocalWindow(4), "11111 11111 11111 11111 11111"),
    (DilatedWindow(1, 2), "10100 01010 10101 01010 00101"),
    (DilatedWindow(1, 3), "10010 01001 00100 10010 01001"),
    (DilatedWindow(2, 1), "11100 11110 11111 01111 00111"),
    (DilatedWindow(0, 2), "10000 01000 00100 00010 00001"),
    (DilatedWindow(2, 2), "10101 01010 10101 01010 10101"),
    (Segments(2, 0), "10000 11000 00100 00110 00001"),
    (Segments(2, 1), "10000 11000 11100 11110 00111"),
    (Strided(1), "11111 11111 11111 11111 11111"),
    (Strided(2), "10101 01010 10101 01010 10101"),
    (Strided(3), "10010 01001 00100 10010 01001"),
    (GlobalTokens(1), "11111 10000 10000 10000 10000"),
    (GlobalTokens(2), "11111 11111 11000 11000 11000"),
    (GlobalTokens(9), "11111 11111 11111 11111 11111"),
    (BlockDiagonal(1), "10000 01000 00100 00010 00001"),
    (BlockDiagonal(2), "11000 11000 00110 00110 00001"),
    (BlockDiagonal(3), "11100 11100 11100 00011 00011"),
    (BlockSparse(2, 0, 0, 0), "11000 11000 00110 00110 00001"),
    (BlockSparse(2, 1, 0, 0), "11110 11110 11111 11111 00111"),
    (BlockSparse(2, 0, 1, 0), "11111 11111 11110 11110 11001"),
    (BlockSparse(1, 1, 1, 0), "11111 11100 11110 10111 10011"),
    (BlockSparse(2, 0, 0, 9), "11111 11111 11111 11111 11111"),
    (WithinSentence(), "11100 11100 11100 00011 00011"),
    (AcrossSentences(), "00011 00011 00011 11100 11100"),
    (HideKey(0), "01111 01111 01111 01111 01111"),
    (HideKey(3), "11101 11101 11101 11101 11101"),
    (HideKey(5), "11111 11111 11111 11111 11111"),
    (HideQuery(0), "00000 11111 11111 11111 11111"),
    (HideQuery(4), "11111 11111 11111 11111 00000"),
    (HideQuery(5), "11111 11111 11111 11111 11111"),
]


def rows(mask: Mask, tokens: TokenSequence) -> str:
    """As in BY_HAND."""
    return " ".join("".join(str(int(cell)) for cell in row) for row in mask.visible(tokens))


@pytest.mark.parametrize(
    ("mask", "expected"), BY_HAND, ids=lambda value: repr(value) if isinstance(value, Mask) else ""
)
def test_it_is_as_written_by_hand(mask, expected):
    assert rows(mask, sequence(5, segment_ids=PAIR)) == expected


def test_a_painted_mask_is_as_written_by_hand():
    visible = "11111 10001 10001 11111 11110"
    hidden = [[cell == "0" for cell in row] for row in visible.split()]
    assert rows(Painted.of(np.array(hidden)), sequence(5)) == visible
    assert rows(Painted(), sequence(5)) == "11111 11111 11111 11111 11111"


def test_every_kind_is_among_those_written_by_hand():
    assert {type(mask) for mask, _ in BY_HAND} | {Painted} == set(MASKS.values())


def test_a_single_sentence_has_nothing_across():
    assert rows(WithinSentence(), sequence(3)) == "111 111 111"
    assert rows(AcrossSentences(), sequence(3)) == "000 000 000"


#: Each kind's rule for one cell: mask, query, key, tokens.
RULES: dict[type[Mask], Callable[[Any, int, int, TokenSequence], bool]] = {
    Causal: lambda mask, query, key, tokens: key <= query,
    Padding: lambda mask, query, key, tokens: key < tokens.n_tokens - mask.last,
    LocalWindow: lambda mask, query, key, tokens: query - mask.radius <= key <= query + mask.radius,
    DilatedWindow: lambda mask, query, key, tokens: (
        key in {query + step * mask.step for step in range(-mask.radius, mask.radius + 1)}
    ),
    Strided: lambda mask, query, key, tokens: query % mask.stride == key % mask.stride,
    GlobalTokens: lambda mask, query, key, tokens: min(query, key) < mask.first,
    Segments: lambda mask, query, key, tokens: (
        key in range(max(0, query // mask.size - mask.memory) * mask.size, query + 1)
    ),
    BlockDiagonal: lambda mask, query, key, tokens: query // mask.size == key // mask.size,
    WithinSentence: lambda mask, query, key, tokens: tokens.segment_ids[query] == tokens.segment_ids[key],
    AcrossSentences: lambda mask, query, key, tokens: tokens.segment_ids[query] != tokens.segment_ids[key],
    HideKey: lambda mask, query, key, tokens: key != mask.position,
    HideQuery: lambda mask, query, key, tokens: query != mask.position,
    Painted: lambda mask, query, key, tokens: (query, key) not in set(zip(*mask.hidden().nonzero(), strict=True)),
}


def test_every_kind_without_a_draw_has_a_rule():
    assert set(RULES) | {BlockSparse} == set(MASKS.values())


@given(any_mask() | any_mask(high=6), pairs(), st.data())
def test_each_cell_follows_its_rule(mask, tokens, data):
    if isinstance(mask, BlockSparse):
        return
    visible = mask.visible(tokens)
    places = st.integers(0, tokens.n_tokens - 1)
    for query, key in data.draw(st.lists(st.tuples(places, places), min_size=1, max_size=20)):
        assert visible[query, key] == RULES[type(mask)](mask, query, key, tokens)


@given(any_mask(high=8), pairs(most=12))
def test_all_cells_together_follow_the_rule(mask, tokens):
    if isinstance(mask, BlockSparse):
        return
    rule, places = RULES[type(mask)], range(tokens.n_tokens)
    expected = [[rule(mask, query, key, tokens) for key in places] for query in places]
    assert mask.visible(tokens).tolist() == expected


@given(st.integers(1, 40), st.integers(1, 512))
def test_padding_declares_its_tokens(n, last):
    assert Padding(last).padded(sequence(n)).tolist() == [position >= n - last for position in range(n)]


# Block-sparse: window, global and random blocks

SPARSE = st.builds(
    BlockSparse,
    size=st.integers(1, 5),
    radius=st.integers(0, 3),
    global_blocks=st.integers(0, 3),
    random_blocks=st.integers(0, 4),
    seed=st.integers(0, 2**31 - 1),
)


def blocks(mask: BlockSparse, n: int) -> list[set[int]]:
    """For each block of queries the blocks of keys that it sees, each of them as a whole."""
    visible = mask.visible(sequence(n))
    n_blocks = -(-n // mask.size)
    cuts = [slice(block * mask.size, (block + 1) * mask.size) for block in range(n_blocks)]
    seen = []
    for query in cuts:
        shares = [visible[query, key].mean() for key in cuts]
        assert set(shares) <= {0.0, 1.0}
        seen.append({block for block, share in enumerate(shares) if share})
    return seen


@given(SPARSE, st.integers(1, 40))
def test_each_block_sees_window_global_and_as_many_random_blocks_as_asked(mask, n):
    seen = blocks(mask, n)
    every = set(range(len(seen)))
    first = set(range(mask.global_blocks)) & every
    for block, sees in enumerate(seen):
        near = {other for other in every if abs(other - block) <= mask.radius}
        certain = every if block in first else near | first
        assert certain <= sees
        assert len(sees - certain) == min(mask.random_blocks, len(every - certain))


@given(SPARSE, st.integers(1, 40))
def test_the_same_seed_is_the_same_mask(mask, n):
    again = BlockSparse(mask.size, mask.radius, mask.global_blocks, mask.random_blocks, mask.seed)
    assert again == mask
    assert blocks(again, n) == blocks(mask, n)


@given(st.integers(0, 2**31 - 3))
def test_another_seed_is_another_draw_and_changes_random_blocks_alone(seed):
    draws = [blocks(BlockSparse(1, 1, 1, 2, seed + more), 40) for more in range(3)]
    assert draws[0] != draws[1] or draws[0] != draws[2]
    without = [blocks(BlockSparse(1, 1, 1, 0, seed + more), 40) for more in range(3)]
    assert without[0] == without[1] == without[2]


def test_blocks_are_drawn_for_each_row_anew():
    seen = blocks(BlockSparse(1, 0, 0, 1, seed=0), 60)
    drawn = [(sees - {block}).pop() for block, sees in enumerate(seen)]
    assert len(set(drawn)) > 20
