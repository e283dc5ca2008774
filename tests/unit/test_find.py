"""Finding the head for a query and a key: cases worked by hand, masks, padding, a single token; and against loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.analysis.find import find_head, loud_key, strongest_pairs
from mha_viz.controls import Controls
from mha_viz.errors import InputError
from mha_viz.masks import Causal, HideQuery, LocalWindow, Padding
from tests.unit.build import sequence, softmax, trace

#: Two layers of two heads over three tokens.
KNOWN = np.array(
    [
        [
            [[0.2, 0.3, 0.5], [0.6, 0.3, 0.1], [0.4, 0.4, 0.2]],
            [[1.0, 0.0, 0.0], [0.8, 0.1, 0.1], [0.0, 0.0, 1.0]],
        ],
        [
            [[0.1, 0.1, 0.8], [0.6, 0.2, 0.2], [0.3, 0.3, 0.4]],
            [[0.1, 0.2, 0.7], [0.1, 0.2, 0.7], [0.1, 0.2, 0.7]],
        ],
    ]
)


def test_a_known_trace():
    found = find_head(trace(3, weights=KNOWN), 1, 0)
    assert (found.query, found.key) == (1, 0)
    assert found.weight == pytest.approx(np.array([[0.6, 0.8], [0.6, 0.1]]))
    assert found.chance == pytest.approx(np.full((2, 2), 1 / 3))
    assert found.times == pytest.approx(np.array([[1.8, 2.4], [1.8, 0.3]]))
    assert found.rank_in_row.tolist() == [[1, 1], [1, 3]]
    assert found.larger == pytest.approx(np.array([[1, 3], [2, 9]]) / 9)
    assert found.order.tolist() == [1, 0, 2, 3]  # 0.8; twice 0.6, the lower number first; 0.1


def test_equal_weights_of_a_row_share_the_better_rank():
    found = find_head(trace(3, weights=KNOWN), 2, 1)
    assert found.rank_in_row.tolist() == [[1, 2], [2, 2]]
    assert found.larger[0, 1] == 1.0  # a weight of 0: every cell is at least that


def test_a_hidden_cell_has_no_weight_and_comes_last():
    controls = Controls(mask=Causal(), layers=frozenset({0}))
    visible = trace(3, n_layers=2, controls=controls).visible
    run = trace(3, weights=softmax(np.zeros(visible.shape), visible), controls=controls)
    found = find_head(run, 0, 2)
    for array in (found.weight, found.chance, found.times, found.larger):
        assert np.isnan(array[0]).all()
    assert found.rank_in_row.tolist() == [[0, 0], [1, 1]]
    assert found.order.tolist() == [2, 3, 0, 1]
    assert found.times[1] == pytest.approx([1.0, 1.0])
    allowed = find_head(run, 1, 0)
    assert allowed.chance == pytest.approx(np.array([[1 / 2] * 2, [1 / 3] * 2]))
    assert allowed.larger == pytest.approx(np.array([[3 / 6] * 2, [1.0] * 2]))  # 1; 1/2, 1/2; and three thirds below


def test_rows_of_padding_are_left_out_and_are_not_asked():
    run = trace(4, controls=Controls(mask=Padding(1)), seed=3)
    kept = run.weights[0, :, :3, :3]
    found = find_head(run, 2, 0)
    assert found.chance == pytest.approx(np.full((1, 2), 1 / 3))
    expected = (kept >= kept[:, 2:3, 0:1]).mean(axis=(1, 2))
    assert found.larger[0] == pytest.approx(expected)
    for query, key in ((3, 0), (2, 3), (3, 3)):
        assert np.isnan(find_head(run, query, key).weight).all()


def test_a_query_without_a_key_has_no_chance():
    found = find_head(trace(3, controls=Controls(mask=HideQuery(1))), 1, 1)
    assert np.isnan(found.chance).all()
    assert found.rank_in_row.tolist() == [[0, 0]]


def test_a_single_token():
    found = find_head(trace(1), 0, 0)
    assert (
        found.weight.tolist() == found.chance.tolist() == found.times.tolist() == found.larger.tolist() == [[1.0, 1.0]]
    )
    assert found.order.tolist() == [0, 1]


@pytest.mark.parametrize(("query", "key"), [(-1, 0), (0, -1), (3, 0), (0, 3)])
def test_a_position_that_does_not_exist_is_refused(query, key):
    with pytest.raises(InputError, match="0 to 2"):
        find_head(trace(3), query, key)


MASKED = st.sampled_from([None, Causal(), LocalWindow(0), LocalWindow(1), Padding(2), Causal() & Padding(1)])


@given(st.data(), st.integers(1, 8), MASKED, st.integers(0, 10**6))
def test_it_equals_a_loop_over_heads_and_cells(data, n, mask, seed):
    run = trace(n, n_layers=2, n_heads=3, controls=Controls(mask=mask), seed=seed)
    query, key = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))
    found = find_head(run, query, key)
    for at in np.ndindex(2, 3):
        weights, visible = run.weights[at], run.visible[at]
        if run.padding[query] or not visible[query, key]:
            assert np.isnan(found.weight[at])
            assert found.rank_in_row[at] == 0
            continue
        cells = [weights[i, j] for i, j in np.argwhere(visible) if not run.padding[i]]
        row = [weights[query, j] for j in range(n) if visible[query, j]]
        assert found.weight[at] == weights[query, key]
        assert found.chance[at] == pytest.approx(1 / len(row))
        assert found.times[at] == pytest.approx(weights[query, key] * len(row))
        assert found.rank_in_row[at] == 1 + sum(other > weights[query, key] for other in row)
        assert found.larger[at] == pytest.approx(np.mean([cell >= weights[query, key] for cell in cells]))
    ordered = found.weight.ravel()[found.order]
    told = ordered[~np.isnan(ordered)]
    assert (np.diff(told) <= 0).all()
    assert not np.isnan(ordered[: len(told)]).any()
    assert sorted(found.order.tolist()) == list(range(6))


def test_the_strongest_pairs_of_a_known_head():
    pairs = strongest_pairs(trace(3, weights=KNOWN), 0, 0, 4)
    assert [(pair.query, pair.key) for pair in pairs] == [(1, 0), (0, 2), (2, 0), (2, 1)]
    assert [pair.weight for pair in pairs] == pytest.approx([0.6, 0.5, 0.4, 0.4])
    assert strongest_pairs(trace(3, weights=KNOWN), 0, 0, 0) == []


@given(st.integers(1, 7), MASKED, st.integers(0, 10**6), st.integers(0, 60), st.booleans())
def test_the_strongest_pairs_are_the_first_of_all_cells_in_order(n, mask, seed, most, even):
    run = trace(n, controls=Controls(mask=mask), seed=seed)
    if even:
        weights = softmax(np.zeros(run.visible.shape), run.visible)
        run = trace(n, weights=weights, controls=Controls(mask=mask))
    cells = [(i, j) for i in range(n) for j in range(n) if run.visible[0, 1, i, j] and not run.padding[i]]
    cells.sort(key=lambda cell: -run.weights[0, 1][cell])
    pairs = strongest_pairs(run, 0, 1, most)
    assert [(pair.query, pair.key) for pair in pairs] == cells[:most]
    assert all(pair.weight == run.weights[0, 1, pair.query, pair.key] for pair in pairs)


def loud(n: int, position: int, shares: list[float]) -> np.ndarray:
    """(1, head, query, key): each head puts its share on one key and the rest evenly on the others."""
    weights = np.empty((1, len(shares), n, n))
    for head, share in enumerate(shares):
        weights[0, head] = (1 - share) / (n - 1)
        weights[0, head, :, position] = share
    return weights


def test_a_key_is_loud_with_half_of_the_weight_in_more_than_half_of_the_heads():
    found = loud_key(trace(9, weights=loud(9, 4, [0.5, 0.9, 0.6, 0.2])))
    assert found is not None
    assert (found.position, found.n_heads) == (4, 3)
    assert found.share == pytest.approx((0.5 + 0.9 + 0.6 + 0.2) / 4)
    assert loud_key(trace(9, weights=loud(9, 4, [0.499, 0.9, 0.6, 0.2]))) is None
    assert loud_key(trace(9, weights=loud(9, 4, [0.5, 0.9, 0.6]))) is not None


def test_no_key_is_loud_because_the_sentence_is_short_or_the_mask_leaves_few():
    assert loud_key(trace(1)) is None
    assert loud_key(trace(2, weights=np.full((1, 2, 2, 2), 0.5))) is None
    visible = np.broadcast_to(np.tri(3, dtype=bool), (1, 2, 3, 3))
    even = softmax(np.zeros(visible.shape), visible)
    assert even[..., 0].mean() > 0.5
    assert loud_key(trace(3, weights=even, controls=Controls(mask=Causal()))) is None
    assert loud_key(trace(4, controls=Controls(mask=Padding(4)))) is None


def test_rows_of_padding_make_no_key_loud():
    weights = np.zeros((1, 2, 12, 12))
    weights[..., :4, :4] = np.roll(np.eye(4), 1, axis=1)
    weights[..., 4:, 0] = 1.0
    assert loud_key(trace(sequence(4).padded(12, "[PAD]", 0), weights=weights)) is None
    assert loud_key(trace(12, weights=weights)) is not None


@given(st.integers(1, 10), MASKED, st.integers(0, 10**6))
def test_random_weights_give_a_key_that_exists_or_none(n, mask, seed):
    run = trace(n, n_layers=2, controls=Controls(mask=mask), seed=seed)
    found = loud_key(run)
    if found is not None:
        assert 0 <= found.position < n
        assert found.n_heads > 2
        assert run.weights[..., found.position].max() >= 0.5
