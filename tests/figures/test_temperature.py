"""The entropy curve with its limits and the present temperature; the layers where running differs from repainting."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mha_viz.figures import entropy_curve, layer_difference, theme
from mha_viz.stages import entropy_by_temperature
from tests.figures import rules

ROW = [2.0, 1.0, -math.inf, 0.5, 2.0]
TEMPERATURES = [0.0, 1e-45, 0.01, 0.5, 1.0, 100.0, 1e39, math.inf]


def mark(figure):
    (marker,) = [trace for trace in figure.data if trace.mode == "markers"]
    return marker


@pytest.mark.parametrize("temperature", TEMPERATURES)
@pytest.mark.parametrize("row", [ROW, [1.0], [3.0, 3.0], [1e4, -1e4], [-math.inf, math.nan]], ids=repr)
def test_every_curve_keeps_to_the_rules_and_has_no_gap(row, temperature):
    figure = entropy_curve(row, temperature, int(np.isfinite(row).sum()))
    rules.check(figure)
    for trace in figure.data:
        assert np.isfinite(np.asarray(trace.x, dtype=float)).all()
        assert np.isfinite(np.asarray(trace.y, dtype=float)).all()


def test_the_curve_is_the_entropy_from_a_hundredth_to_a_hundred():
    curve = entropy_curve(ROW, 1.0, 4).data[0]
    assert (curve.x[0], curve.x[-1]) == (-2.0, 2.0)
    assert np.array_equal(curve.y, entropy_by_temperature(ROW, 10.0 ** np.asarray(curve.x)).entropies)


def test_both_limits_are_lines_with_their_values():
    figure = entropy_curve(ROW, 1.0, 4)
    assert sorted(shape.y0 for shape in figure.layout.shapes) == pytest.approx([math.log(2), math.log(4)])
    texts = " ".join(note.text for note in figure.layout.annotations)
    assert "ln 4 = 1.386" in texts
    assert "shared by 2: ln 2 = 0.693" in texts
    assert "all on one key" in " ".join(note.text for note in entropy_curve([1.0, 2.0], 1.0, 2).layout.annotations)


def test_the_present_temperature_is_marked_with_entropy_slope_and_tangent():
    figure = entropy_curve(ROW, 0.5, 4)
    entropies, slopes = entropy_by_temperature(ROW, [0.5])
    assert mark(figure).x[0] == pytest.approx(math.log10(0.5))
    assert mark(figure).y[0] == pytest.approx(entropies[0])
    texts = [note.text for note in figure.layout.annotations]
    assert f"T = 0.5: {entropies[0]:.3f} nats, slope {theme.number(slopes[0])}" in texts
    (tangent,) = [trace for trace in figure.data if trace.mode == "lines" and trace.line.color == theme.ACCENT]
    rise = (tangent.y[1] - tangent.y[0]) / (tangent.x[1] - tangent.x[0])
    assert rise == pytest.approx(slopes[0] * 0.5 * math.log(10))


@pytest.mark.parametrize(("temperature", "place"), [(0.0, -2), (1e-45, -2), (1e39, 2), (math.inf, 2)])
def test_a_temperature_beyond_the_axis_is_marked_at_its_end(temperature, place):
    figure = entropy_curve(ROW, temperature, 4)
    assert mark(figure).x[0] == place
    assert mark(figure).y[0] == pytest.approx(math.log(2 if place < 0 else 4))


@pytest.mark.parametrize("differences", [[0.0, 0.0, 1e-7, 0.2, 0.5, 0.3], [0.0], [0.0] * 12, [1.0] * 12], ids=repr)
def test_every_bar_of_layers_keeps_to_the_rules(differences):
    rules.check(layer_difference(differences, [0]))


def test_each_layer_has_its_bar_and_number_and_the_changed_ones_are_marked():
    figure = layer_difference([0.0, 1e-7, 0.25], [1])
    (bars,) = figure.data
    assert list(bars.x) == [0.0, 1e-7, 0.25]
    assert list(bars.text) == ["0", "1e−7", "0.25"]
    assert list(bars.marker.color) == [theme.VISIBLE, theme.ACCENT, theme.VISIBLE]
    assert list(figure.layout.yaxis.ticktext) == ["L0", "changed: L1", "L2"]


def test_figures_are_values():
    assert entropy_curve(ROW, 0.5, 4).to_json() == entropy_curve(ROW, 0.5, 4).to_json()
    assert layer_difference([0.1], []).to_json() == layer_difference([0.1], []).to_json()
