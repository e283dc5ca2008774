"""Cells for a heatmap: bounded in number, with what is hidden left out. NumPy only."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mha_viz.arrays import BoolArray, FloatArray
from mha_viz.errors import InputError
from mha_viz.trace import LayerTrace, Reading


class Pooled(NamedTuple):
    """A picture of heads in fewer cells.

    Attributes:
        weights: (..., row, column), the largest value of the cells each one covers; NaN where all of them are hidden.
        step: tokens a cell covers on each side; 1 if nothing was pooled.
    """

    weights: FloatArray
    step: int


def with_gaps(weights: FloatArray, visible: BoolArray) -> FloatArray:
    """(..., query, key) float32, NaN where ``visible``, (query, key), is False."""
    if visible.all():
        return weights
    return np.where(visible, weights, np.float32(np.nan))


def pooled(weights: FloatArray, most: int) -> Pooled:
    """(..., query, key) with at most ``most`` cells on a side, each the maximum of what it covers."""
    step = pooling_step(max(weights.shape[-2:]), most)
    if step == 1:
        return Pooled(weights, 1)
    filled = block_max(np.where(np.isnan(weights), -np.inf, weights), step)
    return Pooled(np.where(np.isneginf(filled), np.nan, filled).astype(np.float32), step)


def block_max(cells: npt.NDArray[Any], step: int) -> npt.NDArray[Any]:
    """(..., row, column) to the largest value of each block of ``step`` x ``step``; blocks at the ends may be smaller.

    Rows first, all columns at once: that is what a processor does fast.
    """
    if step == 1:
        return cells
    for axis in (-2, -1):
        cells = _largest_of(cells, step, axis)
    return cells


def _largest_of(cells: npt.NDArray[Any], step: int, axis: int) -> npt.NDArray[Any]:
    if axis == -1:
        cells = cells[..., None]
    whole = cells.shape[-2] // step
    blocks = cells[..., : whole * step, :].reshape(*cells.shape[:-2], whole, step, cells.shape[-1]).max(axis=-2)
    if whole * step < cells.shape[-2]:
        rest = cells[..., whole * step :, :].max(axis=-2, keepdims=True)
        blocks = np.concatenate([blocks, rest], axis=-2)
    return blocks if axis == -2 else blocks[..., 0]


def pooled_changes(changes: FloatArray, most: int) -> Pooled:
    """As ``pooled``, each cell the change that is farthest from 0."""
    (up, step), (down, _) = pooled(changes, most), pooled(-changes, most)
    return Pooled(np.where(up >= down, up, -down), step)


def pooling_step(n_tokens: int, most: int) -> int:
    """Tokens a cell must cover so that ``n_tokens`` take at most ``most`` cells."""
    return max(math.ceil(n_tokens / most), 1)


def check_place(trace: Reading | LayerTrace, layer: int, head: int = 0) -> None:
    """Raises InputError if the model has no such layer or head."""
    spec = trace.spec
    if not (0 <= layer < spec.n_layers and 0 <= head < spec.n_heads):
        raise InputError(
            "error.no_such_head",
            got=f"L{layer} H{head}",
            name=spec.name,
            layers=spec.n_layers - 1,
            heads=spec.n_heads - 1,
        )


def check_focus(focus: int | None, n_tokens: int) -> None:
    """Raises InputError if there is no such query."""
    if focus is not None and not 0 <= focus < n_tokens:
        raise InputError("error.no_such_token", got=focus, last=n_tokens - 1)


def highest_weight(trace: Reading, layer: int, head: int | None = None) -> float:
    """Upper end of a colour scale: the largest weight of a layer, or of one head of it, rounded up to two figures."""
    weights = trace.weights[layer] if head is None else trace.weights[layer, head]
    return min(round_up(float(weights.max())), 1.0)


def round_up(largest: float) -> float:
    """Rounded up to two figures; 1 for 0, so that a scale always has a length."""
    if largest <= 0:
        return 1.0
    unit = 10.0 ** (math.floor(math.log10(largest)) - 1)
    return math.ceil(round(largest / unit, 6)) * unit


def runs(flags: BoolArray) -> list[tuple[int, int]]:
    """First and length of each stretch of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(int)))
    return [(int(start), int(stop - start)) for start, stop in zip(edges[::2], edges[1::2], strict=True)]
