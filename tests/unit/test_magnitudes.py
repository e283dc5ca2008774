"""The middle of a few seeds, by hand."""

from __future__ import annotations

from mha_viz.labs.magnitudes import magnitude


def test_the_middle_is_the_value_of_a_seed() -> None:
    assert magnitude([0.0, 6.54e8, 0.0]) == (0.0, 0.0, 6.54e8)
    assert magnitude([3.0, 1.0, 2.0]) == (2.0, 1.0, 3.0)
    assert magnitude([1e9, 0.0]) == (0.0, 0.0, 1e9)  # the lower of two
    assert magnitude([5.0]) == (5.0, 5.0, 5.0)


def test_a_seed_without_a_number_leaves_none() -> None:
    assert magnitude([]) is None
    assert magnitude([1.0, None, 2.0]) is None
