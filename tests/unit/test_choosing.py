"""From scores to a choice: constructed scores with known answers, and the paired interval against SciPy's."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy import stats

from mha_viz.errors import InputError
from mha_viz.labs.choosing import choose, complete, difference, has_stopped, scores_of
from mha_viz.labs.plans import D_MODEL, SweepOptions
from mha_viz.labs.results import Row
from mha_viz.spec import divisors

CANDIDATES = (1, 2, 4, 8)


def made(*of_each: tuple[float, ...]) -> dict[int, dict[int, float]]:
    """Scores of 1, 2, 4 and 8 heads, as many as are given."""
    return {heads: dict(enumerate(values)) for heads, values in zip(CANDIDATES[: len(of_each)], of_each, strict=True)}


@pytest.mark.parametrize("n", [2, 3, 5, 12])
def test_the_paired_interval_is_scipys(n):
    rng = np.random.default_rng(n)
    seeds = rng.normal(size=n)  # what a seed does to both
    a, b = seeds + rng.normal(0.3, 0.2, n), seeds + rng.normal(0.0, 0.2, n)
    found = difference({1: dict(enumerate(a)), 2: dict(enumerate(b))}, 1, 2)
    wanted = stats.ttest_rel(a, b).confidence_interval(0.95)
    assert found.half is not None
    assert found.interval == pytest.approx((wanted.low, wanted.high), abs=1e-3 * found.half)  # a table of three digits
    assert found.shown(0.0) == (wanted.low > 0)
    assert found.shown(wanted.low - 1e-2)
    assert not found.shown(wanted.low + 1e-2)


def test_pairs_are_those_of_equal_seeds_in_whatever_order():
    scores = {1: {0: 0.1, 1: 0.5, 2: 0.9}, 2: {2: 1.0, 1: 0.6, 7: 0.0}}
    found = difference(scores, 2, 1)
    assert found.values == pytest.approx((0.1, 0.1))
    assert found.half == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(ValueError, match="1, 2"):
        difference({1: {0: 0.5}, 2: {1: 0.5}}, 1, 2)


def test_what_a_seed_does_to_both_falls_out():
    """The seeds differ by far more than the candidates, which are told apart all the same."""
    found = choose(made((0.10, 0.50, 0.90), (0.12, 0.53, 0.92)), CANDIDATES[:2])
    assert found is not None
    assert found.chosen == 2
    assert found.is_clear


def test_a_clear_winner_is_named():
    found = choose(made((0.2, 0.21, 0.22), (0.4, 0.41, 0.39), (0.9, 0.91, 0.9), (0.5, 0.52, 0.51)), CANDIDATES)
    assert found is not None
    assert (found.best, found.chosen, found.tied, found.worse) == (4, 4, (4,), (1, 2, 8))
    assert found.is_clear
    assert not found.stopped
    assert [one.less for one in found.behind] == [1, 2, 8]


def test_of_those_within_the_noise_the_fewest_heads_are_taken_though_others_score_more():
    found = choose(made((0.2, 0.21, 0.22), (0.80, 0.82, 0.81), (0.81, 0.80, 0.83)), CANDIDATES[:3])
    assert found is not None
    assert found.best == 4
    assert (found.chosen, found.tied, found.worse) == (2, (2, 4), (1,))
    assert not found.is_clear


def test_a_gain_smaller_than_the_noise_stops_it():
    rises = made((0.2, 0.21, 0.22), (0.8, 0.82, 0.81))
    flat = made((0.2, 0.21, 0.22), (0.8, 0.82, 0.81), (0.81, 0.8, 0.83))
    before, after = choose(rises, CANDIDATES), choose(flat, CANDIDATES)
    assert before is not None
    assert after is not None
    assert not before.stopped
    assert after.stopped
    assert after.untried == (8,)
    patient = choose(flat, CANDIDATES, patience=2)
    assert patient is not None
    assert not patient.stopped


def test_patience_counts_in_a_row_and_against_the_best_before():
    up, flat = made((0.2, 0.21), (0.2, 0.22), (0.5, 0.51), (0.5, 0.512)), 2
    found = choose(up, (*CANDIDATES, 16), patience=flat)
    assert found is not None
    assert [one.less for one in found.steps] == [1, 2, 4]
    assert [one.shown(0.0) for one in found.steps] == [False, True, False]
    assert not has_stopped(found.steps, 0.0, 2)
    assert has_stopped(found.steps, 0.0, 1)


def test_slow_steps_each_within_the_noise_still_leave_the_first_behind():
    """Compared with the best, not with the neighbour: what adds up is seen in the end."""
    scores = made((0.50, 0.52, 0.51), (0.51, 0.53, 0.55), (0.55, 0.54, 0.58))
    found = choose(scores, CANDIDATES[:3], patience=3)
    assert found is not None
    assert not any(one.shown(0.0) for one in found.steps if one.more == 2)
    assert found.worse == tuple(
        heads
        for heads in (1, 2)
        if stats.ttest_rel(list(scores[4].values()), list(scores[heads].values())).confidence_interval(0.95).low > 0
    )


def test_a_gain_has_to_pass_the_margin():
    scores = made((0.80, 0.81, 0.82), (0.81, 0.82, 0.83))
    free, dear = choose(scores, (1, 2)), choose(scores, (1, 2), margin=0.02)
    assert free is not None
    assert dear is not None
    assert (free.chosen, dear.chosen) == (2, 1)


def test_one_seed_decides_nothing_and_stops_nothing():
    found = choose(made((0.2,), (0.9,), (0.1,)), CANDIDATES)
    assert found is not None
    assert found.chosen is None
    assert found.best == 2
    assert not found.stopped
    assert not found.is_clear
    assert all(one.interval is None and not one.shown(0.0) for one in found.behind)
    assert found.naive == ((0, 2),)


def test_one_candidate_is_no_choice_and_none_is_nothing():
    found = choose(made((0.2, 0.3)), CANDIDATES)
    assert found is not None
    assert found.chosen is None
    assert choose({}, CANDIDATES) is None


def test_a_candidate_that_lacks_seeds_waits():
    scores = {1: {0: 0.1, 1: 0.1}, 2: {0: 0.9}}
    assert complete(scores) == (1,)
    found = choose(scores, CANDIDATES)
    assert found is not None
    assert (found.tried, found.untried) == ((1,), (2, 4, 8))


def test_one_seed_and_the_highest_number_is_a_lottery_where_there_is_no_difference():
    """Equal candidates with independent noise: each is picked about as often; the protocol takes the first, with its error."""
    rng = random.Random(0)
    picks, crowned = [], 0
    for _ in range(200):
        scores = {heads: {seed: rng.gauss(0, 1) for seed in range(5)} for heads in (1, 2)}
        found = choose(scores, (1, 2))
        assert found is not None
        picks += [picked for _, picked in found.naive]
        crowned += found.chosen == 2
    assert 0.4 < picks.count(2) / len(picks) < 0.6
    assert crowned / 200 < 0.06  # one-sided, 2.5% are to be expected


def test_equal_scores_of_a_seed_go_to_the_smaller():
    found = choose(made((0.5, 0.5), (0.5, 0.4)), (1, 2))
    assert found is not None
    assert found.naive == ((0, 1), (1, 1))


def test_any_rows_with_scores_will_do():
    rows: list[Row] = [{"heads": 2, "seed": 0, "score": 0.5, "text": "x"}, {"heads": 2, "seed": 1, "score": 0.6}]
    assert scores_of(rows) == {2: {0: 0.5, 1: 0.6}}


@pytest.mark.parametrize("heads", [3, 12, 31])
def test_only_divisors_are_tried(heads):
    with pytest.raises(InputError) as refused:
        SweepOptions(heads=(1, heads))
    told = str(refused.value)
    assert str(heads) in told
    assert all(str(divisor) in told for divisor in (1, 2, 4, 8, 16, 32))
    assert SweepOptions(heads=divisors(D_MODEL)).heads == (1, 2, 4, 8, 16, 32)
