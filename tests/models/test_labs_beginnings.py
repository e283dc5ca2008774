"""How attention begins: the published numbers, the formula, and variances of the schemes."""

from __future__ import annotations

import math

import pytest
import torch

from mha_viz.errors import InputError
from mha_viz.labs.beginnings import begin, measure, run, variance
from mha_viz.labs.nets import HeadsAttention
from mha_viz.labs.plans_depth import SCALINGS, SCHEMES, BeginningOptions

FULL = BeginningOptions()


@pytest.mark.parametrize(("scheme", "std"), [("linear", 0.336), ("xavier", 0.99), ("packed", 0.5), ("unit", 505.0)])
def test_scores_at_the_published_size(scheme: str, std: float) -> None:
    row = measure(FULL, scheme, "on", 0)
    assert row["std"] == pytest.approx(std, rel=0.03)
    assert row["std"] == pytest.approx(row["formula"], rel=0.03)


def test_dividing_twice_leaves_nothing_but_an_average() -> None:
    twice, once = measure(FULL, "linear", "twice", 0), measure(FULL, "linear", "on", 0)
    assert round(twice["entropy"], 3) == 1.0
    assert 0.97 < once["entropy"] < 0.99
    assert twice["std"] == pytest.approx(once["std"] / 8, rel=1e-3)  # d_k 64
    assert twice["gradient"] < once["gradient"] / 5


def test_entropy_of_scaled_gaussian_scores_is_the_published_one() -> None:
    """Scores of variance 1 between 32 tokens: H / ln 32 is .871, whatever d_k."""
    for heads in (4, 16):
        row = measure(BeginningOptions(heads=heads), "xavier", "on", 0)
        assert row["entropy"] == pytest.approx(0.871, abs=0.012)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_schemes_have_the_variance_they_say(scheme: str) -> None:
    torch.manual_seed(0)
    attention = HeadsAttention(256, 4)
    begin(attention, scheme)
    for linear in (attention.query, attention.key):
        assert float(linear.weight.detach().var()) == pytest.approx(variance(scheme, 256), rel=0.03)
        assert bool(linear.bias.any()) == (scheme == "linear")


def test_packed_is_what_pytorch_does() -> None:
    torch.manual_seed(0)
    theirs = torch.nn.MultiheadAttention(256, 4).in_proj_weight
    assert float(theirs.detach().var()) == pytest.approx(variance("packed", 256), rel=0.02)
    ours = HeadsAttention(256, 4)
    begin(ours, "packed")
    assert float(ours.query.weight.detach().abs().max()) == pytest.approx(float(theirs.detach().abs().max()), rel=1e-3)


def test_the_lab_measures_every_combination_once_a_seed() -> None:
    options = BeginningOptions(d_model=16, heads=2, tokens=4, seeds=2)
    steps = list(run(options))
    rows = [step.row for step in steps if step.row]
    assert [(row["scheme"], row["scaling"], row["seed"]) for row in rows] == [
        (scheme, scaling, seed) for seed in (0, 1) for scheme in SCHEMES for scaling in SCALINGS
    ]
    assert steps[-1].share == 1.0
    for row in rows:
        assert 0 <= row["entropy"] <= 1
        assert (row["map"] is None) == (row["seed"] > 0)
        for weights in row["map"] or []:
            assert math.isclose(sum(weights), 1, abs_tol=3e-3)


def test_the_scale_is_what_the_kernel_multiplies_with() -> None:
    attention, read = HeadsAttention(16, 2, scale=0.25), torch.randn(1, 3, 16)
    query, key = (part(read).unflatten(2, (2, 8)).transpose(1, 2) for part in (attention.query, attention.key))
    wanted = (query @ key.transpose(2, 3) * 0.25).softmax(-1)
    torch.testing.assert_close(attention(read)[1].weights, wanted)


def test_heads_that_do_not_divide_are_refused() -> None:
    with pytest.raises(InputError, match="3 heads do not divide"):
        next(run(BeginningOptions(heads=3)))
