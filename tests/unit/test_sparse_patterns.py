"""Patterns leave the cells of their formulas and reach as far as theirs; hashing keeps what it must."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.analysis.patterns import PATTERNS, Sizes, window_reach
from mha_viz.labs import lsh
from mha_viz.labs.powers import exponent
from mha_viz.masks import LocalWindow, Segments, layers_until, reach
from tests.unit.build import sequence

SIZES = st.builds(
    Sizes,
    radius=st.integers(0, 9),
    step=st.integers(1, 4),
    first=st.integers(1, 9),
    size=st.integers(1, 5),
    random=st.integers(0, 3),
    seed=st.integers(0, 5),
)


def _by_hand(name: str, sizes: Sizes, query: int, key: int) -> bool:
    away = abs(query - key)
    rules = {
        "full": True,
        "window": away <= sizes.radius,
        "dilated": away in range(0, sizes.radius * sizes.step + 1, sizes.step),
        "global": away <= sizes.radius or min(query, key) < sizes.first,
    }
    return rules[name]


@given(SIZES, st.integers(1, 24))
def test_patterns_follow_their_rule_and_leave_the_cells_of_their_formula(sizes: Sizes, n_tokens: int) -> None:
    for name in PATTERNS[:-1]:
        mask = sizes.mask(name)
        cells = np.ones((n_tokens, n_tokens), bool) if mask is None else mask.visible(sequence(n_tokens))
        for query, key in itertools.product(range(n_tokens), repeat=2):
            assert cells[query, key] == _by_hand(name, sizes, query, key)
        assert sizes.cells(name, n_tokens) == cells.sum()


@given(SIZES, st.integers(1, 24))
def test_blocks_see_their_neighbours_the_first_block_and_as_many_drawn_ones_as_there_is_room(
    sizes: Sizes, n_tokens: int
) -> None:
    mask = sizes.mask("blocks")
    assert mask is not None
    cells = mask.visible(sequence(n_tokens))
    assert sizes.cells("blocks", n_tokens) is None
    n_blocks = -(-n_tokens // sizes.size)
    for row in range(n_blocks):
        seen = {int(key) // sizes.size for key in np.flatnonzero(cells[row * sizes.size])}
        must = {block for block in range(n_blocks) if row == 0 or block == 0 or abs(block - row) <= 1}
        assert must <= seen
        assert len(seen) == min(len(must) + sizes.random, n_blocks)


def test_the_reach_of_a_window_is_2nw_plus_1() -> None:
    for radius, n_layers in itertools.product((1, 2, 3), (1, 2, 4)):
        reached = reach(LocalWindow(radius).visible(sequence(64)), n_layers).sum(axis=1)
        assert reached[32] == window_reach(radius, n_layers) == 2 * n_layers * radius + 1


@given(st.integers(1, 6), st.integers(0, 3), st.integers(1, 4), st.integers(1, 30))
def test_segments_reach_back_by_their_memory_in_every_layer(
    size: int, memory: int, n_layers: int, n_tokens: int
) -> None:
    layers = layers_until(Segments(size, memory).visible(sequence(n_tokens)), n_layers)
    for query, token in itertools.product(range(n_tokens), repeat=2):
        far = query % size + n_layers * memory * size
        assert (layers[query, token] <= n_layers) == (0 <= query - token <= far)


def test_layers_until_agrees_with_reach_layer_by_layer() -> None:
    visible = np.random.default_rng(0).random((12, 12)) < 0.15
    layers = layers_until(visible, 5)
    for n_layers in range(6):
        np.testing.assert_array_equal(layers <= n_layers, reach(visible, n_layers))


def test_a_bucket_depends_on_the_direction_alone_and_equal_vectors_share_it() -> None:
    random = np.random.default_rng(1)
    vectors = random.standard_normal((40, 16))
    found = lsh.buckets(vectors, 8, 3, seed=2)
    assert found.shape == (3, 40)
    assert set(np.unique(found)) <= set(range(8))
    np.testing.assert_array_equal(found, lsh.buckets(vectors * random.uniform(0.1, 9, (40, 1)), 8, 3, seed=2))
    doubled = lsh.buckets(np.concatenate([vectors, vectors]), 8, 3, seed=2)
    np.testing.assert_array_equal(doubled[:, :40], doubled[:, 40:])
    # The opposite vector falls into the opposite bucket.
    np.testing.assert_array_equal(lsh.buckets(-vectors, 8, 3, seed=2), (found + 4) % 8)


def test_all_in_one_bucket_keep_everything_and_more_rounds_never_keep_less() -> None:
    one = np.outer(np.linspace(1, 2, 9), np.ones(4))
    assert [kept.mass for kept in lsh.kept_by_rounds(one, 1.0, 4, 0)] == pytest.approx([1.0] * 8)
    assert lsh.kept_by_rounds(one, 1.0, 4, 0)[0].pairs == 1.0
    kept = lsh.kept_by_rounds(np.random.default_rng(0).standard_normal((30, 8)), 1.0, 8, 0)
    assert all(one.mass <= other.mass and one.pairs <= other.pairs for one, other in itertools.pairwise(kept))


def test_shared_weights_are_a_softmax_without_the_token_itself() -> None:
    vectors = np.random.default_rng(3).standard_normal((6, 5))
    weights = lsh.shared_weights(vectors, 0.7)
    for query in range(6):
        others = [key for key in range(6) if key != query]
        scores = [0.7 * vectors[query] @ vectors[key] / np.sqrt(vectors[key] @ vectors[key]) for key in others]
        np.testing.assert_allclose(weights[query, others], np.exp(scores) / np.exp(scores).sum(), atol=1e-12)
        assert weights[query, query] == 0
    np.testing.assert_array_equal(lsh.shared_weights(vectors[:1], 1.0), [[1.0]])
    assert np.isfinite(lsh.shared_weights(np.zeros((3, 4)), 1.0)).all()


def test_random_vectors_keep_the_shares_that_were_measured_before() -> None:
    kept = lsh.random_kept(np.ones((256, 32)) / np.sqrt(32), 8.0, 16)
    at = [kept[rounds - 1] for rounds in (1, 2, 4, 8)]
    np.testing.assert_allclose([one.mass for one in at], [0.13, 0.24, 0.42, 0.64], atol=0.02)
    np.testing.assert_allclose([one.pairs for one in at], [0.07, 0.14, 0.25, 0.41], atol=0.015)


def test_an_exponent_is_that_of_the_power() -> None:
    at = (64, 128, 512)
    assert exponent(at, [3e-5 * length**1.7 for length in at]) == pytest.approx(1.7)
    noisy = np.random.default_rng(0).uniform(1, 2, 3)
    slope, _ = np.linalg.lstsq(np.stack([np.log(at), np.ones(3)], axis=1), np.log(noisy), rcond=None)[0]
    assert exponent(at, list(noisy)) == pytest.approx(slope)
