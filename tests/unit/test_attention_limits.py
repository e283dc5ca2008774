"""The kernel at its limits: temperature 0 and infinity, hidden keys, rows without a key, gates, gradients, small floats."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.attention import attend

DOUBLE = torch.float64


def random_heads(n_tokens: int = 5, n_heads: int = 3, d_k: int = 4, dtype=DOUBLE, seed: int = 0) -> list[torch.Tensor]:
    """query, key, value: (1, head, token, d_k)."""
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(1, n_heads, n_tokens, d_k, generator=generator, dtype=DOUBLE).to(dtype) for _ in range(3)]


def with_scores(rows: list[list[float]], dtype=DOUBLE) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """query, key, value of one head whose scores, at scale 1, are these square rows."""
    query = torch.tensor([[rows]], dtype=dtype)
    key = torch.eye(len(rows), dtype=dtype)[None, None]
    return query, key, key.clone()


def causal(n: int) -> torch.Tensor:
    return torch.ones(n, n, dtype=torch.bool).tril()


def weights_of(rows: list[list[float]], **options) -> list[list[float]]:
    return attend(*with_scores(rows), scale=1.0, **options).weights[0, 0].tolist()


@pytest.mark.parametrize("temperature", [0.0, -0.0, 1e-45, 5e-324, 1e-30, 1e-6])
def test_near_temperature_0_all_weight_is_on_the_largest_score(temperature):
    assert weights_of([[1.0, 2.0], [3.0, -1.0]], temperature=temperature) == [[0.0, 1.0], [1.0, 0.0]]


@pytest.mark.parametrize("temperature", [0.0, 1e-45, 1e-6])
def test_near_temperature_0_ties_share_the_weight(temperature):
    rows = [[2.0, 2.0, 1.0], [5.0, 5.0, 5.0], [0.0, 7.0, 0.0]]
    shared = weights_of(rows, temperature=temperature)
    assert shared[0] == [0.5, 0.5, 0.0]
    assert shared[1] == pytest.approx([1 / 3] * 3, abs=1e-15)
    assert shared[2] == [0.0, 1.0, 0.0]


def test_temperature_0_looks_for_the_largest_visible_score_only():
    visible = torch.tensor([[True, False, True], [True, True, True], [False, False, True]])
    rows = [[1.0, 9.0, 1.0], [1.0, 9.0, 1.0], [9.0, 9.0, -4.0]]
    assert weights_of(rows, temperature=0.0, visible=visible) == [[0.5, 0.0, 0.5], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def test_infinite_temperature_is_exactly_even_over_the_visible_keys():
    n = 8
    visible = causal(n)
    run = attend(*random_heads(n), scale=0.5, temperature=math.inf, visible=visible)
    expected = visible / visible.sum(dim=-1, keepdim=True, dtype=DOUBLE)
    assert torch.equal(run.weights, expected.expand(1, 3, n, n))


@pytest.mark.parametrize("temperature", [1000.0, 1e30, 1e39, 1e300])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_a_very_large_finite_temperature_is_nearly_even_and_keeps_hidden_keys_at_0(temperature, dtype):
    visible = causal(5)
    run = attend(*random_heads(dtype=dtype), scale=0.5, temperature=temperature, visible=visible)
    expected = (visible / visible.sum(dim=-1, keepdim=True)).to(dtype)
    assert (run.weights - expected).abs().max() < 3e-3
    assert (run.weights[..., ~visible] == 0).all()


@pytest.mark.parametrize("temperature", [0.0, 1e-45, 1e-6, 0.5, 1.0, 2.0, 1e6, math.inf])
@pytest.mark.parametrize("size", [1.0, 1e15])
def test_no_temperature_and_no_size_of_scores_gives_nan(temperature, size):
    query, key, value = random_heads(dtype=torch.float32)
    run = attend(query * size, key * size, value, scale=0.5, temperature=temperature, visible=causal(5))
    assert torch.isfinite(run.weights).all()
    assert torch.allclose(run.weights.sum(dim=-1), torch.ones(()), atol=1e-6)


@given(st.integers(1, 9), st.sampled_from([0.0, 1e-6, 0.3, 1.0, 7.0, math.inf]), st.integers(0, 10**6), st.data())
def test_rows_sum_to_1_and_hidden_keys_weigh_exactly_0(n, temperature, seed, data):
    flags = data.draw(st.lists(st.booleans(), min_size=n * n, max_size=n * n))
    visible = torch.tensor(flags).view(n, n)
    run = attend(*random_heads(n, seed=seed), scale=0.5, temperature=temperature, visible=visible)
    has_key = visible.any(dim=-1)
    assert (run.weights[..., ~visible] == 0).all()
    assert (run.weights[:, :, ~has_key] == 0).all()
    sums = run.weights.sum(dim=-1)
    assert (sums - has_key.to(DOUBLE)).abs().max() < 1e-12


@pytest.mark.parametrize("temperature", [0.0, 0.5, 1.0, math.inf])
@pytest.mark.parametrize("grad", [False, True])
def test_a_row_without_a_key_has_weights_and_output_0_and_leaves_other_rows_alone(temperature, grad):
    visible = causal(5)
    full = attend(*random_heads(), scale=0.5, temperature=temperature, visible=visible)
    visible[2] = False
    inputs = [tensor.requires_grad_(grad) for tensor in random_heads()]
    run = attend(*inputs, scale=0.5, temperature=temperature, visible=visible)
    assert (run.weights[:, :, 2] == 0).all()
    assert (run.head_output[:, :, 2] == 0).all()
    others = [0, 1, 3, 4]
    assert torch.equal(run.weights[:, :, others], full.weights[:, :, others])


@pytest.mark.parametrize("temperature", [0.0, 0.5, 1.0, math.inf])
@pytest.mark.parametrize("uniform", [None, torch.tensor([True, False, False])])
def test_a_row_without_a_key_sends_no_nan_into_the_gradients(temperature, uniform):
    inputs = [tensor.requires_grad_() for tensor in random_heads()]
    gates = torch.ones(3, dtype=DOUBLE, requires_grad=True)
    visible = causal(5)
    visible[2] = False
    options = {"temperature": temperature, "uniform": uniform, "gates": gates, "visible": visible}
    attend(*inputs, scale=0.5, **options).head_output.pow(2).sum().backward()
    query, key, value = inputs
    for gradient in (value.grad, gates.grad):
        assert gradient is not None
        assert torch.isfinite(gradient).all()
        assert gradient.abs().max() > 0
    for gradient in (query.grad, key.grad):  # None where the weights do not depend on them
        assert gradient is None or torch.isfinite(gradient).all()
    if query.grad is not None:
        assert (query.grad[:, :, 2] == 0).all()


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_gates_queries_keys_and_values_have_the_right_gradients(temperature):
    visible = causal(3)
    visible[1] = False
    gates = torch.tensor([1.0, 0.0], dtype=DOUBLE, requires_grad=True)
    inputs = [tensor.requires_grad_() for tensor in random_heads(3, n_heads=2, d_k=2)]

    def output(query, key, value, gates):
        return attend(query, key, value, scale=0.5, temperature=temperature, visible=visible, gates=gates).head_output

    assert torch.autograd.gradcheck(output, (*inputs, gates))


def test_a_silenced_head_gives_exactly_0_and_the_others_stay_as_they_were():
    inputs = random_heads()
    plain = attend(*inputs, scale=0.5)
    silent = attend(*inputs, scale=0.5, gates=torch.tensor([1.0, 0.0, 1.0]))
    assert (silent.head_output[:, 1] == 0).all()
    assert torch.equal(silent.head_output[:, [0, 2]], plain.head_output[:, [0, 2]])
    assert torch.equal(silent.weights, plain.weights)


def test_a_gate_scales_its_head_output():
    inputs = random_heads()
    plain = attend(*inputs, scale=0.5).head_output
    gated = attend(*inputs, scale=0.5, gates=torch.tensor([2.0, 0.5, 1.0])).head_output
    assert torch.equal(gated, plain * torch.tensor([2.0, 0.5, 1.0], dtype=DOUBLE)[:, None, None])


def test_a_uniform_head_is_even_over_its_visible_keys_and_the_others_stay_as_they_were():
    inputs, visible = random_heads(), causal(5)
    plain = attend(*inputs, scale=0.5, visible=visible)
    run = attend(*inputs, scale=0.5, visible=visible, uniform=torch.tensor([False, True, False]))
    even = (visible / visible.sum(dim=-1, keepdim=True, dtype=DOUBLE)).expand(1, 5, 5)
    assert torch.equal(run.weights[:, 1], even)
    assert torch.equal(run.weights[:, [0, 2]], plain.weights[:, [0, 2]])
    assert torch.allclose(run.head_output[:, 1], even @ inputs[2][:, 1], atol=1e-14)


@pytest.mark.parametrize("temperature", [0.0, 1e-20, 1e-6, 0.5, 1.0, 1000.0, 1e6, math.inf])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_with_hidden_keys_gives_no_nan(dtype, temperature):
    visible = causal(5)
    visible[3] = False
    run = attend(*random_heads(dtype=dtype), scale=0.5, temperature=temperature, visible=visible)
    assert run.weights.dtype == dtype
    assert torch.isfinite(run.head_output).all()
    assert (run.weights[..., ~visible] == 0).all()
    sums = run.weights.float().sum(dim=-1)[:, :, [0, 1, 2, 4]]
    assert (sums - 1).abs().max() <= 4e-3


def test_visible_may_name_keys_alone_or_differ_from_head_to_head():
    inputs = random_heads()
    keys = torch.tensor([True, True, False, True, False])
    run = attend(*inputs, scale=0.5, visible=keys)
    assert (run.weights[..., ~keys] == 0).all()
    assert torch.equal(run.weights, attend(*inputs, scale=0.5, visible=keys.expand(5, 5)).weights)
    by_head = torch.stack([causal(5), torch.ones(5, 5, dtype=torch.bool), torch.eye(5, dtype=torch.bool)])
    weights = attend(*inputs, scale=0.5, visible=by_head).weights[0]
    assert torch.equal(weights[2], torch.eye(5, dtype=DOUBLE))
    assert (weights[0].triu(1) == 0).all()
    assert (weights[1] > 0).all()


def test_the_callers_tensors_are_left_as_they_were():
    inputs = random_heads()
    copies = [tensor.clone() for tensor in inputs]
    visible = causal(5)
    attend(*inputs, scale=0.5, temperature=2.0, visible=visible, gates=torch.zeros(3, dtype=DOUBLE))
    assert all(torch.equal(tensor, copy) for tensor, copy in zip(inputs, copies, strict=True))
    assert torch.equal(visible, causal(5))
