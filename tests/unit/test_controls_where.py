"""Where the controls act: layers and heads, and what each query then sees, without copies of what repeats."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.arrays import compact
from mha_viz.controls import Controls, has_key, visible_in
from mha_viz.masks import Causal, HideQuery, LocalWindow, Mask, Padding, visible_cells
from mha_viz.spec import ModelSpec
from tests.unit.any_masks import any_mask
from tests.unit.build import layer_trace, sequence, trace

SPEC = ModelSpec("small", 3, 4, 8, 64)
NUMBERS = st.none() | st.frozensets(st.integers(0, 2))


def places(controls: Controls) -> list[list[bool]]:
    """(layer, head)"""
    return [[controls.acts_in(layer, head) for head in range(4)] for layer in range(3)]


def test_in_a_layer_they_act_in_all_heads_or_in_those_named():
    assert places(Controls()) == [[True] * 4] * 3
    assert places(Controls(heads=frozenset({1, 3}))) == [[False, True, False, True]] * 3
    assert places(Controls(layers=frozenset({2}))) == [[False] * 4, [False] * 4, [True] * 4]
    both = Controls(layers=frozenset({0, 2}), heads=frozenset({3}))
    assert places(both) == [[False, False, False, True], [False] * 4, [False, False, False, True]]
    assert places(Controls(heads=frozenset())) == [[False] * 4] * 3


def test_a_layer_is_acted_in_whatever_its_heads():
    controls = Controls(layers=frozenset({1}), heads=frozenset({0}))
    assert [controls.acts_in(layer) for layer in range(3)] == [False, True, False]


def test_only_the_named_layers_are_masked():
    tokens = sequence(2).padded(3, "[PAD]", 0)
    controls = Controls(mask=LocalWindow(0), layers=frozenset({1}))
    unmasked, masked = [[1, 1, 0]] * 3, [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
    visible = visible_in(SPEC, tokens, controls)
    assert visible.astype(int).tolist() == [[unmasked] * 4, [masked] * 4, [unmasked] * 4]


def test_only_the_named_heads_of_the_named_layers_are_masked():
    tokens = sequence(2).padded(3, "[PAD]", 0)
    controls = Controls(mask=LocalWindow(0), layers=frozenset({0, 2}), heads=frozenset({1}))
    unmasked, masked = [[1, 1, 0]] * 3, [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
    some, none = [unmasked, masked, unmasked, unmasked], [unmasked] * 4
    assert visible_in(SPEC, tokens, controls).astype(int).tolist() == [some, none, some]
    dead, alive = [False, False, True], [False] * 3
    assert (~has_key(visible_in(SPEC, tokens, controls))).tolist() == [
        [alive, dead, alive, alive],
        [alive] * 4,
        [alive, dead, alive, alive],
    ]


@pytest.mark.parametrize("heads", [None, frozenset(), frozenset({0, 1, 2, 3})])
@pytest.mark.parametrize(("mask", "layers"), [(None, None), (Causal(), None), (Causal(), frozenset())])
def test_there_is_one_square_for_each_head_of_each_layer(mask, layers, heads):
    visible = visible_in(SPEC, sequence(5), Controls(mask=mask, layers=layers, heads=heads))
    masked = mask and layers is None and heads != frozenset()
    assert visible.shape == (3, 4, 5, 5)
    assert (visible == (np.tri(5, dtype=bool) if masked else np.ones((5, 5), dtype=bool))).all()


@given(st.none() | any_mask(), NUMBERS, NUMBERS, st.integers(1, 9), st.integers(0, 3))
def test_each_head_sees_the_mask_where_the_controls_act_and_all_but_padding_elsewhere(mask, layers, heads, n, more):
    tokens = sequence(n).padded(n + more, "[PAD]", 0)
    controls = Controls(mask=mask, layers=layers, heads=heads)
    visible = visible_in(SPEC, tokens, controls)
    assert visible.shape == (3, 4, n + more, n + more)
    for layer in range(3):
        for head in range(4):
            acting = mask if controls.acts_in(layer, head) else None
            assert (visible[layer, head] == visible_cells(tokens, acting)).all()
    assert (has_key(visible) == visible.any(axis=-1)).all()


# What repeats takes no memory

LARGE = ModelSpec("large", 12, 16, 64, 512)
#: Controls, and the parts of (layer, head, query, key) that are kept.
KEPT: list[tuple[Controls, tuple[int, int, int, int]]] = [
    (Controls(), (1, 1, 1, 300)),
    (Controls(temperature=2.0, layers=frozenset({1}), heads=frozenset({0})), (1, 1, 1, 300)),
    (Controls(mask=Causal()), (1, 1, 300, 300)),
    (Controls(mask=Causal(), layers=frozenset({3})), (12, 1, 300, 300)),
    (Controls(mask=Causal(), heads=frozenset({3})), (12, 16, 300, 300)),
]


@pytest.mark.parametrize(("controls", "kept"), KEPT, ids=lambda value: repr(value)[:60])
def test_what_repeats_takes_no_memory(controls, kept):
    visible = visible_in(LARGE, sequence(300), controls)
    assert visible.shape == (12, 16, 300, 300)
    once = compact(visible)
    assert all(size <= most for size, most in zip(once.shape, kept, strict=True)), once.shape
    assert (once == visible).all()
    seen = has_key(visible)
    assert seen.shape == (12, 16, 300)
    assert compact(seen).size <= kept[0] * kept[1] * kept[2]


def _size(array: np.ndarray) -> int:
    return array.dtype.itemsize * array.size


@pytest.mark.parametrize("mask", [None, Causal(), LocalWindow(1) & Padding(40), HideQuery(3)], ids=repr)
@pytest.mark.parametrize("layers", [None, frozenset({1})])
def test_a_trace_is_pickled_without_what_repeats_and_comes_back_equal(mask: Mask | None, layers):
    controls = Controls(mask=mask, layers=layers)
    run = trace(100, n_layers=3, n_heads=8, controls=controls)
    stored = pickle.dumps(run)
    squares = 0 if mask is None else 1 if layers is None else 3
    few = 10_000 * squares + 3 * 8 * 100 + 10_000  # the squares, rows without a key, and the rest of the record
    assert run.output is not None
    assert len(stored) <= _size(run.weights) + _size(run.output) + few
    back = pickle.loads(stored)
    for name in ("weights", "visible", "no_key", "output"):
        array = getattr(back, name)
        assert np.array_equal(array, getattr(run, name))
        assert array.shape == getattr(run, name).shape
        assert array.dtype == getattr(run, name).dtype
        assert not array.flags.writeable
    assert compact(back.visible).size <= max(squares, 1) * 10_000
    assert pickle.dumps(back) == stored


def test_a_layer_trace_with_one_mask_for_all_heads_comes_back_equal():
    visible = np.broadcast_to(np.tri(3, dtype=bool), (2, 3, 3))
    weights = np.broadcast_to(np.tri(3, dtype=np.float32) / np.arange(1, 4, dtype=np.float32)[:, None], (2, 3, 3))
    layer = layer_trace(visible=visible, weights=weights.copy())
    back = pickle.loads(pickle.dumps(layer))
    assert back.visible.shape == (2, 3, 3)
    assert np.array_equal(back.visible, visible)
    assert compact(back.visible).shape == (1, 3, 3)


@given(st.integers(1, 4), st.integers(1, 4), st.sets(st.sampled_from([0, 1, 2])))
def test_compact_cuts_only_what_repeats_and_broadcasts_back(a, b, repeated):
    small = np.arange(a * b * 2).reshape(a, b, 2)[
        tuple(slice(0, 1) if axis in repeated else slice(None) for axis in range(3))
    ]
    array = np.broadcast_to(small, tuple(5 if axis in repeated else size for axis, size in enumerate(small.shape)))
    once = compact(array)
    assert np.array_equal(np.broadcast_to(once, array.shape), array)
    assert once.size <= small.size
