"""All heads as bytes: never more than a bound, each the largest weight of what it covers, hidden cells a code of their own."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from mha_viz.controls import Controls
from mha_viz.figures import theme
from mha_viz.figures.bytes import codes_of, head_payload, weights_of_codes
from mha_viz.figures.cells import block_max
from mha_viz.figures.colour import Colour
from mha_viz.figures.overview import HIDDEN, HIGHEST, MOST_CELLS, MOST_SIDE, Caption, most_side, payload, thumbnails
from mha_viz.masks import Causal, LocalWindow
from tests.unit.build import sequence, trace


def largest_of_blocks(cells: np.ndarray, step: int) -> np.ndarray:
    """By hand, block by block."""
    n = cells.shape[-1]
    edges = range(0, n, step)
    return np.array([[cells[q : q + step, k : k + step].max() for k in edges] for q in edges])


@settings(max_examples=60, deadline=None)
@given(some.integers(1, 40), some.integers(1, 9), some.integers(0, 9))
def test_a_block_is_the_largest_of_what_it_covers(n_tokens: int, step: int, seed: int) -> None:
    cells = np.random.default_rng(seed).random((2, n_tokens, n_tokens)).astype(np.float32)
    blocks = block_max(cells, step)
    for head in range(2):
        np.testing.assert_array_equal(blocks[head], largest_of_blocks(cells[head], step))


@pytest.mark.parametrize("n_tokens", [1, 5, 32, 33, 70, 130])
def test_codes_are_the_largest_weights_in_254_steps(n_tokens: int) -> None:
    run = trace(n_tokens, n_layers=2, n_heads=3)
    pictures = thumbnails(run)
    step = math.ceil(n_tokens / MOST_SIDE)
    assert pictures.step == step
    assert len(set(pictures.ends.ravel())) == 1
    assert run.weights.max() <= pictures.ends[0, 0]
    for place in np.ndindex(2, 3):
        wanted = largest_of_blocks(run.weights[place], step) / pictures.ends[place] * HIGHEST
        assert np.abs(pictures.codes[place] - wanted).max() <= 0.5 + 1e-3


@pytest.mark.parametrize("scale", ["linear", "root", "log"])
def test_a_head_of_its_own_scale_reaches_the_top_colour(scale) -> None:
    weights = np.full((1, 2, 4, 4), 0.25)
    weights[0, 1] = np.eye(4)
    own = thumbnails(trace(sequence(4), weights=weights), Colour(scale=scale, shared=False))
    assert own.ends.tolist() == [[0.25, 1.0]]
    assert own.codes.max(axis=(2, 3)).tolist() == [[HIGHEST, HIGHEST]]
    together = thumbnails(trace(sequence(4), weights=weights), Colour(scale=scale))
    assert together.ends.tolist() == [[1.0, 1.0]]
    assert together.codes[0, 0].max() < HIGHEST


def test_a_cell_is_hidden_only_if_all_it_covers_is() -> None:
    run = trace(40, controls=Controls(mask=LocalWindow(0)))
    pictures = thumbnails(run)
    assert pictures.step == 2
    assert ((pictures.codes[0, 0] == HIDDEN) == ~np.eye(20, dtype=bool)).all()
    one_layer = trace(6, n_layers=2, controls=Controls(mask=Causal(), layers=frozenset({1})))
    codes = thumbnails(one_layer).codes
    assert not (codes[0] == HIDDEN).any()
    assert ((codes[1] == HIDDEN) == np.triu(np.ones((6, 6), dtype=bool), k=1)).all()


@pytest.mark.parametrize(("n_layers", "n_heads"), [(1, 1), (6, 12), (12, 12), (24, 16), (48, 64)])
def test_all_heads_together_never_take_more_than_the_bound(n_layers: int, n_heads: int) -> None:
    side = most_side(n_layers, n_heads)
    assert n_layers * n_heads * side**2 <= MOST_CELLS
    assert 4 <= side <= MOST_SIDE


@pytest.mark.parametrize(("n_layers", "n_heads", "most"), [(6, 12, 100_000), (12, 12, 180_000)])
@pytest.mark.parametrize("n_tokens", [16, 120])
def test_what_is_sent_stays_small_whatever_the_length(n_layers: int, n_heads: int, most: int, n_tokens: int) -> None:
    pictures = thumbnails(trace(n_tokens, n_layers=n_layers, n_heads=n_heads))
    assert len(sent(pictures)) < most


def sent(pictures, **changes) -> bytes:
    count = pictures.ends.size
    caption = Caption(
        ["0.123"] * count, np.full(pictures.ends.shape, 0.5), ["mixed"] * count, np.zeros(count, dtype=bool)
    )
    known: dict[str, Any] = {
        "chosen": 0,
        "sorted_by_metric": False,
        "palette": theme.stops("viridis"),
        "words": {"head": "{head}"},
    }
    return payload(pictures, caption, np.arange(count), **(known | changes))


def test_the_bytes_hold_a_text_and_then_every_cell() -> None:
    pictures = thumbnails(trace(5, n_layers=2, n_heads=3))
    data = sent(pictures, chosen=4)
    length = int.from_bytes(data[:4], "little")
    header = json.loads(data[4 : 4 + length])
    assert (header["layers"], header["heads"], header["side"], header["chosen"]) == (2, 3, 5, 4)
    assert header["order"] == [0, 1, 2, 3, 4, 5]
    assert header["shares"] == [0.5] * 6
    assert data[4 + length :] == pictures.codes.tobytes()


def test_a_head_without_a_number_has_no_bar() -> None:
    pictures = thumbnails(trace(3))
    shares = np.array([[np.nan, 1.0]])
    data = payload(
        pictures,
        Caption(["–", "1"], shares, ["", ""], np.array([False, True])),
        np.array([1, 0]),
        chosen=1,
        sorted_by_metric=True,
        palette=theme.stops("inferno"),
        words={},
    )
    header = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
    assert header["shares"] == [None, 1.0]
    assert header["faint"] == [1]
    assert all(colour.startswith("#") and len(colour) == 7 for colour in header["palette"])


@pytest.mark.parametrize("scale", ["linear", "root", "log"])
@pytest.mark.parametrize("shared", [True, False])
def test_one_head_in_bytes_is_right_to_one_step(scale, shared) -> None:
    run = trace(30, n_heads=2, controls=Controls(mask=Causal()))
    colour = Colour(scale=scale, shared=shared)
    codes, top = codes_of(run, 0, 1, colour)
    weights = weights_of_codes(colour, top)
    visible = run.visible[0, 1]
    assert ((codes == HIDDEN) == ~visible).all()
    step = np.diff(weights).max()
    floor = weights[0]  # the logarithm has a smallest weight
    apart = np.abs(weights[codes[visible]] - np.maximum(run.weights[0, 1][visible], floor))
    assert apart.max() <= step
    assert weights[-1] == pytest.approx(top)


def test_a_head_of_512_tokens_takes_less_than_450_kilobytes() -> None:
    run = trace(512, n_heads=1)
    data = head_payload(run, 0, 0, focus=3, key=None, colour=Colour(), words={"name": "x"})
    assert len(data) < 450_000
    length = int.from_bytes(data[:4], "little")
    header = json.loads(data[4 : 4 + length])
    assert (header["n"], header["focus"], header["key"]) == (512, 3, None)
    assert len(header["weights"]) == HIGHEST + 1
    assert len(data) == 4 + length + 512 * 512


def test_what_is_typed_is_not_escaped_for_a_canvas_and_keeps_its_number() -> None:
    tokens = sequence(["<b>", "&", "##x"], numbers=(4, 5, 9))
    data = head_payload(trace(tokens), 0, 0, focus=None, key=None, colour=Colour(), words={})
    header = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
    assert header["labels"] == ["<b>", "&", "##x"]
    assert header["titles"] == ["<b> (4)", "& (5)", "##x (9)"]
