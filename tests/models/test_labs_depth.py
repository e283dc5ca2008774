"""Heads one after another: the stack against one written out, equal parameters, and the lab."""

from __future__ import annotations

import pytest
import torch

from mha_viz.errors import InputError
from mha_viz.labs.depth import make_stack, run, slot_weights
from mha_viz.labs.lookups import cases
from mha_viz.labs.nets import n_parameters
from mha_viz.labs.plans import TASKS, DepthOptions


@pytest.mark.parametrize("task", TASKS)
def test_every_arrangement_has_exactly_as_many_parameters(task: str) -> None:
    counted = {
        (n_heads, n_layers): n_parameters(make_stack(task, n_heads, n_layers, 0))
        for n_heads in (1, 2, 4, 8, 16, 32)
        for n_layers in (1, 2, 4, 8, 16, 32)
        if n_heads % n_layers == 0
    }
    assert len(counted) == 21
    # Keys, slots, values and the read-out, and four matrices of 32 x 32 in all layers together.
    apart = {"values": 2 * 32 + 33 * 8, "classes": 8 * 32 + 33 * 64 + 65 * 32}[task]
    assert set(counted.values()) == {8 * 32 + 4 * 8 * 32 + apart + 4 * 32 * 32}


def test_a_stack_is_what_its_formula_says() -> None:
    """One head a layer, written out: x + W_O (softmax(q K / sqrt(d_k)) V), q from the normalised x."""
    net = make_stack("values", 4, 4, 0)
    given = cases("values", 6, torch.Generator().manual_seed(1))
    made = net.state_dict()
    with torch.no_grad():
        tokens = made["keys"] + given.values @ made["values.weight"].T
        vector = torch.stack([made["slots"][slot, given.asked[:, slot]] for slot in range(4)]).sum(0)
        weights = []
        for number in range(4):
            w_q, w_k, w_v, w_o = (made[f"layers.{number}.{name}.weight"] for name in ("query", "key", "value", "out"))
            calm = (vector - vector.mean(-1, keepdim=True)) / (
                vector.var(-1, unbiased=False, keepdim=True) + 1e-5
            ).sqrt()
            scores = torch.einsum("bd,btd->bt", calm @ w_q.T, tokens @ w_k.T) / 8**0.5
            weights.append(scores.softmax(-1))
            vector = vector + torch.einsum("bt,btd->bd", weights[-1], tokens @ w_v.T) @ w_o.T
        wanted = (vector @ made["answer.weight"].T + made["answer.bias"]).view(6, 4, 2)
        answers, last = net(given)
    torch.testing.assert_close(answers, wanted, rtol=0, atol=1e-5)
    torch.testing.assert_close(last.weights[:, 0, 0], weights[-1], rtol=0, atol=1e-6)
    looked = torch.stack([one.gather(1, given.asked).mean(0) for one in weights])
    torch.testing.assert_close(torch.tensor(slot_weights(net, given)), looked, rtol=0, atol=6e-4)


def test_equal_seeds_make_equal_nets() -> None:
    one, same, other = (make_stack("values", 4, 2, seed).state_dict() for seed in (5, 5, 6))
    assert all(torch.equal(one[name], same[name]) for name in one)
    assert not all(torch.equal(one[name], other[name]) for name in one)


def test_the_lab_trains_every_arrangement_at_every_rate() -> None:
    rows = [
        step.row for step in run(DepthOptions(heads=(2, 4), layers=(1, 4), faster=(1.0, 3.0), steps=20)) if step.row
    ]
    assert [(row["faster"], row["heads"], row["layers"]) for row in rows] == [
        (1.0, 2, 1), (1.0, 4, 1), (1.0, 4, 4), (3.0, 2, 1), (3.0, 4, 1), (3.0, 4, 4),
    ]  # fmt: skip
    assert {row["parameters"] for row in rows} == {5_704}
    assert [row["best"] for row in rows[:3]] == [0.5, 1.0, 1.0]
    assert all(len(row["slots"]) == row["heads"] and row["at"] == [20] for row in rows)
    assert rows[1]["score"] != rows[4]["score"]  # the rate acts


def test_two_single_heads_in_a_row_pass_what_one_can_reach() -> None:
    """One head explains a quarter of the values at best; a second one behind it fetches another."""
    rows = [step.row for step in run(DepthOptions(heads=(2,), layers=(2,), steps=150)) if step.row]
    assert rows[0]["score"] > 0.35


def test_what_cannot_be_arranged_is_refused() -> None:
    with pytest.raises(InputError, match="cannot stand evenly"):
        next(run(DepthOptions(heads=(2,), layers=(4,))))
    with pytest.raises(InputError, match="3 heads do not divide"):
        next(run(DepthOptions(heads=(3,))))
