"""A softmax that does not subtract the maximum."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.special
import torch

from mha_viz.labs.pitfalls import softmax
from mha_viz.labs.pitfalls.softmax import CASES, DTYPES, WAYS, SoftmaxOptions, limit, try_it


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_limit_is_the_logarithm_of_the_largest_number(dtype):
    largest = float(torch.finfo(DTYPES[dtype]).max)
    assert limit(DTYPES[dtype], "up") == pytest.approx(math.log(largest), abs=0.01)


def test_the_limits_of_both_kinds_of_numbers():
    assert limit(torch.float32, "up") == pytest.approx(88.72, abs=0.005)
    assert limit(torch.float16, "up") == pytest.approx(11.09, abs=0.005)
    assert limit(torch.float32, "down") < -85
    assert -18 < limit(torch.float16, "down") < -9


@pytest.mark.parametrize("dtype", DTYPES)
def test_beyond_it_weights_are_zero_and_then_no_numbers(dtype):
    trial = try_it(SoftmaxOptions(dtype=dtype))
    assert trial.outcome == "false"
    rows = trial.found["rows"]
    top = limit(DTYPES[dtype], "up")
    assert [row["nan"] > 0 for row in rows] == [row["top"] > top for row in rows]
    assert all(row["zeros"] == 8 for row in rows[5:7])  # the sum is infinite before a number is
    assert all(row["error"] < 1e-3 for row in rows[:5])
    assert f"{dtype} exp(x) overflows beyond {top:.2f}. 5 of 10 rows" in str(trial.verdict)
    assert np.isnan(trial.found["told"]).all(axis=1).tolist() == [False] * 7 + [True] * 3


@pytest.mark.parametrize("dtype", DTYPES)
def test_downwards_small_weights_go_missing_and_the_last_rows_are_no_numbers(dtype):
    trial = try_it(SoftmaxOptions(dtype=dtype, way="down"))
    assert trial.outcome == "false"
    assert [row["nan"] for row in trial.found["rows"][-2:]] == [8, 8]
    assert "0 over 0" in str(trial.verdict)
    assert f"far below 0 do it no harm, in {dtype}" in str(trial.claim)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_with_the_maximum_subtracted_the_verdict_flips(dtype, way, monkeypatch):
    monkeypatch.setattr(softmax, "softmax_as_written", softmax.softmax_below_maximum)
    trial = try_it(SoftmaxOptions(dtype=dtype, way=way))
    assert trial.outcome == "holds"
    assert "(0 wrong, 0 with NaN)" in str(trial.verdict)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.claim}-{case.dtype}-{case.way}")
def test_the_right_rows_are_those_of_scipy(case):
    trial = try_it(case)
    if case.claim == "written":
        wanted = scipy.special.softmax(np.array(softmax.BELOW))
        np.testing.assert_allclose(trial.found["ours"], np.tile(wanted, (10, 1)), atol=3e-4)
    for answer in trial.answers:
        np.testing.assert_allclose(answer.weights.sum(-1), 1)
        np.testing.assert_allclose(answer.weights, trial.answers[0].weights, atol=1e-12)


def test_subtracting_changes_nothing():
    trial = try_it(SoftmaxOptions("changes"))
    assert trial.outcome == "false"
    assert 0 <= trial.verdict.values["difference"] < 1e-14
    assert "changes nothing" in str(trial.verdict)


def test_an_approximation_would_flip_it(monkeypatch):
    def approximate(scores):
        raised = 1 + scores - scores.amax(-1, keepdim=True)
        raised = raised.clamp_min(0)
        return raised / raised.sum(-1, keepdim=True)

    monkeypatch.setattr(softmax, "softmax_below_maximum", approximate)
    trial = try_it(SoftmaxOptions("changes"))
    assert trial.outcome == "holds"
    assert trial.verdict.key == "pitfalls.softmax.changes.other"
