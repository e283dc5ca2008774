"""All heads of a layer as heatmaps in one figure with one colour scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from mha_viz.arrays import FloatArray
from mha_viz.controls import HeadId
from mha_viz.figures import theme
from mha_viz.figures.cells import check_place, highest_weight, pooled, pooling_step, with_gaps
from mha_viz.figures.colour import PLAIN, Colour
from mha_viz.figures.head import HEIGHT
from mha_viz.figures.labels import hover_labels
from mha_viz.tokens import TokenSequence
from mha_viz.trace import Reading
from mha_viz.words import say

#: Cells of all heads together; more are pooled.
MOST_CELLS = 65_536
#: Width over height of the room the grid has beside the large head.
_ASPECT = 0.68
_TITLE = 22  # pixels above each head
_NARROWEST_TITLED = 34  # pixels


class Plan(NamedTuple):
    """Where each head stands, in cells from the top left corner.

    Attributes:
        columns, rows: of heads.
        side: cells on a side of a head.
        across, down: from one head to the next.
        titled: whether there is room for titles.
        step: tokens that a cell covers on each side.
    """

    columns: int
    rows: int
    side: int
    across: float
    down: float
    titled: bool
    step: int

    def box(self, head: int) -> theme.Box:
        """The cells of one head."""
        row, column = divmod(head, self.columns)
        return theme.Box(column * self.across, row * self.down + self.down - self.side, self.side, self.side)

    @property
    def extent(self) -> theme.Box:
        """All heads."""
        return theme.Box(0, 0, self.columns * self.across - (self.across - self.side), self.rows * self.down)


class Tile(NamedTuple):
    """One head of a grid.

    Attributes:
        paint: what its heatmap is given to colour its cells.
        hover: text, with ``%{x}`` the key and ``%{y}`` the query.
        name: which head, for hovering.
        title: above it.
        gaps: whether some of its cells are hidden.
        faint: whether it is drawn pale.
    """

    paint: dict[str, object]
    hover: str
    name: str
    title: str
    gaps: bool
    faint: bool = False


def head_grid(
    trace: Reading,
    layer: int,
    *,
    chosen: int | None = None,
    titles: Sequence[str] | None = None,
    colour: Colour = PLAIN,
) -> go.Figure:
    """Every head of one layer.

    Args:
        trace: a run.
        layer: from 0.
        chosen: a head to outline.
        titles: what stands above each head; "H0", "H1", ... if None.
        colour: how weights become colours. If they are not shared, each head has its own scale, and what stands above it is
            its number and its largest weight, whatever ``titles`` says.

    Returns:
        A figure of fixed height; trace i is head i. The colour scale is shared: 0 to the largest weight of the layer.
        Hovering names head, query, key and weight. Above ``MOST_CELLS`` cells in all, each cell is the largest weight of the
        tokens it covers (``grid_step`` tokens on each side).

    Raises:
        InputError: no such layer or head.
    """
    check_place(trace, layer, chosen or 0)
    cells, step = pooled(with_gaps(trace.weights[layer], trace.visible[layer]), most_cells_a_side(trace.spec.n_heads))
    tiles = [
        _weights_tile(trace, HeadId(layer, head), cells[head], titles[head] if titles else f"H{head}", colour)
        for head in range(trace.spec.n_heads)
    ]
    axis = colour.axis(highest_weight(trace, layer), "")
    return grid_of(trace, tiles, plan_of(trace.spec.n_heads, cells.shape[-1], step), axis, chosen)


def grid_of(
    trace: Reading, tiles: Sequence[Tile], plan: Plan, axis: dict[str, object], chosen: int | None
) -> go.Figure:
    """A figure of one tile a head, all on the colour axis ``axis``, which is not printed."""
    figure = theme.figure(height=HEIGHT, **_axes(trace, plan))
    for head, tile in enumerate(tiles):
        figure.add_trace(_heatmap(tile, plan.box(head)))
    boxes = [plan.box(head) for head, tile in enumerate(tiles) if tile.gaps]
    if boxes:
        figure.add_layout_image(theme.hatched({theme.HIDDEN: boxes}, plan.extent, side=3 * plan.side))
    if plan.titled:
        figure.update_layout(annotations=[_title(tile.title, plan.box(head)) for head, tile in enumerate(tiles)])
    if chosen is not None:
        figure.add_shape(theme.outline(plan.box(chosen), width=4))
    figure.update_layout(coloraxis=axis | {"showscale": False})
    return figure


def most_cells_a_side(n_heads: int) -> int:
    """Cells on a side of each head that keep the whole grid within MOST_CELLS."""
    return max(math.isqrt(MOST_CELLS // n_heads), 8)


def grid_step(trace: Reading) -> int:
    """Tokens that a cell of the grid covers on each side; 1 if every cell is exact."""
    return pooling_step(trace.n_tokens, most_cells_a_side(trace.spec.n_heads))


def plan_of(n_heads: int, side: int, step: int, aspect: float = _ASPECT) -> Plan:
    """The plan for heads of ``side`` cells, each of ``step`` tokens, in a room ``aspect`` times as wide as high."""
    wanted = math.sqrt(n_heads * aspect)
    dividing = [n for n in range(1, n_heads + 1) if n_heads % n == 0]
    columns = min(dividing, key=lambda n: abs(math.log(n / wanted)))
    if abs(math.log(columns / wanted)) > math.log(1.6):
        columns = max(round(wanted), 1)
    rows = math.ceil(n_heads / columns)
    pixels = HEIGHT / rows
    titled = pixels - _TITLE >= _NARROWEST_TITLED
    gap = _TITLE / (pixels - _TITLE) if titled else 0.12
    return Plan(columns, rows, side, across=side * 1.08, down=side * (1 + gap), titled=titled, step=step)


def _axes(trace: Reading, plan: Plan) -> dict[str, object]:
    """One pair of axes under all heads; the tick texts, never drawn, are what hovering shows."""
    extent = plan.extent
    keys, queries = ranges(trace.key_tokens, plan.step), ranges(trace.query_tokens, plan.step)
    columns = [(plan.box(c).x + i + 0.5, key) for c in range(plan.columns) for i, key in enumerate(keys)]
    rows = [(plan.box(r * plan.columns).y + i + 0.5, q) for r in range(plan.rows) for i, q in enumerate(queries)]
    return {
        "xaxis": theme.bare_axis((0, extent.width)) | _texts(columns),
        "yaxis": theme.bare_axis((extent.height, 0)) | _texts(rows),
        "margin": {"l": 2, "r": 2, "t": 2, "b": 8, "autoexpand": False},
    }


def ranges(tokens: TokenSequence, step: int) -> list[str]:
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


def _weights_tile(trace: Reading, head: HeadId, cells: FloatArray, title: str, colour: Colour) -> Tile:
    silent = head in trace.controls.silenced
    name = say("figure.silenced", head=head) if silent else str(head)
    highest = highest_weight(trace, head.layer, None if colour.shared else head.head)
    paint = colour.cells(cells, highest)
    if not colour.shared:
        title = say("figure.own_scale", head=f"H{head.head}", highest=theme.number(highest))
        name = say("figure.own_scale", head=name, highest=theme.number(highest))
    if not colour.shared and colour.scale == "linear":
        paint |= {"zmin": 0.0, "zmax": highest, "colorscale": theme.PALETTES[colour.palette], "showscale": False}
    else:
        paint |= {"coloraxis": "coloraxis"}
    hover = say("figure.hover_cell", query="%{y}", key="%{x}", weight=colour.hover)
    return Tile(paint, hover, name, title, gaps=not trace.visible[head.layer, head.head].all(), faint=silent)


def _heatmap(tile: Tile, box: theme.Box) -> go.Heatmap:
    return go.Heatmap(
        **tile.paint,
        x0=box.x + 0.5,
        dx=1,
        y0=box.y + 0.5,
        dy=1,
        name=tile.name,
        opacity=0.3 if tile.faint else 1.0,
        hovertemplate=f"{tile.name}<br>{tile.hover}<extra></extra>",
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
