"""The stable block: QK-norm and temperature written out, parameters counted, and that it trains where the plain one does not."""

from __future__ import annotations

import math

import pytest
import torch

from mha_viz.labs.lookups import cases
from mha_viz.labs.nets import HeadsAttention, n_parameters
from mha_viz.labs.plans_depth import StableOptions
from mha_viz.labs.stable import BlocksTraining, Setting, make_net, run

PLAIN, STABLE = Setting(False, False, False), Setting(True, True, True)


def test_qk_norm_and_temperature_are_what_their_formula_says() -> None:
    torch.manual_seed(2)
    attention = HeadsAttention(16, 2, qk_norm=True, temperature=True).double()
    assert attention.sharpness is not None
    with torch.no_grad():
        attention.sharpness.copy_(torch.tensor([0.0, 1.5]))
    read = torch.randn(2, 5, 16, dtype=torch.float64)
    query, key = (part(read).unflatten(2, (2, 8)).transpose(1, 2) for part in (attention.query, attention.key))
    cosine = torch.nn.functional.cosine_similarity(query[:, :, :, None], key[:, :, None], dim=-1)
    factors = torch.tensor([1.0, math.exp(1.5)], dtype=torch.float64)[:, None, None]
    wanted = (math.sqrt(8) * cosine * factors).softmax(-1)
    torch.testing.assert_close(attention(read)[1].weights, wanted, rtol=0, atol=1e-9)


def test_a_temperature_begins_without_effect_and_learns() -> None:
    torch.manual_seed(2)
    with_one, without = HeadsAttention(16, 2, temperature=True), HeadsAttention(16, 2)
    without.load_state_dict(with_one.state_dict(), strict=False)
    read = torch.randn(2, 5, 16)
    output, _ = with_one(read)
    torch.testing.assert_close(output, without(read)[0])
    output.square().sum().backward()
    assert with_one.sharpness is not None
    assert with_one.sharpness.grad is not None
    assert bool(with_one.sharpness.grad.abs().min() > 0)


def test_both_blocks_have_equally_many_parameters_up_to_the_last_norm_and_the_temperatures() -> None:
    counted = {
        setting: n_parameters(make_net(Setting(*setting), 6, 4, 0))
        for setting in ((False, False, False), (True, False, False), (False, True, False), (False, False, True))
    }
    plain = counted[PLAIN]
    # A layer: four matrices and biases, FFN 32-64-32, two LayerNorms; keys, slots, values and read-out of the look-ups.
    layer = 4 * (32 * 32 + 32) + (32 * 64 + 64) + (64 * 32 + 32) + 2 * 64
    assert plain == 6 * layer + 8 * 32 + 4 * 8 * 32 + 2 * 32 + 33 * 8
    assert counted[True, False, False] == plain + 64
    assert counted[False, True, False] == plain
    assert counted[False, False, True] == plain + 6 * 4


def test_the_answer_is_read_off_the_query_token_which_sees_the_tokens() -> None:
    net, given = make_net(STABLE, 2, 4, 0), cases("values", 3, torch.Generator().manual_seed(0))
    answers, attended = net(given)
    assert answers.shape == (3, 4, 2)
    assert attended.weights.shape == (3, 4, 1, 8)
    gradient = torch.autograd.grad(answers.sum(), list(net.values.parameters()))[0]
    assert bool(gradient.abs().max() > 0)


def test_without_warm_up_the_rate_is_whole_from_the_first_step_on() -> None:
    def rates(warmup: int) -> list[float]:
        net = make_net(PLAIN, 1, 4, 0)
        training = BlocksTraining(net, 0, 20, rate=0.01, warmup=warmup)
        optimizer = torch.optim.SGD(net.parameters(), lr=training.rate)
        schedule, found = training.schedule(optimizer), []
        for _ in range(5):
            found.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            schedule.step()
        return found

    assert rates(0) == [0.01] * 5
    assert rates(3) == pytest.approx([0.0025, 0.005, 0.0075, 0.01, 0.01])


def test_the_lab_trains_every_block_at_every_rate() -> None:
    options = StableOptions(temperature=("off",), rates=(0.001, 0.01), layers=1, steps=20)
    steps = list(run(options))
    rows = [step.row for step in steps if step.row]
    assert [(row["rate"], row["pre"], row["qk_norm"], row["temperature"]) for row in rows] == [
        (rate, pre, qk_norm, False) for rate in (0.001, 0.01) for pre in (True, False) for qk_norm in (True, False)
    ]
    assert all(row["at"] == [20] and len(row["losses"]) == 1 for row in rows)
    # The loss is the share that R^2 leaves, up to the variance of these cases.
    assert all(row["losses"][0] == pytest.approx(1 - row["score"], rel=0.1) for row in rows)
    assert any(step.live for step in steps)


def test_at_a_high_rate_a_deep_stable_block_trains_where_the_plain_one_stands_still() -> None:
    """Eight layers, a rate of 0.01, no warm-up: the plain block still guesses the mean."""
    found = {}
    for setting in (PLAIN, STABLE):
        training = BlocksTraining(make_net(setting, 8, 4, 0), 0, 60, rate=0.01, warmup=0)
        for _ in training.run():
            pass
        found[setting] = training.curve[-1]
    assert found[PLAIN] < 0.04
    assert found[STABLE] > 0.08
