"""Options of labs: checked where they are made, and written the same everywhere."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from mha_viz.errors import InputError
from mha_viz.labs.options import Options, number, one_of, text, whole
from mha_viz.labs.plans import LookupOptions
from mha_viz.labs.registry import LABS, command_of, lab_named


@dataclass(frozen=True)
class Made(Options):
    """One of each kind."""

    count: int = whole(3, 1, 9)
    counts: tuple[int, ...] = whole((1, 2), 1, 9)
    rate: float = number(0.5, 0.0, 1.0)
    word: str = one_of("a", "a", "b")
    line: str = text("", 5)


@pytest.mark.parametrize(
    ("given", "allowed"),
    [
        ({"count": 0}, "1 … 9"),
        ({"count": 10}, "1 … 9"),
        ({"count": 2.0}, "1 … 9"),
        ({"count": True}, "1 … 9"),
        ({"count": "3"}, "1 … 9"),
        ({"count": None}, "1 … 9"),
        ({"counts": (1, 10)}, "1 … 9"),
        ({"counts": ()}, "1 … 9"),
        ({"counts": 4}, "1 … 9"),
        ({"rate": 1.01}, "0.0 … 1.0"),
        ({"rate": float("nan")}, "0.0 … 1.0"),
        ({"word": "c"}, "a, b"),
        ({"word": 1}, "a, b"),
        ({"line": "123456"}, "at most 5"),
        ({"line": "a\nb"}, "at most 5"),
        ({"line": 1}, "at most 5"),
    ],
)
def test_what_is_not_allowed_is_refused_with_what_is(given, allowed):
    with pytest.raises(InputError) as refused:
        Made(**given)
    assert allowed in str(refused.value)
    assert next(iter(given)) in str(refused.value)


def test_ends_of_the_bounds_and_whole_numbers_for_a_rate_are_allowed():
    assert Made(count=1, counts=(9,), rate=1, word="b") == Made(1, (9,), 1.0, "b")


def test_plain_values_go_through_json_and_back():
    made = Made(5, (2, 3), 0.25, "b", "é “x”")
    assert Made.of(json.loads(json.dumps(made.plain()))) == made
    assert made.plain() == {"count": 5, "counts": [2, 3], "rate": 0.25, "word": "b", "line": "é “x”"}
    assert Made.of({}) == Made()


def test_an_unknown_option_is_named_with_those_that_there_are():
    with pytest.raises(InputError) as refused:
        Made.of({"cuont": 1})
    assert "cuont" in str(refused.value)
    assert "count, counts, rate, word, line" in str(refused.value)


@pytest.mark.parametrize("lab", LABS.values(), ids=list(LABS))
def test_options_of_every_lab_go_through_plain_values(lab):
    for options in (lab.full, lab.small):
        assert lab.options_of(json.loads(json.dumps(options.plain()))) == options


def test_the_command_leaves_out_what_is_as_by_default():
    assert command_of("lookups", LookupOptions()) == "python -m mha_viz lab lookups"
    several = LookupOptions(heads=(1, 4), steps=40)
    assert command_of("lookups", several) == "python -m mha_viz lab lookups --heads 1 4 --steps 40"


def test_an_unknown_lab_is_told():
    with pytest.raises(InputError, match="lookups"):
        lab_named("look-ups")
