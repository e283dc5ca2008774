"""What heads of look-up nets and of MiniLM are worth, and what is left without them."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch

from mha_viz.analysis.importance import METHODS, order_of
from mha_viz.analysis.work import finished
from mha_viz.controls import HeadId
from mha_viz.errors import InputError
from mha_viz.labs import pruning, registry, timing, worth
from mha_viz.labs.importance import gradient_importance
from mha_viz.labs.lookups import Cases, Training, cases, loss_of, make_net
from mha_viz.labs.losses import samples_of
from mha_viz.labs.nets import n_parameters
from mha_viz.labs.plans import D_MODEL, PrunedOptions, WorthOptions
from mha_viz.labs.pruning import NetSubject, n_bytes, without_heads
from mha_viz.labs.worth import cases_to_measure, net_importance


@pytest.fixture(scope="module")
def training() -> Training:
    """Four heads for four slots: each reads one alone."""
    torch.set_num_threads(1)
    training = Training(make_net("values", 4, 0), 0, 200)
    for _ in training.run():
        pass
    return training


@pytest.fixture(scope="module", params=["values", "classes"])
def net(request):
    return make_net(request.param, 4, 3)


def one_case(given: Cases, at: int) -> Cases:
    return Cases(given.values[at : at + 1], given.asked[at : at + 1])


def test_the_slope_of_each_case_is_that_of_a_pass_of_its_own(net) -> None:
    given = cases(net.task, 20, torch.Generator().manual_seed(1))
    found = net_importance(net, given)["gradient"]
    for at in range(20):
        gates = torch.ones(4, requires_grad=True)
        loss = loss_of(net(one_case(given, at), gates)[0], one_case(given, at))
        (expected,) = torch.autograd.grad(loss, gates)
        assert found.per_sample[at, 0] == pytest.approx(expected.numpy(), abs=1e-6)
        assert found.base[at] == pytest.approx(float(loss.detach()), abs=1e-6)
    assert not np.allclose(found.values, np.abs(found.signed), rtol=0.1)  # the absolute value is inside the mean


def test_an_ablation_is_the_change_of_the_loss(net) -> None:
    given = cases(net.task, 20, torch.Generator().manual_seed(2))
    found = net_importance(net, given)
    with torch.no_grad():
        base = float(loss_of(net(given)[0], given))
        for head in range(4):
            chosen = torch.arange(4) == head
            silenced = float(loss_of(net(given, gates=(~chosen).float())[0], given))
            evened = float(loss_of(net(given, uniform=chosen)[0], given))
            assert found["zero"].signed[0, head] == pytest.approx(silenced - base, abs=1e-5)
            assert found["uniform"].signed[0, head] == pytest.approx(evened - base, abs=1e-5)


def test_the_mean_weight_is_one_by_the_number_of_tokens(net) -> None:
    found = net_importance(net, cases(net.task, 30, torch.Generator().manual_seed(3)))["weight"]
    assert found.per_sample == pytest.approx(1 / 8, abs=1e-7)


def test_without_the_only_head_that_reads_a_slot_the_slot_is_lost(training) -> None:
    slots = training.slot_weights()
    assert sorted(slots.argmax(dim=1).tolist()) == [0, 1, 2, 3]
    subject = NetSubject(training.net, training.held_out)
    assert subject.quality(()) > 0.98
    for head in range(4):
        lost = subject.quality(()) - subject.quality([HeadId(0, head)])
        assert lost == pytest.approx(1 / 4, abs=0.03)
    assert subject.quality([HeadId(0, head) for head in range(4)]) == pytest.approx(0, abs=0.03)
    found = net_importance(training.net, cases_to_measure("values", 200))
    assert found["zero"].values == pytest.approx(
        1 / 4, rel=0.3
    )  # squared error of a number of variance 1, of one slot in 4


def test_a_pruned_net_equals_the_silenced_one(training) -> None:
    net, given = training.net, cases("values", 50, torch.Generator().manual_seed(4))
    for gone in ([0], [1, 3], [0, 1, 2, 3]):
        gates = torch.ones(4)
        gates[gone] = 0
        smaller = without_heads(net, [HeadId(0, head) for head in gone])
        with torch.inference_mode():
            assert float((smaller(given)[0] - net(given, gates)[0]).abs().max()) <= 1e-6
        d_k = D_MODEL // 4
        assert n_parameters(net) - n_parameters(smaller) == len(gone) * (4 * D_MODEL * d_k + 3 * d_k)
        assert smaller.attention.out.weight.shape == (D_MODEL, (4 - len(gone)) * d_k)
        assert n_bytes(net) - n_bytes(smaller) == pytest.approx(4 * (n_parameters(net) - n_parameters(smaller)), abs=64)
    assert n_parameters(net) == n_parameters(make_net("values", 4, 0))


def test_heads_of_a_pruned_net_are_counted_anew(training) -> None:
    twice = without_heads(without_heads(training.net, [HeadId(0, 0)]), [HeadId(0, 2)])
    at_once = without_heads(training.net, [HeadId(0, 0), HeadId(0, 3)])
    given = cases("values", 9, torch.Generator().manual_seed(5))
    assert torch.equal(twice(given)[0], at_once(given)[0])


def test_what_cannot_be_removed_is_told() -> None:
    with pytest.raises(InputError, match="L0 H4"):
        without_heads(make_net("values", 4, 0), [HeadId(0, 4)])
    with pytest.raises(InputError, match="L1 H0"):
        without_heads(make_net("values", 4, 0), [HeadId(1, 0)])
    for shared in ({"n_kv": 2}, {"one_query": True}):
        with pytest.raises(InputError, match="every head has its own"):
            without_heads(make_net("values", 4, 0, **shared), [HeadId(0, 0)])


def test_calls_are_timed_in_turn_and_the_first_round_does_not_count(monkeypatch) -> None:
    monkeypatch.setattr(timing, "_LEAST_SECONDS", 0.0)
    called = []
    work = timing.timed([lambda: called.append("a"), lambda: called.append("b")], 2)
    assert [len(own) for own in finished(work)] == [2, 2]
    assert called == ["a", "b", "b", "a", "a", "b"]


@pytest.mark.model
def test_rows_of_minilm_come_from_the_functions_that_the_references_are_held_against(minilm, monkeypatch) -> None:
    pairs = worth.PAIRS[:2]
    monkeypatch.setattr(worth, "PAIRS", pairs)
    found = finished(worth.minilm_importance(minilm, ("gradient", "weight")))
    wanted = finished(gradient_importance(minilm, samples_of(minilm, pairs, "pair")))
    assert np.array_equal(found["gradient"].per_sample, wanted.per_sample)
    lengths = [minilm.tokenize(text).n_tokens for pair in pairs for text in pair]
    assert found["weight"].values == pytest.approx(np.mean([1 / length for length in lengths]), abs=1e-7)
    row = worth.row_of(found["gradient"])
    assert np.array(row["values"]) == pytest.approx(wanted.values, rel=1e-3)
    assert row["loss"] == "pair"


@pytest.mark.model
def test_minilm_without_heads_by_its_embeddings(minilm) -> None:
    subject = pruning.BertSubject(minilm)
    every = order_of(np.zeros(minilm.spec.shape))
    assert subject.quality(()) == pytest.approx(1, abs=1e-9)
    assert 0 < subject.quality(every) < subject.quality(every[:1]) < 1
    passes = subject.passes(every[:20], 2)
    assert passes.full().shape == (2, pruning.LENGTH, 384)
    assert float((passes.silenced() - passes.pruned()).abs().max()) <= 5e-6
    assert float((passes.full() - passes.pruned()).abs().max()) > 1e-2


def test_the_lab_tells_every_method_of_every_net() -> None:
    options = registry.LABS["worth"].small
    assert isinstance(options, WorthOptions)
    steps = list(worth.run(replace(options, seeds=2)))
    rows = [step.row for step in steps if step.row is not None]
    assert [(row["seed"], row["method"]) for row in rows] == [(seed, method) for seed in (0, 1) for method in METHODS]
    assert [step.share for step in steps] == sorted(step.share for step in steps)
    assert steps[-1].share == pytest.approx(1)
    assert rows[3]["values"] == [[0.125, 0.125]]


def test_the_lab_removes_heads_in_three_orders_and_times_them(monkeypatch) -> None:
    monkeypatch.setattr(timing, "_LEAST_SECONDS", 0.0)
    options = registry.LABS["pruned"].small
    assert isinstance(options, PrunedOptions)
    steps = list(registry.LABS["pruned"].run(replace(options, batches=(1,))))
    rows = [step.row for step in steps if step.row is not None]
    assert [row["order"] for row in rows if row["kind"] == "curve"] == ["gradient", "zero", "random"]
    assert all(row["best"] == [0.5, 0.25, 0.0] for row in rows[:3])
    assert all(row["removed"] == [0, 1, 2] and len(row["scores"]) == 3 for row in rows[:3])
    (speed,) = [row for row in rows if row["kind"] == "speed" and row["removed"] == 1]
    assert speed["full_parameters"] - speed["parameters"] == 4 * 32 * 16 + 3 * 16
    assert speed["apart"] <= 1e-6
    assert speed["full_ratio"] == 1.0
    shares = [step.share for step in steps]
    assert all(later >= earlier - 1e-9 for earlier, later in itertools.pairwise(shares))
    assert shares[-1] == pytest.approx(1)
    assert max(shares) <= 1


def test_minilm_is_measured_once_whatever_the_seeds() -> None:
    options = WorthOptions(models=("classes", "minilm"), seeds=2)
    assert worth.subjects_of(options) == [("classes", 0), ("classes", 1), ("minilm", 0)]
