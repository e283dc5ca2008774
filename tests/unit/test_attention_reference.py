"""The kernel gives the numbers of torch.nn.MultiheadAttention, of reference arrays and of a case worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from mha_viz.attention import Attended, Buffers, attend
from mha_viz.masks import Causal, DilatedWindow, LocalWindow, Mask, Padding, joined, visible_cells
from tests.refs import arrays
from tests.unit.build import sequence

REFERENCE = arrays("a")
N_TOKENS = 7
LENGTHS = [7, 4]
TOLERANCE = {torch.float64: 1e-10, torch.float32: 2e-6}

CASES = sorted(name.removesuffix("/attn") for name in REFERENCE if name.endswith("/attn"))


def reference_visible(case: str) -> torch.Tensor | None:
    """bool (batch, 1, query, key), made from the package's own mask records."""
    words = case.split("/")[1]
    if words == "none":
        return None
    rows = []
    for length in LENGTHS:
        masks: list[Mask] = []
        for word in words.split("_"):
            if word == "causal":
                masks.append(Causal())
            elif word.startswith("local"):
                masks.append(LocalWindow(int(word.removeprefix("local"))))
            elif word.startswith("dilated"):
                step = int(word.removeprefix("dilated"))
                masks.append(DilatedWindow(radius=2, step=step))
            elif word == "padding" and length < N_TOKENS:
                masks.append(Padding(N_TOKENS - length))
        tokens = sequence(N_TOKENS)
        rows.append(torch.tensor(visible_cells(tokens, joined(masks))))
    return torch.stack(rows)[:, None]


def projected(n_heads: int, dtype: torch.dtype) -> tuple[torch.Tensor, ...]:
    """query, key, value (batch, head, token, d_k) of the reference's input."""
    x, weight, bias = (torch.tensor(REFERENCE[name], dtype=dtype) for name in ("x", "in_proj_weight", "in_proj_bias"))
    joined = x @ weight.T + bias
    return tuple(part.unflatten(-1, (n_heads, -1)).transpose(1, 2) for part in joined.chunk(3, dim=-1))


def after_output(head_output: torch.Tensor) -> torch.Tensor:
    """(batch, token, d_model) through the reference's output projection."""
    weight, bias = (torch.tensor(REFERENCE[f"out_proj_{name}"], dtype=head_output.dtype) for name in ("weight", "bias"))
    return head_output.transpose(1, 2).flatten(-2) @ weight.T + bias


def reference_run(case: str, dtype: torch.dtype) -> Attended:
    n_heads = int(case[1])
    temperature = float(case.rsplit("/T", 1)[1]) if "/T" in case else 1.0
    query, key, value = projected(n_heads, dtype)
    return attend(
        query,
        key,
        value,
        scale=query.shape[-1] ** -0.5,
        temperature=temperature,
        visible=reference_visible(case),
    )


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("case", CASES)
def test_weights_and_output_equal_the_reference(case, dtype):
    run = reference_run(case, dtype)
    weights, y = REFERENCE[f"{case}/attn"], REFERENCE[f"{case}/y"]
    # Where no key is visible the reference is NaN; ours is told apart in test_attention_limits.
    has_key = np.isfinite(weights).all(axis=-1)
    assert has_key.mean() > 0.9
    assert np.abs(run.weights.numpy() - weights)[has_key].max() <= TOLERANCE[dtype]
    rows = has_key.all(axis=1)
    assert np.abs(after_output(run.head_output).numpy() - y)[rows].max() <= TOLERANCE[dtype]


def test_the_reference_covers_every_mask_both_head_counts_and_two_temperatures():
    assert {case.split("/")[0] for case in CASES} == {"H1", "H4"}
    assert {"H4/causal/T0.5", "H4/causal/T4"} <= set(CASES)
    masks = {"none", "causal", "padding", "local1", "causal_padding", "causal_local2"}
    assert {f"H4/{mask}" for mask in masks} <= set(CASES)
    assert {f"H1/{mask}" for mask in ("dilated2", "local2", "local2_padding", "causal_local2_padding")} <= set(CASES)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_a_mask_given_as_a_plain_array_equals_the_reference(dtype):
    """A dilated window without the package's record of it: the kernel takes any pattern."""
    weights = REFERENCE["H1/dilated2/attn"]
    positions = torch.arange(N_TOKENS)
    distance = (positions[:, None] - positions[None, :]).abs()
    visible = (distance % 2 == 0) & (distance <= 4)
    query, key, value = projected(1, dtype)
    run = attend(query, key, value, scale=16**-0.5, visible=visible)
    assert np.abs(run.weights.numpy() - weights).max() <= TOLERANCE[dtype]


@pytest.mark.parametrize("case", [case for case in CASES if f"{case}/allow" in REFERENCE])
def test_the_mask_records_hide_what_the_reference_hides(case):
    visible = reference_visible(case)
    expected = REFERENCE[f"{case}/allow"]
    shown = np.ones_like(expected) if visible is None else visible[:, 0].numpy()
    assert (shown == expected).all()


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("case", [case for case in CASES if f"{case}/contrib" in REFERENCE])
def test_the_heads_shares_and_the_bias_sum_to_the_output(case, dtype):
    run = reference_run(case, dtype)
    weight = torch.tensor(REFERENCE["out_proj_weight"], dtype=dtype)
    blocks = weight.unflatten(1, (4, 4))  # (d_model, head, d_k): head h enters through its own columns
    shares = torch.einsum("bhqd,ehd->bhqe", run.head_output, blocks)
    assert np.abs(shares.numpy() - REFERENCE[f"{case}/contrib"]).max() <= TOLERANCE[dtype]
    summed = shares.sum(dim=1).numpy() + REFERENCE["out_proj_bias"]
    assert np.abs(summed - REFERENCE[f"{case}/y"]).max() <= TOLERANCE[dtype]


