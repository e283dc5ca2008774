"""An untrained toy."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from mha_viz.errors import InputError
from mha_viz.labs.pitfalls import flat
from mha_viz.labs.pitfalls.flat import FlatOptions, try_it
from mha_viz.labs.results import LabResult


def test_small_numbers_give_even_weights_and_heads_that_look_alike():
    trial = try_it(FlatOptions())
    assert trial.outcome == "false"
    assert 0.2 < trial.found["weights"].min() < trial.found["weights"].max() < 0.33
    assert f"{trial.verdict.values['share']:.4f}" in str(trial.verdict)
    assert trial.verdict.values["share"] > 0.99


def test_large_numbers_give_heads_that_differ_by_chance():
    trial = try_it(FlatOptions(scale=3.0))
    assert trial.outcome == "partly"
    assert trial.verdict.values["between"] > trial.verdict.values["chance"]
    assert str(trial.verdict) != str(try_it(FlatOptions()).verdict)


@pytest.mark.parametrize("scale", [0.1, 3.0])
def test_heads_that_stay_what_they_are_would_flip_it(monkeypatch, scale):
    """Heads with a job, whatever the seed."""
    before = str(try_it(FlatOptions(scale=scale)).verdict)
    drawn = flat.weights_of
    designed = flat.hand_set_heads(flat.WORDS)[:4].double()
    monkeypatch.setattr(flat, "weights_of", lambda *given: (*drawn(*given)[:2], designed))
    trial = try_it(FlatOptions(scale=scale))
    assert trial.outcome == "holds"
    assert str(trial.verdict) != before


def test_the_weights_are_those_of_torchs_module():
    theirs = torch.nn.MultiheadAttention(8, 4, bias=False, batch_first=True, dtype=torch.float64)
    W_Q, W_K = flat.small_numbers(8, 0.5, 3)
    theirs.in_proj_weight.data = torch.cat([W_Q.T, W_K.T, W_K.T])
    x = torch.randn(4, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64)[None]
    _, weights = theirs(x, x, x, average_attn_weights=False)
    torch.testing.assert_close(flat.weights_of(0.5, 4, 3)[2], weights[0])


def test_the_distance_of_random_rows_is_that_of_the_dirichlet_distribution():
    """E H((P + Q) / 2) - E H(P) for flat Dirichlet rows of 4: digamma gives E H(P) = 1/2 + 1/3 + 1/4; the other by sampling."""
    p, q = np.random.default_rng(1).dirichlet(np.ones(4), size=(2, 200_000))
    middle = (p + q) / 2
    expected = float(-(middle * np.log(middle)).sum(-1).mean()) - (1 / 2 + 1 / 3 + 1 / 4)
    assert try_it(FlatOptions()).found["chance"] == pytest.approx(expected, rel=0.03)


def test_the_curve_begins_even_and_ends_sharp():
    curve = try_it(FlatOptions()).found["curve"]
    shares = [share for _, share, _ in curve]
    assert shares == sorted(shares, reverse=True)
    assert curve[0][0] == 0.1
    assert all(0 <= distance <= math.log(2) for *_, distance in curve)


def test_the_trained_weight_is_read_from_the_stored_result(monkeypatch):
    row = {"task": "values", "heads": 4, "slots": [[0.9, 0.1], [0.3, 0.7]]}
    monkeypatch.setattr(flat, "stored", lambda lab: LabResult(lab, {}, (row,)))
    assert flat.trained_weight() == pytest.approx(0.8)
    assert "0.800" in str(try_it(FlatOptions()).verdict)


def test_heads_that_do_not_divide_get_a_sentence():
    with pytest.raises(InputError, match="8"):
        try_it(FlatOptions(heads=3))
