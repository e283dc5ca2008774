"""Regularisers of heads: cases by hand, gradients, what strength 0 does; distances against scipy; a small run."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.spatial.distance import jensenshannon

from mha_viz.analysis.cka import likeness
from mha_viz.analysis.sentences import SENTENCES
from mha_viz.attention import Attended
from mha_viz.labs import alike
from mha_viz.labs.alike import PENALTIES, Regularised
from mha_viz.labs.lookups import Training, cases, make_net
from mha_viz.labs.plans import REGULARISERS, AlikeOptions
from mha_viz.labs.results import Row


def reading(*rows: list[float]) -> Attended:
    """One query; each head's weights, and outputs of one number."""
    weights = torch.tensor(rows)[None, :, None]
    return Attended(torch.ones(1, len(rows), 1, 1), weights)


def writing(*vectors: list[float]) -> Attended:
    """One query; what each head writes."""
    written = torch.tensor(vectors)[None, :, None]
    return Attended(written, torch.ones(1, len(vectors), 1, 1))


def rows_of(options: AlikeOptions) -> list[Row]:
    torch.set_num_threads(1)
    return [step.row for step in alike.run(options) if step.row is not None]


def test_the_penalties_are_those_that_can_be_chosen() -> None:
    assert tuple(PENALTIES) == REGULARISERS


