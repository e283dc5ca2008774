"""Figures for files show what the canvases show: the same cells, lines, colours and marks, with every head named."""

from __future__ import annotations

import itertools
import json

import numpy as np
import plotly.graph_objects as go
import pytest

from mha_viz.controls import Controls, HeadId
from mha_viz.errors import InputError
from mha_viz.figures import Colour, print_cells, print_grid, print_lines, print_overview, theme, thumbnails
from mha_viz.figures.bytes import codes_of
from mha_viz.figures.lines import MOST_LINES, lines_of
from mha_viz.figures.overview import HIDDEN, HIGHEST, Caption
from mha_viz.figures.print_lines import lines_figure
from mha_viz.masks import Causal, HideQuery, LocalWindow
from mha_viz.trace import Reading
from tests.figures import rules
from tests.unit.build import sequence, trace

COLOURS = [
    Colour(),
    Colour("root"),
    Colour("log", palette="inferno"),
    Colour(shared=False),
    Colour("log", shared=False),
]
HEADS = [HeadId(0, 0), HeadId(1, 2), HeadId(1, 1)]


def check(figure: go.Figure) -> None:
    """What every figure for a file keeps to."""
    values = figure.to_plotly_json()
    assert min(rules.sizes(values)) >= 14
    assert figure.layout.width >= 300
    assert figure.layout.height >= 60
    assert not rules.PLACEHOLDER.search(figure.to_json())
    rules.picture(figure)
    json.loads(figure.to_json())


def tiles(figure: go.Figure, count: int, side: int) -> list[np.ndarray]:
    """The cells of each thumbnail, found by their borders alone: those that end in a gap."""
    heatmap = figure.data[0]
    z, x = np.asarray(heatmap.z), np.asarray(heatmap.x)
    assert z.shape == (len(heatmap.y) - 1, len(x) - 1)
    columns = z.shape[1] // (side + 1)
    blocks = [
        z[row : row + side, column : column + side]
        for row in range(0, len(z), side + 1)
        for column in range(0, columns * (side + 1), side + 1)
    ]
    return blocks[:count]


def texts(figure: go.Figure) -> list[str]:
    return [note.text for note in figure.layout.annotations]


# --- Overview -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("colour", COLOURS, ids=str)
@pytest.mark.parametrize("controls", [None, Controls(mask=Causal()), Controls(mask=HideQuery(1))])
@pytest.mark.parametrize("n_tokens", [1, 6, 70])
def test_the_overview_has_the_colours_of_the_canvas(colour, controls, n_tokens):
    run = trace(n_tokens, n_layers=2, n_heads=3, controls=controls)
    drawn, figure = thumbnails(run, colour), print_overview(run, colour)
    check(figure)
    scale = figure.layout.coloraxis
    side = drawn.codes.shape[-1]
    for place, cells in zip(np.ndindex(2, 3), tiles(figure, 6, side), strict=True):
        codes = drawn.codes[place]
        assert np.array_equal(np.isnan(cells), codes == HIDDEN)
        shares = np.where(codes == HIDDEN, np.nan, codes / HIGHEST)
        np.testing.assert_allclose((cells - scale.cmin) / (scale.cmax - scale.cmin), shares, atol=1e-6)
    assert bool(figure.layout.images) == bool((drawn.codes == HIDDEN).any())
    if colour == Colour():
        exact = np.where(run.visible, run.weights, np.nan)
        if n_tokens == 6:
            for place, cells in zip(np.ndindex(2, 3), tiles(figure, 6, side), strict=True):
                half = scale.cmax / HIGHEST / 2
                assert np.nanmax(np.abs(cells - exact[place]), initial=0.0) <= half * 1.001


