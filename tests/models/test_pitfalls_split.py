"""Columns cut into heads."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import nn

from mha_viz.errors import InputError
from mha_viz.labs.pitfalls import split
from mha_viz.labs.pitfalls.split import CASES, D_MODEL, SplitOptions, try_it


@pytest.mark.parametrize("heads", [1, 4, 16])
def test_both_cuts_are_one_layer_with_its_rows_in_another_order(heads):
    trial = try_it(SplitOptions(heads=heads))
    assert trial.outcome == "false"
    assert trial.found["told"] == pytest.approx(trial.found["right"], abs=1e-12)
    assert "64 of 64" in str(trial.verdict)


def test_the_contiguous_cut_is_that_of_torch():
    torch.manual_seed(0)
    module = nn.MultiheadAttention(D_MODEL, 8, bias=False, batch_first=True, dtype=torch.float64)
    X = torch.randn(5, D_MODEL, dtype=torch.float64)
    matrices = [*module.in_proj_weight.chunk(3), module.out_proj.weight]
    weights, output = split.one_layer(X, matrices, 8, split.contiguous)[3:]
    theirs, their_weights = module(X[None], X[None], X[None], average_attn_weights=False)
    torch.testing.assert_close(output, theirs[0])
    torch.testing.assert_close(weights, their_weights[0])


def test_interleaved_columns_are_every_eighth_one():
    columns = torch.arange(16)[None]
    assert split.interleaved(columns, 8)[3, 0].tolist() == [3, 11]
    assert split.contiguous(columns, 8)[3, 0].tolist() == [6, 7]


def test_rows_left_in_their_order_would_flip_it(monkeypatch):
    def unchanged(matrices, heads):
        return matrices

    before = str(try_it(SplitOptions()).verdict)
    monkeypatch.setattr(split, "permuted", unchanged)
    trial = try_it(SplitOptions())
    assert trial.outcome == "holds"
    assert str(trial.verdict) != before


def test_groups_by_name_save_nothing_and_real_ones_would_flip_it(monkeypatch):
    trial = try_it(CASES[1])
    assert trial.outcome == "false"
    assert "4160 parameters with 8 groups" in str(trial.verdict)
    monkeypatch.setattr(split, "told_in_groups", split.really_in_groups)
    trial = try_it(CASES[1])
    assert trial.outcome == "holds"
    assert "576 parameters" in str(trial.verdict)


@pytest.mark.parametrize("groups", [2, 8, 64])
def test_real_groups_save_parameters_and_lose_input_features(groups):
    trial = try_it(SplitOptions(claim="grouped", heads=groups))
    assert trial.outcome == "partly"
    assert trial.verdict.values["few"] == D_MODEL * D_MODEL // groups + D_MODEL
    blocks = np.kron(np.eye(groups), np.ones((1, D_MODEL // groups))) > 0
    np.testing.assert_array_equal(trial.found["reach"][1] > 0, blocks)
    assert (trial.found["reach"][0] > 0).all()


def test_one_group_or_a_layer_without_groups_would_flip_it(monkeypatch):
    assert try_it(SplitOptions(claim="grouped", heads=1)).outcome == "false"
    before = str(try_it(CASES[2]).verdict)
    monkeypatch.setattr(split, "really_in_groups", split.told_in_groups)
    trial = try_it(CASES[2])
    assert trial.outcome == "false"
    assert str(trial.verdict) != before


def test_heads_that_do_not_divide_get_a_sentence():
    with pytest.raises(InputError, match="3 heads do not divide"):
        try_it(SplitOptions(heads=3))


def test_three_agree_with_the_card():
    trial = try_it(SplitOptions(heads=4))
    for answer in trial.answers:
        assert answer.weights == pytest.approx(trial.found["right"], abs=1e-12)
    assert math.isclose(trial.answers[0].weights.sum(), 4 * split.N_TOKENS)
