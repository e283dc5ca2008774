"""Cost that is said to grow with the number of heads. What a clock says is never asserted: the clock is put in place."""

from __future__ import annotations

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from mha_viz.errors import InputError
from mha_viz.labs.budget import Budget
from mha_viz.labs.nets import HeadsAttention
from mha_viz.labs.pitfalls import linear
from mha_viz.labs.pitfalls.linear import HEADS, LinearOptions, multiply_adds, try_it

SMALL = LinearOptions(tokens=16, d_model=32)


def clock(monkeypatch, of):
    """Every round takes ``of(heads)`` seconds."""
    monkeypatch.setattr(linear, "seconds", lambda options, heads: {n: [of(n)] * 3 for n in heads})


@pytest.mark.parametrize(
    ("of", "outcome", "told"),
    [
        (lambda n: 0.01 * (1 + n / 32), "false", "8 heads took 1.2 times as long as one"),
        (lambda n: 0.01 * n, "holds", "8 heads took 8.0 times as long as one"),
        (lambda n: 0.01 * n**0.8, "partly", "8 heads took 5.3 times as long as one"),
    ],
)
def test_the_measured_times_decide(of, outcome, told, monkeypatch):
    clock(monkeypatch, of)
    trial = try_it(SMALL)
    assert trial.outcome == outcome
    assert told in str(trial.verdict)


def test_operations_that_grow_would_flip_it_too(monkeypatch):
    clock(monkeypatch, lambda n: 0.01)

    def growing(tokens, d_model, heads):
        return 1_000 * heads

    monkeypatch.setattr(linear, "multiply_adds", growing)
    trial = try_it(SMALL)
    assert trial.outcome == "partly"
    assert "with 8 times the operations" in str(trial.verdict)


def test_rounds_are_paired(monkeypatch):
    """A round on a busy computer slows all numbers of heads alike, and changes no ratio."""
    taken = {n: [0.01 * n, 0.5 * n, 0.02 * n] for n in HEADS}
    monkeypatch.setattr(linear, "seconds", lambda options, heads: taken)
    assert try_it(SMALL).found["growth"] == pytest.approx(list(HEADS))


@pytest.mark.parametrize(("longest", "rounds"), [(1e9, linear.ROUNDS), (0.0, 1)])
def test_every_number_of_heads_is_timed_in_every_round_of_which_a_busy_computer_does_one(longest, rounds, monkeypatch):
    monkeypatch.setattr(linear, "LONGEST", longest)
    found = linear.seconds(SMALL, (1, 4))
    assert {n: len(taken) for n, taken in found.items()} == {1: rounds, 4: rounds}
    assert min(min(taken) for taken in found.values()) > 0


@pytest.mark.parametrize("heads", [1, 8, 32])
def test_operations_are_those_that_pytorch_counts_and_those_of_the_budget(heads):
    with torch.device("meta"):
        layer, x = HeadsAttention(64, heads), torch.empty(1, 48, 64)
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        layer(x)
    assert multiply_adds(48, 64, heads) == counter.get_total_flops() // 2
    assert multiply_adds(48, 64, heads) == Budget(d_model=64, n_tokens=48, batch=1).multiply_adds


def test_the_size_measured_elsewhere_has_the_operations_told_of_it():
    """805.3 million floating-point operations at width 256, 256 tokens and 4 sequences; a multiply-add is two."""
    assert 4 * 2 * multiply_adds(256, 256, 8) == pytest.approx(805.3e6, rel=1e-4)


def test_only_the_maps_grow():
    trial = try_it(LinearOptions("memory"))
    assert trial.outcome == "partly"
    assert "8 times with 8 heads" in str(trial.verdict)
    parts = trial.found["parts"]
    assert [row["maps"] for row in parts] == [4 * n * 256 * 256 for n in HEADS]
    assert len({row["parameters"] for row in parts}) == len({row["vectors"] for row in parts}) == 1
    assert parts[0]["parameters"] == 4 * sum(p.numel() for p in torch.nn.MultiheadAttention(256, 8).parameters())


@pytest.mark.parametrize(("grows", "outcome", "told"), [(False, "false", "None of it"), (True, "holds", "All of it")])
def test_memory_that_does_not_grow_at_all_or_as_a_whole_flips_it(grows, outcome, told, monkeypatch):
    def kept(tokens, d_model, heads):
        return dict.fromkeys(("parameters", "vectors", "maps"), heads if grows else 1)

    monkeypatch.setattr(linear, "kept_bytes", kept)
    monkeypatch.setattr(linear, "n_parameters", lambda net: net.n_heads if grows else 1)
    trial = try_it(LinearOptions("memory"))
    assert trial.outcome == outcome
    assert str(trial.verdict).startswith(told)


def test_a_width_that_the_heads_do_not_divide_is_refused():
    with pytest.raises(InputError, match="heads do not divide d_model 100"):
        try_it(LinearOptions(d_model=100))
