"""A query without a key, through calls of PyTorch and transformers."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from mha_viz.labs.pitfalls import no_key, no_key_calls
from mha_viz.labs.pitfalls.no_key import NoKeyOptions, try_it
from mha_viz.labs.pitfalls.no_key_calls import CALLS, DEAD, OURS, Called, Drawn, Row, call, kind_of
from mha_viz.models.huggingface import small
from tests.refs import without_a_key

THEIRS = without_a_key()
_MODULE, _LAYER = "nn.MultiheadAttention eval need_weights=", "nn.TransformerEncoderLayer "
_SDPA, _PADDED = "F.scaled_dot_product_attention ", "nn.MultiheadAttention key_padding all True need_weights="
_DEAD_ROW = "y row2 with dead src_mask row"
#: Our call, the entry of the reference and which of its rows, and what it came to.
CASES = [
    ("fill inf", "softmax(masked_fill -inf) fp32", "row2", "nan"),
    ("fill 1e9", "softmax(masked_fill -1e9) fp32", "row2", "uniform"),
    ("fill least", "softmax(masked_fill finfo.min) fp32", "row2", "uniform"),
    ("fill 1e9_half", "softmax(masked_fill -1e9) fp16", "message", "raised"),
    ("fill 1e9_brain", "softmax(masked_fill -1e9) bf16", "row2", "uniform"),
    ("fill 1e4_half", "softmax(masked_fill -1e4) fp16", "row2", "uniform"),
    ("fill least_half", "softmax(masked_fill finfo.min) fp16", "row2", "uniform"),
    ("add 1e9", "scores + (-1e9) additive fp32 (scores kept? no: lost to rounding)", "row2", "uniform"),
    ("add 1e4", "scores + (-1e4) additive fp32 (scores survive: ordinary softmax!)", "row2", "unmasked"),
    ("add least_twice", "scores + finfo.min + finfo.min (two masks added) fp32", "row2", "nan"),
    ("sdpa bool", _SDPA + "bool mask", "out row2", "zeros"),
    ("sdpa inf", _SDPA + "float -inf mask", "out row2", "zeros"),
    ("sdpa least", _SDPA + "float finfo.min mask", "out row2", "uniform"),
    ("sdpa math", _SDPA + "bool mask, backend MATH (cpu)", "out row2", "zeros"),
    ("sdpa flash", _SDPA + "bool mask, backend FLASH_ATTENTION (cpu)", "out row2", "zeros"),
    ("module weights_grad", _MODULE + "True grad=True", "weights row2", "nan"),
    ("module weights", _MODULE + "True grad=False", "weights row2", "nan"),
    ("module grad", _MODULE + "False grad=True", "y row2", "zeros"),
    ("module plain", _MODULE + "False grad=False", "y row2", "nan"),
    ("module padding_weights", _PADDED + "True", "weights row0", "nan"),
    ("module padding", _PADDED + "False", "y row0", "zeros"),
    ("layer train", _LAYER + "train", _DEAD_ROW, "zeros"),
    ("layer eval", _LAYER + "eval", _DEAD_ROW, "nan"),
    ("layer train_padding", _LAYER + "train", "y row0", "zeros"),
    ("layer eval_padding", _LAYER + "eval", "y row0", "nan"),
]
DRAWN = Drawn()


def called(name):
    (one,) = [one for one in (*CALLS, *OURS) if f"{one[0]} {one[1]}" == name]
    return call(*one, DRAWN)


@pytest.mark.parametrize(("name", "entry", "part", "kind"), CASES, ids=[case[0] for case in CASES])
def test_every_call_gives_the_numbers_of_the_reference_and_is_told_apart_by_them(name, entry, part, kind):
    one, theirs = called(name), THEIRS[entry][part]
    assert one.kind == kind
    if kind == "raised":
        assert one.error == theirs
    elif theirs == "nan":
        assert np.isnan(one.row).any()
    else:
        assert one.row[: len(theirs)] == pytest.approx(theirs, abs=2e-6)


def test_no_call_is_left_out():
    assert [f"{group} {name}" for group, name, _ in CALLS] == [case[0] for case in CASES]
    entries = {case[1] for case in CASES}
    rest = [entry for entry in THEIRS if entry not in entries]
    assert [entry for entry in rest if "gradients" not in entry and "BERT" not in entry] == ["dtype limits"]
    assert len(THEIRS) == 29


def test_other_rows_and_limits_are_those_of_the_reference():
    assert DRAWN.scores.softmax(-1)[1].tolist() == pytest.approx(THEIRS[CASES[0][1]]["row1"], abs=1e-6)
    kept = THEIRS["scores + (-1e4) additive fp32 (scores survive: ordinary softmax!)"]["softmax(scores) row2"]
    assert DRAWN.scores.softmax(-1)[DEAD].tolist() == pytest.approx(kept, abs=1e-6)
    mean = THEIRS[_SDPA + "float finfo.min mask"]["mean of v"]
    assert DRAWN.value[0, 0].mean(0)[:6].tolist() == pytest.approx(mean, abs=1e-6)
    limits = THEIRS["dtype limits"]
    assert torch.finfo(torch.float16).min == limits["finfo fp16 min"]
    assert torch.finfo(torch.bfloat16).min == limits["finfo bf16 min"]
    assert math.exp(-1e4) == limits["exp(-1e4) fp32"]


def test_gradients_are_those_of_the_reference():
    query, key, value = no_key.gradients(no_key.fused, DRAWN)
    theirs = THEIRS["SDPA bool mask: gradients when the dead row is not in the loss"]
    assert query[0, 0, 0, :6].tolist() == pytest.approx(theirs["grad q"], abs=2e-6)
    assert not theirs["nan in dk"]
    assert not key.isnan().any()
    assert not theirs["nan in dv"]
    assert not value.isnan().any()
    entries = {
        "softmax_alone": "softmax(-inf): gradients when the dead row is not in the loss",
        "cleaned": "nan_to_num AFTER softmax: forward is clean, gradients?",
    }
    broken = try_it(NoKeyOptions(claim="loss")).found["broken"]
    for way, entry in entries.items():
        assert [n > 0 for n in broken[way]] == [THEIRS[entry][f"nan in {name}"] for name in ("dq", "dk", "dv")]


def test_bert_answers_as_in_the_reference():
    eager = THEIRS["transformers BERT eager, attention_mask all zero for one sample"]
    assert eager["attention of the fully masked sample, layer 0 head 0 row 0"] == [1 / small.N_UNSEEN] * 5
    trial = try_it(NoKeyOptions(claim="bert"))
    assert trial.outcome == "false"
    assert [(one.name, one.kind) for one in trial.found["called"]] == [("eager", "uniform"), ("sdpa", "zeros")]


def test_one_implementation_would_flip_it(monkeypatch):
    before = str(try_it(NoKeyOptions(claim="bert")).verdict)
    monkeypatch.setattr(no_key, "IMPLEMENTATIONS", ("sdpa", "sdpa"))
    trial = try_it(NoKeyOptions(claim="bert"))
    assert trial.outcome == "holds"
    assert str(trial.verdict) != before


@pytest.mark.parametrize(
    ("numbers", "kind"),
    [
        ([math.nan, 1.0], "nan"),
        ([0.0, 0.0], "zeros"),
        ([0.5, 0.5], "uniform"),
        ([0.9, 0.1], "unmasked"),
        ([0.7, 0.3], "other"),
    ],
)
def test_a_row_is_told_apart_by_its_numbers(numbers, kind):
    kinds = {"zeros": torch.zeros(2), "uniform": torch.tensor([0.5, 0.5]), "unmasked": torch.tensor([0.9, 0.1])}
    assert kind_of(Row(torch.tensor(numbers), kinds)) == kind


@pytest.mark.parametrize("claim", ["zeros", "same"])
def test_calls_that_all_give_zeros_would_flip_it(claim, monkeypatch):
    trial = try_it(NoKeyOptions(claim=claim))
    assert trial.outcome == {"zeros": "partly", "same": "false"}[claim]
    assert trial.verdict.values["total"] == len(CALLS)
    assert [one.kind for one in trial.found["ours"]] == ["nan", "zeros", "zeros"]
    monkeypatch.setattr(no_key, "CALLS", [one for one in CALLS if called(f"{one[0]} {one[1]}").kind == "zeros"])
    flipped = try_it(NoKeyOptions(claim=claim))
    assert flipped.outcome == "holds"
    assert str(flipped.verdict) != str(trial.verdict)


def test_calls_of_which_none_gives_zeros_are_told(monkeypatch):
    monkeypatch.setattr(no_key, "CALLS", CALLS[:3])
    assert try_it(NoKeyOptions()).outcome == "false"


def test_left_out_of_the_loss_the_row_still_harms_and_a_clean_row_would_flip_it(monkeypatch):
    trial = try_it(NoKeyOptions(claim="loss"))
    assert trial.outcome == "false"
    assert trial.found["broken"] == {way: [0, 0, 64 if way == "softmax_alone" else 0] for way in no_key.WAYS}
    monkeypatch.setattr(no_key, "softmax_alone", no_key.dead_rows_zero)
    flipped = try_it(NoKeyOptions(claim="loss"))
    assert flipped.outcome == "holds"
    assert str(flipped.verdict) != str(trial.verdict)


def test_the_kernel_gives_zeros_and_all_ways_agree_elsewhere():
    assert called("kernel bool") == Called("kernel", "bool", "zeros", (0.0,) * no_key_calls.N_TOKENS)
    given = (DRAWN.query, DRAWN.key, DRAWN.value, DRAWN.visible)
    rows = [row for row in range(no_key_calls.N_TOKENS) if row != DEAD]
    for way in no_key.WAYS:
        torch.testing.assert_close(getattr(no_key, way)(*given)[:, :, rows], no_key.fused(*given)[:, :, rows])
    for answer in try_it(NoKeyOptions()).answers:
        assert not answer.weights[:, DEAD].any()
