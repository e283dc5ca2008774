"""Two ways to train compared seed by seed, and the sizes of what heads share, by hand."""

from __future__ import annotations

import pytest
from scipy import stats

from mha_viz.labs.pairs import difference, verdict
from mha_viz.labs.results import Row
from mha_viz.labs.savings import Sharing, attention_parameters, cache_bytes


def rows(**scores: list[float]) -> list[Row]:
    return [{"way": way, "seed": n, "score": score} for way, found in scores.items() for n, score in enumerate(found)]


def test_differences_are_taken_seed_by_seed() -> None:
    found = difference(rows(a=[0.5, 0.7, 0.9], b=[0.4, 0.5, 0.8]), {"way": "a"}, {"way": "b"})
    assert found is not None
    assert found.half is not None
    assert found.values == pytest.approx((0.1, 0.2, 0.1))
    low, high = stats.ttest_rel([0.5, 0.7, 0.9], [0.4, 0.5, 0.8]).confidence_interval(0.95)
    assert (found.mean - found.half, found.mean + found.half) == pytest.approx((low, high), abs=2e-4)


def test_only_seeds_of_both_count() -> None:
    given = rows(a=[0.5, 0.7, 0.9], b=[0.4])
    one = difference(given, {"way": "a"}, {"way": "b"})
    assert one is not None
    assert one.values == pytest.approx((0.1,))
    assert difference(given, {"way": "a"}, {"way": "c"}) is None


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ([0.60, 0.61, 0.62], "more"),
        ([0.30, 0.31, 0.32], "less"),
        ([0.60, 0.40, 0.55], "same"),  # within the interval
        ([0.501, 0.501, 0.501], "same"),  # sure, and too small to matter
        ([0.9], "few"),
    ],
)
def test_a_difference_is_one_beyond_the_noise(scores: list[float], said: str) -> None:
    found = difference(rows(a=scores, b=[0.5] * len(scores)), {"way": "a"}, {"way": "b"})
    assert found is not None
    assert verdict(found) == said


def test_the_cache_of_a_token_and_of_a_large_model() -> None:
    assert cache_bytes(2, 8) == 2 * 2 * 8 * 4 == 128
    large = {"n_layers": 32, "n_tokens": 4_096, "n_bytes": 2}
    assert cache_bytes(8, 128, **large) == 512 * 2**20
    assert cache_bytes(32, 128, **large) == 2 * 2**30
    assert cache_bytes(1, 128, **large) == 64 * 2**20


def test_unshared_heads_have_the_parameters_of_any_attention() -> None:
    assert {attention_parameters(512, Sharing(n, n, 512 // n)) for n in (1, 2, 4, 8, 16)} == {1_050_624}
