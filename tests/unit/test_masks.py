"""Masks say which key a query may attend to: as written by hand, cell by cell, and combined."""

from __future__ import annotations

import dataclasses
import pickle
from dataclasses import dataclass, fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.errors import InputError
from mha_viz.masks import MASKS, AllOf, Causal, LocalWindow, Mask, Padding, combined, visible_cells
from tests.unit.build import sequence

LENGTHS = st.integers(1, 40)


def cells(mask: Mask, n: int) -> list[list[int]]:
    return mask.visible(sequence(n)).astype(int).tolist()


def any_mask() -> st.SearchStrategy[Mask]:
    """One of each kind, its fields anywhere within their bounds."""
    return st.sampled_from(list(MASKS.values())).flatmap(
        lambda kind: st.builds(
            kind, **{f.name: st.integers(f.metadata["low"], f.metadata["high"]) for f in fields(kind)}
        )
    )


def test_causal_by_hand():
    assert cells(Causal(), 4) == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]


def test_padding_by_hand():
    assert cells(Padding(2), 4) == [[1, 1, 0, 0]] * 4
    assert cells(Padding(1), 3) == [[1, 1, 0]] * 3


def test_padding_of_everything_leaves_no_key():
    assert cells(Padding(3), 3) == [[0, 0, 0]] * 3
    assert cells(Padding(500), 2) == [[0, 0]] * 2


def test_a_local_window_by_hand():
    assert cells(LocalWindow(0), 3) == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert cells(LocalWindow(1), 4) == [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]]
    assert cells(LocalWindow(3), 4) == [[1] * 4] * 4


def test_masks_joined_with_and_by_hand():
    assert cells(Causal() & LocalWindow(1) & Padding(1), 4) == [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 0]]


@given(LENGTHS, st.data())
def test_causal_cell_by_cell(n, data):
    query, key = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))
    assert Causal().visible(sequence(n))[query, key] == (key <= query)


@given(LENGTHS, st.integers(1, 512), st.data())
def test_padding_cell_by_cell(n, last, data):
    query, key = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))
    tokens = sequence(n)
    assert Padding(last).visible(tokens)[query, key] == (key < n - last)
    assert Padding(last).padded(tokens)[key] == (key >= n - last)


@given(LENGTHS, st.integers(0, 512), st.data())
def test_a_local_window_cell_by_cell(n, radius, data):
    query, key = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))
    assert LocalWindow(radius).visible(sequence(n))[query, key] == (abs(key - query) <= radius)


@given(any_mask(), LENGTHS)
def test_every_kind_gives_a_square_of_booleans(mask, n):
    visible = mask.visible(sequence(n))
    assert visible.shape == (n, n)
    assert visible.dtype == bool
    assert mask.padded(sequence(n)).shape == (n,)


@given(st.lists(any_mask(), min_size=2, max_size=5), st.integers(1, 12))
def test_joined_masks_show_what_each_of_them_shows(masks, n):
    tokens = sequence(n)
    joined = combined(masks)
    assert joined is not None
    expected = np.ones((n, n), dtype=bool)
    padded = np.zeros(n, dtype=bool)
    for mask in masks:
        expected &= mask.visible(tokens)
        padded |= mask.padded(tokens)
    assert (joined.visible(tokens) == expected).all()
    assert (joined.padded(tokens) == padded).all()


@given(any_mask(), any_mask(), any_mask())
def test_joining_does_not_depend_on_the_brackets(a, b, c):
    assert (a & b) & c == a & (b & c) == AllOf((a, b, c))
    assert hash((a & b) & c) == hash(a & (b & c))


def test_joining_a_list_of_masks():
    assert combined([]) is None
    assert combined([Causal()]) == Causal()
    assert combined([Causal(), Padding(2)]) == Causal() & Padding(2)


@pytest.mark.parametrize(
    ("kind", "parameter", "value", "low", "high"),
    [
        (kind, f.name, value, f.metadata["low"], f.metadata["high"])
        for kind in MASKS.values()
        for f in fields(kind)
        for value in (f.metadata["low"] - 1, f.metadata["high"] + 1, 1.5, "2", None, True, float("nan"))
    ],
)
def test_a_number_out_of_bounds_is_refused_with_mask_parameter_value_and_bounds(kind, parameter, value, low, high):
    with pytest.raises(InputError) as caught:
        kind(**{parameter: value})
    sentence = str(caught.value)
    for part in (kind.name, parameter, str(value), str(low), str(high)):
        assert part in sentence


@pytest.mark.parametrize("kind", MASKS.values())
def test_the_bounds_themselves_and_whole_numpy_numbers_are_allowed(kind):
    for parameter in fields(kind):
        for bound in ("low", "high"):
            value = parameter.metadata[bound]
            assert getattr(kind(**{parameter.name: value}), parameter.name) == value
            assert kind(**{parameter.name: np.int64(value)}) == kind(**{parameter.name: value})


def test_every_kind_is_registered_under_its_own_name():
    assert all(MASKS[name].name == name for name in MASKS)
    assert {Causal, Padding, LocalWindow} <= set(MASKS.values())
    assert AllOf.name not in MASKS


@pytest.mark.parametrize("kind", MASKS.values())
def test_every_field_has_a_default_within_whole_bounds(kind):
    for parameter in fields(kind):
        low, high = parameter.metadata["low"], parameter.metadata["high"]
        assert isinstance(low, int)
        assert isinstance(high, int)
        assert getattr(kind(), parameter.name) in range(low, high + 1)


@given(any_mask())
def test_a_mask_is_frozen_hashable_and_survives_pickling(mask):
    assert hash(mask) == hash(dataclasses.replace(mask))
    assert pickle.loads(pickle.dumps(mask)) == mask
    with pytest.raises(dataclasses.FrozenInstanceError):
        mask.name = "another"


def test_masks_of_different_kinds_are_unequal_even_without_fields():
    @dataclass(frozen=True)
    class AntiCausal(Mask):
        name = "anti_causal"

    kinds: list[Mask] = [Causal(), AntiCausal(), Padding(2), LocalWindow(2)]
    assert len({*kinds, Causal()}) == 4
    assert kinds[0] != kinds[1]
    assert kinds[2] != kinds[3]
    assert repr(Causal()) != repr(AntiCausal())


def test_visible_cells_leave_out_the_sequences_own_padding():
    tokens = sequence(2).padded(4, "[PAD]", 0)
    assert visible_cells(tokens, None).astype(int).tolist() == [[1, 1, 0, 0]] * 4
    assert visible_cells(tokens, LocalWindow(1)).astype(int).tolist() == [
        [1, 1, 0, 0],
        [1, 1, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 0, 0],
    ]
