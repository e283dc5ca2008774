"""Heads removed from the matrices: the same output as heads silenced, and as many parameters fewer as a formula says."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

from mha_viz.controls import Controls, HeadId
from mha_viz.errors import InputError
from mha_viz.models.pruning import narrowed, places_kept

TEXT = "the cat sat on the mat."
#: Of float32, after layers of it, on numbers up to 4.
ROUNDING = 5e-6


def silenced(model, tokens, heads) -> np.ndarray:
    return model.forward(tokens, Controls(silenced=frozenset(heads))).output.numpy()


def removed(model, tokens, heads) -> np.ndarray:
    return model.pruned(heads).output(torch.tensor([tokens.ids]))[0].numpy()


def in_double(model, ids, heads, *, by_gates: bool) -> torch.Tensor:
    """The output in float64, where only what is really different differs: heads removed, or gates of 0 in the whole model."""
    pruned = model.pruned(() if by_gates else heads)
    pruned.network = copy.deepcopy(pruned.network).double()
    gates = torch.ones(model.spec.shape)
    for head in heads:
        gates[head] = 0
    return pruned.output(ids, gates if by_gates else None)


def n_parameters(pruned) -> int:
    return sum(parameter.numel() for parameter in pruned.network.parameters())


def test_rows_and_columns_of_the_heads_that_stay() -> None:
    assert places_kept(3, 2, {1}).tolist() == [0, 1, 4, 5]
    assert places_kept(2, 3, {0, 1}).tolist() == []
    linear = torch.nn.Linear(4, 6)
    rows, columns = narrowed(linear, torch.tensor([4, 5])), narrowed(linear, torch.tensor([0, 3]), columns=True)
    assert torch.equal(rows.weight, linear.weight[4:])
    assert torch.equal(rows.bias, linear.bias[4:])
    assert torch.equal(columns.weight, linear.weight[:, [0, 3]])
    assert torch.equal(columns.bias, linear.bias)
    with torch.no_grad():
        rows.weight.zero_()
    assert linear.weight[4:].abs().min() > 0


@pytest.mark.parametrize("name", ["bert", "bert masked", "bert classes", "roberta", "electra"])
def test_a_pruned_model_equals_the_silenced_one(family, name):
    model = family(name)
    tokens = model.tokenize(TEXT)
    whole = [HeadId(1, head) for head in range(model.spec.n_heads)]
    before = removed(model, tokens, ())
    assert np.abs(before - model.forward(tokens).output.numpy()).max() <= ROUNDING
    for heads in ([HeadId(0, 1)], [HeadId(0, 0), HeadId(2, 1)], whole, [HeadId(0, 1), *whole]):
        wanted = silenced(model, tokens, heads)
        assert np.abs(wanted - before).max() > 1e-3
        assert np.abs(removed(model, tokens, heads) - wanted).max() <= ROUNDING
        exact = [in_double(model, torch.tensor([tokens.ids]), heads, by_gates=gates) for gates in (False, True)]
        assert float((exact[0] - exact[1]).abs().max()) <= 1e-12
    assert np.array_equal(removed(model, tokens, ()), before)  # nothing was taken from the model itself


@pytest.mark.model
def test_minilm_without_heads_equals_minilm_with_them_silenced(minilm):
    tokens = minilm.tokenize("The animal didn't cross the street because it was too tired.")
    rng = np.random.default_rng(0)
    every = [HeadId(layer, head) for layer, head in np.ndindex(6, 12)]
    half = [every[at] for at in rng.permutation(72)[:36]]
    for heads in ([HeadId(5, 8)], half, [head for head in every if head.layer == 3], every):
        wanted = silenced(minilm, tokens, heads)
        assert np.abs(removed(minilm, tokens, heads) - wanted).max() <= ROUNDING
        assert np.abs(removed(minilm, tokens, heads).mean(axis=0) - wanted.mean(axis=0)).max() <= 1e-6  # the embedding


@pytest.mark.model
def test_parameters_by_formula_and_in_batches(minilm):
    d_model, d_k = 384, 32
    full, less = minilm.pruned(()), minilm.pruned([HeadId(0, 0), HeadId(0, 1), HeadId(5, 11)])
    assert n_parameters(full) == 22_713_216  # of the checkpoint
    assert n_parameters(full) - n_parameters(less) == 3 * (4 * d_model * d_k + 3 * d_k)
    ids = torch.randint(1000, 2000, (3, 9), generator=torch.Generator().manual_seed(0))
    apart = less.output(ids)[1] - less.output(ids[1:2])[0]
    assert float(apart.abs().max()) <= 1e-5


def test_gates_of_heads_that_stay_are_theirs(family):
    model = family("bert")
    ids = torch.tensor([model.tokenize(TEXT).ids])
    gates = torch.ones(model.spec.shape)
    gates[2, 1] = 0
    gates[0, 0] = 7  # gone, so that it does not count
    gone = [HeadId(0, 0), HeadId(1, 0), HeadId(1, 1)]
    apart = model.pruned(gone).output(ids, gates) - model.pruned([*gone, HeadId(2, 1)]).output(ids)
    assert float(apart.abs().max()) <= ROUNDING


def test_heads_that_cannot_be_removed_are_told(family):
    with pytest.raises(InputError, match="L9 H0"):
        family("bert").pruned([HeadId(9, 0)])
    for name in ("gpt2", "albert", "distilbert"):
        with pytest.raises(InputError, match=f"cannot be removed from {name}"):
            family(name).pruned([HeadId(0, 0)])
