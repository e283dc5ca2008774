"""Dividing by sqrt(d_k), and a second root."""

from __future__ import annotations

import math

import pytest
import torch

from mha_viz.labs.nets import HeadsAttention
from mha_viz.labs.pitfalls import sqrt
from mha_viz.labs.pitfalls.sqrt import CASES, SqrtOptions, softened, try_it

#: Measured elsewhere with 2,000 rows of 32 keys: variance, then entropy, largest weight and Jacobian, not divided and divided.
MEASURED = {
    4: (4.0, (0.654, 0.344, 0.293), (0.875, 0.159, 0.235)),
    16: (16.0, (0.330, 0.627, 0.289), (0.873, 0.161, 0.239)),
    64: (63.8, (0.145, 0.814, 0.196), (0.871, 0.163, 0.241)),
    256: (254.8, (0.065, 0.912, 0.108), (0.871, 0.164, 0.241)),
    1024: (1016.9, (0.031, 0.955, 0.059), (0.871, 0.164, 0.241)),
}


def test_the_table_is_the_one_measured_elsewhere():
    trial = try_it(SqrtOptions())
    for row in trial.found["rows"]:
        variance, unscaled, scaled = MEASURED[row["d_k"]]
        assert row["variance"] == pytest.approx(variance, rel=0.05)
        assert tuple(row["unscaled"]) == pytest.approx(unscaled, abs=0.012)
        assert tuple(row["scaled"]) == pytest.approx(scaled, abs=0.012)


def test_it_holds_for_wide_heads_alone():
    trial = try_it(SqrtOptions())
    assert trial.outcome == "partly"
    assert "From d_k 64 on" in str(trial.verdict)
    assert "(4, 16)" in str(trial.verdict)


def test_without_narrow_heads_it_would_hold(monkeypatch):
    monkeypatch.setattr(sqrt, "WIDTHS", (64, 256))
    trial = try_it(SqrtOptions())
    assert trial.outcome == "holds"
    assert trial.verdict.key == "pitfalls.sqrt.vanishes.always"


def test_scores_that_are_divided_after_all_would_flip_it(monkeypatch):
    monkeypatch.setattr(sqrt, "weights_unscaled", sqrt.weights_scaled)
    trial = try_it(SqrtOptions())
    assert trial.outcome == "false"
    assert trial.verdict.key == "pitfalls.sqrt.vanishes.same"


def test_entropy_and_jacobian_are_those_of_autograd():
    scores = torch.randn(5, dtype=torch.float64) * 2
    jacobian = torch.autograd.functional.jacobian(lambda x: x.softmax(-1), scores)
    weights = scores.softmax(-1)
    found = softened(weights[None])
    assert found.jacobian == pytest.approx(float(jacobian.norm()))
    entropy = float(torch.distributions.Categorical(probs=weights).entropy())
    assert found.entropy == pytest.approx(entropy / math.log(5))
    assert found.largest == float(weights.max())


def test_the_weights_are_those_of_torch():
    query, key = torch.randn(2, 1, 7, 9, dtype=torch.float64)
    unit = torch.eye(7, dtype=torch.float64)[None]
    attention = torch.nn.functional.scaled_dot_product_attention
    torch.testing.assert_close(sqrt.weights_scaled(query, key), attention(query, key, unit))
    torch.testing.assert_close(sqrt.weights_unscaled(query, key), attention(query, key, unit, scale=1.0))


def test_an_extra_root_makes_rows_even_and_gradients_vanish():
    trial = try_it(SqrtOptions("twice"))
    assert trial.outcome == "false"
    told, ours = trial.found["told"], trial.found["ours"]
    assert told["std"] == pytest.approx(1 / 64, rel=0.06)  # two roots of 64 more in each score
    assert ours["std"] == pytest.approx(1, rel=0.06)
    assert told["share"] > 0.9995
    assert told["gradient"] == pytest.approx(6e-5, rel=0.15)
    assert ours["gradient"] == pytest.approx(6e-2, rel=0.15)
    assert "entropy 1.000 of the largest" in str(trial.verdict)


def test_a_start_without_the_extra_root_would_flip_it(monkeypatch):
    monkeypatch.setattr(sqrt, "start_as_told", sqrt.start_right)
    trial = try_it(SqrtOptions("twice"))
    assert trial.outcome == "holds"
    assert trial.verdict.key == "pitfalls.sqrt.twice.fine"


def test_half_of_a_root_would_weaken_it(monkeypatch):
    def start(attention: HeadsAttention) -> None:
        sqrt.start_right(attention)
        attention.key.weight.data *= 0.3

    monkeypatch.setattr(sqrt, "start_as_told", start)
    trial = try_it(SqrtOptions("twice"))
    assert trial.outcome == "partly"
    assert str(trial.verdict).startswith("Gradients shrink")


def test_three_agree():
    numpy, kernel, pytorch = try_it(CASES[0]).answers
    assert abs(numpy.weights - kernel.weights).max() < 1e-12
    assert abs(numpy.head_output - pytorch.head_output).max() < 1e-12
