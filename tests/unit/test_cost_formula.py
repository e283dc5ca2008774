"""Costs by formula against sums written out by hand, and powers fitted on numbers whose power is known."""

from __future__ import annotations

import numpy as np
import pytest

from mha_viz.errors import InputError
from mha_viz.labs.cost_formula import MOST_BYTES, Size, kept_bytes, map_bytes, operations, peak_bytes
from mha_viz.labs.growth_sizes import sizes_of
from mha_viz.labs.plans_cost import COST_AXES, GrowthOptions, KeptMapsOptions
from mha_viz.labs.powers import exponent, fitted, upper_half
from mha_viz.labs.stored import stored

SMALL = Size(3, 2, 4, 1)


def test_operations_are_the_products_of_one_layer_counted_by_hand() -> None:
    # Q, K, V and W_O: 3 rows x 4 x 4 each. Scores: 2 heads x 3 x 3 x width 2; as many to weigh the values.
    assert operations(SMALL, "forward") == 4 * 3 * 16 + 2 * (2 * 3 * 3 * 2)
    assert operations(SMALL, "training") == 3 * operations(SMALL, "forward")
    assert operations(SMALL._replace(layers=5, batch=2), "forward") == 10 * operations(SMALL, "forward")


def test_heads_change_the_maps_and_not_the_operations() -> None:
    sizes = [Size(512, heads, 256, 1) for heads in COST_AXES["heads"]]
    assert len({operations(size, "forward") for size in sizes}) == 1
    assert [map_bytes(size) for size in sizes] == [heads * 512 * 512 * 4 for heads in COST_AXES["heads"]]


def test_bytes_of_a_small_layer_are_those_counted_by_hand() -> None:
    """A vector of every token is 12 numbers, the maps 18, the matrices 64."""
    assert kept_bytes("eager", SMALL) == 4 * (64 + 5 * 12 + 18)
    assert kept_bytes("checkpoint", SMALL) == 4 * (64 + 5 * 12)
    assert kept_bytes("sdpa", SMALL) == 4 * (64 + 5 * 12 + 6)
    assert peak_bytes("eager", "forward", SMALL) == 4 * max(2 * 18 + 4 * 12, 18 + 6 * 12)
    assert peak_bytes("sdpa", "forward", SMALL) == 4 * 5 * 12
    assert peak_bytes("sdpa", "forward", SMALL._replace(layers=7)) == 4 * 6 * 12
    assert peak_bytes("compiled", "forward", SMALL) == 4 * (6 * 12 + 3 * 12 / 2) + 8 * 9
    assert peak_bytes("eager", "training", SMALL) == 4 * max(5 * 12 + 3 * 18, 64 + 3 * 12)


def test_the_example_of_the_page_saves_what_is_known() -> None:
    """L = 256, batch 2, 8 heads, d_model 64: 4,800 KB become 704, and the maps are 4,096."""
    size = KeptMapsOptions(lengths=(256,)).sizes()[0]
    assert [kept_bytes(way, size) / 1024 for way in ("eager", "checkpoint")] == [4800, 704]
    assert map_bytes(size) / 1024 == 4096


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.0, 3.0])
def test_powers_of_made_up_costs_come_out_exactly(power: float) -> None:
    sizes = [64, 128, 300, 1024, 4096]
    assert exponent(sizes, [7.5 * size**power for size in sizes]) == pytest.approx(power, abs=1e-12)
    found = fitted(sizes, [[scale * size**power for scale in (1.0, 2.0, 0.5)] for size in sizes])
    assert found is not None
    assert found.mean == pytest.approx(power, abs=1e-12)
    assert found.half == pytest.approx(0, abs=1e-12)


def test_powers_are_fitted_on_the_larger_half_and_their_interval_is_that_of_the_repeats() -> None:
    assert upper_half([1, 2, 4, 8, 16]) == [2, 3, 4]
    assert upper_half([16, 1, 8, 2]) == [2, 0]
    assert upper_half([1, 2]) == [0, 1]
    sizes = [1, 2, 4, 8]
    values = [[9.0, 9.0], [9.0, 9.0], [4.0, 4.0], [8.0, 16.0]]  # slopes 1 and 2 from 4 to 8; small sizes do not count
    found = fitted(sizes, values)
    assert found is not None
    assert found.values == pytest.approx((1.0, 2.0))
    assert found.half == pytest.approx(12.706 * np.std([1, 2], ddof=1) / np.sqrt(2), rel=1e-4)
    assert fitted([8], [[1.0, 2.0]]) is None
    alone = fitted([4, 8], [[1.0], [2.0]])
    assert alone is not None
    assert alone.mean == pytest.approx(1.0)
    assert alone.half is None


def test_sizes_that_cannot_be_are_left_out_and_longer_ones_than_asked_for() -> None:
    options = GrowthOptions(heads=4, d_model=256, longest=256)
    assert [size.length for size in sizes_of("length", options)] == [64, 128, 256]
    assert [size.heads for size in sizes_of("heads", GrowthOptions(d_model=24, heads=4))] == [1, 2, 4, 8]
    assert [size.d_model for size in sizes_of("d_model", GrowthOptions(heads=32, d_model=64))] == [
        64,
        128,
        256,
        512,
        1024,
    ]
    assert all(size.layers == 1 and size.length == 512 for size in sizes_of("heads", options))


def test_what_was_counted_for_the_stored_result_is_the_formula_but_for_working_blocks() -> None:
    rows = [row for row in stored("growth").rows if row["peak"] is not None]
    assert {row["kind"] for row in rows if row["pass"] == "forward"} == {"eager", "sdpa", "flex", "compiled"}
    for row in rows:
        size = Size(row["length"], row["heads"], row["d_model"], row["layers"])
        assert row["formula"] == peak_bytes(row["kind"], row["pass"], size)
        assert row["operations"] == operations(size, row["pass"])
        few = 0.02 if row["pass"] == "forward" and row["kind"] in ("eager", "compiled") else 0.25
        assert row["peak"] == pytest.approx(row["formula"], rel=few)


def test_nothing_stored_needs_more_memory_than_allowed() -> None:
    largest = Size(4_096, 4, 256, 1)
    wanted = [peak_bytes(kind, "forward", largest) for kind in ("eager", "sdpa", "flex")]
    wanted.append(peak_bytes("eager", "training", largest))
    assert max(wanted) <= MOST_BYTES


def test_what_is_too_large_is_refused_with_a_way_out() -> None:
    with pytest.raises(
        InputError, match=r"4,096 tokens in 1 layers need about 3,2\d\d MB.*Allowed: 1,000 MB.*Choose fewer"
    ):
        KeptMapsOptions(lengths=(64, 4_096))
    with pytest.raises(InputError, match="3 heads do not divide"):
        GrowthOptions(heads=3)
    with pytest.raises(InputError, match="3 heads do not divide"):
        KeptMapsOptions(heads=3)
