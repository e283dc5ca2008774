"""B less A: cases worked by hand, equal runs, both ways round, masks and padding; and against SciPy and loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon as scipys

from mha_viz.analysis.align import align, align_runs
from mha_viz.analysis.compare import (
    FARTHEST,
    changes_of,
    head_changes,
    head_difference,
    measure_sentence,
    metric_differences,
)
from mha_viz.analysis.reading import read
from mha_viz.analysis.sizes import by_depth, rank_heads, relative_depth
from mha_viz.controls import Controls
from mha_viz.errors import InputError
from mha_viz.masks import Causal, HideQuery, LocalWindow, Padding
from mha_viz.metrics import METRICS, measured
from tests.unit.build import sequence, trace

A = np.array([[[[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]]]])
B = np.array([[[[0.4, 0.1, 0.3, 0.2], [0.25, 0.25, 0.25, 0.25], [0.0, 0.5, 0.5, 0.0], [0.2, 0.0, 0.2, 0.6]]]])
CAT, DOG = sequence(["the", "cat", "sat"]), sequence(["the", "big", "dog", "sat"])


def jensenshannon(p, q):
    """SciPy's, which rounds equal rows to a root of a number just below 0."""
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(scipys(np.asarray(p, dtype=float), np.asarray(q, dtype=float)))


def known():
    """ "the cat sat" and "the big dog sat": "big" is inserted, "cat" replaced."""
    return trace(CAT, weights=A), trace(DOG, weights=B)


def test_a_known_difference():
    a, b = known()
    found = head_difference(a, b, 0, 0)
    kinds = [pair.kind for pair in found.alignment.pairs]
    new, cat = kinds.index("inserted"), kinds.index("replaced")
    assert (found.alignment.pairs[cat].a, kinds.count("same")) == (1, 2)
    assert np.isnan(found.change[new]).all()
    assert np.isnan(found.change[:, new]).all()
    assert np.isnan(found.a[new]).all()
    assert found.b[0, new] == pytest.approx(0.1 if found.alignment.pairs[new].b == 1 else 0.3)
    last = len(kinds) - 1
    assert found.change[0, 0] == pytest.approx(0.4 - 0.5)
    assert found.change[0, last] == pytest.approx(0.2 - 0.2)
    assert found.change[last, 0] == pytest.approx(0.0, abs=1e-7)
    assert found.change[last, last] == pytest.approx(0.0, abs=1e-7)
    dog = found.alignment.pairs[cat].b
    assert found.change[cat, cat] == pytest.approx(B[0, 0, dog, dog] - 0.8)
    assert found.largest == pytest.approx(np.nanmax(np.abs(found.change)))


def test_a_known_change_of_a_head():
    """One row for each of the and sat; keys the, sat: (.5, .2) / .7 and (.2, .6) / .8 against (.4, .2) / .6 and (.2, .6) / .8."""
    a, b = trace(sequence(["the", "sat"]), weights=np.array([[[[0.5, 0.5], [0.25, 0.75]]]])), known()[1]
    found = changes_of(a, b)
    assert found.n_rows.tolist() == [[2]]
    rows = [([0.5, 0.5], [0.4, 0.2]), ([0.25, 0.75], [0.2, 0.6])]
    assert found.distance[0, 0] == pytest.approx(np.mean([jensenshannon(p, q) for p, q in rows]), abs=1e-6)
    assert found.cells[0, 0] == pytest.approx(np.mean([0.1, 0.3, 0.05, 0.15]))
    assert found.elsewhere[0, 0] == pytest.approx(np.mean([0.4 / 2, 0.2 / 2]))


def test_equal_rows_after_scaling_have_no_distance_and_no_key_in_common_the_largest():
    eye = np.eye(3)[None, None]
    turned = np.roll(np.eye(3), 1, axis=1)[None, None]
    found = changes_of(trace(3, weights=eye), trace(3, weights=turned))
    assert found.distance[0, 0] == pytest.approx(FARTHEST) == pytest.approx(np.sqrt(np.log(2)))
    assert found.cells[0, 0] == pytest.approx(2 / 3)
    assert "0.833" in measure_sentence()


def test_no_common_token_or_no_weight_on_one_has_no_distance():
    found = changes_of(trace(sequence(["[X]"], special=(True,))), trace(sequence(["word"])))
    assert np.isnan(found.distance).all()
    assert np.isnan(found.cells).all()
    assert found.n_rows.tolist() == [[0, 0]]
    assert found.most_changed is None
    assert "Nothing can be compared" in found.sentence


