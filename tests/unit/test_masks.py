"""What all masks share: their place in MASKS, bounds, equality, hashing."""

from __future__ import annotations

import dataclasses
import pickle
from dataclasses import dataclass, fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.errors import InputError
from mha_viz.masks import (
    MASKS,
    AcrossSentences,
    AllOf,
    AnyOf,
    BlockDiagonal,
    BlockSparse,
    Causal,
    DilatedWindow,
    GlobalTokens,
    HideKey,
    HideQuery,
    LocalWindow,
    Mask,
    Not,
    Padding,
    Painted,
    Segments,
    Strided,
    WithinSentence,
    visible_cells,
)
from tests.unit.any_masks import WITH_NUMBERS, any_mask
from tests.unit.build import sequence


@given(any_mask(), st.integers(1, 40))
def test_every_kind_gives_a_square_of_booleans(mask, n):
    visible = mask.visible(sequence(n))
    assert visible.shape == (n, n)
    assert visible.dtype == bool
    assert mask.padded(sequence(n)).shape == (n,)


@given(any_mask(), st.integers(1, 20))
def test_only_the_padding_mask_declares_padding(mask, n):
    assert isinstance(mask, Padding) or not mask.padded(sequence(n)).any()


@pytest.mark.parametrize(
    ("kind", "parameter", "value", "low", "high"),
    [
        (kind, f.name, value, f.metadata["low"], f.metadata["high"])
        for kind in WITH_NUMBERS
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


@pytest.mark.parametrize("kind", WITH_NUMBERS)
def test_the_bounds_themselves_and_whole_numpy_numbers_are_allowed(kind):
    for parameter in fields(kind):
        for bound in ("low", "high"):
            value = parameter.metadata[bound]
            assert getattr(kind(**{parameter.name: value}), parameter.name) == value
            assert kind(**{parameter.name: np.int64(value)}) == kind(**{parameter.name: value})


def test_every_kind_is_registered_under_its_own_name():
    assert all(MASKS[name].name == name for name in MASKS)
    kinds = {Causal, Padding, LocalWindow, DilatedWindow, Strided, GlobalTokens, BlockDiagonal, BlockSparse}
    kinds |= {Segments, WithinSentence, AcrossSentences, HideKey, HideQuery, Painted}
    assert set(MASKS.values()) == kinds
    assert len(MASKS) == 14
    assert not {AllOf.name, AnyOf.name, Not.name} & set(MASKS)


@pytest.mark.parametrize("kind", WITH_NUMBERS)
def test_every_field_has_a_default_within_whole_bounds(kind):
    for parameter in fields(kind):
        low, high = parameter.metadata["low"], parameter.metadata["high"]
        assert isinstance(low, int)
        assert isinstance(high, int)
        assert getattr(kind(), parameter.name) in range(low, high + 1)


@given(any_mask())
def test_a_mask_is_frozen_hashable_and_survives_pickling(mask):
    for one in (mask, ~mask, mask & Causal(), mask | Causal()):
        assert hash(one) == hash(dataclasses.replace(one))
        assert pickle.loads(pickle.dumps(one)) == one
        with pytest.raises(dataclasses.FrozenInstanceError):
            one.name = "another"


def test_masks_of_different_kinds_are_unequal_even_without_fields():
    @dataclass(frozen=True)
    class AntiCausal(Mask):
        name = "anti_causal"

    kinds: list[Mask] = [Causal(), AntiCausal(), Padding(2), LocalWindow(2)]
    assert len({*kinds, Causal()}) == 4
    assert kinds[0] != kinds[1]
    assert kinds[2] != kinds[3]
    every = [kind() for kind in MASKS.values()]
    every += [~mask for mask in every] + [Causal() & Padding(), Causal() | Padding()]
    assert len(set(every)) == len(set(map(repr, every))) == 2 * 14 + 2


def test_visible_cells_leave_out_the_sequences_own_padding():
    tokens = sequence(2).padded(4, "[PAD]", 0)
    assert visible_cells(tokens, None).astype(int).tolist() == [[1, 1, 0, 0]] * 4
    assert visible_cells(tokens, LocalWindow(1)).astype(int).tolist() == [
        [1, 1, 0, 0],
        [1, 1, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 0, 0],
    ]


@given(any_mask(), st.integers(1, 10), st.integers(0, 5))
def test_no_mask_shows_the_sequences_own_padding_not_even_turned_round(mask, n, more):
    tokens = sequence(n).padded(n + more, "[PAD]", 0)
    for one in (mask, ~mask, mask | Causal()):
        visible = visible_cells(tokens, one)
        assert not visible[:, n:].any()
        assert (visible[:, :n] == one.visible(tokens)[:, :n]).all()
