"""Controls check themselves, compare by value, and say which heads they name."""

from __future__ import annotations

import dataclasses
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.controls import Controls, HeadId, heads_beyond, heads_without
from mha_viz.errors import InputError
from mha_viz.masks import Causal, Padding
from mha_viz.spec import ModelSpec

SPEC = ModelSpec("small", 3, 4, 8, 64)


def test_a_head_is_written_with_both_numbers_and_sorts_by_layer_first():
    assert str(HeadId(3, 7)) == "L3 H7"
    assert f"{HeadId(0, 11)}" == "L0 H11"
    assert sorted([HeadId(1, 0), HeadId(0, 9), HeadId(0, 2)]) == [HeadId(0, 2), HeadId(0, 9), HeadId(1, 0)]


@pytest.mark.parametrize("temperature", [0, 0.0, 1e-45, 1, 2.5, 1e300, math.inf, np.float64(3.0)])
def test_temperatures_from_0_to_infinity_are_allowed(temperature):
    assert Controls(temperature=temperature).temperature == temperature


@pytest.mark.parametrize("temperature", [-1e-9, -1, -math.inf, math.nan, "1", None])
def test_other_temperatures_are_refused_with_what_was_got_and_what_is_allowed(temperature):
    with pytest.raises(InputError) as caught:
        Controls(temperature=temperature)
    sentence = str(caught.value)
    for part in (str(temperature), "0", "infinity"):
        assert part in sentence


def test_a_mask_that_is_no_record_is_refused_with_its_kind():
    with pytest.raises(InputError, match="ndarray"):
        Controls(mask=np.ones((2, 2), dtype=bool))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="type"):
        Controls(mask=Causal)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "named",
    [
        {"layers": {-1}},
        {"heads": {-1}},
        {"heads": {0, -2}},
        {"silenced": {(-1, 0)}},
        {"silenced": {(0, -1)}},
        {"uniform": {(0, -2)}},
    ],
)
def test_a_layer_or_head_below_0_is_refused(named):
    with pytest.raises(InputError):
        Controls(**named)


def test_heads_may_come_as_pairs_and_become_head_ids():
    controls = Controls(silenced=[(0, 1), (2, 3)], uniform={(1, 1)}, layers=[0, 2], heads=[3, 3])  # type: ignore[arg-type]
    assert controls.silenced == {HeadId(0, 1), HeadId(2, 3)}
    assert all(isinstance(head, HeadId) for head in controls.silenced | controls.uniform)
    assert controls.layers == frozenset({0, 2})
    assert controls.heads == frozenset({3})


def test_equal_controls_are_equal_keys_and_different_ones_are_not():
    def one():
        return Controls(2.0, Causal() & Padding(2), {1}, {3}, {(0, 1)}, {(2, 2)})  # type: ignore[arg-type]

    assert one() == one()
    assert hash(one()) == hash(one())
    assert pickle.loads(pickle.dumps(one())) == one()
    different = [Controls(), Controls(2.0), Controls(mask=Causal()), Controls(layers=frozenset()), one()]
    different += [Controls(heads=frozenset()), Controls(heads=frozenset({1})), Controls(layers=frozenset({1}))]
    assert len(set(different)) == len(different)


def test_controls_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Controls().temperature = 2.0  # type: ignore[misc]


def test_they_act_in_all_layers_or_in_those_named():
    assert [Controls().acts_in(layer) for layer in range(3)] == [True, True, True]
    assert [Controls(layers=frozenset({1})).acts_in(layer) for layer in range(3)] == [False, True, False]
    assert [Controls(layers=frozenset()).acts_in(layer) for layer in range(3)] == [False, False, False]


@pytest.mark.parametrize(
    ("controls", "named"),
    [
        (Controls(silenced=frozenset({HeadId(3, 0)})), "L3 H0"),
        (Controls(silenced=frozenset({HeadId(0, 4)})), "L0 H4"),
        (Controls(uniform=frozenset({HeadId(2, 9)})), "L2 H9"),
        (Controls(layers=frozenset({0, 3})), "L3"),
        (Controls(heads=frozenset({0, 4})), "L0 H4"),
    ],
)
def test_a_layer_or_head_that_the_model_lacks_is_refused_with_what_it_has(controls, named):
    with pytest.raises(InputError) as caught:
        controls.check_against(SPEC)
    sentence = str(caught.value)
    for part in (named, "small", "0 to 2", "0 to 3"):
        assert part in sentence


def test_only_the_missing_heads_are_named():
    controls = Controls(silenced=frozenset({HeadId(0, 0), HeadId(7, 1)}))
    with pytest.raises(InputError) as caught:
        controls.check_against(SPEC)
    assert "L7 H1" in str(caught.value)
    assert "L0 H0" not in str(caught.value)


def test_layers_and_heads_that_exist_are_accepted():
    every = frozenset(HeadId(layer, head) for layer in range(3) for head in range(4))
    Controls(layers=frozenset({0, 1, 2}), silenced=every, uniform=every).check_against(SPEC)
    Controls(heads=frozenset(range(4)), layers=frozenset()).check_against(SPEC)


def test_keeping_heads_silences_the_others_in_every_layer():
    assert heads_without(SPEC, [0, 2]) == {(layer, head) for layer in range(3) for head in (1, 3)}
    assert heads_without(SPEC, range(4)) == frozenset()


@pytest.mark.parametrize("kept", [[], [4], [-1], [0, 17]])
def test_keeping_no_head_or_a_missing_one_is_refused_with_the_last_head(kept):
    with pytest.raises(InputError) as caught:
        heads_without(SPEC, kept)
    sentence = str(caught.value)
    assert "0 to 3" in sentence
    assert all(str(head) in sentence for head in kept)


def test_heads_beyond_keeps_the_lowest_of_each_layer():
    ranking = np.array([[3.0, 1.0, 2.0, 0.5], [0.0, 0.0, 9.0, 0.0]])
    assert heads_beyond(ranking, 2) == {(0, 0), (0, 2), (1, 2), (1, 3)}
    assert heads_beyond(ranking, 4) == frozenset()


@given(st.integers(1, 6), st.integers(1, 8), st.integers(0, 9999))
def test_heads_beyond_keeps_as_many_as_asked_and_none_that_ranks_higher_than_a_silenced_one(layers, heads, seed):
    ranking = np.random.default_rng(seed).random((layers, heads))
    count = 1 + seed % heads
    silenced = heads_beyond(ranking, count)
    for layer in range(layers):
        silent = [head for head in range(heads) if (layer, head) in silenced]
        kept = [head for head in range(heads) if (layer, head) not in silenced]
        assert len(kept) == count
        assert not silent or ranking[layer, kept].max() <= ranking[layer, silent].min()