def test_thumbnails_are_square_do_not_touch_and_lie_within_the_plot():
    figure = print_overview(trace(9, n_layers=3, n_heads=4))
    x, y = (np.array(figure.data[0][name]).reshape(-1) for name in "xy")
    margin, axes = figure.layout.margin, (figure.layout.xaxis.range, figure.layout.yaxis.range)
    assert figure.layout.width - margin.l - margin.r == axes[0][1]  # a unit is a pixel
    assert abs(figure.layout.height - margin.t - margin.b - axes[1][0]) < 1
    starts, ends = x[:-1].reshape(4, 10)[:, 0], x[:-1].reshape(4, 10)[:, 9]
    down = y[:-1].reshape(3, 10)
    assert (starts[1:] - ends[:-1] >= 8 - 1e-9).all()
    np.testing.assert_allclose(ends - starts, np.full(4, down[0, 9] - down[0, 0]))
    assert ends.max() <= axes[0][1]
    assert down.max() <= axes[1][0]


def test_every_head_is_named_where_it_stands():
    figure = print_overview(trace(5, n_layers=6, n_heads=12))
    named = {note.text: (note.x, note.y) for note in figure.layout.annotations}
    points = figure.data[1]
    assert list(points.text) == [str(HeadId(layer, head)) for layer in range(6) for head in range(12)]
    for text, x, y in zip(points.text, points.x, points.y, strict=True):
        assert abs(named[text][0] - x) < 50
        assert 0 < y - named[text][1] < 80
    assert {f"<b>L{layer}</b>" for layer in range(6)} <= set(named)


@pytest.mark.parametrize(("n_layers", "n_heads"), [(1, 1), (2, 64), (12, 40), (3, 128)])
def test_models_of_any_size_fit(n_layers, n_heads):
    run = trace(4, n_layers=n_layers, n_heads=n_heads)
    figure = print_overview(run)
    check(figure)
    assert len(figure.data[1].x) == n_layers * n_heads
    assert figure.layout.width == 1100


def test_order_numbers_bars_filter_and_the_chosen_head_are_those_of_the_page():
    run = trace(5, n_layers=2, n_heads=2)
    notes = Caption(
        values=["0.1", "0.2", "<0.3>", "0.4"],
        shares=np.array([[0.0, 1.0], [0.5, np.nan]]),
        notes=["a", "b", "<i>c</i>", "d"],
        faint=np.array([False, False, True, False]),
    )
    order = np.array([2, 0, 3, 1])
    figure = print_overview(run, caption=notes, order=order, chosen=HeadId(1, 0), sorted_by_metric=True)
    check(figure)
    assert figure.data[1].text[0] == "L1 H0 &lt;0.3&gt; &lt;i&gt;c&lt;/i&gt;"
    assert [text.split()[0:2] for text in figure.data[1].text] == [
        ["L1", "H0"],
        ["L0", "H0"],
        ["L1", "H1"],
        ["L0", "H1"],
    ]
    drawn = thumbnails(run)
    first = tiles(figure, 1, 5)[0]
    np.testing.assert_allclose(first, drawn.codes[1, 0] / HIGHEST * drawn.ends[0, 0], atol=1e-6)
    shapes = figure.layout.shapes
    palette = theme.stops("viridis")
    bars = [shape for shape in shapes if shape.fillcolor in palette]
    assert [shape.fillcolor for shape in bars] == [palette[round(0.5 * (len(palette) - 1))], palette[0], palette[-1]]
    widths = [shape.x1 - shape.x0 for shape in bars]
    assert widths[0] / widths[2] == pytest.approx(0.5)
    veils = [shape for shape in shapes if shape.fillcolor == theme.PAPER]
    assert [(shape.opacity, shape.x0) for shape in veils] == [(pytest.approx(0.82), 0)]
    outlined = [shape for shape in shapes if shape.line.color == theme.ACCENT and shape.line.width]
    assert [shape.x0 for shape in outlined] == [0]


# --- Lines --------------------------------------------------------------------------------------------


def curves(figure: go.Figure) -> list[tuple[go.Scatter, np.ndarray]]:
    """Each line by itself, with the trace it is of: (point, 2)."""
    found = []
    for scatter in figure.data:
        points = np.stack([np.asarray(scatter.x), np.asarray(scatter.y)], axis=1)
        parts = np.split(points, np.flatnonzero(np.isnan(points[:, 0])) + 1)
        found += [(scatter, part[:-1]) for part in parts if len(part)]
    return found


