"""Mean weights as importance; and what is unpacked from an answer without weights."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from mha_viz.analysis.work import finished
from mha_viz.labs.importance import gradient_importance
from mha_viz.labs.losses import even_sample
from mha_viz.labs.pitfalls import mean
from mha_viz.labs.pitfalls.bag import Classifier
from mha_viz.labs.pitfalls.mean import MeanOptions, try_it
from mha_viz.models import open_model


def test_every_head_of_minilm_gets_one_over_the_number_of_tokens():
    trial = try_it(MeanOptions())
    assert trial.outcome == "false"
    assert np.shape(trial.found["means"]) == (6, 12)
    np.testing.assert_allclose(trial.found["means"], 1 / trial.found["keys"], atol=1e-7)
    assert f"1/{trial.found['keys']}" in str(trial.verdict)
    assert np.ptp(trial.found["slopes"]) > 10 * np.median(trial.found["slopes"])


def test_fewer_words_change_the_number_and_nothing_else():
    trial = try_it(MeanOptions(tried="toy", words=4))
    np.testing.assert_allclose(trial.found["means"], 1 / 4, atol=1e-7)
    assert trial.outcome == "false"


def test_a_mean_of_the_largest_weights_would_flip_it(monkeypatch):
    """That one is confidence (Voita et al. 2019), which does differ."""
    before = str(try_it(MeanOptions(tried="toy")).verdict)

    def confidence(weights):
        return weights.amax(-1).mean(dim=(0, 2))

    monkeypatch.setattr(mean, "mean_weight", confidence)
    trial = try_it(MeanOptions(tried="toy"))
    assert trial.outcome == "holds"
    assert str(trial.verdict) != before


def test_the_slopes_are_those_of_the_lab_on_importance():
    model = open_model("toy", device="cpu")
    sample = even_sample(model, model.tokenize("one two three two"))
    theirs = finished(gradient_importance(model, [sample]))
    np.testing.assert_allclose(mean.slope_in_gate(model, sample).numpy(), theirs.values, rtol=1e-5)


def test_two_texts_are_unpacked_without_a_word_and_other_numbers_are_errors():
    trial = try_it(MeanOptions(tried="unpack"))
    assert trial.outcome == "false"
    assert trial.found["unpacked"] == trial.found["logits"][1]
    assert "1, 3, 4" in str(trial.verdict)
    three = try_it(MeanOptions(tried="unpack", batch=3))
    assert three.outcome == "false"
    assert "too many values to unpack" in str(three.verdict)


def test_a_classifier_that_hands_weights_back_would_flip_it(monkeypatch):
    class Open(Classifier):
        def forward(self, ids, need_weights=True):
            return super().forward(ids, need_weights=True)

    monkeypatch.setattr(mean, "Classifier", Open)
    trial = try_it(MeanOptions(tried="unpack", batch=3))
    assert trial.outcome == "holds"
    assert "(3, 4, 6, 6)" in str(trial.verdict)


@pytest.mark.parametrize("batch", [1, 2, 3])
def test_what_is_asked_for_are_weights(batch):
    ids = torch.randint(1, 40, (batch, 5))
    weights = mean.asked_for(Classifier(), ids)
    assert weights.shape == (batch, 4, 5, 5)
    torch.testing.assert_close(weights.sum(-1), torch.ones(batch, 4, 5, dtype=torch.float64))
