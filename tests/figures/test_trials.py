"""What trainings gave, drawn: means, intervals, seeds, lines to compare with, and courses."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import pytest

from mha_viz.figures import theme
from mha_viz.figures.trials import HEIGHT, Course, Level, Points, courses, scores
from tests.figures import contract


def legible(figure: go.Figure) -> None:
    assert min(contract.fonts(contract.sent(figure))) >= contract.SMALLEST_FONT
    assert figure.layout.height == HEIGHT
    assert figure.layout.width is None


def test_means_stand_at_their_places_with_intervals_and_seeds_beside_them() -> None:
    points = Points("trained", [(0.2, 0.4), (), (1.0,)], [0.15, None, None])
    figure = scores([points], ["1", "2", "4"], "heads", "score", span=(0, 1.05))
    legible(figure)
    seeds, means = figure.data
    assert list(means.x) == [0, 2]
    assert means.y == pytest.approx((0.3, 1.0))
    assert list(means.error_y.array) == [0.15, 0.0]
    assert means.error_y.visible
    assert "0.1500" in means.customdata[0]
    assert means.customdata[1] == ""
    assert list(seeds.y) == [0.2, 0.4, 1.0]
    assert np.round(np.asarray(seeds.x, dtype=float)).tolist() == [0, 0, 2]
    assert figure.layout.xaxis.ticktext == ("1", "2", "4")
    assert tuple(figure.layout.yaxis.range) == (0, 1.05)


def test_one_seed_shows_no_interval() -> None:
    _, means = scores([Points("trained", [(0.2,), (0.3,)], [None, None])], ["1", "2"], "x", "y").data
    assert not means.error_y.visible


def test_several_series_stand_beside_one_another_in_their_own_colours_and_symbols() -> None:
    series = [Points(name, [(0.5,)] * 2, [None] * 2) for name in ("a", "b", "c")]
    figure = scores(series, ["1", "2"], "x", "y")
    means = figure.data[1::2]
    assert [one.name for one in means] == ["a", "b", "c"]
    assert len({one.marker.color for one in means}) == len({one.marker.symbol for one in means}) == 3
    assert [one.x[0] for one in means] == sorted(one.x[0] for one in means)
    assert max(abs(x - round(x)) for one in means for x in one.x) < 0.5


def test_lines_to_compare_with_lie_under_the_points_and_differ_from_each_other() -> None:
    levels = [Level("best", [0.25, None, 1.0]), Level("chance", 0.125)]
    figure = scores([Points("t", [(), (), ()], [None] * 3)], ["1", "2", "4"], "x", "y", levels=levels)
    best, chance = figure.data[:2]
    assert list(best.y) == [0.25, None, 1.0]
    assert list(chance.y) == [0.125] * 3
    assert best.line.dash != chance.line.dash
    assert best.line.color == chance.line.color == theme.GUIDE


@pytest.mark.parametrize("places", [[], ["1"]])
def test_nothing_known_yet_still_makes_a_figure(places: list[str]) -> None:
    legible(scores([Points("t", [()] * len(places), [None] * len(places))], places, "x", "y"))
    legible(scores([], places, "x", "y"))
    legible(courses([], "x", "y"))


def test_names_are_never_markup() -> None:
    figure = scores([Points("<b>%{x}", [(1.0,)], [None])], ["<i>"], "x", "y")
    assert figure.layout.xaxis.ticktext == ("&lt;i&gt;",)
    assert "<b>%{x}" not in figure.data[1].hovertemplate


def test_courses_of_one_group_share_a_colour_and_one_entry_of_the_legend() -> None:
    runs = [
        Course("1 head", [1, 2], [0.1, 0.2]),
        Course("2 heads", [1, 2], [0.3, 0.4], dashed=True),
        Course("1 head", [1, 2, 3], [0.2, 0.3, 0.4]),
    ]
    figure = courses(runs, "steps", "score", (0, 1), until=400)
    legible(figure)
    assert [tuple(one.y) for one in figure.data] == [(0.1, 0.2), (0.3, 0.4), (0.2, 0.3, 0.4)]
    assert [one.showlegend for one in figure.data] == [True, True, False]
    assert figure.data[0].line.color == figure.data[2].line.color != figure.data[1].line.color
    assert [one.line.dash for one in figure.data] == ["solid", "dash", "solid"]
    assert tuple(figure.layout.xaxis.range) == (0, 400)
    assert courses(runs, "steps", "score").layout.xaxis.range is None


def test_more_groups_than_colours_are_drawn_all_the_same() -> None:
    runs = [Course(str(number), [1], [0.5]) for number in range(len(theme.HEADS) + 1)]
    figure = courses(runs, "x", "y")
    assert len(figure.data) == len(runs)
    assert figure.data[0].line.color == figure.data[-1].line.color