def ends_of(figure: go.Figure) -> dict[str, tuple[float, float]]:
    """Where each label stands; of two columns the left one."""
    return {note.text: (note.x, note.y) for note in reversed(figure.layout.annotations)}


@pytest.mark.parametrize("heads", [HEADS[:1], HEADS])
@pytest.mark.parametrize("layout", ["sides", "arcs"])
def test_every_line_leads_from_its_query_to_its_key_in_its_heads_colour(layout, heads):
    run = trace(7, n_layers=2, n_heads=3, controls=Controls(mask=LocalWindow(3)))
    lines = lines_of(run, heads, least=0.1, most=3, focus=None, key=None)
    figure = lines_figure(lines, run.query_tokens, layout)
    check(figure)
    labels = ends_of(figure)
    drawn = curves(figure)
    assert len(drawn) == lines.n_lines > 15
    across = 0 if layout == "arcs" else 1
    places = np.array([labels[f"w{i}"][across] for i in range(7)])
    found = set()
    for scatter, points in drawn:
        number = theme.HEADS.index(scatter.line.color)
        shift = (number - (len(heads) - 1) / 2) * min(4.0, 12 / len(heads))
        start, end = points[0, across] - shift, points[-1, across] - shift
        query, key = int(np.abs(places - start).argmin()), int(np.abs(places - end).argmin())
        assert abs(places[query] - start) < 1.0
        assert abs(places[key] - end) < 1.0
        weight = run.weights[heads[number]][query, key]
        assert scatter.line.width == pytest.approx(0.9 + 5 * np.sqrt(weight), abs=5 / 32)
        assert scatter.opacity == pytest.approx(0.4 + 0.6 * np.sqrt(weight), abs=1 / 32)
        found.add((number, query, key))
    wanted = set(zip(lines.head.tolist(), lines.query.tolist(), lines.key.tolist(), strict=True))
    assert found == wanted
    widths = [scatter.line.width for scatter in figure.data]
    assert widths == sorted(widths)


def test_two_columns_are_cubic_curves():
    run = trace(4, n_layers=1, n_heads=1)
    figure = print_lines(run, [HeadId(0, 0)])
    for _, points in curves(figure):
        (x0, y0), (x1, y1) = points[0], points[-1]
        middle, corners = (x0 + x1) / 2, np.array([[x0, y0], [0, y0], [0, y1], [x1, y1]])
        corners[1:3, 0] = middle
        t = np.linspace(0, 1, len(points))[:, None]
        levels = [np.broadcast_to(corner, (len(points), 2)) for corner in corners]
        while len(levels) > 1:  # de Casteljau
            levels = [one * (1 - t) + other * t for one, other in itertools.pairwise(levels)]
        np.testing.assert_allclose(points, levels[0], atol=0.02)


def test_arcs_stand_above_for_keys_before_and_below_for_keys_after():
    run = trace(8, n_layers=1, n_heads=1)
    figure = print_lines(run, [HeadId(0, 0)], layout="arcs", least=0.05)
    labels = ends_of(figure)
    middle = labels["w0"][1]
    spans: dict[int, float] = {}
    for _, points in curves(figure):
        start, end = points[0, 0], points[-1, 0]
        assert (points[:, 1] < middle).all() if end <= start + 0.5 else (points[:, 1] > middle).all()
        if abs(end - start) > 1:
            spans[round(abs(end - start))] = np.ptp(points[:, 1])
    heights = [spans[span] for span in sorted(spans)]
    assert heights == sorted(heights)
    assert np.asarray(figure.layout.yaxis.range)[0] >= max(points[:, 1].max() for _, points in curves(figure))


