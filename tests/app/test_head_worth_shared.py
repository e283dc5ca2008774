"""The views on sharing, depth and distilling draw what the stored results hold, and say what follows from it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mha_viz.labs.results import Row, where
from mha_viz.labs.stored import stored
from mha_viz.ui.depth_view import claim
from mha_viz.words import say
from tests.app.driver import decoded, figure, opened, untroubled

PAGE = "pages/head_worth.py"

pytestmark = pytest.mark.usefixtures("at_once")


def texts(app: AppTest) -> str:
    return re.sub(r"\\(.)", r"\1", "\n".join(one.value for one in app.markdown))


def drawn(app: AppTest, key: str, name: str) -> list[float]:
    """The heights of a trace."""
    (trace,) = [trace for trace in figure(app, key)["data"] if trace.get("name") == name]
    return list(decoded(trace["y"]) if isinstance(trace["y"], dict) else trace["y"])


def mean(lab: str, **wanted: object) -> float:
    return float(np.mean([row["score"] for row in where(stored(lab).rows, **wanted)]))


def test_sharing_shows_every_kind_and_the_cache() -> None:
    app = opened(PAGE, head_worth_view="sharing")
    assert untroubled(app)
    of = {"task": "values", "heads": 8, "wider": False}
    wanted = [mean("sharing", kind="full", **of)]
    wanted += [mean("sharing", kind="grouped", kv=n, **of) for n in (4, 2)]
    wanted += [mean("sharing", kind=kind, **of) for kind in ("multi", "query")]
    assert drawn(app, "sharing_scores", say("sharing.width.same")) == pytest.approx(wanted)
    table = app.dataframe[0].value
    assert next(iter(table["parameters"])) == 5_832
    assert "One W_Q" in texts(app)
    app.number_input(key="cache_heads").set_value(16).run()
    cache = app.dataframe[1].value
    assert list(cache[say("cache.pairs")]) == [16, 8, 4, 2, 1]
    assert list(cache[say("cache.size")]) == [1024, 512, 256, 128, 64]
    app.button_group(key="sharing_task").set_value("classes").run()
    assert figure(app, "sharing_scores")["layout"]["yaxis"]["title"]["text"] == say("lookup_parts.score.classes")


def test_depth_shows_every_arrangement_and_says_that_parameters_are_equal() -> None:
    app = opened(PAGE, head_worth_view="depth")
    assert untroubled(app)
    wanted = [mean("depth", heads=4, layers=n, faster=1.0) for n in (1, 2, 4)]
    assert drawn(app, "depth_scores", say("depth.usual")) == pytest.approx(wanted)
    assert "**5,704**" in texts(app)
    app.button_group(key="depth_heads").set_value(8).run()
    assert len(drawn(app, "depth_scores", say("depth.faster", times="3"))) == 4


def test_distilling_shows_students_beside_their_teacher() -> None:
    app = opened(PAGE, head_worth_view="depth", depth_part="distil")
    assert untroubled(app)
    wanted = [mean("distil", task="classes", heads=2, aim=aim) for aim in ("truth", "answers", "maps")]
    assert drawn(app, "distil_scores", say("distil.student", heads=2)) == pytest.approx(wanted)
    app.button_group(key="distil_task").set_value("values").run()
    assert say("distil.cannot", heads=2, best="0.5") in texts(app)


def trained(deep: list[list[float]], wide: list[list[float]]) -> list[Row]:
    """Scores by rate and seed of four heads in a row and side by side."""
    return [
        {"layers": layers, "faster": 1.0 + rate, "seed": seed, "score": score, "best": 1.0}
        for layers, by_rate in ((4, deep), (1, wide))
        for rate, scores in enumerate(by_rate)
        for seed, score in enumerate(scores)
    ]


@pytest.mark.parametrize(
    ("deep", "wide", "said"),
    [
        ([[1.0, 1.0, 0.99]], [[1.0, 0.99, 1.0]], "no"),
        ([[1.0, 1.0, 1.0], [0.2, 0.3, 0.1]], [[1.0, 1.0, 1.0], [1.0, 0.99, 1.0]], "steadier"),
        (
            [[1.0, 1.0, 1.0], [1.0, 0.1, 1.0]],
            [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]],
            "steadier",
        ),  # one of three did not train
        ([[0.4, 0.5, 0.6], [1.0, 1.0, 1.0]], [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]], "worse"),
        ([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]], [[1.0, 1.0, 1.0], [0.2, 0.9, 1.0]], "better"),
        ([[1.0]], [[1.0]], "few"),
        ([[1.0, 1.0]], [], "few"),
    ],
)
def test_what_is_said_of_stacks_follows_from_the_rows(
    deep: list[list[float]], wide: list[list[float]], said: str
) -> None:
    assert claim(trained(deep, wide)) == said
