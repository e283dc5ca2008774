"""A mask as a small picture: visible cells filled, hidden ones hatched, nothing lost when pooled."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mha_viz.figures import mask_picture, theme
from mha_viz.masks import MASKS
from tests.figures import rules
from tests.unit.layers import words

PATH = re.compile(r"<path d='([^']*)' fill='([^']*)' fill-opacity='([^']*)'")


def painted(visible: np.ndarray) -> np.ndarray:
    """The strength of every cell, read back from the picture."""
    drawing = rules.svg(mask_picture(visible))
    box = re.search(r"viewBox='0 0 (\d+) (\d+)'", drawing)
    assert box is not None
    cells = np.zeros((int(box[2]), int(box[1])))
    for path, colour, strength in PATH.findall(drawing):
        if colour == theme.VISIBLE:
            for x, y, width, height in re.findall(r"M(\d+) (\d+)h(\d+)v(\d+)", path):
                cells[int(y) : int(y) + int(height), int(x) : int(x) + int(width)] += float(strength)
    return cells


@given(arrays(bool, st.tuples(st.integers(1, 48), st.integers(1, 48))))
def test_up_to_48_tokens_every_cell_is_shown(visible):
    assert np.array_equal(painted(visible), visible.astype(float))


def test_queries_are_rows_and_keys_are_columns():
    assert painted(np.array([[True, False, False], [True, True, False]])).tolist() == [[1, 0, 0], [1, 1, 0]]


@pytest.mark.parametrize("n", [49, 96, 97, 200, 512])
def test_pooled_neither_a_single_hidden_nor_a_single_visible_cell_disappears(n):
    step = -(-n // 48)
    one_hidden, one_visible = np.ones((n, n), dtype=bool), np.zeros((n, n), dtype=bool)
    one_hidden[n // 2, n - 1], one_visible[n // 2, n - 1] = False, True
    for visible, ordinary in ((one_hidden, 1.0), (one_visible, 0.0)):
        cells = painted(visible)
        assert cells.shape == (-(-n // step),) * 2
        assert max(cells.shape) <= 48
        other = cells != ordinary
        assert np.argwhere(other).tolist() == [[n // 2 // step, (n - 1) // step]]
        assert cells[other] == [0.5]


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("n_tokens", [1, 13, 512])
def test_the_picture_of_every_mask_is_a_small_address_for_html(name, n_tokens):
    visible = MASKS[name]().visible(words(n_tokens))
    address = mask_picture(visible)
    assert len(address) < 20_000
    drawing = rules.svg(address)
    assert (theme.HIDDEN.colour in drawing) == (not visible.all())
    assert mask_picture(visible) == address