MASKED = st.sampled_from([None, Causal(), LocalWindow(1), Padding(2), HideQuery(0), Causal() & Padding(1)])
WORDS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=7)
RUN = st.tuples(WORDS, MASKED, st.integers(0, 10**6))


def run_of(drawn):
    words, mask, seed = drawn
    return trace(sequence(words), n_layers=2, n_heads=3, controls=Controls(mask=mask), seed=seed)


@given(RUN)
def test_equal_runs_differ_by_exactly_0(drawn):
    run, again = run_of(drawn), run_of(drawn)
    for layer, head in np.ndindex(2, 3):
        found = head_difference(run, again, layer, head)
        compared = ~np.isnan(found.change)
        assert np.array_equal(compared, run.visible[layer, head] & ~run.padding[:, None])
        assert (found.change[compared] == 0).all()
    changes = changes_of(run, again)
    assert not np.nan_to_num(changes.distance).any()
    assert not np.nan_to_num(changes.cells).any()
    if changes.most_changed is not None:
        assert "Nothing changed" in changes.sentence
        assert changes.order.tolist() == sorted(range(6), key=lambda n: bool(np.isnan(changes.distance.ravel()[n])))
    for metric in metric_differences(run, again).values():
        assert not np.nan_to_num(metric.change).any()


@given(RUN, RUN)
def test_b_less_a_is_minus_a_less_b(one, other):
    a, b = run_of(one), run_of(other)
    there, back = head_difference(a, b, 1, 2), head_difference(b, a, 1, 2)
    np.testing.assert_array_equal(there.change, -back.change)
    np.testing.assert_array_equal(there.a, back.b)
    first, second = changes_of(a, b), changes_of(b, a)
    np.testing.assert_allclose(first.distance, second.distance, atol=1e-12)
    np.testing.assert_allclose(first.cells, second.cells, atol=1e-12)
    np.testing.assert_array_equal(first.n_rows, second.n_rows)
    for name, metric in metric_differences(a, b).items():
        np.testing.assert_array_equal(metric.change, -metric_differences(b, a)[name].change)


@given(RUN, RUN)
def test_it_equals_loops_over_pairs_and_scipy(one, other):
    a, b = run_of(one), run_of(other)
    alignment = align(a.query_tokens, b.query_tokens)
    found, changes = head_difference(a, b, 1, 0), changes_of(a, b)

    def cell(run, query, key):
        told = query is not None and key is not None and run.visible[1, 0, query, key] and not run.padding[query]
        return run.weights[1, 0, query, key] if told else np.nan

    distances, cells = [], []
    for i, query in enumerate(alignment.pairs):
        row_a = np.array([cell(a, query.a, key.a) for key in alignment.pairs], dtype=np.float32)
        row_b = np.array([cell(b, query.b, key.b) for key in alignment.pairs], dtype=np.float32)
        np.testing.assert_array_equal(found.a[i], row_a)
        np.testing.assert_array_equal(found.b[i], row_b)
        np.testing.assert_array_equal(found.change[i], row_b - row_a)
        both = ~np.isnan(row_a) & ~np.isnan(row_b)
        cells += np.abs(row_b - row_a)[both].tolist()
        if row_a[both].sum() > 0 and row_b[both].sum() > 0:
            distances.append(jensenshannon(row_a[both], row_b[both]))
    assert changes.n_rows[1, 0] == len(distances)
    if distances:
        assert changes.distance[1, 0] == pytest.approx(np.mean(distances), abs=1e-6)
        assert changes.cells[1, 0] == pytest.approx(np.mean(cells), abs=1e-7)
        assert 0 <= changes.elsewhere[1, 0] <= 1 + 1e-6
    told = changes.distance.ravel()[changes.order]
    assert (np.diff(told[~np.isnan(told)]) <= 0).all()
    assert not np.isnan(told[: int((~np.isnan(told)).sum())]).any()


def test_readings_by_words_can_be_compared_too():
    pieces = sequence(["play", "##ing", "now"], word_ids=(0, 0, 1), surfaces=("play", "ing", "now"))
    a, b = trace(pieces, seed=1), trace(pieces, seed=2)
    of_a, of_b = read(a, "words"), read(b, "words")
    found = head_difference(of_a, of_b, 0, 1)
    np.testing.assert_array_equal(found.change, of_b.weights[0, 1] - of_a.weights[0, 1])


