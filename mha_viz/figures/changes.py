"""Two runs with aligned tokens: what changed in one head, how much every head changed, and two models by depth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from mha_viz.analysis.align import AlignedPair, Alignment
from mha_viz.analysis.compare import FARTHEST, HeadChanges, HeadDifference
from mha_viz.analysis.sizes import Depths
from mha_viz.arrays import FloatArray
from mha_viz.controls import HeadId
from mha_viz.figures import theme
from mha_viz.figures.cells import pooling_step, round_up
from mha_viz.figures.labels import LONGEST, LONGEST_FULL, label, label_width, token_text
from mha_viz.figures.matrix import metric_matrix
from mha_viz.figures.square import HEIGHT, hover_axis, key_axis, labelled_axes_drawn
from mha_viz.tokens import TokenSequence
from mha_viz.words import say

#: Cells on a side; of more tokens several are drawn as one.
MOST_CELLS = 128
_MOST_ROWS = 26
_BAR = 86  # pixels beside the picture for its scale


class _Cells(NamedTuple):
    """What is drawn: (row, column) each, and how many pairs a cell covers on each side."""

    change: FloatArray
    a: FloatArray
    b: FloatArray
    step: int


def change_heatmap(difference: HeadDifference) -> go.Figure:
    """B less A for one head, over the aligned tokens of both runs.

    Args:
        difference: as ``analysis.compare.head_difference`` gives it.

    Returns:
        A figure of fixed height; trace 0 is the heatmap. Its scale has 0 in the middle and ends at the change farthest from 0,
        rounded up, which is printed. What cannot be compared is hatched. A replaced token is written "cat → dog", one that only
        A has "− cat", one that only B has "+ dog". Hovering names both weights and the difference. Above ``MOST_CELLS`` tokens
        each cell is the change farthest from 0 of the tokens it covers (``change_step`` on each side).
    """
    cells = _drawn(difference)
    end = min(round_up(difference.largest), 1.0)
    figure = theme.figure(height=HEIGHT, **_axes(difference.alignment, cells.step))
    values = {"a": "%{customdata[0]:.4f}", "b": "%{customdata[1]:.4f}", "change": "%{z:+.4f}"}
    figure.add_trace(
        go.Heatmap(
            z=cells.change,
            customdata=np.stack([cells.a, cells.b], axis=-1),
            coloraxis="coloraxis",
            xaxis="x2",
            yaxis="y2",
            hoverongaps=False,
            hovertemplate=say("figure.hover_change", query="%{y}", key="%{x}", **values) + "<extra></extra>",
        )
    )
    figure.add_trace(labelled_axes_drawn())
    if np.isnan(cells.change).any():
        extent = theme.Box(-0.5, -0.5, cells.change.shape[1], cells.change.shape[0])
        figure.add_layout_image(theme.hatched({theme.HIDDEN: [extent]}, extent))
    axis = theme.colour_axis(end, say("figure.change")) | {"cmin": -end, "colorscale": theme.DIVERGING}
    bar = axis["colorbar"]
    assert isinstance(bar, dict)
    printed = {
        "tickmode": "array",
        "tickvals": [-end, 0.0, end],
        "ticktext": [theme.number(-end), "0", theme.number(end)],
    }
    return figure.update_layout(coloraxis=axis | {"colorbar": bar | printed})


def change_step(alignment: Alignment) -> int:
    """Tokens that a cell of ``change_heatmap`` covers on each side; 1 if every cell is exact."""
    return pooling_step(len(alignment.pairs), MOST_CELLS)


def change_matrix(changes: HeadChanges, *, chosen: HeadId | None = None) -> go.Figure:
    """How much every head changed, as a matrix of layers by heads.

    Args:
        changes: as ``analysis.compare.head_changes`` gives them.
        chosen: a head to outline.

    Returns:
        A figure as ``metric_matrix`` makes it: the scale goes from 0 to the largest distance, rounded up to two figures. Hovering
        also names the mean |B - A| and the number of rows.
    """
    known = changes.distance[np.isfinite(changes.distance)]
    top = min(round_up(float(known.max(initial=0.0))), FARTHEST)
    # Without the zero before the point two matrices fit side by side.
    texts = [["" if np.isnan(value) else f"{value:.2f}".lstrip("0") for value in row] for row in changes.distance]
    title, hover = say("changes.distance"), say("figure.hover_changed")
    figure = metric_matrix(changes.distance, texts, title, low=0.0, high=top, chosen=chosen, hover=hover)
    figure.data[0].customdata = np.stack([changes.cells, changes.n_rows], axis=-1)
    return figure


def depth_plot(a: Depths, b: Depths, title: str) -> go.Figure:
    """One metric of all heads of two models against relative depth, and the median of each layer as a line.

    Args:
        a, b: the same metric of two models.
        title: of the metric's axis.

    Returns:
        A figure of fixed height: traces 0 and 1 are A's heads and medians, 2 and 3 those of B. Depth goes from 0, the bottom of a
        model, to 1, its top; a layer stands at its middle.
    """
    figure = theme.figure(height=320, margin={"l": 76, "r": 16, "t": 40, "b": 54}, showlegend=True)
    figure.update_layout(legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "font": {"size": theme.FONT_SIZE}})
    for of, colour, symbol in ((a, theme.HEADS[0], "circle"), (b, theme.HEADS[1], "diamond")):
        figure.add_trace(_heads(of, colour, symbol))
        figure.add_trace(_medians(of, colour))
    font = {"size": theme.FONT_SIZE}
    figure.update_xaxes(range=[0, 1], title={"text": say("figure.depth_axis"), "font": font}, **theme.READING_LINES)
    return figure.update_yaxes(nticks=6, title={"text": title, "font": font}, **theme.READING_LINES)


def aligned_labels(alignment: Alignment, longest: int = LONGEST) -> list[str]:
    """A label for each pair: "cat", "cat → dog", "− cat", "+ dog"; escaped for a Plotly text."""
    return [_label(alignment, pair, longest) for pair in alignment.pairs]


def _label(alignment: Alignment, pair: AlignedPair, longest: int) -> str:
    a, b = (_text(tokens, at, longest) for tokens, at in ((alignment.a, pair.a), (alignment.b, pair.b)))
    return a if pair.kind == "same" else say(f"align.{pair.kind}", a=a, b=b)


def _text(tokens: TokenSequence, at: int | None, longest: int) -> str:
    return "" if at is None else label(token_text(tokens, at), longest)


def _hover_labels(alignment: Alignment) -> list[str]:
    """Full labels, each with its positions in A and B."""
    numbers = [
        " → ".join(
            str(tokens.number(at)) for tokens, at in ((alignment.a, pair.a), (alignment.b, pair.b)) if at is not None
        )
        for pair in alignment.pairs
    ]
    names = aligned_labels(alignment, LONGEST_FULL)
    return [f"{name} ({number})" for name, number in zip(names, numbers, strict=True)]


def _drawn(difference: HeadDifference) -> _Cells:
    """The cells, or of each block the one that changed most, with the weights of that very cell."""
    arrays = (difference.change, difference.a, difference.b)
    step = change_step(difference.alignment)
    if step == 1:
        return _Cells(*arrays, step)
    change, a, b = (_blocks(array, step) for array in arrays)
    most = np.where(np.isnan(change), -1.0, np.abs(change)).argmax(axis=-1)[..., None]
    change, a, b = (np.take_along_axis(blocks, most, axis=-1)[..., 0] for blocks in (change, a, b))
    return _Cells(change, a, b, step)


def _blocks(cells: FloatArray, step: int) -> FloatArray:
    """(row, column) to (block, block, cell of the block), filled up with NaN at the ends."""
    filled = np.pad(cells, (0, -len(cells) % step), constant_values=np.nan)
    n = len(filled) // step
    return filled.reshape(n, step, n, step).swapaxes(1, 2).reshape(n, n, step * step)


def _axes(alignment: Alignment, step: int) -> dict[str, object]:
    """As the axes of a square heatmap, rows and columns alike."""
    short, full = aligned_labels(alignment), _hover_labels(alignment)
    labels = short[::step]
    if step > 1:
        last = len(full) - 1
        full = [f"{full[at]} … {full[min(at + step - 1, last)]}" for at in range(0, len(full), step)]
    n = len(labels)
    above, reach = key_axis(labels)
    shown = range(0, n, pooling_step(n, _MOST_ROWS))
    font = {"size": theme.FONT_SIZE}
    rows = theme.bare_axis(
        (n - 0.5, -0.5),
        showticklabels=True,
        tickmode="array",
        tickvals=list(shown),
        ticktext=[labels[at] for at in shown],
        tickfont=font,
        title={"text": say("figure.query_axis"), "font": font, "standoff": 10},
        automargin=False,
    )
    left = 58 + max(map(label_width, labels)) * theme.CHARACTER_WIDTH
    return {
        "xaxis": above,
        "yaxis": rows,
        "xaxis2": hover_axis(full, (-0.5, n - 0.5), "x"),
        "yaxis2": hover_axis(full, (n - 0.5, -0.5), "y"),
        "margin": {"l": left, "t": 38 + reach, "r": _BAR, "b": 8, "autoexpand": False},
    }


def _heads(of: Depths, colour: str, symbol: str) -> go.Scatter:
    layers, heads = (places.ravel() for places in np.indices(of.values.shape))
    names = [str(HeadId(int(layer), int(head))) for layer, head in zip(layers, heads, strict=True)]
    name = label(of.model, LONGEST_FULL)
    return go.Scatter(
        x=of.depth[layers],
        y=of.values.ravel(),
        mode="markers",
        name=name,
        marker={"size": 8, "color": colour, "opacity": 0.6, "symbol": symbol},
        text=names,
        hovertemplate=say("figure.hover_depth", model=name, head="%{text}", value="%{y:.3f}") + "<extra></extra>",
    )


def _medians(of: Depths, colour: str) -> go.Scatter:
    middle = of.quantiles[2]
    name = say("figure.median_of", model=label(of.model, LONGEST_FULL))
    hover = say("figure.hover_depth", model=name, head="", value="%{y:.3f}") + "<extra></extra>"
    line = {"color": colour, "width": 3}
    return go.Scatter(x=of.depth, y=middle, mode="lines+markers", name=name, line=line, hovertemplate=hover)
