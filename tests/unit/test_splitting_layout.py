"""Where things stand: on the stage, apart from each other, heads in order, and large enough to see."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import pytest

from mha_viz.splitting import STEPS, Splitting, steps_of
from mha_viz.splitting.records import HEIGHT, WIDTH
from tests.unit.layer_runs import layer_run

SIZES = [
    (n_heads, d_k, n_tokens)
    for n_heads, d_k in [(1, 64), (2, 32), (8, 8), (12, 64), (64, 1)]
    for n_tokens in (1, 7, 16, 40)
]


class Box(NamedTuple):
    """A block on the stage."""

    array: str
    head: int | None
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        slack = 0.02
        aside = self.right <= other.left + slack or other.right <= self.left + slack
        return not (aside or self.bottom <= other.top + slack or other.bottom <= self.top + slack)


def boxes(splitting: Splitting, step: str) -> list[Box]:
    found = []
    for sheet in splitting.steps[STEPS.index(step)].sheets:
        rows = splitting.arrays[sheet.array].values.shape[-2]
        width, height = sheet.cell
        found += [
            Box(
                sheet.array,
                block.head,
                block.x,
                block.y,
                block.x + (block.end - block.start) * width,
                block.y + rows * height,
            )
            for block in sheet.blocks
        ]
    return found


@pytest.fixture(params=SIZES, ids=str, scope="module")
def splitting(request) -> Splitting:
    n_heads, d_k, n_tokens = request.param
    return steps_of(layer_run(n_tokens, n_heads, d_k))


@pytest.mark.parametrize("step", STEPS)
def test_everything_stands_on_the_stage_and_nothing_on_top_of_another(splitting, step):
    found = boxes(splitting, step)
    for box in found:
        assert box.left >= 150.0
        assert box.right <= WIDTH - 20
        assert box.top >= 25.0
        assert box.bottom <= HEIGHT - 10
    for one, other in itertools.combinations(found, 2):
        assert not one.meets(other), (one, other)


@pytest.mark.parametrize("step", STEPS)
def test_cells_are_large_enough_to_see(splitting, step):
    smallest = 2.0 if step == "output" else 4.0
    for sheet in splitting.steps[STEPS.index(step)].sheets:
        assert min(sheet.cell) >= smallest


@pytest.mark.parametrize("step", ["split", "scores", "mask", "softmax", "weigh"])
def test_cards_follow_each_other_in_rows(splitting, step):
    first = splitting.steps[STEPS.index(step)].sheets[0]
    order = sorted(first.blocks, key=lambda block: (block.y, block.x))
    assert [block.head for block in order] == list(range(splitting.n_heads))


@pytest.mark.parametrize("step", ["project", "join"])
def test_projected_and_joined_columns_stand_side_by_side_without_a_gap(splitting, step):
    for sheet in splitting.steps[STEPS.index(step)].sheets:
        for one, other in itertools.pairwise(sheet.blocks):
            assert one.end == other.start
            assert one.y == other.y
            assert abs(one.x + (one.end - one.start) * sheet.cell[0] - other.x) <= 0.02 * (one.end - one.start) + 0.02


@pytest.mark.parametrize(("n_heads", "d_k"), [(8, 8), (12, 5), (4, 16)])
def test_twelve_tokens_can_be_read_from_the_back_of_a_room(n_heads, d_k):
    splitting = steps_of(layer_run(12, n_heads, d_k))
    for step in ("mask", "softmax"):
        assert min(splitting.steps[STEPS.index(step)].sheets[0].cell) >= 11.0
    assert min(splitting.steps[STEPS.index("join")].sheets[0].cell) >= 20.0