@pytest.mark.parametrize(("d_model", "n_heads", "n_tokens"), [(8, 1, 1), (8, 2, 3), (24, 6, 11), (64, 8, 33)])
@pytest.mark.parametrize("masked", [False, True])
def test_it_equals_torch_multihead_attention_on_random_input(d_model, n_heads, n_tokens, masked):
    torch.manual_seed(n_tokens)
    module = torch.nn.MultiheadAttention(d_model, n_heads, batch_first=True, dtype=torch.float64).eval()
    torch.nn.init.normal_(module.in_proj_bias)
    x = torch.randn(2, n_tokens, d_model, dtype=torch.float64)
    visible = torch.rand(n_tokens, n_tokens) < 0.6
    visible.fill_diagonal_(True)
    with torch.no_grad():
        y, weights = module(x, x, x, attn_mask=~visible if masked else None, average_attn_weights=False)
        joined = torch.nn.functional.linear(x, module.in_proj_weight, module.in_proj_bias)
        query, key, value = (p.unflatten(-1, (n_heads, -1)).transpose(1, 2) for p in joined.chunk(3, dim=-1))
        scale = (d_model // n_heads) ** -0.5
        run = attend(query, key, value, scale=scale, visible=visible if masked else None)
        ours = module.out_proj(run.head_output.transpose(1, 2).flatten(-2))
    assert (run.weights - weights).abs().max() <= 1e-10
    assert (ours - y).abs().max() <= 1e-10


def test_cross_attention_with_fewer_queries_than_keys_equals_torch():
    torch.manual_seed(0)
    module = torch.nn.MultiheadAttention(16, 4, batch_first=True, dtype=torch.float64).eval()
    x, xq = torch.tensor(REFERENCE["x"]), torch.tensor(REFERENCE["xq"])
    with torch.no_grad():
        _, weights = module(xq, x, x, average_attn_weights=False)
        W_Q, W_K, W_V = module.in_proj_weight.chunk(3)
        query, key, value = (
            (t @ W.T).unflatten(-1, (4, 4)).transpose(1, 2) for t, W in ((xq, W_Q), (x, W_K), (x, W_V))
        )
        run = attend(query, key, value, scale=0.5)
    assert run.weights.shape == (2, 4, 5, 7)
    assert (run.weights - weights).abs().max() <= 1e-10


def test_two_tokens_worked_by_hand():
    """Scores 0 and 2 ln 3 halved by the scale: odds 1 to 3 for the first query; equal scores for the second."""
    query = torch.tensor([[[[2 * math.log(3.0)], [0.0]]]], dtype=torch.float64)
    key = torch.tensor([[[[0.0], [1.0]]]], dtype=torch.float64)
    value = torch.tensor([[[[4.0], [8.0]]]], dtype=torch.float64)
    run = attend(query, key, value, scale=0.5)
    assert torch.allclose(run.weights[0, 0], torch.tensor([[0.25, 0.75], [0.5, 0.5]], dtype=torch.float64), atol=1e-15)
    assert torch.allclose(run.head_output[0, 0], torch.tensor([[7.0], [6.0]], dtype=torch.float64), atol=1e-14)
    hotter = attend(query, key, value, scale=0.5, temperature=0.5)  # odds squared: 1 to 9
    assert torch.allclose(hotter.weights[0, 0, 0], torch.tensor([0.1, 0.9], dtype=torch.float64), atol=1e-15)
    causal = attend(query, key, value, scale=0.5, visible=torch.tensor([[True, False], [True, True]]))
    assert causal.weights[0, 0].tolist() == [[1.0, 0.0], [0.5, 0.5]]
    assert causal.head_output[0, 0].tolist() == [[4.0], [6.0]]


@pytest.mark.parametrize("temperature", [0.0, 0.5, 1.0, 3.0, math.inf])
@pytest.mark.parametrize("uniform", [None, torch.tensor([True, False, False, True])])
@pytest.mark.parametrize("case", ["H4/none", "H4/causal", "H4/local1_padding"])
def test_buffers_change_no_number_and_receive_the_weights(temperature, uniform, case):
    query, key, value = projected(4, torch.float32)
    options = {
        "scale": 0.5,
        "temperature": temperature,
        "visible": reference_visible(case),
        "uniform": uniform,
        "gates": torch.tensor([1.0, 0.0, 1.0, 1.0]),
    }
    plain = attend(query, key, value, **options)
    cells = (2, 4, N_TOKENS, N_TOKENS)
    buffers = Buffers(torch.full(cells, math.nan), torch.full(cells, math.nan))
    buffered = attend(query, key, value, **options, buffers=buffers)
    assert torch.equal(buffered.weights, plain.weights)
    assert torch.equal(buffered.head_output, plain.head_output)
    assert torch.equal(buffers.weights, plain.weights)
