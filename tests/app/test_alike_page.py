"""Heads that are alike: what the page says is what the stored rows say, and a result that is not whole can be drawn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import squareform
from streamlit.testing.v1 import AppTest

from mha_viz.labs import stored as stored_results
from mha_viz.labs.diversity import effects
from mha_viz.labs.pairs import verdict
from mha_viz.labs.results import LabResult, Row, where
from mha_viz.labs.stored import stored
from mha_viz.words import say
from tests.app.driver import decoded, figure, opened, untroubled

PAGE = "pages/head_worth.py"
ROWS = stored("alike").rows


def page(part: str | None = None) -> AppTest:
    app = opened(PAGE, head_worth_view="alike")
    return app if part is None else app.button_group(key="alike_part").set_value(part).run()


def markdown(app: AppTest) -> str:
    return "\n".join(one.value for one in [*app.markdown, *app.caption])


def means(name: str, rows: list[Row]) -> np.ndarray:
    strengths = sorted({row["strength"] for row in rows})
    return np.array([np.mean([row[name] for row in where(rows, strength=strength)]) for strength in strengths])


def test_regularisers_stand_beside_none_with_the_means_of_their_seeds() -> None:
    app = page()
    assert untroubled(app)
    rows = where(ROWS, model="lookups", task="values", heads=8)
    none = where(rows, kind="none")
    assert len(none) >= 3
    for key, name in (("alike_diversity", "map_diversity"), ("alike_scores", "score")):
        traces = {trace["name"]: trace for trace in figure(app, key)["data"] if "name" in trace}
        assert traces[say("alike.kind.none")]["y"][0] == pytest.approx(np.mean([row[name] for row in none]))
        for kind in ("positions", "maps", "outputs"):
            np.testing.assert_allclose(traces[say(f"alike.kind.{kind}")]["y"], means(name, where(rows, kind=kind)))
    assert f"{np.mean([row['score'] for row in none]):.3f}" in markdown(app)
    nets = {(row["task"], row["heads"]) for row in where(ROWS, model="lookups")}
    found = [one for task, n in nets for one in effects(where(ROWS, model="lookups", task=task, heads=n))]
    words = [verdict(one.score) for one in found]
    counts = {"better": words.count("more"), "worse": words.count("less"), "same": words.count("same")}
    # only with 16 heads on classes does a net without a regulariser stay below the best possible
    assert say("alike.overall", nets=len(nets), n=len(found), room=1, **counts) in markdown(app)
    (table,) = app.dataframe
    assert len(table.value) == len({(row["kind"], row["strength"]) for row in rows}) - 1


def test_the_heads_of_a_net_stand_in_the_order_of_their_clusters() -> None:
    app = page("heads")
    assert untroubled(app)
    (row,) = where(ROWS, model="lookups", task="values", heads=8, kind="none", seed=0)
    order = sorted(range(8), key=lambda head: (row["map_clusters"][head], head))
    for key, name in (("alike_map", "by_map"), ("alike_output", "by_output")):
        drawn = decoded(figure(app, key)["data"][0]["z"])
        np.testing.assert_allclose(drawn, squareform(row[name])[np.ix_(order, order)], atol=1e-6)
    (table,) = app.dataframe
    assert len(table.value) == len(set(row["map_clusters"]))


def test_minilm_says_how_well_the_distances_agree() -> None:
    app = page("minilm")
    assert untroubled(app)
    (row,) = where(ROWS, model="minilm")
    assert f"{row['agreement']:+.2f}" in markdown(app)
    assert f"{np.mean(row['alone']):+.2f}" in markdown(app)
    assert decoded(figure(app, "alike_map")["data"][0]["z"]).shape == (72, 72)
    assert len(decoded(figure(app, "alike_pairs")["data"][0]["x"])) == 72 * 71 // 2


def test_one_seed_and_a_training_at_work_are_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = tuple(row for row in ROWS if row.get("seed") == 0 and row["heads"] == 4)[:3]
    live = {name: rows[0][name] for name in ("task", "heads", "kind", "strength", "seed")}
    live |= {"at": [20, 40], "curve": [0.1, 0.2]}
    part = LabResult("alike", {}, rows, stored("alike").facts, live, whole=False)
    monkeypatch.setattr("mha_viz.ui.labs.stored", lambda _: part)
    assert stored_results.stored("alike").whole
    app = page()
    assert untroubled(app)
    assert say("alike.few") in markdown(app)
    assert figure(app, "alike_live")["data"][0]["name"].startswith("4 ")
