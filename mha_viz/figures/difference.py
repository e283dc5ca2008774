"""Two runs compared: before, after, and after less before."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from mha_viz.arrays import FloatArray
from mha_viz.controls import HeadId
from mha_viz.errors import InputError
from mha_viz.figures import theme
from mha_viz.figures.cells import check_focus, check_place, pooled, pooled_changes, round_up, with_gaps
from mha_viz.figures.grid import Tile, grid_of, most_cells_a_side, plan_of
from mha_viz.figures.panels import MOST_CELLS, Panel, side_by_side
from mha_viz.trace import AttentionTrace
from mha_viz.words import say

_WEIGHT, _CHANGE = "%{z:.4f}", "%{z:+.4f}"


def difference_heatmap(
    before: AttentionTrace, after: AttentionTrace, layer: int, head: int, *, focus: int | None = None
) -> go.Figure:
    """The weights of one head in two runs, and after less before.

    Args:
        before, after: two runs of one model on one sentence.
        layer, head: from 0.
        focus: position of a query whose row is outlined.

    Returns:
        A figure of fixed height; traces 0, 1 and 2 are before, after and the difference. The first two share a scale from 0;
        that of the difference has 0 in its middle. All are printed. Hidden cells are hatched, in the difference those that
        either run hides. Above 64 tokens each cell is the largest weight, or the difference farthest from 0, of the tokens
        it covers (``panel_step`` tokens on each side).

    Raises:
        InputError: runs that cannot be compared; no such layer, head or focus.
    """
    _check_runs(before, after)
    check_place(after, layer, head)
    check_focus(focus, after.n_tokens)
    top = min(round_up(max(float(run.weights[layer, head].max()) for run in (before, after))), 1.0)
    shown = [
        _weights_panel(run, layer, head, top, name)
        for run, name in ((before, say("figure.before")), (after, say("figure.after")))
    ]
    changes = _changes(before, after, layer)[head]
    end = _end(changes)
    small = pooled_changes(changes, MOST_CELLS).weights
    name = say("figure.difference")
    change = Panel(name, small, -end, end, theme.DIVERGING, f"{name}<br>{_hover()}")
    return side_by_side(after, [*shown, change], focus)


def difference_grid(
    before: AttentionTrace,
    after: AttentionTrace,
    layer: int,
    *,
    chosen: int | None = None,
    titles: Sequence[str] | None = None,
) -> go.Figure:
    """After less before, for every head of one layer.

    Args:
        before, after: two runs of one model on one sentence.
        layer: from 0.
        chosen: a head to outline.
        titles: what stands above each head; "H0", "H1", ... if None.

    Returns:
        A figure as ``head_grid`` makes it; all heads share one scale with 0 in its middle, which is printed. Pooled cells show
        the difference farthest from 0.

    Raises:
        InputError: runs that cannot be compared; no such layer or head.
    """
    _check_runs(before, after)
    check_place(after, layer, chosen or 0)
    n_heads = after.spec.n_heads
    changes = _changes(before, after, layer)
    cells, step = pooled_changes(changes, most_cells_a_side(n_heads))
    end = _end(changes)
    tiles = [
        _change_tile(HeadId(layer, head), cells[head], titles[head] if titles else f"H{head}")
        for head in range(n_heads)
    ]
    axis = theme.colour_axis_below(-end, end, theme.DIVERGING, 0.25, 0.5)
    figure = grid_of(after, tiles, plan_of(n_heads, cells.shape[-1], step, _ASPECT), axis, chosen)
    figure.update_layout(coloraxis_showscale=True, margin_b=_SCALE)
    return figure


_SCALE = 40  # pixels for the scale below the grid
_ASPECT = 1.7  # it has the page's whole width


def _check_runs(before: AttentionTrace, after: AttentionTrace) -> None:
    if before.weights.shape != after.weights.shape:
        raise InputError("error.runs_differ", before=before.weights.shape, after=after.weights.shape)


def _changes(before: AttentionTrace, after: AttentionTrace, layer: int) -> FloatArray:
    """float32 (head, query, key), NaN where either run hides the cell."""
    changes = after.weights[layer] - before.weights[layer]
    return np.where(before.visible[layer] & after.visible[layer], changes, np.float32(np.nan))


def _end(changes: FloatArray) -> float:
    """End of a scale that is symmetrical about 0: the change farthest from it, rounded up; 1 if there is none."""
    return min(round_up(float(np.abs(np.nan_to_num(changes)).max())), 1.0)


def _weights_panel(run: AttentionTrace, layer: int, head: int, top: float, name: str) -> Panel:
    cells = pooled(with_gaps(run.weights[layer, head], run.visible[layer, head]), MOST_CELLS).weights
    hover = say("figure.hover_cell", query="%{y}", key="%{x}", weight=_WEIGHT)
    return Panel(name, cells, 0.0, top, theme.PALETTES["viridis"], f"{name}<br>{hover}")


def _change_tile(head: HeadId, cells: FloatArray, title: str) -> Tile:
    paint: dict[str, object] = {"z": cells, "coloraxis": "coloraxis"}
    return Tile(paint, _hover(), str(head), title, gaps=bool(np.isnan(cells).any()))


def _hover() -> str:
    return say("figure.hover_difference", query="%{y}", key="%{x}", difference=_CHANGE)
