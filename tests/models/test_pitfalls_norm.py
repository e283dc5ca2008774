"""LayerNorm on the scores, and QK-norm."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
import torch
from torch.nn import functional

from mha_viz.errors import InputError
from mha_viz.labs.pitfalls import norm
from mha_viz.labs.pitfalls.norm import CASES, NormOptions, try_it


def test_the_size_of_the_scores_reaches_the_weights_only_without_the_norm():
    trial = try_it(NormOptions())
    assert trial.outcome == "partly"
    shares = trial.found["shares"]
    assert [trial.verdict.values[name] for name in ("one", "ten", "hundred")] == pytest.approx([0.885] * 3, abs=0.01)
    assert shares["plain"][0] > 0.999 > 0.1 > shares["plain"][-1]
    assert np.ptp(shares["qk"]) < 1e-9
    assert "0.883" in str(trial.verdict)
    assert "at 1, 10 and 100 times it is all the same" in str(trial.verdict)


def test_the_shares_are_those_of_scipy():
    query, key = norm._drawn(16)
    scores = (query @ key.transpose(-2, -1))[0].numpy() / 8
    shares = try_it(NormOptions(tokens=16)).found["shares"]
    place = norm.SIZES.index(10.0)
    rows = np.exp(10 * scores) / np.exp(10 * scores).sum(axis=1, keepdims=True)
    assert shares["plain"][place] == pytest.approx(scipy.stats.entropy(rows, axis=1).mean() / math.log(16))
    standard = (scores - scores.mean(1, keepdims=True)) / scores.std(1, keepdims=True)
    rows = np.exp(standard) / np.exp(standard).sum(axis=1, keepdims=True)
    assert shares["told"][place] == pytest.approx(scipy.stats.entropy(rows, axis=1).mean() / math.log(16), abs=1e-5)


def test_scores_that_are_softly_capped_would_flip_it(monkeypatch):
    """Bounded, and still following their size."""

    def capped(query, key, layer_norm):
        scores = query @ key.transpose(-2, -1) / 8
        return (2 * torch.tanh(scores / 2)).softmax(-1)

    monkeypatch.setattr(norm, "norm_on_scores", capped)
    trial = try_it(NormOptions())
    assert trial.outcome == "holds"
    assert trial.verdict.key == "pitfalls.norm.extremes.follows"


def test_no_norm_at_all_would_cure_nothing(monkeypatch):
    def nothing(query, key, layer_norm):
        return norm.plain_softmax(query, key)

    monkeypatch.setattr(norm, "norm_on_scores", nothing)
    trial = try_it(NormOptions())
    assert trial.outcome == "false"
    assert "0.016" in str(trial.verdict)


def test_one_length_runs_and_a_norm_without_a_width_would_take_all(monkeypatch):
    trial = try_it(NormOptions("length"))
    assert trial.outcome == "false"
    assert "1 of 6 numbers of tokens (64)" in str(trial.verdict)
    assert [share is None for share in trial.found["shares"]["told"]] == [n != 64 for n in norm.LENGTHS]

    def over_any(query, key, layer_norm):
        scores = query @ key.transpose(-2, -1) / 8
        return functional.layer_norm(scores, scores.shape[-1:]).softmax(-1)

    monkeypatch.setattr(norm, "norm_on_scores", over_any)
    trial = try_it(NormOptions("length"))
    assert trial.outcome == "holds"
    assert "all 6" in str(trial.verdict)


def test_after_a_mask_only_the_last_row_survives_and_masking_afterwards_would_flip_it(monkeypatch):
    trial = try_it(NormOptions("mask"))
    assert trial.outcome == "false"
    assert trial.verdict.values["lost"] == pytest.approx(100 * 63 / 64)
    assert np.isnan(trial.found["told"]).all(axis=1).tolist() == [True] * 63 + [False]
    monkeypatch.setattr(norm, "norm_on_masked_scores", masked_afterwards)
    trial = try_it(NormOptions("mask"))
    assert trial.outcome == "holds"
    assert "0.0 %" in str(trial.verdict)


def masked_afterwards(query, key, layer_norm, visible, hidden):
    return layer_norm(query @ key.transpose(-2, -1) / 8).masked_fill(~visible, -math.inf).softmax(-1)


def test_a_large_finite_number_leaks_and_evens_the_rest(monkeypatch):
    trial = try_it(NormOptions("finite", tokens=16))
    assert trial.outcome == "false"
    # A row of which half is hidden has scores of 1 and -1 after the norm.
    hidden = 8 / (8 + 8 * math.e**2)
    assert trial.found["leaks"]["told"][7] == pytest.approx(hidden, abs=1e-6)
    assert max(trial.found["leaks"]["qk"]) == 0
    assert trial.verdict.values["told"] == pytest.approx(1, abs=1e-6)
    monkeypatch.setattr(norm, "norm_on_masked_scores", masked_afterwards)
    trial = try_it(NormOptions("finite"))
    assert trial.outcome == "holds"
    assert trial.verdict.key == "pitfalls.norm.finite.works"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.claim)
def test_qk_norm_is_that_of_torch_and_three_agree(case):
    visible = torch.ones(12, 12, dtype=torch.bool).tril()
    query, key = torch.randn(2, 1, 12, 64, dtype=torch.float64)
    unit_query, unit_key = (part / part.norm(dim=-1, keepdim=True) for part in (query, key))
    eye = torch.eye(12, dtype=torch.float64)[None]
    wanted = functional.scaled_dot_product_attention(unit_query, unit_key, eye, attn_mask=visible, scale=5.0)
    torch.testing.assert_close(norm.norm_on_queries_and_keys(query, key, 5.0, visible), wanted)
    numpy, kernel, pytorch = try_it(case).answers
    assert abs(numpy.weights - kernel.weights).max() < 1e-12
    assert abs(numpy.head_output - pytorch.head_output).max() < 1e-12


def test_a_claim_that_there_is_not_is_refused():
    with pytest.raises(InputError, match="extremes, length, mask, finite"):
        NormOptions("size")