def test_metrics_of_both_runs():
    a, b = known()
    found = metric_differences(a, b)
    assert set(found) == set(METRICS)
    for name in METRICS:
        np.testing.assert_array_equal(found[name].a, measured(a)[name])
        np.testing.assert_array_equal(found[name].b, measured(b)[name])
        np.testing.assert_array_equal(found[name].change, found[name].b - found[name].a)


def test_different_models_are_refused_with_why_and_what_to_do():
    a, b = trace(3), trace(3, n_layers=2)
    for compare in (lambda: head_difference(a, b, 0, 0), lambda: changes_of(a, b), lambda: metric_differences(a, b)):
        with pytest.raises(InputError) as caught:
            compare()
        for part in ("1 × 2", "2 × 2", "nothing to do with each other", "by depth"):
            assert part in str(caught.value)


@pytest.mark.parametrize(("layer", "head"), [(-1, 0), (1, 0), (0, 2), (0, -1)])
def test_a_head_that_does_not_exist_is_refused(layer, head):
    with pytest.raises(InputError, match="heads 0 to 1"):
        head_difference(trace(3), trace(3), layer, head)


def test_the_work_says_how_far_it_is():
    a, b = trace(4, n_layers=3), trace(4, n_layers=3, seed=1)
    assert list(head_changes(a, b)) == pytest.approx(np.arange(1, 7) / 6)


def test_the_sentence_names_the_head_that_changed_most():
    same = np.tile(np.eye(3), (1, 3, 1, 1))
    moved = same.copy()
    moved[0, 2] = np.roll(np.eye(3), 1, axis=1)
    found = changes_of(trace(3, weights=same), trace(3, weights=moved))
    assert found.order.tolist() == [2, 0, 1]
    assert found.sentence.startswith("L0 H2 changed most: its distance is 0.833, over 3 rows")


def test_layers_stand_at_their_middle_between_0_and_1():
    assert relative_depth(1).tolist() == [0.5]
    assert relative_depth(4) == pytest.approx([0.125, 0.375, 0.625, 0.875])


def test_a_metric_by_depth_has_the_quantiles_of_its_heads():
    run = trace(5, n_layers=3, n_heads=4, seed=2)
    found = by_depth(run, "entropy")
    np.testing.assert_array_equal(found.values, measured(run)["entropy"])
    assert found.quantiles[0] == pytest.approx(found.values.min(axis=1))
    assert found.quantiles[4] == pytest.approx(found.values.max(axis=1))
    assert found.quantiles[2] == pytest.approx([np.mean(sorted(row)[1:3]) for row in found.values])
    assert found.even == pytest.approx(np.log(5))
    assert np.isnan(by_depth(run, "output_share").quantiles).all()
    with pytest.raises(InputError, match="entropy_share"):
        by_depth(run, "entropi")


def test_heads_of_two_models_are_ranked_for_the_same_words():
    a = trace(CAT, n_layers=2, n_heads=3, seed=1)
    b = trace(sequence(["so", "The", "cat", "sat"]), n_layers=4, n_heads=2, seed=2)
    runs = align_runs(a, b)
    ranking = rank_heads(*runs, query=1, key=0)
    assert (ranking.a.query, ranking.a.key, ranking.b.query, ranking.b.key) == (1, 0, 2, 1)
    top = ranking.top(20)
    assert len(top) == 8
    assert [pair[0] is None for pair in top] == [False] * 6 + [True] * 2
    first_a, first_b = top[0]
    assert first_a is not None
    assert first_b is not None
    assert first_a.weight == a.weights[:, :, 1, 0].max() == a.weights[first_a.head][1, 0]
    assert first_b.weight == b.weights[:, :, 2, 1].max()
    assert first_b.times == pytest.approx(4 * first_b.weight)
    assert first_b.depth == relative_depth(4)[first_b.head.layer]
    assert ranking.top(3) == top[:3]


def test_a_word_that_only_one_model_reads_cannot_be_ranked():
    a, b = trace(CAT), trace(sequence(["cat", "sat"]), n_layers=2)
    runs = align_runs(a, b)
    with pytest.raises(InputError, match="nothing that stands for the"):
        rank_heads(*runs, query=0, key=1)
    with pytest.raises(InputError, match="0 to 2"):
        rank_heads(*runs, query=3, key=1)
