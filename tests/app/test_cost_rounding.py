"""The views on half precision and INT8 show the stored results, every measure, and results of few rows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from mha_viz.labs.results import LabResult
from mha_viz.labs.stored import stored
from mha_viz.ui import cost_int8_view, cost_precision_view
from mha_viz.words import say
from tests.app.driver import figure, opened, untroubled

PAGE = "pages/cost.py"


def drawn(view: str, measure: str, text: str) -> None:
    """A script that draws a result that a test wrote."""
    import importlib

    from mha_viz.labs.results import LabResult

    importlib.import_module(f"mha_viz.ui.{view}")._draw(measure, LabResult.from_json(text, "test"))


def app_of(view: str, measure: str, result: LabResult) -> AppTest:
    return AppTest.from_function(drawn, args=(view, measure, result.to_json()), default_timeout=60).run()


def keys(app: AppTest) -> list[str]:
    return [str(chart.key) for chart in app.get("plotly_chart")]


def test_half_precision_shows_every_kind_of_the_stored_result() -> None:
    app = opened(PAGE, cost_view="precision")
    assert untroubled(app)
    halves = stored("precision").rows[1:]
    lines = figure(app, "precision_layers")["data"]
    assert [line["name"] for line in lines] == [say(f"rounding.kind.{row['kind']}") for row in halves]
    assert all(line["x"] == [0, 1, 2, 3, 4, 5] for line in lines)
    app.button_group(key="precision_measure").set_value("changed").run()
    assert untroubled(app)
    assert figure(app, "precision_layers")["layout"]["yaxis"]["title"]["text"] == say("rounding.axis.changed")


def test_int8_shows_where_the_bytes_are() -> None:
    app = opened(PAGE, cost_view="int8")
    assert untroubled(app)
    bars = figure(app, "int8_sizes")
    assert bars["layout"]["barmode"] == "stack"
    embeddings = bars["data"][0]["y"]
    assert len(embeddings) == 5
    assert len(set(embeddings)) == 1
    captions = " ".join(caption.value for caption in app.caption)
    assert "11.9 of 22.7 million" in captions
    assert "1.55 times smaller" in captions
    rows = [row for row in stored("int8").rows if row.get("part")]
    (table,) = [one.value for one in app.dataframe if say("rounding.table.bytes") in one.value]
    assert list(table[say("rounding.table.bytes")]) == [f"{sum(row['bytes'].values()) / 1e6:.1f}" for row in rows]
    assert len(figure(app, "int8_drifts")["data"]) == 4
    app.button_group(key="int8_measure").set_value("time").run()
    assert untroubled(app)
    app.button_group(key="int8_apis").set_value([]).run()
    assert say("int8.no_apis") in [info.value for info in app.info]


def test_int8_tells_its_time_before_its_sizes() -> None:
    app = opened(PAGE, cost_view="int8")
    ratios = [row["ratio"] for row in stored("int8").rows if row.get("part") == "all" and row["api"] == "torchao"]
    (told,) = [text.value for text in app.markdown if "Time beside float32" in text.value]
    named = {"low": f"{min(ratios):.2f}", "high": f"{max(ratios):.2f}"}
    assert say("int8.times.between", api=say("rounding.api.torchao"), **named) in told


@pytest.mark.parametrize("n_rows", [0, 1, 2, 6])
def test_results_of_few_rows_are_drawn(n_rows: int) -> None:
    """As they are while a run is at work, or after it was stopped."""
    for lab, view in (("precision", "cost_precision_view"), ("int8", "cost_int8_view")):
        whole = stored(lab)
        app = app_of(view, "apart", replace(whole, rows=whole.rows[:n_rows], whole=False))
        assert not app.exception
        assert ("int8_sizes" in keys(app)) == (lab == "int8" and n_rows > 0)


def test_a_result_of_one_part_makes_no_claim_of_the_whole() -> None:
    whole = stored("int8")
    rows = tuple(row for row in whole.rows if row.get("part") in ("", "qk"))
    app = app_of("cost_int8_view", "embedding", replace(whole, rows=rows))
    assert not app.exception
    assert "times smaller" not in " ".join(caption.value for caption in app.caption)


def test_stored_numbers_lie_in_the_bands_that_are_known() -> None:
    """MiniLM's drifts as measured before on other sentences, with room for those."""
    of_kind = {row["kind"]: row for row in stored("precision").rows}
    assert 0.005 < max(of_kind["bfloat16"]["apart"]) < 0.03
    assert 0.0008 < max(of_kind["float16"]["apart"]) < 0.005
    assert min(min(row["cosines"]) for row in of_kind.values()) > 0.9998
    rows = {(row["api"], row["grain"], row["part"]): row for row in stored("int8").rows if row["kind"] == "model"}
    old = {part: rows["quantize_dynamic", "tensor", part] for part in ("all", "qk", "vo", "ffn")}
    assert 0.3 < max(old["all"]["apart"]) < 0.8
    assert 0.04 < cost_int8_view.MEASURES["changed"](old["all"]) / 100 < 0.15
    assert 0.9 < min(old["all"]["cosines"]) < 0.97
    assert min(old["qk"]["cosines"]) > 0.998
    assert min(old["vo"]["cosines"]) > 0.99
    assert 0.9 < min(old["ffn"]["cosines"]) < 0.97
    assert min(rows["quantize_dynamic", "channel", "all"]["cosines"]) > min(old["all"]["cosines"])
    assert old["all"]["bytes"]["embeddings"] == 47_674_368


def test_no_time_is_told_where_none_was_taken() -> None:
    assert cost_precision_view.time_of({"kind": "float32"}) == "–"
    assert cost_precision_view.time_of({"ratio": 2, "ratio_half": [1.9, 2.25]}) == "2.00 (1.90 – 2.25)"
