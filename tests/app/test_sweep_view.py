"""The view that chooses a head count: verdict, tables and picks are those of the rows, whatever there is of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from mha_viz.labs.choosing import choose, scores_of
from mha_viz.labs.plans import PRECISIONS, SweepOptions
from mha_viz.labs.results import LabResult, Row, where
from mha_viz.labs.stored import stored
from mha_viz.ui import labs, sweep_told
from mha_viz.words import say
from tests.app.driver import figure, opened, said, untroubled

PAGE = "pages/head_count.py"
SCORES: dict[int, tuple[float, ...]] = {1: (0.20, 0.21, 0.22), 2: (0.80, 0.82, 0.81), 4: (0.81, 0.80, 0.83)}
FACTS = {"date": "2026-01-01", "machine": "any", "torch": "2", "command": "python", "seconds": 1.0}


def a_row(heads: int, seed: int, score: float, precision: str = "float32") -> Row:
    counts = {precision: {"addmm": 5}}
    row = {"task": "values", "precision": precision, "heads": heads, "seed": seed, "score": score, "best": 0.9}
    return row | {"seconds": 1.0 if precision == "float32" else 3.0, "parameters": 5832, "operations": counts}


def rows_of(scores: dict[int, tuple[float, ...]], **more: str) -> list[Row]:
    return [a_row(heads, seed, score, **more) for heads, values in scores.items() for seed, score in enumerate(values)]


def result(rows: list[Row], *, whole: bool = True, live: Row | None = None, **asked: Any) -> LabResult:
    return LabResult("sweep", SweepOptions(**asked).plain(), tuple(rows), FACTS, live, whole)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Callable[[LabResult], AppTest]:
    """The page with this result in place of the stored one."""
    app: list[AppTest] = []

    def show(given: LabResult) -> AppTest:
        monkeypatch.setattr(labs, "stored", lambda name: given)
        app.append(app[0].run() if app else opened(PAGE, head_count_view="sweep"))
        assert untroubled(app[0])
        return app[0]

    return show


def verdict(app: AppTest) -> str:
    (found,) = app.subheader
    return str(found.value)


def texts(app: AppTest) -> str:
    return "\n".join(one.value for one in (*app.markdown, *app.caption))


def test_the_stored_result_is_told_as_its_rows_say() -> None:
    app = opened(PAGE, head_count_view="sweep")
    assert untroubled(app)
    kept = stored("sweep")
    options = SweepOptions.of(kept.options)
    for task in options.tasks:
        app.button_group(key="sweep_task").set_value(task).run()
        rows = where(kept.rows, task=task, precision="float32")
        choice = choose(scores_of(rows), options.heads, margin=options.margin, patience=options.patience)
        assert choice is not None
        assert verdict(app) == sweep_told.verdict(choice, options.margin)
        assert sweep_told.naive(choice) in texts(app)
        assert len(figure(app, "sweep_scores")["data"]) == 3
        differences, naive, operations = (one.value for one in app.dataframe)
        assert list(differences[say("sweep.table.heads")]) == [str(h) for h in (*choice.tried, *choice.untried)]
        assert len(naive) == options.seeds
        assert "addmm" in list(operations[say("sweep.precision.operation")])
    app.text_input(key="sweep_heads").set_value("1, 12").run()
    (notice,) = said(app)
    assert "12" in notice
    assert "1, 2, 4, 8, 16, 32" in notice
    app.text_input(key="sweep_heads").set_value("many").run()
    assert said(app) == [say("error.sweep_heads", got="many")]


def test_a_tie_has_no_winner_and_says_what_was_not_tried(shown: Callable[[LabResult], AppTest]) -> None:
    tested = rows_of(SCORES)
    tested[-1]["tested"] = {"heads": 2, "scores": [0.7, 0.7, 0.7]}
    app = shown(result(tested, heads=(1, 2, 4, 8)))
    assert verdict(app) == "No winner: 2 and 4 heads are within the noise. Take the fewest: 2 heads"
    told = texts(app)
    assert "Stopped after 4 heads" in told
    assert "Not tried: 8 heads." in told
    assert "Test cases, used once and for 2 heads alone: 0.7000 ± 0.0000" in told
    assert "2 heads with 1 of 3 seeds" in told
    assert say("sweep.precision.off") in told
    differences = app.dataframe[0].value
    assert list(differences[say("sweep.table.verdict")]) == ["worse", "within the noise", "highest mean", "not tried"]
    assert figure(app, "sweep_behind")["layout"]["xaxis"]["ticktext"] == ["2", "4"]
    assert say("sweep.behind.far", heads="1 head") in told
    assert say("sweep.why.two") not in told
    one = choose(scores_of(tested), (1, 2, 4, 8))
    assert one is not None
    assert f"by up to {one.behind[1].mean + (one.behind[1].half or 0):.4f}" in told


def test_whatever_there_is_of_a_sweep_is_drawn(shown: Callable[[LabResult], AppTest]) -> None:
    live = {"task": "values", "precision": "float32", "heads": 1, "seed": 0, "step": 20, "score": 0.1}
    app = shown(result([], whole=False, live=live))
    assert verdict(app) == say("sweep.head.none")
    assert "1 head, seed 0" in texts(app)
    app = shown(result(rows_of({1: (0.2,)}), whole=False, live=live))
    assert verdict(app) == say("sweep.head.none")
    assert len(figure(app, "sweep_scores")["data"]) == 5  # the line, the seeds and their mean, and the net at work
    app = shown(result(rows_of({1: (0.2,), 2: (0.9,)}), heads=(1, 2), seeds=1))
    assert verdict(app) == say("sweep.head.seed")
    assert say("sweep.naive.one", heads="2 heads") in texts(app)
    app = shown(result(rows_of({1: (0.2, 0.3)}), heads=(1,), seeds=2))
    assert verdict(app) == say("sweep.head.single")
    app = shown(result(rows_of(SCORES)[:4], whole=False))
    assert verdict(app) == say("sweep.head.first")
    app = shown(result(rows_of(SCORES)[:8], whole=False))
    assert verdict(app) == "2 heads: clearly the best of those tried (so far: 1 and 2 heads)"
    verdicts = app.dataframe[0].value[say("sweep.table.verdict")]
    assert list(verdicts) == ["worse", "highest mean", "seeds missing", "not tried", "not tried"]
    assert say("sweep.scores.done") in texts(app)
    app = shown(result(rows_of({1: (0.2, 0.21), 2: (0.9, 0.91), 4: (0.5, 0.52)}), heads=(1, 2, 4), seeds=2))
    assert verdict(app) == "2 heads: clearly the best of those tried"
    assert "Every count of the list was tried." in texts(app)
    assert say("sweep.why.two") in texts(app)


def test_mixed_precision_is_set_beside_the_same_nets(shown: Callable[[LabResult], AppTest]) -> None:
    mixed = rows_of(
        {heads: tuple(score + 0.01 for score in values) for heads, values in SCORES.items()}, precision="bfloat16"
    )
    app = shown(result(rows_of(SCORES) + mixed[:-1], heads=(1, 2, 4), precisions=PRECISIONS))
    told = texts(app)
    assert "bfloat16 took 3.0 times as long as float32: 3.00 s against 1.00 s" in told
    assert "Of 8 pairs of the same net and seed the scores are at most 0.01000 apart" in told
    operations = app.dataframe[-1].value
    assert operations.iloc[0].tolist() == ["addmm", "5 × float32", "5 × bfloat16"]
    app = shown(result(mixed, heads=(1, 2, 4), precisions=("bfloat16",)))
    assert say("sweep.precision.alone") in texts(app)


def test_a_margin_is_part_of_the_verdict(shown: Callable[[LabResult], AppTest]) -> None:
    rows = rows_of({1: (0.80, 0.81, 0.82), 2: (0.81, 0.82, 0.83)})
    app = shown(result(rows, heads=(1, 2), margin=0.02))
    assert verdict(app) == "No winner: 1 and 2 heads are within noise and margin. Take the fewest: 1 head"
    assert re.search(r"may be better than 1 head by up to 0\.0100", texts(app))
