"""Results of labs: through a file and back, and their means with intervals as scipy has them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from mha_viz.errors import InputError
from mha_viz.labs.results import LabResult, half_interval, summaries, where
from mha_viz.labs.stored import stored

ROWS = (
    {"task": "a", "heads": 2, "seed": 0, "score": 0.5, "curve": [0.1, 0.5], "note": None},
    {"task": "a", "heads": 1, "seed": 0, "score": 0.25, "curve": [], "note": "“é”"},
    {"task": "a", "heads": 2, "seed": 1, "score": 0.75, "curve": [[1, 2]], "note": None},
    {"task": "b", "heads": 2, "seed": 0, "score": None, "curve": [], "note": None},
)


def test_a_result_goes_through_its_file():
    result = LabResult("lookups", {"heads": [1, 2]}, ROWS, {"command": "x", "seconds": 1.5}, whole=False)
    text = result.to_json()
    assert LabResult.from_json(text, "f") == result
    assert len([line for line in text.splitlines() if line.startswith('  {"task"')]) == len(ROWS)


def test_what_is_at_work_does_not_go_into_the_file():
    result = LabResult("lookups", {}, (), live={"heads": 1})
    assert LabResult.from_json(result.to_json(), "f").live is None


def test_a_number_that_is_none_cannot_be_written():
    with pytest.raises(ValueError, match="JSON"):
        LabResult("lookups", {}, ({"score": math.nan},)).to_json()


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '{"lab": "x", "options": {}, "facts": {}, "rows": [3], "whole": true}']
)
def test_a_file_that_holds_no_result_is_told_with_its_name(text):
    with pytest.raises(InputError, match=r"mine\.json"):
        LabResult.from_json(text, "mine.json")


def test_a_stored_result_that_is_not_there_says_which_command_makes_it(tmp_path, monkeypatch):
    monkeypatch.setattr("mha_viz.labs.stored.FOLDER", tmp_path)
    stored.cache_clear()
    try:
        with pytest.raises(InputError, match="python -m mha_viz lab lookups"):
            stored("lookups")
    finally:
        stored.cache_clear()


def test_rows_are_found_by_their_values():
    assert where(ROWS, task="a", heads=2) == [ROWS[0], ROWS[2]]
    assert where(ROWS, task="c") == []
    assert where(ROWS, nothing=1) == []


def test_summaries_stand_in_order_and_leave_out_rows_without_a_value():
    one, two = summaries(ROWS, "heads", "score")
    assert (one.by, one.n, one.mean, one.spread, one.half, one.values) == (1, 1, 0.25, 0.0, None, (0.25,))
    assert (two.by, two.n, two.mean, two.values) == (2, 2, 0.625, (0.5, 0.75))
    assert two.spread == pytest.approx(0.25 / math.sqrt(2))


@pytest.mark.parametrize("n", [2, 3, 5, 16, 17, 30, 31])
def test_intervals_are_those_of_scipy(n):
    values = np.random.default_rng(n).normal(size=n)
    low, high = stats.t.interval(0.95, n - 1, loc=values.mean(), scale=stats.sem(values))
    assert half_interval(values.tolist()) == pytest.approx((high - low) / 2, rel=3e-4)  # the table has three decimals


def test_many_values_get_the_interval_of_the_normal_distribution():
    values = np.random.default_rng(0).normal(size=500)
    assert half_interval(values.tolist()) == pytest.approx(1.96 * stats.sem(values), rel=1e-3)
    assert half_interval([1.0]) is None
    assert half_interval([]) is None
