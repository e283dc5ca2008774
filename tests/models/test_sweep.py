"""The sweep over head counts: its splits, its noise, its precision, and that it keeps to the protocol."""

from __future__ import annotations

import itertools

import pytest
import torch

from mha_viz.labs import sweep
from mha_viz.labs.choosing import choose, scores_of
from mha_viz.labs.lookups import cases, make_net
from mha_viz.labs.plans import PRECISIONS, TASKS, SweepOptions
from mha_viz.labs.registry import LABS
from mha_viz.labs.results import Row, where
from mha_viz.labs.sweep import SplitTraining, ceiling, operations, splits

TINY = SweepOptions(heads=(4, 1, 2), seeds=2, steps=20)


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def rows_of(options: SweepOptions) -> list[Row]:
    return [step.row for step in sweep.run(options) if step.row is not None]


def flat(given) -> set[tuple[float, ...]]:
    return {tuple(row) for row in torch.cat([given.values.flatten(1), given.asked], dim=1).tolist()}


@pytest.mark.parametrize("task", TASKS)
def test_no_case_stands_in_two_splits_or_two_seeds(task):
    parts = [flat(part) for seed in (0, 1) for part in splits(task, seed, 0.3)]
    assert [len(part) for part in parts] == [sweep.N_TRAINING, sweep.N_VALIDATION, sweep.N_TEST] * 2
    for one, other in itertools.combinations(parts, 2):
        assert not one & other


@pytest.mark.parametrize("task", TASKS)
def test_a_training_sees_training_cases_alone_and_is_looked_at_on_validation(task):
    split = splits(task, 0, 0.3)
    training = SplitTraining(make_net(task, 2, 0), split, 0, 20, "float32")
    assert flat(training.batch()) <= flat(split.training)
    assert flat(training.held_out) == flat(split.validation)


def test_nets_of_one_seed_share_their_cases():
    one, other = splits("values", 3, 0.3), splits("values", 3, 0.3)
    for a, b in zip(one.validation, other.validation, strict=True):
        assert a is not None
        assert b is not None
        torch.testing.assert_close(a, b, rtol=0, atol=0)


@pytest.mark.parametrize("task", TASKS)
def test_answers_are_as_noisy_as_was_asked_for(task):
    split = splits(task, 0, 0.25).training
    true = split._replace(told=None).answers
    if task == "values":
        assert float((split.answers - true).std()) == pytest.approx(0.25, rel=0.05)
    else:  # a class told at random is right one time in eight
        assert float((split.answers != true).float().mean()) == pytest.approx(0.25 * 7 / 8, rel=0.06)
    quiet = splits(task, 0, 0.0).training
    torch.testing.assert_close(quiet.answers, quiet._replace(told=None).answers)


@pytest.mark.parametrize("noise", [0.0, 0.4])
def test_the_ceiling_is_what_knowing_the_truth_scores(noise):
    """The true answers score what no net can pass, up to the chance of 2,048 cases."""
    test = splits("values", 1, noise).test
    true = test._replace(told=None).answers
    error, spread = ((true - test.answers) ** 2).sum(), ((test.answers - test.answers.mean(dim=0)) ** 2).sum()
    assert float(1 - error / spread) == pytest.approx(ceiling("values", 8, noise), abs=0.01)
    test = splits("classes", 1, noise).test
    right = (test._replace(told=None).answers == test.answers).float().mean()
    assert float(right) == pytest.approx(ceiling("classes", 8, noise), abs=0.02)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("kind", PRECISIONS)
def test_bfloat16_computes_in_bfloat16_and_float32_does_not(task, kind):
    net = make_net(task, 2, 0)
    training = SplitTraining(net, splits(task, 0, 0.3), 0, 20, kind)
    seen = []
    hooks = [
        module.register_forward_hook(lambda module, given, output: seen.append(output.dtype))
        for module in net.modules()
        if isinstance(module, torch.nn.Linear)
    ]
    for _ in training.run():
        pass
    for hook in hooks:
        hook.remove()
    assert set(seen) == {torch.bfloat16 if kind == "bfloat16" else torch.float32}
    assert {parameter.dtype for parameter in net.parameters()} == {torch.float32}
    assert {parameter.grad.dtype for parameter in net.parameters() if parameter.grad is not None} == {torch.float32}
    with training.precision():
        assert net(training.batch())[1].weights.dtype == (torch.bfloat16 if kind == "bfloat16" else torch.float32)


