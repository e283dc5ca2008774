"""Heads scaled after the softmax."""

from __future__ import annotations

import pytest
import torch

from mha_viz.labs.pitfalls import scaled
from mha_viz.labs.pitfalls.scaled import ScaledOptions, try_it


def test_the_rows_sum_to_the_scales_and_nothing_is_gained():
    trial = try_it(ScaledOptions(heads=4, least=0.5, most=2.0))
    assert trial.outcome == "false"
    assert trial.found["sums"] == pytest.approx([0.5, 1.0, 1.5, 2.0])
    assert trial.found["right"] == pytest.approx([1.0] * 4)
    assert "0.50 … 2.00" in str(trial.verdict)


def test_a_scale_before_the_softmax_would_flip_it(monkeypatch):
    """That one is a temperature, which no W_O can take over."""

    def before(query, key, value, scale, W_O):
        weights = (query @ key.transpose(-2, -1) * scale[:, None, None]).softmax(-1)
        return weights, (weights @ value).transpose(0, 1).flatten(1) @ W_O

    monkeypatch.setattr(scaled, "scale_after_softmax", before)
    assert try_it(ScaledOptions()).outcome == "holds"


def test_the_folded_output_is_that_of_torch_with_the_folded_matrix():
    query, key, value = (torch.randn(2, 5, 4, dtype=torch.float64) for _ in range(3))
    scale, W_O = torch.tensor([0.5, 3.0], dtype=torch.float64), torch.randn(8, 8, dtype=torch.float64)
    _, output = scaled.scale_after_softmax(query, key, value, scale, W_O)
    heads = torch.nn.functional.scaled_dot_product_attention(query, key, value) * scale[:, None, None]
    torch.testing.assert_close(output, heads.transpose(0, 1).reshape(5, 8) @ W_O)


def test_three_agree():
    numpy, kernel, pytorch = try_it(ScaledOptions()).answers
    assert abs(numpy.weights - kernel.weights).max() < 1e-12
    assert abs(numpy.head_output - pytorch.head_output).max() < 1e-12
