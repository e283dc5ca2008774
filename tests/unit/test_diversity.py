"""What is said of a regulariser, on rows whose answer is known."""

from __future__ import annotations

from typing import Any

import pytest

from mha_viz.labs.diversity import best_of_none, effects, tally


def row(kind: str, strength: float, seed: int, score: float, maps: float, outputs: float = 0.5) -> dict[str, Any]:
    found = {"kind": kind, "strength": strength, "seed": seed, "score": score}
    return found | {"map_diversity": maps, "output_diversity": outputs}


def of_seeds(kind: str, strength: float, scores: list[float], maps: list[float]) -> list[dict[str, Any]]:
    pairs = enumerate(zip(scores, maps, strict=True))
    return [row(kind, strength, seed, score, apart) for seed, (score, apart) in pairs]


NONE = of_seeds("none", 0.0, [0.80, 0.60, 0.70], [0.30, 0.32, 0.31])
#: Better by .1 for every seed, though the seeds differ by more; and farther apart.
GOOD = of_seeds("maps", 0.1, [0.90, 0.70, 0.80], [0.50, 0.52, 0.51])
#: Worse, and farther apart.
BAD = of_seeds("maps", 1.0, [0.50, 0.30, 0.40], [0.60, 0.62, 0.61])
#: Up and down, and no farther apart.
NOTHING = of_seeds("outputs", 0.1, [0.90, 0.50, 0.72], [0.30, 0.32, 0.31])


def test_effects_are_differences_seed_by_seed() -> None:
    found = effects([*NONE, *GOOD, *NOTHING])
    assert [(one.kind, one.strength) for one in found] == [("maps", 0.1), ("outputs", 0.1)]
    assert found[0].score.mean == pytest.approx(0.1)
    assert found[0].score.half == pytest.approx(0.0, abs=1e-9)
    assert found[0].maps.mean == pytest.approx(0.2)
    assert found[0].outputs.mean == 0.0
    assert found[1].score.mean == pytest.approx(0.02 / 3)


def test_only_regularisers_that_move_the_heads_apart_are_counted() -> None:
    counts = tally(effects([*NONE, *GOOD, *BAD, *NOTHING]), "map")
    assert counts == (3, 2, 1, 1, True)
    assert tally(effects([*NONE, *GOOD, *BAD, *NOTHING]), "output").diverse == 0


def test_one_seed_tells_nothing_of_noise() -> None:
    counts = tally(effects([NONE[0], GOOD[0]]), "map")
    assert not counts.known
    assert counts.better == 0


def test_without_none_there_is_nothing_to_compare_with() -> None:
    assert effects(GOOD) == []
    assert effects([NONE[0], GOOD[1]]) == []


def test_the_score_of_none_is_its_mean() -> None:
    assert best_of_none([*NONE, *GOOD]) == pytest.approx(0.7)
