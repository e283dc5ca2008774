"""Layers against PyTorch's own, gradients against finite differences, and the measured numbers within their bands."""

from __future__ import annotations

import math
from typing import cast

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from mha_viz.labs.nets import n_parameters
from mha_viz.labs.plans_depth import MATRICES, StackOptions
from mha_viz.labs.results import Row
from mha_viz.labs.stacks import backward, layers_told, make_case, measured, run
from mha_viz.labs.stacks_net import Block, Norm, Stack, diversity, gradient_over_weight


def block(norm: Norm, hidden: int | None = 24, **options: bool) -> Block:
    torch.manual_seed(1)
    made = Block(16, 4, norm=norm, hidden=hidden, **options)
    with torch.no_grad():
        for parameter in made.parameters():  # norms and biases that differ from 1 and 0
            parameter.add_(0.1 * torch.randn_like(parameter))
    return made.double()


def layer(stack: Stack, place: int) -> Block:
    return cast(Block, stack.blocks[place])


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_a_layer_is_that_of_pytorch(norm: Norm) -> None:
    ours = block(norm)
    theirs = nn.TransformerEncoderLayer(16, 4, 24, dropout=0.0, batch_first=True, norm_first=norm == "pre").double()
    attention, made = ours.attention, theirs.self_attn
    assert ours.ffn is not None
    with torch.no_grad():
        parts = (attention.query, attention.key, attention.value)
        made.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
        made.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
        for one, other in zip(
            (attention.out, *ours.norms, ours.ffn[0], ours.ffn[2]),
            (made.out_proj, theirs.norm1, theirs.norm2, theirs.linear1, theirs.linear2),
            strict=True,
        ):
            other.load_state_dict(one.state_dict())
    read = torch.randn(3, 5, 16, dtype=torch.float64)
    torch.testing.assert_close(ours(read)[0], theirs(read), rtol=0, atol=1e-12)
    assert n_parameters(ours) == n_parameters(theirs)


def test_without_residual_and_norm_a_layer_is_its_parts_in_a_row() -> None:
    ours = Block(16, 4, residual=False, norm="none", hidden=24)
    assert not list(ours.norms)
    assert ours.ffn is not None
    read = torch.randn(2, 3, 16)
    torch.testing.assert_close(ours(read)[0], ours.ffn(ours.attention(read)[0]))
    alone = Block(16, 4, norm="none")
    torch.testing.assert_close(alone(read)[0], read + alone.attention(read)[0])


def test_gradients_are_those_of_finite_differences() -> None:
    options = StackOptions(d_model=8, heads=2, tokens=3, precision="float64")
    for kind in ("attention", "post", "pre"):
        stack, tokens, classes = make_case(kind, 2, options, 0, ffn=True)
        _, after = backward(stack, tokens, classes)
        found = measured(stack, 1.0, after)
        for name in MATRICES:
            matrix = layer(stack, 0).matrices()[name]
            direction = torch.randn_like(matrix)
            assert matrix.grad is not None
            slope = float((matrix.grad * direction).sum())
            losses = []
            for step in (1e-5, -1e-5):
                with torch.no_grad():
                    matrix.add_(direction, alpha=step)
                    losses.append(float(functional.cross_entropy(stack(tokens)[0].flatten(0, 1), classes.flatten())))
                    matrix.add_(direction, alpha=-step)
            assert slope == pytest.approx((losses[0] - losses[1]) / 2e-5, rel=1e-5, abs=1e-10)
            wanted = np.linalg.norm(matrix.grad.numpy()) / np.linalg.norm(matrix.detach().numpy())
            assert found[name][0] == pytest.approx(wanted, rel=6e-3)  # three digits are told


def test_diversity_by_hand() -> None:
    assert diversity(torch.tensor([[[1.0, 0.0], [-1.0, 0.0]]])) == 1.0
    assert diversity(torch.ones(2, 4, 3)) == 0.0
    assert diversity(torch.tensor([[[3.0], [1.0]]])) == pytest.approx(math.sqrt(2 / 10))


def test_the_sum_behind_a_layer_norm_has_no_gradient() -> None:
    """Why the loss is no sum of the output."""
    made = Block(16, 4, norm="post", hidden=24).double()
    made(torch.randn(2, 5, 16, dtype=torch.float64))[0].sum().backward()
    assert gradient_over_weight(made.attention.value.weight) < 1e-12


def last(kind: str, n_layers: int, name: str, *, ffn: bool, seed: int) -> float:
    """Gradient over weight of the last layer of a stack as it begins, at the published size."""
    stack, tokens, classes = make_case(kind, n_layers, StackOptions(), seed, ffn=ffn)
    backward(stack, tokens, classes)
    return gradient_over_weight(layer(stack, -1).matrices()[name])


