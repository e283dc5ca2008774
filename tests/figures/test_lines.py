"""Lines between tokens: each is a weight of the reading, none is hidden or below the threshold, and they are bounded."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from mha_viz.controls import Controls, HeadId
from mha_viz.errors import InputError
from mha_viz.figures.lines import LAYOUTS, MOST_HEADS, MOST_LINES, Lines, lines_of, payload
from mha_viz.masks import Causal, HideQuery, Padding
from tests.unit.build import sequence, trace

WEIGHTS = np.array(
    [[[[0.7, 0.2, 0.1], [0.5, 0.5, 0.0], [0.0, 0.1, 0.9]], [[0.2, 0.3, 0.5], [1.0, 0.0, 0.0], [0.4, 0.3, 0.3]]]]
)
RUN = trace(sequence(["a", "b", "c"]), weights=WEIGHTS)
BOTH = [HeadId(0, 0), HeadId(0, 1)]


def of(run=RUN, heads=BOTH, **changes) -> Lines:
    return lines_of(run, heads, **({"least": 0.0, "most": 0, "focus": None, "key": None} | changes))


def drawn(lines: Lines) -> set[tuple[int, int, int]]:
    """(head, query, key) of every line."""
    return set(zip(lines.head.tolist(), lines.query.tolist(), lines.key.tolist(), strict=True))


def test_a_weight_of_0_is_no_line_and_the_strongest_are_drawn_last() -> None:
    lines = of()
    assert lines.n_lines == 18 - 4
    assert (np.diff(lines.weight) >= 0).all()
    assert (lines.weight[-1], lines.possible, lines.highest) == (1.0, 18, 1.0)


def test_the_threshold_is_the_smallest_weight_drawn() -> None:
    assert drawn(of(least=0.5)) == {(0, 0, 0), (0, 1, 0), (0, 1, 1), (0, 2, 2), (1, 0, 2), (1, 1, 0)}


def test_only_the_strongest_keys_of_each_query_and_of_equal_ones_the_first() -> None:
    assert drawn(of(most=1)) == {(0, 0, 0), (0, 1, 0), (0, 2, 2), (1, 0, 2), (1, 1, 0), (1, 2, 0)}


def test_a_followed_query_has_its_own_lines_and_a_followed_key_those_to_it() -> None:
    assert drawn(of(focus=2)) == {(0, 2, 1), (0, 2, 2), (1, 2, 0), (1, 2, 1), (1, 2, 2)}
    assert drawn(of(key=2)) == {(0, 0, 2), (0, 2, 2), (1, 0, 2), (1, 2, 2)}


def test_heads_keep_the_order_in_which_they_were_chosen() -> None:
    lines = of(heads=BOTH[::-1], least=0.9)
    assert lines.heads == (HeadId(0, 1), HeadId(0, 0))
    assert drawn(lines) == {(0, 1, 0), (1, 2, 2)}


def test_beyond_the_bound_the_threshold_is_raised_and_told() -> None:
    run = trace(200, n_heads=2)
    lines = of(run)
    assert lines.n_lines == MOST_LINES
    every = np.sort(run.weights[0].ravel())[::-1]
    assert lines.raised_to == pytest.approx(every[MOST_LINES - 1])
    assert lines.left_out == int((every > 0).sum()) - MOST_LINES
    assert lines.weight.min() == lines.raised_to


def test_equal_weights_at_the_bound_are_taken_from_all_over() -> None:
    even = np.full((1, 1, 200, 200), 1 / 200)
    lines = of(trace(200, weights=even), heads=[HeadId(0, 0)])
    assert lines.n_lines == MOST_LINES
    assert len(set(lines.query.tolist())) == 200


def test_padding_and_rows_without_a_key_give_no_lines_and_are_marked() -> None:
    run = trace(5, controls=Controls(mask=Padding(2) & HideQuery(1)))
    lines = of(run, heads=[HeadId(0, 0)])
    assert set(lines.query.tolist()) == {0, 2}
    assert set(lines.key.tolist()) <= {0, 1, 2}
    assert lines.no_key.tolist()[1] is True
    assert lines.padding.tolist() == [False, False, False, True, True]


def test_arcs_are_told_on_which_side_there_can_be_any() -> None:
    lines = of(trace(4, controls=Controls(mask=Causal())), heads=[HeadId(0, 0)])
    assert (lines.before, lines.after) == (True, False)


@pytest.mark.parametrize("heads", [[], [HeadId(0, 0)] * (MOST_HEADS + 1), [HeadId(3, 0)], [HeadId(0, 9)]])
def test_heads_that_can_not_be_drawn_are_refused(heads) -> None:
    with pytest.raises(InputError):
        of(heads=heads)


@settings(max_examples=50, deadline=None)
@given(
    n_tokens=some.integers(1, 20),
    least=some.sampled_from([0.0, 0.05, 0.3, 1.0]),
    most=some.integers(0, 6),
    mask=some.sampled_from([None, Causal(), Padding(2)]),
    seed=some.integers(0, 99),
)
def test_every_line_is_a_weight_of_the_reading(n_tokens, least, most, mask, seed) -> None:
    run = trace(n_tokens, n_layers=2, n_heads=2, controls=Controls(mask=mask), seed=seed)
    heads = [HeadId(1, 0), HeadId(0, 1)]
    lines = of(run, heads=heads, least=least, most=most)
    for head, query, key, weight in zip(lines.head, lines.query, lines.key, lines.weight, strict=True):
        place = heads[head]
        assert weight == run.weights[place][query, key] >= max(least, 1e-30)
        assert run.visible[place][query, key]
        assert not run.padding[query]
        if most:
            assert (run.weights[place][query] > weight).sum() < most
    if most == 0:
        wanted = sum(
            int(((run.weights[place] >= least) & (run.weights[place] > 0) & ~run.padding[:, None]).sum())
            for place in heads
        )
        assert lines.n_lines == wanted


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_bytes_hold_the_header_and_every_line_exactly(layout) -> None:
    tokens = sequence(["<b>", "$x$", "a" * 40], special=(True, False, False))
    lines = of(trace(tokens, weights=WEIGHTS))
    data = payload(lines, tokens, layout=layout, focus=None, key=None, positions=[4, 5, 9])
    (length,) = struct.unpack("<I", data[:4])
    header = json.loads(data[4 : 4 + length])
    n = header["n_lines"]
    assert length % 4 == 0
    at = 4 + length
    np.testing.assert_array_equal(np.frombuffer(data, "<f4", n, at), lines.weight)
    np.testing.assert_array_equal(np.frombuffer(data, "<u2", n, at + 4 * n), lines.query)
    np.testing.assert_array_equal(np.frombuffer(data, "<u2", n, at + 6 * n), lines.key)
    np.testing.assert_array_equal(np.frombuffer(data, "u1", n, at + 8 * n), lines.head)
    assert header["labels"][:2] == ["<b>", "$x$"]
    assert header["labels"][2].endswith("…")
    assert header["titles"] == {"2": "a" * 40}
    assert header["positions"] == [4, 5, 9]
    assert header["marks"]["special"] == [0]


def test_heads_are_told_apart_by_colour_and_then_by_dashes() -> None:
    run = trace(3, n_layers=2, n_heads=12)
    heads = [HeadId(layer, head) for layer in range(2) for head in range(12)]
    data = payload(of(run, heads=heads), run.query_tokens, layout="sides", focus=None, key=None)
    drawn_as = json.loads(data[4 : 4 + struct.unpack("<I", data[:4])[0]])["heads"]
    assert len({(head["colour"], head["style"]) for head in drawn_as}) == 24
    assert [head["style"] for head in drawn_as] == ["solid"] * 8 + ["dashed"] * 8 + ["dotted"] * 8


def test_512_tokens_and_24_heads_take_at_most_150_kilobytes() -> None:
    run = trace(sequence([f"{'é' * 20}{i}" for i in range(512)]), n_heads=24)
    data = payload(
        of(run, heads=[HeadId(0, head) for head in range(24)]), run.query_tokens, layout="arcs", focus=None, key=None
    )
    assert len(data) <= 150_000


def test_one_head_beyond_the_bound_tells_its_raised_threshold_too() -> None:
    run = trace(200, n_heads=1)
    lines = of(run, heads=[HeadId(0, 0)])
    every = np.sort(run.weights[0, 0].ravel())[::-1]
    assert lines.n_lines == MOST_LINES
    assert lines.raised_to == every[MOST_LINES - 1]
    assert lines.left_out == int((every > 0).sum()) - MOST_LINES
    assert of(run, heads=[HeadId(0, 0)], least=0.5).raised_to is None
