"""How many heads: the budget's numbers, and the look-ups from the stored result to one's own."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from mha_viz.labs import plans, stored
from mha_viz.labs.budget import Budget
from mha_viz.labs.case import example
from mha_viz.labs.pool import Pool
from mha_viz.labs.results import LabResult, summaries, where
from mha_viz.ui import labs
from mha_viz.words import say
from tests.app.driver import bodies, button, buttons, decoded, figure, opened, plain, said, untroubled

PAGE = "pages/head_count.py"
#: Longest that a training in a process of its own may take here.
_PATIENCE = 120.0


def captions(app: AppTest) -> str:
    return "\n".join(one.value for one in app.caption)


def line(trace: dict) -> list[float]:
    """The vertical places of a trace, however they are sent."""
    return list(decoded(trace["y"])) if isinstance(trace["y"], dict) else trace["y"]


def test_the_budget_shows_the_numbers_of_its_formulas() -> None:
    app = opened(PAGE)
    app.number_input(key="budget_d_model").set_value(96)
    app.number_input(key="budget_heads").set_value(6)
    app.number_input(key="budget_tokens").set_value(64).run()
    assert untroubled(app)
    assert not app.warning
    budget = Budget(96, 64)
    cards = plain(bodies(app, "mha-budget")[0])
    assert f"{budget.parameters:,}" in cards
    assert f"{budget.largest_batch(6):,}" in cards
    drawn = figure(app, "budget_lines")["data"]
    assert line(drawn[0]) == [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 96]
    assert line(drawn[1]) == line(drawn[2]) == [1] * 12
    costs, recommended, used = (one.value for one in app.dataframe)
    assert costs[say("budget.parameters")].unique().tolist() == [budget.parameters]
    rule = say("budget.rule", least=64)
    assert (recommended[rule] == say("budget.rule.broken")).sum() == 6
    assert used.loc[used[rule] == say("budget.rule.broken"), say("budget.model")].tolist() == ["MiniLM"]
    assert line(figure(app, "budget_scores")["data"][0]) == [24.9, 25.5, 25.8, 25.8, 25.4]


def test_heads_that_do_not_divide_are_told_and_the_rest_stays() -> None:
    app = opened(PAGE)
    app.number_input(key="budget_d_model").set_value(48)
    app.number_input(key="budget_heads").set_value(5).run()
    assert untroubled(app)
    allowed = "1, 2, 3, 4, 6, 8, 12, 16, 24, 48"
    assert said(app) == [say("error.lab_heads", n_heads=5, d_model=48, allowed=allowed)]
    assert not bodies(app, "mha-budget")
    assert len(figure(app, "budget_lines")["data"]) == 3


@pytest.mark.parametrize("task", plans.TASKS)
def test_the_stored_look_ups_are_shown_until_somebody_trains(task: str) -> None:
    app = opened(PAGE, head_count_view="lookups")
    app.button_group(key="lookups_task").set_value(task).run()
    assert untroubled(app)
    rows = where(stored.stored("lookups").rows, task=task)
    found = summaries(rows, "heads", "score")
    level, _, means = figure(app, "lookup_scores")["data"]
    assert line(means) == pytest.approx([one.mean for one in found])
    assert line(level) == ([0.25, 0.5, 1, 1, 1, 1] if task == "values" else [0.125] * 6)
    assert len(figure(app, "lookup_courses")["data"]) == len(rows)
    assert say("lookups.equal", n=f"{rows[0]['parameters']:,}") in captions(app)
    (numbers,) = (one.value for one in app.dataframe)
    assert numbers[say(f"lookups.score.{task}")].tolist() == pytest.approx([one.mean for one in found])
    case = example(task)
    cards = bodies(app, "mha-case")[0]
    assert cards.count("class=asked") == 2 * len(case.asked)


def test_the_learnt_map_is_that_of_the_chosen_net() -> None:
    app = opened(PAGE, head_count_view="lookups")
    app.button_group(key="lookups_map_heads").set_value(2).run()
    app.selectbox(key="lookups_map_seed").select(1).run()
    (row,) = where(stored.stored("lookups").rows, task="values", heads=2, seed=1)
    drawn = figure(app, "lookup_maps")
    cells = decoded(drawn["data"][0]["z"])
    heads = [int(name[1:]) for name in drawn["layout"]["yaxis"]["ticktext"]]
    assert sorted(heads) == [0, 1]
    for shown, head in zip(cells, heads, strict=True):
        assert shown[:4] == pytest.approx(row["slots"][head], abs=1e-6)
        assert shown.sum() == pytest.approx(1, abs=1e-5)


def test_nets_of_unlike_size_are_never_called_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    true = stored.stored("lookups")
    rows = tuple(row | {"parameters": 5_832 + row["heads"]} for row in true.rows)
    monkeypatch.setattr(labs, "stored", lambda lab: replace(true, rows=rows))
    app = opened(PAGE, head_count_view="lookups")
    assert untroubled(app)
    assert "5,833" in captions(app)
    assert "exactly" not in captions(app)


def test_without_any_number_of_heads_there_is_nothing_to_train() -> None:
    app = opened(PAGE, head_count_view="lookups")
    app.button_group(key="lookups_heads").set_value([]).run()
    assert untroubled(app)
    assert said(app) == [say("lookups.no_heads")]
    assert say("labs.start") not in buttons(app)


@pytest.fixture
def own_pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pool]:
    """One that this test ends."""
    pool = Pool()
    monkeypatch.setattr(labs, "pool", lambda: pool)
    yield pool
    pool.close()


def rerun_until(app: AppTest, done) -> None:
    """What the browser does by itself while a training is active."""
    end = time.monotonic() + _PATIENCE
    while not done():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.2)
        app.run()
        assert untroubled(app)


def test_one_s_own_training_grows_on_the_page_and_stays_when_it_is_stopped(own_pool: Pool) -> None:
    app = opened(PAGE, head_count_view="lookups")
    app.button_group(key="lookups_heads").set_value([2])
    app.number_input(key="lookups_seeds").set_value(20)
    app.number_input(key="lookups_steps").set_value(100).run()
    button(app, "labs.start").click().run()
    assert say("work.stop") in buttons(app)
    training = own_pool._trainings[0]
    assert training.options == plans.LookupOptions(heads=(2,), seeds=20, steps=100)
    rerun_until(app, lambda: bool(training.result().rows))
    app.run()
    assert figure(app, "lookup_courses")["layout"]["xaxis"]["range"] == [0, 100]
    button(app, "work.stop").click().run()
    assert training.state == "stopped"
    app.run()
    result: LabResult = training.result()
    assert say("labs.again") in buttons(app)
    own = say("labs.own_part", n=len(result.rows), seconds=f"{result.facts['seconds']:.0f}")
    assert own in captions(app)
    assert line(figure(app, "lookup_scores")["data"][2]) == pytest.approx(
        [sum(row["score"] for row in result.rows) / len(result.rows)]
    )
    assert len(figure(app, "lookup_courses")["data"]) == len(result.rows)


def test_the_largest_sizes_of_the_budget_are_shown() -> None:
    app = opened(PAGE)
    app.number_input(key="budget_d_model").set_value(16_384)
    app.number_input(key="budget_tokens").set_value(131_072)
    app.number_input(key="budget_batch").set_value(65_536).run()
    assert untroubled(app)
    assert app.dataframe[0].value[say("budget.work")].iloc[0] == float(Budget(16_384, 131_072, 65_536).multiply_adds)


def test_a_run_with_other_choices_is_told_and_can_be_stopped(own_pool: Pool) -> None:
    app = opened(PAGE, head_count_view="lookups")
    app.number_input(key="lookups_seeds").set_value(20).run()
    button(app, "labs.start").click().run()
    (training,) = own_pool._trainings
    app.number_input(key="lookups_seeds").set_value(19).run()
    assert say("labs.start") in buttons(app)
    assert say("lab.lookups") in captions(app)
    button(app, "labs.stop_other").click().run()
    assert training.state == "stopped"