def test_the_operations_are_those_that_ran():
    full, mixed = (
        operations(SplitTraining(make_net("values", 2, 0), splits("values", 0, 0.3), 0, 20, kind))
        for kind in PRECISIONS
    )
    assert set(full) == {"float32"}
    assert "to_copy" not in full["float32"]
    # Q, K, V, W_O and the answer have biases, the values' vectors have none; two products of attention.
    assert (full["float32"]["addmm"], full["float32"]["mm"], full["float32"]["bmm"]) == (5, 1, 2)
    assert (mixed["bfloat16"]["addmm"], mixed["bfloat16"]["mm"], mixed["bfloat16"]["bmm"]) == (5, 1, 2)
    assert "mse_loss" in mixed["float32"]
    assert mixed["bfloat16"]["to_copy"] > 0


def test_looking_at_operations_trains_nothing():
    training = SplitTraining(make_net("values", 2, 0), splits("values", 0, 0.3), 0, 20, "bfloat16")
    before = [parameter.clone() for parameter in training.net.parameters()]
    operations(training)
    for one, other in zip(before, training.net.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0)


def test_a_tiny_sweep_goes_from_few_to_many_and_tests_the_chosen_count_once():
    rows = rows_of(TINY)
    assert [row["heads"] for row in rows] == sorted(row["heads"] for row in rows)
    assert len({row["parameters"] for row in rows}) == 1
    found = choose(scores_of(rows), TINY.heads)
    assert found is not None
    assert len(rows) == len(found.tried) * TINY.seeds
    assert found.stopped or not found.untried
    (tested,) = [row["tested"] for row in rows if "tested" in row]
    assert rows[-1]["tested"] is tested
    assert tested["heads"] == found.chosen
    assert len(tested["scores"]) == TINY.seeds
    assert not set(tested["scores"]) & {row["score"] for row in rows}


def test_it_stops_where_the_scores_say_so(monkeypatch):
    """Scores in place of trained nets: 2 heads gain, 4 do not, 8 are not tried."""
    told = {1: 0.2, 2: 0.5, 4: 0.5, 8: 0.9}

    def run(self):
        n_heads = self.net.attention.n_heads
        self.at, self.curve = [20], [told[n_heads] + 0.01 * float(torch.rand((), generator=self._generator))]
        yield 1.0

    monkeypatch.setattr(SplitTraining, "run", run)
    options = SweepOptions(heads=(1, 2, 4, 8), seeds=3, steps=20, precisions=PRECISIONS)
    rows = rows_of(options)
    for kind in PRECISIONS:
        mine = where(rows, precision=kind)
        assert [row["heads"] for row in mine] == [1, 1, 1, 2, 2, 2, 4, 4, 4]
        assert [row["tested"]["heads"] for row in mine if "tested" in row] == [2]
    patient = rows_of(SweepOptions(heads=(1, 2, 4, 8), seeds=3, steps=20, patience=2))
    assert patient[-1]["heads"] == 8
    assert patient[-1]["tested"]["heads"] == 8


def test_one_seed_tests_nothing_and_tries_all():
    rows = rows_of(SweepOptions(heads=(1, 2), seeds=1, steps=20))
    assert [row["heads"] for row in rows] == [1, 2]
    assert not any("tested" in row for row in rows)


def test_shares_rise_to_the_end_and_equal_seeds_give_equal_scores():
    options = LABS["sweep"].small
    assert isinstance(options, SweepOptions)
    steps = list(sweep.run(options))
    shares = [step.share for step in steps]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)
    again = rows_of(options)
    assert [row["score"] for row in again] == [step.row["score"] for step in steps if step.row is not None]


def test_training_cases_of_the_look_ups_are_still_new_ones_each_time():
    """The plain look-ups keep their endless cases and true answers."""
    given = cases("classes", 8, torch.Generator().manual_seed(0))
    assert given.told is None