def test_dashes_go_on_where_colours_end_and_every_head_is_named():
    run = trace(3, n_layers=2, n_heads=12)
    heads = [HeadId(layer, head) for layer in range(2) for head in range(12)]
    figure = print_lines(run, heads)
    check(figure)
    looks = {(scatter.line.color, scatter.line.dash) for scatter in figure.data}
    assert len(looks) == 24
    legend = [text.split("</b> ")[1] for text in texts(figure) if "</b> L" in text]
    left = [text for text in texts(figure) if "more" in text]
    assert legend == [str(head) for head in heads[: len(legend)]]
    assert left == [f"and {24 - len(legend)} more"]


@pytest.mark.parametrize("layout", ["sides", "arcs"])
def test_a_long_sentence_keeps_to_a_bounded_number_of_traces_and_points(layout):
    run = trace(300, n_layers=1, n_heads=2)
    figure = print_lines(run, [HeadId(0, 0), HeadId(0, 1)], layout=layout)
    check(figure)
    assert len(curves(figure)) == MOST_LINES
    assert len(figure.data) <= 2 * 32


def test_rows_without_a_key_and_special_tokens_look_other_and_a_token_alone_is_drawn():
    tokens = sequence(["[CLS]", "b", "<b>"], special=(True, False, False))
    run = trace(tokens, controls=Controls(mask=HideQuery(1)))
    figure = print_lines(run, [HeadId(0, 0)])
    notes = {(note.text, note.xanchor): note for note in figure.layout.annotations}
    assert notes["b", "right"].font.color == theme.NO_KEY.colour
    assert notes["b", "left"].font.color is None
    assert notes["[CLS]", "left"].font.style == "italic"
    assert ("&lt;b&gt;", "right") in notes
    for layout in ("sides", "arcs"):
        check(print_lines(trace(1), [HeadId(0, 0)], layout=layout))
    with pytest.raises(InputError, match="arcs"):
        print_lines(run, [HeadId(0, 0)], layout="circle")


# --- One head, all heads of a layer -------------------------------------------------------------------


@pytest.mark.parametrize("colour", COLOURS, ids=str)
def test_a_long_head_has_the_steps_of_colour_of_its_canvas(colour):
    run = trace(300, n_layers=1, n_heads=2, controls=Controls(mask=LocalWindow(60)))
    figure = print_cells(run, 0, 1, focus=4, colour=colour)
    check(figure)
    codes, top = codes_of(run, 0, 1, colour)
    heatmap, scale = figure.data[0], figure.layout.coloraxis
    z = np.asarray(heatmap.z, dtype=np.float64)
    assert np.array_equal(np.isnan(z), codes == HIDDEN)
    shares = (z - scale.cmin) / (scale.cmax - scale.cmin)
    np.testing.assert_allclose(shares, np.where(codes == HIDDEN, np.nan, codes / HIGHEST), atol=2e-6)
    if colour.scale == "linear":
        apart = np.abs(z - run.weights[0, 1])
        assert np.nanmax(apart) <= top / HIGHEST / 2 * 1.001
    assert figure.layout.shapes[0].y0 == 3.5


def test_the_heads_of_a_layer_are_square_named_in_full_and_beside_their_scale():
    run: Reading = trace(6, n_layers=2, n_heads=12)
    figure = print_grid(run, 1, chosen=3)
    check(figure)
    assert texts(figure) == [f"L1 H{head}" for head in range(12)]
    for head in range(12):
        assert np.array_equal(np.asarray(figure.data[head].z), run.weights[1, head])
    assert figure.layout.coloraxis.showscale is True
    margin, (low, high) = figure.layout.margin, figure.layout.xaxis.range
    wide = (figure.layout.width - margin.l - margin.r) / (high - low)
    bottom, top = figure.layout.yaxis.range
    high_ = (figure.layout.height - margin.t - margin.b) / (bottom - top)
    assert wide / high_ == pytest.approx(1, abs=0.1)
    own = print_grid(run, 1, colour=Colour(shared=False))
    assert own.layout.coloraxis.showscale is False
