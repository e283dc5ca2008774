"""Masks that hide nothing, or the wrong thing."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import torch

from mha_viz.errors import InputError
from mha_viz.labs.pitfalls import masks, masks_matrix, masks_shape, masks_small
from mha_viz.labs.pitfalls.masks import MasksOptions, try_it
from mha_viz.labs.pitfalls.masks_judged import hide, judge
from mha_viz.masks import Causal, LocalWindow, Padding

WAYS = {"compared": "false", "multiplied": "false", "added": "holds", "anded": "false"}


def rightly(scores, causal, padding):
    return hide(scores, causal & padding)


def not_at_all(scores, causal, padding):
    return scores.softmax(-1)


@pytest.mark.parametrize(("way", "outcome"), WAYS.items())
def test_a_matrix_of_ones_and_infinities_is_right_only_when_added(way, outcome):
    assert try_it(MasksOptions(claim=way)).outcome == outcome


@pytest.mark.parametrize("way", WAYS)
def test_the_other_code_would_flip_it(way, monkeypatch):
    before = try_it(MasksOptions(claim=way))
    other = not_at_all if before.outcome == "holds" else rightly
    monkeypatch.setattr(masks_matrix, way, other)
    after = try_it(MasksOptions(claim=way))
    assert {before.outcome, after.outcome} == {"holds", "false"}
    assert str(before.verdict) != str(after.verdict)


def test_nothing_hidden_leaves_what_even_weights_would():
    """Of even weights (n - 1) / 2n lie after the query, and the share of padding on padding."""
    n, pads = 9, torch.arange(9) >= 6
    visible = torch.ones(n, n, dtype=torch.bool).tril() & ~pads
    even = torch.zeros(n, n, dtype=torch.float64)
    tried = judge(lambda: even.softmax(-1), visible, hide(even, visible), pads)
    assert tried.verdict.values["future"] == pytest.approx((n - 1) / (2 * n))
    assert tried.verdict.values["pads"] == pytest.approx(3 / 9)


def test_tested_with_zero_the_weights_are_those_of_no_mask():
    trial = try_it(MasksOptions(claim="compared"))
    query, key, _ = masks_matrix._drawn()
    unit = torch.eye(masks_matrix.N_TOKENS, dtype=torch.float64)[None]
    ordinary = torch.nn.functional.scaled_dot_product_attention(query, key, unit)
    assert trial.found["told"] == pytest.approx(ordinary[0].numpy())


def test_all_rows_break_when_multiplied_and_the_error_is_told_when_anded():
    assert "9 of 9 rows" in str(try_it(MasksOptions(claim="multiplied")).verdict)
    with pytest.raises(NotImplementedError) as raised:
        _ = torch.ones(2) & torch.ones(2)
    assert str(raised.value).rstrip(".!") in str(try_it(MasksOptions(claim="anded")).verdict)


@pytest.mark.parametrize(("batch", "outcome"), [(1, "holds"), (2, "false"), (3, "false")])
def test_a_mask_without_heads_is_silent_only_where_batch_equals_heads(batch, outcome):
    trial = try_it(MasksOptions(claim="batch", batch=batch))
    assert trial.outcome == outcome
    assert (trial.found["told"] is None) == (batch == 3)


def test_the_wrong_head_is_told_with_its_weight():
    trial = try_it(MasksOptions(claim="batch", batch=2))
    told, pads = trial.found["told"], ~trial.found["visible"]
    assert f"{told[:, pads[0]].sum(-1).mean():.2f} of its weight" in str(trial.verdict)
    assert (trial.verdict.values["sample"], trial.verdict.values["head"]) == (1, 0)
    assert trial.found["right"] == pytest.approx(trial.answers[2].weights[0])


@pytest.mark.parametrize("batch", [2, 3])
def test_an_axis_for_the_heads_would_flip_it(batch, monkeypatch):
    before = str(try_it(MasksOptions(claim="batch", batch=batch)).verdict)
    monkeypatch.setattr(masks_shape, "without_heads", masks_shape.for_every_head)
    trial = try_it(MasksOptions(claim="batch", batch=batch))
    assert trial.outcome == "holds"
    assert str(trial.verdict) != before


def test_a_number_too_large_for_float16_raises_and_infinity_would_flip_it(monkeypatch):
    trial = try_it(MasksOptions(claim="half"))
    assert trial.outcome == "false"
    assert "-65,504" in str(trial.verdict)
    assert try_it(MasksOptions(claim="half", precision="bfloat16")).outcome == "holds"
    monkeypatch.setattr(masks_small, "filled_with_1e9", hide)
    flipped = try_it(MasksOptions(claim="half"))
    assert flipped.outcome == "holds"
    assert str(flipped.verdict) != str(trial.verdict)


@pytest.mark.parametrize(("size", "outcome"), [(1, "partly"), (10_000, "false")])
def test_a_small_number_leaves_a_row_without_a_key_unmasked(size, outcome, monkeypatch):
    trial = try_it(MasksOptions(claim="weak", size=size))
    assert trial.outcome == outcome
    assert trial.found["told"][masks_small.DEAD].sum() == pytest.approx(1)
    assert trial.found["right"][masks_small.DEAD].sum() == 0
    monkeypatch.setattr(masks_small, "added_1e4", masks_small.hidden_and_cleaned)
    flipped = try_it(MasksOptions(claim="weak", size=size))
    assert flipped.outcome == "holds"
    assert str(flipped.verdict) != str(trial.verdict)


def test_a_mask_on_another_device_raises_and_one_beside_the_scores_would_flip_it(monkeypatch):
    trial = try_it(MasksOptions(claim="device"))
    assert trial.outcome == "false"
    assert trial.found["place"] == ("cuda" if torch.cuda.is_available() else "meta")
    monkeypatch.setattr(masks_matrix, "made_anywhere", masks_matrix.made_beside)
    flipped = try_it(MasksOptions(claim="device"))
    assert flipped.outcome == "holds"
    assert str(flipped.verdict) != str(trial.verdict)


@pytest.mark.parametrize(("side", "pads", "rows"), [("right", 7, 5), ("left", 4, 4), ("right", 2, 0)])
def test_rows_of_a_compound_mask_that_have_no_key(side, pads, rows):
    trial = try_it(MasksOptions(claim="compound", side=side, pads=pads))
    assert trial.outcome == ("false" if rows else "holds")
    empty = ~trial.found["visible"].any(-1)
    assert empty.sum() == rows
    assert np.isnan(trial.found["told"]).any(-1).sum() == rows
    assert trial.found["least"][empty] == pytest.approx(1 / 12)
    assert not trial.found["right"][empty].any()
    assert not trial.verdict.values["words"]


def test_the_compound_mask_is_the_one_of_three_kinds():
    tokens = masks_shape.padded("right", 7)
    joined = Causal() & LocalWindow(masks_shape.RADIUS) & Padding(7)
    np.testing.assert_array_equal(masks_shape.compound(tokens), joined.visible(tokens))


@pytest.mark.parametrize("case", [case for case in masks.CASES if case.claim == "compound"])
def test_rows_set_to_zero_would_flip_it(case, monkeypatch):
    before = str(try_it(case).verdict)
    added = masks_shape.three_matrices

    def cleaned(scores, tokens):
        return added(scores, tokens).nan_to_num()

    monkeypatch.setattr(masks_shape, "three_matrices", cleaned)
    trial = try_it(case)
    assert trial.outcome == "holds"
    assert str(trial.verdict) != before


@pytest.mark.parametrize("given", [{"batch": 0}, {"precision": "float8"}, {"side": "top"}, {"size": math.inf}])
def test_what_there_is_not_gets_a_sentence(given):
    with pytest.raises(InputError):
        MasksOptions(**given)


def test_three_agree_and_what_is_told_can_be_kept_as_json():
    for case in masks.CASES:
        trial = try_it(case)
        numpy, kernel, pytorch = trial.answers
        assert json.loads(json.dumps(trial.verdict.values, allow_nan=False)) == trial.verdict.values
        assert kernel.weights == pytest.approx(numpy.weights, abs=1e-12)
        assert pytorch.weights == pytest.approx(numpy.weights, abs=1e-12)
