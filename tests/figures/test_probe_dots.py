"""Probes drawn: a row for each that has times chance, filled where it holds."""

from __future__ import annotations

from mha_viz.figures import probe_dots
from mha_viz.probes import Subject, all_outcomes, parse_line
from tests.figures import contract
from tests.unit.build import sequence, trace


def test_every_tried_pair_has_a_row_and_others_none() -> None:
    lines = ["a <b>b</b> c | a -> c | 0.1", "a c | a -> c | 1000", "x | x -> y | 2"]
    probes = [parse_line(line) for line in lines[:2]]
    tried = all_outcomes(probes, lambda text, pair: trace(sequence(text.split()), seed=1), Subject("m"))
    untried = all_outcomes(probes, lambda text, pair: trace(1), Subject("Toy", toy=True))
    figure = probe_dots([*tried, *untried])
    assert figure is not None
    assert min(contract.fonts(contract.sent(figure))) >= contract.SMALLEST_FONT
    best, expected = figure.data
    assert list(best.x) == [one.measured for one in tried]
    assert list(best.marker.symbol) == ["circle", "circle-open"]
    assert list(expected.x) == [0.1, 1000]
    assert len(figure.layout.yaxis.ticktext) == 2
    assert figure.layout.xaxis.type == "log"
    assert probe_dots(untried) is None
    assert probe_dots([]) is None
