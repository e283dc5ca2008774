"""Checks of gradients."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from mha_viz.errors import InputError
from mha_viz.labs.pitfalls import gradients
from mha_viz.labs.pitfalls.gradients import GradientOptions, Layer, check_gradients, try_it

X = torch.randn(2, 5, 16, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def by_random_target(module, inputs):
    """What a check should do in place of the sum."""
    module.zero_grad()
    output = gradients.first_tensor(module(*inputs))
    (output * gradients.random_like(output, 5)).sum().backward()
    return gradients.flows(module)


def test_the_sum_of_a_layer_norm_is_blind_and_a_target_sees():
    trial = try_it(GradientOptions())
    assert trial.outcome == "false"
    assert max(trial.found["told"]) < 1e-13
    assert 0.01 < min(trial.found["ours"]) < max(trial.found["ours"]) < 10
    assert "e-16 of its weights, 0.28" in str(trial.verdict)


def test_with_a_target_the_check_that_is_told_would_flip(monkeypatch):
    monkeypatch.setattr(gradients, "gradients_of_sum", by_random_target)
    trial = try_it(GradientOptions("sum"))
    assert trial.outcome == "holds"
    assert trial.verdict.key == "pitfalls.gradients.sum.sees"
    trial = try_it(GradientOptions("tuple"))
    assert trial.outcome == "holds"
    assert "all 4 modules" in str(trial.verdict)


def test_thresholds_miss_what_is_too_small():
    trial = try_it(GradientOptions("thresholds"))
    assert trial.outcome == "partly"
    found = {one["name"]: (one["passes"], one["state"]) for one in trial.found["layers"]}
    assert found == {
        "healthy": (True, "fine"),
        "dead": (True, "small"),
        "cut": (True, "small"),
        "fading": (True, "small"),
        "exploding": (False, "large"),
        "nan": (False, "broken"),
    }
    assert "3 of 5 sick layers pass as healthy: dead, cut off, fading" in str(trial.verdict)


@pytest.mark.parametrize(("finds", "outcome"), [(True, "holds"), (False, "false")])
def test_thresholds_that_find_all_or_none_flip_it(finds, outcome, monkeypatch):
    def passes(module):
        return not finds or all(flow.state == "fine" for flow in gradients.flows(module))

    monkeypatch.setattr(gradients, "passes_thresholds", passes)
    trial = try_it(GradientOptions("thresholds"))
    assert trial.outcome == outcome
    assert ("0 pass" in str(trial.verdict)) == finds


def test_gradients_add_up_unless_they_are_cleared(monkeypatch):
    trial = try_it(GradientOptions("again"))
    assert trial.outcome == "false"
    assert trial.found["told"] == pytest.approx([1, 2, 3, 4], abs=1e-12)
    assert trial.found["ours"] == [1, 1, 1, 1]
    assert "2.000 times" in str(trial.verdict)
    monkeypatch.setattr(gradients, "gradients_again", by_random_target)
    trial = try_it(GradientOptions("again"))
    assert trial.outcome == "holds"
    assert "1.000 times" in str(trial.verdict)


def test_a_tuple_has_no_sum():
    trial = try_it(GradientOptions("tuple"))
    assert trial.outcome == "false"
    assert [value is None for value in trial.found["told"]] == [False, False, True, True]
    assert "2 of 4 modules (MultiheadAttention, HeadsAttention)" in str(trial.verdict)


def test_the_ratio_of_a_linear_layer_is_that_of_its_formula():
    """Y = X W^T: the gradient of W is T^T X, here over the square root of as many numbers as T has."""
    layer = nn.Linear(16, 3, dtype=torch.float64)
    (flow,) = check_gradients(layer, (X,), seed=7)
    target = torch.randn(2, 5, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(7))
    slope = target.reshape(-1, 3).T @ X.reshape(-1, 16) / math.sqrt(30)
    assert flow.name == "weight"
    assert flow.ratio == pytest.approx(float(slope.norm() / layer.weight.detach().norm()))


def test_the_check_takes_torch_modules_whole_or_packed_and_leaves_no_gradients():
    module = nn.MultiheadAttention(16, 4, batch_first=True, dtype=torch.float64)
    found = check_gradients(module, (X, X, X))
    assert [flow.name for flow in found] == [
        "in_proj_weight.Q",
        "in_proj_weight.K",
        "in_proj_weight.V",
        "out_proj.weight",
    ]
    assert {flow.state for flow in found} == {"fine"}
    assert all(weights.grad is None for weights in module.parameters())


def test_a_dead_key_matrix_is_told_alone():
    """No query asks: what keys are does not matter."""
    layer = Layer(16).double()
    nn.init.zeros_(layer.attention.query.weight)
    nn.init.zeros_(layer.attention.query.bias)
    states = {flow.name: flow.state for flow in check_gradients(layer, (X,))}
    assert states["attention.key.weight"] == "small"
    assert states["attention.value.weight"] == states["attention.out.weight"] == "fine"


def test_a_module_without_any_gradient_is_told_too():
    class Cut(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(16, 16, dtype=torch.float64)

        def forward(self, x):
            return self.linear(x).detach()

    assert [flow.state for flow in check_gradients(Cut(), (X,))] == ["small"]


def test_a_width_that_the_heads_do_not_divide_is_refused():
    with pytest.raises(InputError, match="4 heads do not divide d_model 30"):
        try_it(GradientOptions("sum", 30))
