"""Masks joined with and, or and not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.masks import AllOf, AnyOf, Causal, GlobalTokens, HideKey, LocalWindow, Mask, Not, Padding, joined
from tests.unit.any_masks import any_mask
from tests.unit.build import sequence

LENGTHS = st.integers(1, 12)


def cells(mask: Mask, n: int) -> list[list[int]]:
    return mask.visible(sequence(n)).astype(int).tolist()


def same(one: Mask, other: Mask, n: int) -> bool:
    """Whether they hide the same cells."""
    return cells(one, n) == cells(other, n)


def test_and_by_hand():
    assert cells(Causal() & LocalWindow(1) & Padding(1), 4) == [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 0]]


def test_or_by_hand():
    assert cells(LocalWindow(0) | GlobalTokens(1), 4) == [[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]]


def test_not_by_hand():
    assert cells(~Causal(), 3) == [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
    assert cells(~LocalWindow(1), 4) == [[0, 0, 1, 1], [0, 0, 0, 1], [1, 0, 0, 0], [1, 1, 0, 0]]


def test_not_binds_closest_then_and_then_or():
    by_hand = [[1, 1, 1], [1, 1, 1], [1, 0, 1]]
    assert cells(LocalWindow(0) | HideKey(0) & ~Causal() | GlobalTokens(1), 3) == by_hand
    assert cells(LocalWindow(0) | (HideKey(0) & (~Causal())) | GlobalTokens(1), 3) == by_hand
    assert cells(Causal() | LocalWindow(0) & Padding(3), 3) == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert cells((Causal() | LocalWindow(0)) & Padding(3), 3) == [[0, 0, 0]] * 3


@given(st.lists(any_mask(), min_size=2, max_size=5), LENGTHS)
def test_joined_masks_show_what_each_of_them_or_any_of_them_shows(masks, n):
    tokens = sequence(n)
    for how, combine, declared in ((AllOf, np.logical_and, np.logical_or), (AnyOf, np.logical_or, np.logical_and)):
        mask = joined(masks, how)
        assert mask is not None
        visible, padded = masks[0].visible(tokens), masks[0].padded(tokens)
        for other in masks[1:]:
            visible = combine(visible, other.visible(tokens))
            padded = declared(padded, other.padded(tokens))
        assert (mask.visible(tokens) == visible).all()
        assert (mask.padded(tokens) == padded).all()


@given(any_mask(), LENGTHS)
def test_turned_round_it_shows_what_it_hid_and_declares_no_padding(mask, n):
    tokens = sequence(n)
    assert ((~mask).visible(tokens) ^ mask.visible(tokens)).all()
    assert not (~mask).padded(tokens).any()


@given(any_mask(), any_mask())
def test_turned_round_twice_it_is_itself(a, b):
    for mask in (a, a & b, a | b):
        assert ~~mask == mask
        assert hash(~~mask) == hash(mask)
    assert isinstance(~a, Not)


@given(any_mask(), any_mask(), LENGTHS)
def test_de_morgan(a, b, n):
    assert same(~(a & b), ~a | ~b, n)
    assert same(~(a | b), ~a & ~b, n)


@given(any_mask(), any_mask(), any_mask(), LENGTHS)
def test_and_and_or_obey_their_laws(a, b, c, n):
    assert same(a & b, b & a, n)
    assert same(a | b, b | a, n)
    assert same(a & (b | c), (a & b) | (a & c), n)
    assert same(a | (b & c), (a | b) & (a | c), n)
    assert same(a & a, a, n)
    assert same(a | (a & b), a, n)
    assert not (a & ~a).visible(sequence(n)).any()
    assert (a | ~a).visible(sequence(n)).all()


@given(any_mask(), any_mask(), any_mask())
def test_joining_does_not_depend_on_the_brackets(a, b, c):
    assert (a & b) & c == a & (b & c) == AllOf((a, b, c))
    assert hash((a & b) & c) == hash(a & (b & c))
    assert (a | b) | c == a | (b | c) == AnyOf((a, b, c))
    assert hash((a | b) | c) == hash(a | (b | c))


def test_the_brackets_between_and_and_or_are_kept():
    a, b, c = Causal(), LocalWindow(1), Padding(1)
    assert (a | b) & c == AllOf((AnyOf((a, b)), c))
    assert a | b & c == AnyOf((a, AllOf((b, c))))
    assert a & b != a | b


@pytest.mark.parametrize("how", [AllOf, AnyOf])
def test_joining_a_list_of_masks(how):
    assert joined([], how) is None
    assert joined([Causal()], how) == Causal()
    assert joined([Causal(), Padding(2)], how) == how((Causal(), Padding(2)))


def test_joining_is_and_unless_told_otherwise():
    assert joined([Causal(), Padding(2)]) == Causal() & Padding(2)
    assert joined([Causal(), Padding(2)], AnyOf) == Causal() | Padding(2)