@pytest.mark.parametrize(
    ("kind", "attended", "penalty"),
    [
        ("positions", reading([0.0, 1.0, 0.0], [0.0, 1.0, 0.0]), 1.0),
        ("positions", reading([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), 0.0),
        ("positions", reading([0.25] * 4, [0.25] * 4), 0.25),  # even rows: the way out
        ("positions", reading([0.5, 0.5], [0.8, 0.2]), 0.5 * 0.8 + 0.5 * 0.2),
        ("maps", reading([0.25] * 4, [0.25] * 4), 1.0),
        ("maps", reading([0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]), 0.0),
        ("maps", reading([1.0, 0.0], [0.5, 0.5]), 1 / math.sqrt(2)),
        ("maps", reading([1.0, 0.0], [1.0, 0.0], [0.0, 1.0]), 1 / 3),  # one pair of three
        ("outputs", writing([1.0, 2.0], [3.0, 6.0]), 1.0),
        ("outputs", writing([1.0, 2.0], [-1.0, -2.0]), 1.0),  # opposite is no escape
        ("outputs", writing([1.0, 2.0], [2.0, -1.0]), 0.0),
        ("outputs", writing([1.0, 0.0], [1.0, 1.0]), 0.5),
    ],
)
def test_penalties_worked_by_hand(kind: str, attended: Attended, penalty: float) -> None:
    assert float(PENALTIES[kind](attended)) == pytest.approx(penalty, abs=1e-6)


@pytest.mark.parametrize("kind", REGULARISERS)
def test_a_penalty_is_the_mean_over_cases_and_queries(kind: str) -> None:
    made = torch.randn(2, 3, 4, 5, generator=torch.Generator().manual_seed(0))
    both = Attended(made, made.softmax(dim=-1))
    parts = [
        Attended(made[i : i + 1, :, j : j + 1], both.weights[i : i + 1, :, j : j + 1]) for i, j in np.ndindex(2, 4)
    ]
    expected = np.mean([float(PENALTIES[kind](part)) for part in parts])
    assert float(PENALTIES[kind](both)) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("kind", REGULARISERS)
def test_gradients_flow_into_queries_and_keys_of_every_head(kind: str) -> None:
    net = make_net("values", 4, seed=0)
    attended = net(cases("values", 32, torch.Generator().manual_seed(0)))[1]
    torch.autograd.backward(PENALTIES[kind](attended))
    for layer in (net.attention.query, net.attention.key):
        assert layer.weight.grad is not None
        per_head = layer.weight.grad.unflatten(0, (4, -1)).abs().sum(dim=(1, 2))
        assert (per_head > 0).all()
    assert (net.attention.value.weight.grad is not None) == (kind == "outputs")
    assert net.attention.out.weight.grad is None


@pytest.mark.parametrize("kind", REGULARISERS)
def test_strength_0_is_none_exactly(kind: str) -> None:
    trained = [
        Training(make_net("values", 2, 3), 3, 20),
        Regularised(make_net("values", 2, 3), 3, 20, "none", 0.0),
        Regularised(make_net("values", 2, 3), 3, 20, kind, 0.0),
    ]
    for one in trained:
        list(one.run())
    plain, *others = (torch.cat([part.flatten() for part in one.net.parameters()]) for one in trained)
    assert all(torch.equal(plain, other) for other in others)


def test_a_strong_regulariser_does_move_heads_apart() -> None:
    plain, pressed = rows_of(AlikeOptions(heads=(4,), kinds=("maps",), strengths=(10.0,), steps=60))
    assert pressed["penalties"]["maps"] < 0.7 * plain["penalties"]["maps"]
    assert pressed["map_diversity"] > plain["map_diversity"]


def test_the_penalty_on_outputs_can_be_escaped_by_turning_where_cka_cannot() -> None:
    """Two heads that write the same; one is turned by 90 degrees, as W_V can be if W_O is turned back."""
    written = torch.randn(64, 1, 2, generator=torch.Generator().manual_seed(1))
    turned = written @ torch.tensor([[0.0, 1.0], [-1.0, 0.0]])
    for other, penalty in ((written, 1.0), (turned, 0.0)):
        both = torch.stack([written, other], dim=1)
        assert float(alike.outputs(Attended(both, torch.ones(64, 2, 1, 1)))) == pytest.approx(penalty, abs=1e-6)
        heads = both[:, :, 0].transpose(0, 1).numpy()
        assert likeness(heads)[0, 1] == pytest.approx(1.0, abs=1e-5)


def test_distances_of_a_net_are_scipys_and_the_formula() -> None:
    training = Regularised(make_net("values", 4, 0), 0, 20, "none", 0.0)
    apart, attended = training.apart(), training.attended()
    rows = attended.weights[:, :, 0].double().numpy()
    js = jensenshannon(rows[:, 0], rows[:, 2], axis=1) ** 2  # scipy gives the root
    assert apart.maps[0, 2] == pytest.approx(math.sqrt(js.mean()), rel=1e-3)
    assert apart.maps.max() <= math.sqrt(math.log(2))
    x, y = (attended.head_output[:1024, head, 0].double().numpy() for head in (1, 3))
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    cka = np.linalg.norm(x.T @ y) ** 2 / (np.linalg.norm(x.T @ x) * np.linalg.norm(y.T @ y))
    assert apart.outputs[1, 3] == pytest.approx(1 - cka, abs=1e-4)


def test_a_small_run_has_a_row_for_each_setting_and_heads_of_the_first_seed() -> None:
    rows = rows_of(AlikeOptions(heads=(2, 4), kinds=("maps",), strengths=(0.1,), seeds=2, steps=20))
    assert [(row["heads"], row["kind"]) for row in rows] == 2 * [(2, "none"), (2, "maps"), (4, "none"), (4, "maps")]
    for row in rows:
        assert ("by_map" in row) == (row["seed"] == 0)
        if row["seed"] == 0:
            n = row["heads"]
            assert len(row["by_map"]) == len(row["by_output"]) == n * (n - 1) // 2
            assert len(row["map_clusters"]) == len(row["output_clusters"]) == len(row["slots"]) == n
            assert np.mean(row["by_map"]) == pytest.approx(row["map_diversity"], abs=0.01)


def test_equal_options_give_equal_rows() -> None:
    options = AlikeOptions(heads=(2,), kinds=("positions",), strengths=(1.0,), steps=20)
    first, second = ([row | {"seconds": 0} for row in rows_of(options)] for _ in range(2))
    assert first == second


def test_minilm_is_compared_over_sentences_together_and_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alike, "SENTENCES", SENTENCES[:3])
    (row,) = rows_of(AlikeOptions(nets=("minilm",)))
    assert (row["layers"], row["heads"], row["sentences"], len(row["alone"])) == (6, 12, 3, 3)
    assert len(row["by_map"]) == 72 * 71 // 2
    assert len(row["map_clusters"]) == 72
    # Fewer tokens than numbers of a head make all outputs look alike: together they tell more than one alone.
    assert row["agreement"] > max(row["alone"])
