"""Tests and comparisons that tell nothing."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from mha_viz.errors import InputError
from mha_viz.labs.pitfalls import checks, checks_bag, checks_bert
from mha_viz.labs.pitfalls.bag import Classifier, text_of
from mha_viz.labs.pitfalls.checks import ChecksOptions, try_it
from mha_viz.models.huggingface.small import small_bert


def flipped(tried, module, name, instead, monkeypatch):
    """The trial with a function replaced; its outcome and its sentence must both have changed."""
    before = try_it(ChecksOptions(tried=tried))
    monkeypatch.setattr(module, name, instead)
    after = try_it(ChecksOptions(tried=tried))
    assert before.outcome == "false"
    assert after.outcome == "holds"
    assert str(before.verdict) != str(after.verdict)
    return after


def test_a_check_of_shapes_passes_what_is_no_attention_and_fails_what_is():
    trial = try_it(ChecksOptions())
    assert [(name, told, meets) for name, told, meets, _ in trial.found["modules"]] == [
        ("Identity", True, False),
        ("Linear", True, False),
        ("Attention", False, True),
    ]
    assert "3 of 3 verdicts are wrong" in str(trial.verdict)


def test_a_check_that_knows_attention_would_flip_it(monkeypatch):
    def sound(module, d_model):
        return isinstance(module, torch.nn.MultiheadAttention)

    flipped("shapes", checks, "shapes_agree", sound, monkeypatch)


def test_the_order_of_words_is_nothing_to_a_net_without_positions(monkeypatch):
    trial = try_it(ChecksOptions(tried="order"))
    assert np.ptp(trial.found["told"]) < 1e-14
    assert np.ptp(trial.found["right"]) > 1e-3
    flipped("order", checks_bag, "classify", checks_bag.with_positions, monkeypatch)


def test_padding_moves_a_net_without_a_mask(monkeypatch):
    trial = try_it(ChecksOptions(tried="padding"))
    assert np.ptp(trial.found["right"]) < 1e-14
    assert abs(trial.found["told"][-1] - trial.found["told"][0]) > 1e-3
    flipped("padding", checks_bag, "classify", checks_bag.with_mask, monkeypatch)


def test_the_masked_net_is_torchs_module_with_key_padding_mask():
    net, text = Classifier(), text_of(5)
    ids = torch.cat([text, torch.zeros(1, 3, dtype=text.dtype)], dim=1)
    theirs = torch.nn.MultiheadAttention(32, 4, batch_first=True, dtype=torch.float64)
    ours = net.attention
    parts = (ours.query, ours.key, ours.value)
    theirs.in_proj_weight.data = torch.cat([part.weight for part in parts])
    theirs.in_proj_bias.data = torch.cat([part.bias for part in parts])
    theirs.out_proj.load_state_dict(ours.out.state_dict())
    x = net.embedding(ids)
    output, _ = theirs(x, x, x, key_padding_mask=ids == 0)
    torch.testing.assert_close(checks_bag.with_mask(net, ids), net.answer(output[:, :5].mean(dim=1)))


@pytest.mark.parametrize(("d_model", "heads", "one", "several"), [(128, 8, 49_536, 66_048), (2, 2, 18, 24)])
def test_parameters_are_three_matrices_against_four(d_model, heads, one, several):
    trial = try_it(ChecksOptions(tried="parameters", d_model=d_model, heads=heads))
    assert trial.found["counts"] == [one, several, several]
    assert f"{one:,}" in str(trial.verdict)
    theirs = torch.nn.MultiheadAttention(d_model, heads)
    assert sum(parameter.numel() for parameter in theirs.parameters()) == several


def test_one_head_with_its_output_matrix_would_flip_it(monkeypatch):
    def whole(d_model):
        return checks.heads_of_one_kind(d_model, 1)[0]

    flipped("parameters", checks, "one_head", whole, monkeypatch)


def test_heads_that_do_not_divide_get_a_sentence():
    with pytest.raises(InputError, match="128"):
        try_it(ChecksOptions(tried="parameters", heads=3))


def test_head_mask_does_nothing_and_a_hook_does(monkeypatch):
    trial = try_it(ChecksOptions(tried="head_mask", off=2))
    assert trial.found["told"] == [0.0] * 5
    assert trial.found["right"][0] < 1e-6 < min(trial.found["right"][1:])
    flipped("head_mask", checks_bert, "by_argument", checks_bert.before_output_matrix, monkeypatch)


def test_a_silenced_head_is_one_whose_columns_of_the_output_matrix_are_zero():
    bert, ids = small_bert("eager"), checks_bert.ids_of(6)
    with torch.inference_mode():
        hooked = checks_bert.before_output_matrix(bert, ids, [1])
        bert.encoder.layer[0].attention.output.dense.weight.data[:, 8:16] = 0
        torch.testing.assert_close(hooked, bert(ids).last_hidden_state)


def test_sdpa_gives_no_maps_and_eager_all(monkeypatch):
    trial = try_it(ChecksOptions(tried="maps", words=5))
    assert trial.found["told"] is None
    assert trial.found["right"].shape == (5, 5)
    np.testing.assert_allclose(trial.found["right"].sum(-1), 1, atol=1e-6)
    after = flipped("maps", checks_bert, "maps_by_default", checks_bert.maps_by_eager, monkeypatch)
    np.testing.assert_array_equal(after.found["told"], after.found["right"])


def test_both_implementations_of_the_small_bert_are_one_function():
    ids = checks_bert.ids_of(6)
    with torch.inference_mode():
        eager, sdpa = (small_bert(name, seed=3)(ids).last_hidden_state for name in ("eager", "sdpa"))
    torch.testing.assert_close(eager, sdpa, atol=1e-5, rtol=1e-4)
