"""The look-ups: what can be reached is reached, with equally many parameters, and again with the same seed."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.metrics import accuracy_score, r2_score

from mha_viz.labs import lookups
from mha_viz.labs.case import best_possible, example
from mha_viz.labs.lookups import Training, cases, make_net, run, score_of
from mha_viz.labs.nets import n_parameters
from mha_viz.labs.plans import D_MODEL, LOOKUP_HEADS, N_SLOTS, N_TOKENS, TASKS, WIDTH, LookupOptions
from mha_viz.labs.results import summaries, where
from mha_viz.labs.stored import stored
from mha_viz.spec import divisors


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("heads", [1, 4])
def test_a_training_reaches_the_best_that_is_possible_and_each_head_takes_its_own_slot(heads):
    training = Training(make_net("values", heads, 0), 0, LookupOptions().steps)
    shares = list(training.run())
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert training.curve[-1] == pytest.approx(best_possible(heads), abs=0.01)
    slots = training.slot_weights().numpy()
    assert (slots.sum(axis=1) <= 1 + 1e-5).all()
    if heads == N_SLOTS:
        assert sorted(slots.argmax(axis=1)) == list(range(N_SLOTS))
        assert slots.max(axis=1).min() > 0.95


@pytest.mark.parametrize("heads", [1, 2, 4, 8])
def test_the_stored_seeds_reach_the_line(heads):
    rows = where(stored("lookups").rows, task="values", heads=heads)
    assert len(rows) == 3
    for row in rows:
        assert row["score"] == pytest.approx(best_possible(heads), abs=0.01)
        assert row["best"] == best_possible(heads)


def test_stored_classes_rise_and_fall_and_narrow_heads_stay_below_the_line():
    rows = where(stored("lookups").rows, task="classes")
    means = {one.by: one.mean for one in summaries(rows, "heads", "score")}
    assert means[1] < means[2] < means[4] > means[8] > means[16] > means[32] > 1 / lookups.KINDS
    numbers = where(stored("lookups").rows, task="values", heads=32)
    assert max(row["score"] for row in numbers) < 0.95


@pytest.mark.parametrize("heads", [1, 2, 3, 4, 6])
def test_the_best_possible_is_what_regression_gets_out_of_so_many_sums(heads):
    """Of m independent values, h weighted means keep the part in their own span: the trace of a projection."""
    mixed = np.random.default_rng(heads).dirichlet(np.ones(N_SLOTS), size=heads)
    assert np.trace(np.linalg.pinv(mixed) @ mixed) / N_SLOTS == pytest.approx(best_possible(heads))


@pytest.mark.parametrize("task", TASKS)
def test_every_number_of_heads_has_exactly_the_same_parameters(task):
    assert divisors(D_MODEL) == LOOKUP_HEADS
    counts = {n_parameters(make_net(task, heads, 0)) for heads in LOOKUP_HEADS}
    names = N_TOKENS * D_MODEL + N_SLOTS * N_TOKENS * D_MODEL
    attention = 4 * D_MODEL**2 + 4 * D_MODEL
    if task == "values":
        read = WIDTH * D_MODEL + D_MODEL * N_SLOTS * WIDTH + N_SLOTS * WIDTH
    else:
        read = lookups.KINDS * D_MODEL + D_MODEL * 64 + 64 + 64 * N_SLOTS * lookups.KINDS + N_SLOTS * lookups.KINDS
    assert counts == {names + attention + read}
    assert {row["parameters"] for row in where(stored("lookups").rows, task=task)} == counts


def test_the_same_seed_gives_the_same_rows_and_another_gives_others():
    options = LookupOptions(TASKS, heads=(2,), seeds=2, steps=20)
    first, second = (
        [{name: value for name, value in step.row.items() if name != "seconds"} for step in run(options) if step.row]
        for _ in range(2)
    )
    assert first == second
    assert [(row["task"], row["seed"]) for row in first] == [(task, seed) for seed in (0, 1) for task in TASKS]
    assert first[0]["curve"] != first[2]["curve"]


def test_a_net_leaves_the_random_numbers_of_others_alone():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    make_net("values", 2, 0)
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize("task", TASKS)
def test_answers_are_the_values_of_the_tokens_that_are_asked_for(task):
    given = cases(task, 50, torch.Generator().manual_seed(3))
    values, asked = given.values.numpy(), given.asked.numpy()
    for case in range(50):
        assert len(set(asked[case])) == N_SLOTS
        np.testing.assert_array_equal(given.answers[case].numpy(), values[case][asked[case]])


def test_scores_are_those_of_scikit_learn():
    generator = torch.Generator().manual_seed(1)
    given = cases("values", 200, generator)
    said = given.answers + 0.5 * torch.randn(given.answers.shape, generator=generator)
    wanted = r2_score(given.answers.flatten(1), said.flatten(1), multioutput="variance_weighted")
    assert score_of(said, given) == pytest.approx(wanted, abs=1e-5)
    given = cases("classes", 200, generator)
    said = torch.randn(200, N_SLOTS, lookups.KINDS, generator=generator)
    assert score_of(said, given) == pytest.approx(accuracy_score(given.answers.flatten(), said.argmax(-1).flatten()))


@pytest.mark.parametrize("task", TASKS)
def test_the_case_on_the_page_is_like_those_of_the_trainings(task):
    case = example(task)
    assert len(case.values) == N_TOKENS
    assert len(set(case.asked)) == len(case.asked) == N_SLOTS
    assert all(0 <= token < N_TOKENS for token in case.asked)
    if task == "values":
        assert {len(value) for value in case.values} == {WIDTH}
    else:
        assert all(value in range(lookups.KINDS) for (value,) in case.values)
    assert example(task) == case
