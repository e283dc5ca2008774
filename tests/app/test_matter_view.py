"""Which heads matter: the page shows the stored results, and what a person measures in their place."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mha_viz.analysis.agreement import rank_agreement
from mha_viz.labs.results import where
from mha_viz.labs.stored import stored
from mha_viz.words import say
from tests.app.driver import decoded, figure, opened, said, untroubled

PAGE = "pages/head_worth.py"


def shown(part: str, model: str) -> AppTest:
    app = opened(PAGE, head_worth_view="matter")
    app.button_group(key="matter_part").set_value(part)
    return app.button_group(key="matter_model").set_value(model).run()


def numbers(values: object) -> np.ndarray:
    return decoded(values) if isinstance(values, dict) else np.array(values, dtype=float)


def captions(app: AppTest) -> str:
    return "\n".join(one.value for one in app.caption)


def test_the_heads_of_a_net_by_four_measures() -> None:
    app = shown("importance", "values")
    assert untroubled(app)
    drawn = figure(app, "matter_bars")
    assert [trace["name"] for trace in drawn["data"]] == ["Mean weight", "Gradient", "Silenced", "Made even"]
    assert numbers(drawn["data"][0]["y"]) == pytest.approx(12.5)
    (row,) = where(stored("worth").rows, model="values", seed=0, method="zero")
    wanted = 100 * np.array(row["values"][0]) / np.sum(row["values"])
    assert numbers(drawn["data"][2]["y"]) == pytest.approx(wanted, abs=0.01)
    table = app.dataframe[0].value
    assert table[say("matter.words")][0] == say("matter.alike.none")
    assert table[say("matter.rank")][0] == "–"
    app.button_group(key="matter_seed").set_value(1).run()
    (row,) = where(stored("worth").rows, model="values", seed=1, method="zero")
    wanted = 100 * np.array(row["values"][0]) / np.sum(row["values"])
    assert numbers(figure(app, "matter_bars")["data"][2]["y"]) == pytest.approx(wanted, abs=0.01)


def test_minilm_as_matrices_with_its_rank_correlations() -> None:
    app = shown("importance", "minilm")
    assert untroubled(app)
    rows = where(stored("worth").rows, model="minilm")
    values = {row["method"]: np.array(row["values"]) for row in rows}
    for method, own in values.items():
        drawn = numbers(figure(app, f"matter_{method}")["data"][0]["customdata"])
        assert drawn == pytest.approx(100 * own / own.sum(), rel=1e-5)
    table = app.dataframe[0].value
    assert table[say("matter.rank")][1] == f"{rank_agreement(values['gradient'], values['zero']):.2f}"


@pytest.mark.parametrize("model", ["classes", "minilm"])
def test_heads_removed_and_what_that_saves(model: str) -> None:
    app = opened(PAGE, matter_part="removing", matter_model=model)
    assert untroubled(app)
    curves = where(stored("pruned").rows, model=model, kind="curve")
    drawn = figure(app, "matter_curves")["data"]
    means = [trace for trace in drawn if trace["mode"] == "lines+markers"]
    assert [trace["name"] for trace in means] == [
        say(f"matter.order.{order}") for order in ("gradient", "zero", "random")
    ]
    random = np.mean([row["scores"] for row in curves if row["order"] == "random"], axis=0)
    assert numbers(means[2]["y"]) == pytest.approx(random)
    gradient = np.mean([row["scores"] for row in curves if row["order"] == "gradient"], axis=0)
    kept = curves[0]["removed"][int(np.argmax(gradient < 0.9 * gradient[0])) - 1]
    assert say("matter.kept.by", order=say("matter.order.gradient"), n=kept) in captions(app)
    speeds = where(stored("pruned").rows, model=model, kind="speed")
    assert len(app.dataframe[0].value) == len(speeds)
    bars = figure(app, "matter_times")["data"]
    assert sorted(numbers(bars[1]["y"])) == pytest.approx(sorted(row["pruned_ratio"] for row in speeds))
    assert any("Silencing is not removing" in notice for notice in said(app))


def test_one_parameter_formula_for_all_rows_of_the_stored_result() -> None:
    for model, d_model, d_k in (("values", 32, 4), ("classes", 32, 4), ("minilm", 384, 32)):
        rows = where(stored("pruned").rows, model=model, kind="speed")
        assert rows
        for row in rows:
            assert row["full_parameters"] - row["parameters"] == row["removed"] * (4 * d_model * d_k + 3 * d_k)
            assert row["apart"] <= 1e-5


def partly_done() -> None:
    from mha_viz.labs.results import LabResult
    from mha_viz.labs.stored import stored
    from mha_viz.ui import matter_view

    matter_view._draw_pruned("minilm", LabResult("pruned", {}, ()))
    matter_view._draw_pruned("minilm", LabResult("pruned", {}, stored("pruned").rows[:1]))
    matter_view._draw_worth("minilm", LabResult("worth", {}, ()))
    matter_view._draw_worth("minilm", LabResult("worth", {}, stored("worth").rows[:1]))


def test_what_is_not_whole_yet_is_drawn_as_far_as_it_goes() -> None:
    app = AppTest.from_function(partly_done, default_timeout=60).run()
    assert untroubled(app)
    assert len(app.get("plotly_chart")) == 2
