"""All heads of a layer as heatmaps in one figure with one colour scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from mha_viz.controls import HeadId
from mha_viz.figures import theme
from mha_viz.figures.cells import check_place, highest_weight, pooled, pooling_step, with_gaps
from mha_viz.figures.head import HEIGHT
from mha_viz.figures.labels import hover_labels
from mha_viz.tokens import TokenSequence
from mha_viz.trace import AttentionTrace
from mha_viz.words import say

#: Cells of all heads together; more are pooled.
MOST_CELLS = 65_536
#: Width over height of the room the grid has beside the large head.
_ASPECT = 0.68
_TITLE = 22  # pixels above each head
_NARROWEST_TITLED = 34  # pixels


class _Plan(NamedTuple):
    """Where each head stands, in cells from the top left corner."""

    columns: int
    rows: int
    side: int
    across: float
    down: float
    titled: bool

    def box(self, head: int) -> theme.Box:
        row, column = divmod(head, self.columns)
        return theme.Box(column * self.across, row * self.down + self.down - self.side, self.side, self.side)

    @property
    def extent(self) -> theme.Box:
        return theme.Box(0, 0, self.columns * self.across - (self.across - self.side), self.rows * self.down)


def head_grid(
    trace: AttentionTrace, layer: int, *, chosen: int | None = None, titles: Sequence[str] | None = None
) -> go.Figure:
    """Every head of one layer.

    Args:
        trace: a run.
        layer: from 0.
        chosen: a head to outline.
        titles: what stands above each head; "H0", "H1", ... if None.

    Returns:
        A figure of fixed height; trace i is head i. The colour scale is shared: 0 to the largest weight of the layer.
        Hovering names head, query, key and weight. Above ``MOST_CELLS`` cells in all, each cell is the largest weight of the
        tokens it covers (``grid_step`` tokens on each side).

    Raises:
        InputError: no such layer or head.
    """
    check_place(trace, layer, chosen or 0)
    n_heads = trace.spec.n_heads
    cells, step = pooled(with_gaps(trace.weights[layer], trace.visible[layer]), most_cells_a_side(n_heads))
    plan = _plan(n_heads, cells.shape[-1])
    figure = theme.figure(height=HEIGHT, **_axes(trace, plan, step))
    silenced = {head.head for head in trace.controls.silenced if head.layer == layer}
    for head in range(n_heads):
        figure.add_trace(_tile(cells[head], plan.box(head), HeadId(layer, head), silent=head in silenced))
    if not trace.visible[layer].all():
        boxes = [plan.box(head) for head in range(n_heads)]
        figure.add_layout_image(theme.hatched({theme.HIDDEN: boxes}, plan.extent, side=3 * plan.side))
    if plan.titled:
        names = titles if titles is not None else [f"H{head}" for head in range(n_heads)]
        figure.update_layout(annotations=[_title(name, plan.box(head)) for head, name in enumerate(names)])
    if chosen is not None:
        figure.add_shape(theme.outline(plan.box(chosen), width=4))
    figure.update_layout(coloraxis=theme.colour_axis(highest_weight(trace, layer), "") | {"showscale": False})
    return figure


def most_cells_a_side(n_heads: int) -> int:
    """Cells on a side of each head that keep the whole grid within MOST_CELLS."""
    return max(math.isqrt(MOST_CELLS // n_heads), 8)


def grid_step(trace: AttentionTrace) -> int:
    """Tokens that a cell of the grid covers on each side; 1 if every cell is exact."""
    return pooling_step(trace.n_tokens, most_cells_a_side(trace.spec.n_heads))


def _plan(n_heads: int, side: int) -> _Plan:
    wanted = math.sqrt(n_heads * _ASPECT)
    dividing = [n for n in range(1, n_heads + 1) if n_heads % n == 0]
    columns = min(dividing, key=lambda n: abs(math.log(n / wanted)))
    if abs(math.log(columns / wanted)) > math.log(1.6):
        columns = max(round(wanted), 1)
    rows = math.ceil(n_heads / columns)
    pixels = HEIGHT / rows
    titled = pixels - _TITLE >= _NARROWEST_TITLED
    gap = _TITLE / (pixels - _TITLE) if titled else 0.12
    return _Plan(columns, rows, side, across=side * 1.08, down=side * (1 + gap), titled=titled)


def _axes(trace: AttentionTrace, plan: _Plan, step: int) -> dict[str, object]:
    """One pair of axes under all heads; the tick texts, never drawn, are what hovering shows."""
    extent = plan.extent
    keys, queries = _ranges(trace.key_tokens, step), _ranges(trace.query_tokens, step)
    columns = [(plan.box(c).x + i + 0.5, key) for c in range(plan.columns) for i, key in enumerate(keys)]
    rows = [(plan.box(r * plan.columns).y + i + 0.5, q) for r in range(plan.rows) for i, q in enumerate(queries)]
    return {
        "xaxis": theme.bare_axis((0, extent.width)) | _texts(columns),
        "yaxis": theme.bare_axis((extent.height, 0)) | _texts(rows),
        "margin": {"l": 2, "r": 2, "t": 2, "b": 8, "autoexpand": False},
    }


def _ranges(tokens: TokenSequence, step: int) -> list[str]:
    """What each cell along an axis covers: a token, or the first and last of several."""
    names = hover_labels(tokens)
    if step == 1:
        return names
    lasts = (min(first + step, len(names)) - 1 for first in range(0, len(names), step))
    return [f"{names[last // step * step]} … {names[last]}" for last in lasts]


def _texts(places: list[tuple[float, str]]) -> dict[str, object]:
    return {
        "tickmode": "array",
        "tickvals": [round(place, 3) for place, _ in places],
        "ticktext": [text for _, text in places],
    }


def _tile(cells: object, box: theme.Box, head: HeadId, *, silent: bool) -> go.Heatmap:
    text = say("figure.hover_cell", query="%{y}", key="%{x}", weight="%{z:.4f}")
    name = say("figure.silenced", head=head) if silent else str(head)
    return go.Heatmap(
        z=cells,
        x0=box.x + 0.5,
        dx=1,
        y0=box.y + 0.5,
        dy=1,
        coloraxis="coloraxis",
        name=name,
        opacity=0.3 if silent else 1.0,
        hovertemplate=f"{name}<br>{text}<extra></extra>",
        hoverongaps=False,
    )


def _title(name: str, box: theme.Box) -> dict[str, object]:
    return {
        "x": box.x + box.width / 2,
        "y": box.y,
        "yanchor": "bottom",
        "text": name,
        "showarrow": False,
        "font": {"size": theme.FONT_SIZE},
        "borderpad": 2,
    }