@pytest.mark.parametrize(("kind", "low", "high"), [("post", 0.8, 1.6), ("pre", 0.2, 0.35)])
def test_the_last_layers_gradient_at_32_layers_against_2(kind: str, low: float, high: float) -> None:
    """Theory 1 and .25 (Xiong et al. 2020); measured before 1.25 and .27."""
    seeds = (0, 1)
    deep, flat = ([last(kind, n, "ffn2", ffn=True, seed=seed) for seed in seeds] for n in (32, 2))
    assert low < np.mean(np.divide(deep, flat)) < high


def measured_at(kind: str, n_layers: int, *, ffn: bool = False, precision: str = "float32") -> Row:
    stack, tokens, classes = make_case(kind, n_layers, StackOptions(precision=precision), 0, ffn=ffn)
    return measured(stack, *backward(stack, tokens, classes))


def test_attention_alone_makes_all_tokens_equal_and_its_queries_deaf() -> None:
    row = measured_at("attention", 6)
    assert 5e-8 < row["diversity"][-1] < 1e-6  # what float32 can tell apart
    assert row["query"][-1] == 0.0
    assert row["value"][-1] > 1e-3
    assert measured_at("attention", 6, precision="float64")["diversity"][-1] < 1e-14


def test_what_24_layers_leave_of_the_tokens() -> None:
    """Published with the issue: .005, .002 and .27."""
    for kind, low, high in (("residual", 0.001, 0.02), ("post", 5e-4, 0.006), ("pre", 0.2, 0.35)):
        assert low < measured_at(kind, 24)["diversity"][-1] < high


def test_a_residual_alone_explodes_and_ffn_without_one_vanishes() -> None:
    plain = measured_at("residual", 24)
    assert plain["value"][0] / plain["value"][-1] > 1e4
    without = measured_at("attention", 24, ffn=True)
    assert without["value"][0] / without["value"][-1] < 1e-3
    calm = measured_at("pre", 24)
    assert 0.5 < calm["value"][0] / calm["value"][-1] < 10


def test_matrices_begin_as_xavier_and_attention_without_biases() -> None:
    torch.manual_seed(0)
    made = Stack([Block(128, 8, norm="pre", hidden=512)], 64)
    matrices = layer(made, 0).matrices()
    for name, variance in (("query", 1 / 128), ("out", 1 / 128), ("ffn1", 2 / 640), ("ffn2", 2 / 640)):
        assert float(matrices[name].detach().var()) == pytest.approx(variance, rel=0.05)
    assert not layer(made, 0).attention.value.bias.any()
    assert isinstance(made.last, nn.LayerNorm)
    assert isinstance(Stack([Block(8, 2, norm="post")], 4).last, nn.Identity)


def test_layers_that_are_told() -> None:
    assert layers_told(1) == [0]
    assert layers_told(6) == [0, 1, 2, 3, 4, 5]
    deep = layers_told(48)
    assert (deep[0], deep[-1], len(deep)) == (0, 47, 9)


def test_the_lab_measures_every_stack_and_again_after_steps() -> None:
    options = StackOptions(kinds=("post", "pre"), depths=(1, 2), trained=(2,), steps=3, d_model=16, heads=2, tokens=4)
    steps = list(run(options))
    rows = [step.row for step in steps if step.row]
    assert [(row["kind"], row["layers"], row["steps"]) for row in rows] == [
        ("post", 1, 0), ("pre", 1, 0), ("post", 2, 0), ("post", 2, 3), ("pre", 2, 0), ("pre", 2, 3),
    ]  # fmt: skip
    shares = [step.share for step in steps]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert rows[3]["loss"] < rows[2]["loss"]  # the batch is learnt
    assert rows[2]["at"] == [0, 1]
    assert rows == [step.row for step in run(options) if step.row]
    without = [
        step.row for step in run(StackOptions(ffn=("off",), depths=(1,), steps=0, d_model=16, heads=2, tokens=4))
    ]
    assert all(row is not None and "ffn1" not in row for row in without)


def test_numbers_that_are_none_any_more_are_left_out() -> None:
    stack, tokens, classes = make_case("residual", 2, StackOptions(d_model=16, heads=2, tokens=4), 0, ffn=False)
    with torch.no_grad():
        layer(stack, 1).attention.out.weight.fill_(math.inf)
    row = measured(stack, *backward(stack, tokens, classes))
    assert row["loss"] is None
    assert None in row["diversity"]
