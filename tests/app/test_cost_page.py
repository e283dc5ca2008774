"""The views on growing costs and on maps that are kept draw what the stored results hold, and say what follows from it."""

from __future__ import annotations

import re
import statistics
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from mha_viz.labs.powers import fitted
from mha_viz.labs.results import Row, where
from mha_viz.labs.stored import stored
from mha_viz.ui import cost_growth_told as told
from mha_viz.ui.cost_maps_view import sentences
from mha_viz.words import say
from tests.app.driver import decoded, figure, opened, untroubled

PAGE = "pages/cost.py"

pytestmark = pytest.mark.usefixtures("at_once")


def texts(app: AppTest) -> str:
    return re.sub(r"\\(.)", r"\1", "\n".join(one.value for one in [*app.markdown, *app.caption]))


def drawn(app: AppTest, key: str, name: str) -> list[float]:
    """The heights of a trace."""
    (trace,) = [trace for trace in figure(app, key)["data"] if trace.get("name") == name]
    return list(decoded(trace["y"]) if isinstance(trace["y"], dict) else trace["y"])


def measured(axis: str, passed: str, kind: str) -> list[Row]:
    return where(stored("growth").rows, **{"axis": axis, "pass": passed, "kind": kind})


def test_growth_shows_what_was_measured_beside_the_formula() -> None:
    app = opened(PAGE, cost_view="growth")
    assert untroubled(app)
    rows = measured("length", "forward", "eager")
    assert [row["length"] for row in rows] == [64, 128, 256, 512, 1024, 2048, 4096]
    assert drawn(app, "growth_chart", "Eager") == pytest.approx([statistics.median(row["ms"]) for row in rows])
    floor = drawn(app, "growth_chart", say("growth.floor"))
    everything = [
        drawn(app, "growth_chart", say(f"cost.kind.{kind}")) for kind in ("eager", "sdpa", "flex", "compiled")
    ]
    gaps = [time / least for one in everything for time, least in zip(one, floor, strict=True)]
    assert min(gaps) == pytest.approx(1)  # the fastest point lies on the line, all others above
    power = fitted([row["length"] for row in rows], [[row["peak"]] for row in rows])
    assert power is not None
    assert app.dataframe[0].value[say("growth.powers.memory")][0] == f"{power.mean:.2f}"
    app.button_group(key="growth_pass").set_value("training").run()
    assert "FlexAttention does not support backward on CPU" in texts(app)
    app.button_group(key="growth_quantity").set_value("memory").run()
    rows = measured("length", "training", "sdpa")
    assert drawn(app, "growth_chart", "SDPA") == pytest.approx([row["peak"] / 1e6 for row in rows])
    assert drawn(app, "growth_chart", "SDPA: formula") == pytest.approx([row["formula"] / 1e6 for row in rows])
    assert untroubled(app)


def test_heads_cost_no_multiply_adds_but_maps() -> None:
    app = opened(PAGE, cost_view="growth")
    app.button_group(key="growth_axis").set_value("heads")
    app.button_group(key="growth_quantity").set_value("times").run()
    assert untroubled(app)
    assert drawn(app, "growth_chart", say("growth.times.operations")) == [1] * 6
    assert drawn(app, "growth_chart", say("growth.times.maps")) == [1, 2, 4, 8, 16, 32]
    rows = measured("heads", "forward", "sdpa")
    assert drawn(app, "growth_chart", "Memory, SDPA") == pytest.approx([row["peak"] / rows[0]["peak"] for row in rows])
    assert "multiply-adds × 1, bytes of the maps × 32" in texts(app)


def test_what_cannot_be_measured_is_told_before_it_is() -> None:
    app = opened(PAGE, cost_view="growth")
    app.number_input(key="growth_heads").set_value(3).run()
    assert "3 heads do not divide d_model 256" in re.sub(r"\\(.)", r"\1", app.warning[0].value)
    app.number_input(key="growth_heads").set_value(4)
    app.pills(key="growth_kinds").set_value([]).run()
    assert app.info[0].value == say("growth.no_kinds")
    assert untroubled(app)


@pytest.mark.parametrize(("view", "lab"), [("growth", "growth"), ("maps", "kept_maps")])
@pytest.mark.parametrize("n_rows", [0, 1, 2, 3, 9])
def test_a_stopped_measurement_is_drawn_as_far_as_it_went(
    view: str, lab: str, n_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = stored(lab)
    live = {"axis": "length", "length": 64, "heads": 4, "d_model": 256, "layers": 1, "batch": 1}
    part = replace(whole, rows=whole.rows[:n_rows], live=live, whole=False)
    monkeypatch.setattr("mha_viz.ui.labs.stored", lambda _: part)
    app = opened(PAGE, cost_view=view)
    assert untroubled(app)
    assert bool(app.get("plotly_chart")) == (n_rows > 0)


def test_up_to_how_many_heads_time_stays_follows_from_the_rows() -> None:
    def rows(*times: float) -> list[Row]:
        about = {"kind": "eager", "pass": "forward", "operations": 5, "peak": 1}
        return [about | {"heads": 2**n, "maps": 2**n, "ms": [time]} for n, time in enumerate(times)]

    said = told.sentences(rows(10, 9, 11, 30), "heads")[-1]
    assert "from 1 to **4** heads" in said
    assert "At 8 it is **3 times** that of 1" in said
    assert "it would be 8 times" in said
    assert say("growth.flat.at_once", first=1, second=2) in told.sentences(rows(10, 20, 21), "heads")[-1]
    assert told.sentences(rows(10, 12), "heads")[-1] == say("growth.flat.all", first=1, last=2)
    assert told.sentences(rows(10), "heads") == []


def test_time_that_is_flat_first_and_in_proportion_then_is_called_both() -> None:
    """As the table of powers says it: 8 to 32 heads, twice as long each time."""

    def said(*times: float) -> str:
        about = {"kind": "eager", "pass": "forward", "operations": 5, "peak": 1}
        rows = [about | {"heads": 2**n, "maps": 2**n, "ms": [time]} for n, time in enumerate(times)]
        return told.sentences(rows, "heads")[-1]

    even = say("growth.flat.power", sizes="8, 16, 32", how=say("growth.flat.even"), power="1.00")
    assert even in said(10, 10, 10, 20, 40, 80)
    assert say("growth.flat.slower") in said(10, 10, 10, 20, 25, 30)
    assert say("growth.flat.faster") in said(10, 10, 10, 20, 80, 320)
    assert "(" not in said(10, 10, 30)  # three sizes: no power, neither here nor in the table


def test_no_power_is_fitted_on_two_sizes_and_each_way_names_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = stored("growth")
    rows = [row for row in whole.rows if row["axis"] == "length"]
    few = replace(whole, rows=tuple(row for row in rows if row["length"] <= 128), whole=False)
    monkeypatch.setattr("mha_viz.ui.labs.stored", lambda _: few)
    app = opened(PAGE, cost_view="growth")
    assert untroubled(app)
    assert say("growth.powers.few", least=4, n=2) in texts(app)
    assert say("growth.powers.caption") not in texts(app)
    left_out = {"peak": None, "ms": None, "clock_ms": None}
    part = [row | (left_out if row["kind"] == "eager" and row["length"] > 512 else {}) for row in rows]
    monkeypatch.setattr("mha_viz.ui.labs.stored", lambda _: replace(whole, rows=tuple(part)))
    app = opened(PAGE, cost_view="growth")
    table = app.dataframe[0].value
    sizes = dict(zip(table[say("growth.powers.way")], table[say("growth.powers.sizes")], strict=True))
    assert (sizes["Eager"], sizes["SDPA"]) == ("256, 512", "512, 1,024, 2,048, 4,096")
    assert say("growth.powers.two") in texts(app)


def test_around_a_median_stand_the_quickest_and_the_slowest_repeat() -> None:
    app = opened(PAGE, cost_view="growth")
    (trace,) = [trace for trace in figure(app, "growth_chart")["data"] if trace.get("name") == "Eager"]
    rows = measured("length", "forward", "eager")
    ends = [
        (middle - below, middle + above)
        for middle, below, above in zip(
            drawn(app, "growth_chart", "Eager"),
            trace["error_y"]["arrayminus"],
            trace["error_y"]["array"],
            strict=True,
        )
    ]
    assert [end for pair in ends for end in pair] == pytest.approx(
        [end for row in rows for end in (min(row["ms"]), max(row["ms"]))]
    )
    assert say("growth.points", rounds=len(rows[0]["ms"])) in texts(app)


def test_maps_that_are_handed_out_undo_what_checkpointing_saves() -> None:
    app = opened(PAGE, cost_view="maps")
    assert untroubled(app)
    assert drawn(app, "cost_maps_bars", say("cost_maps.kept")) == [4800, 4800, 704, 704, 720]
    assert drawn(app, "cost_maps_bars", say("cost_maps.handed")) == [0, 0, 0, 4096, 0]
    shown = texts(app)
    assert "**4,800 KB → 704 KB** kept, **6.8 times less**. The maps alone are 4,096 KB." in shown
    assert say("cost_maps.undone", alive="4,800", maps="4,096") in shown
    assert say("cost_maps.equal") in shown
    app.button_group(key="cost_maps_shown_layers").set_value(6)
    app.button_group(key="cost_maps_length").set_value(512).run()
    rows = where(stored("kept_maps").rows, layers=6, length=512)
    assert drawn(app, "cost_maps_bars", say("cost_maps.kept")) == [row["kept"] / 1024 for row in rows]
    assert peaks(rows, "cost_maps.peak") in texts(app)
    assert peaks(where(stored("kept_maps").rows, layers=1, length=512), "cost_maps.peak.other", layers=1) in texts(app)
    app.number_input(key="cost_maps_d_model").set_value(60).run()
    assert "8 heads do not divide d_model 60" in re.sub(r"\\(.)", r"\1", app.warning[0].value)


def peaks(rows: list[Row], key: str, **more: int) -> str:
    """The sentence on the highest points of plain and checkpointed attention."""
    plain, checked = (where(rows, way=way, returned=False)[0]["peak"] for way in ("eager", "checkpoint"))
    share = f"{100 * checked / plain:.0f} %"
    return say(key, plain=f"{plain / 1e6:.1f}", checkpoint=f"{checked / 1e6:.1f}", share=share, **more)


def test_of_peaks_is_said_what_the_rows_of_every_number_of_layers_hold() -> None:
    """The checkpointed peak rises with the layers, too: only its share of the plain one falls."""
    about = {"returned": False, "length": 64, "kept": 1, "alive": 1, "map_bytes": 1, "equal": True, "apart": 0.0}
    rows = [
        about | {"way": way, "layers": layers, "peak": peak * 10**6}
        for layers, way, peak in ((1, "eager", 10), (1, "checkpoint", 12), (6, "eager", 40), (6, "checkpoint", 20))
    ]
    said = sentences(where(rows, layers=1), rows)[-1]
    assert "plain 10.0 MB, checkpointed 12.0 MB, 120 % of it" in said
    assert "Layers: 6: plain 40.0 MB, checkpointed 20.0 MB, 50 % of it" in said


def test_lines_that_cover_one_another_are_dashed_and_named() -> None:
    app = opened(PAGE, cost_view="maps")
    dashes = {trace["name"]: trace["line"]["dash"] for trace in figure(app, "cost_maps_lines")["data"]}
    handed = say("cost_maps.with.named", way=say("cost_maps.way.checkpoint"))
    plain = say("cost_maps.way.eager")
    assert len(dashes) == 4
    assert (dashes[plain], dashes[handed]) == ("solid", "dash")
    assert say("cost_maps.lines.same", one=handed, other=plain, percent="0.0") in texts(app)


def test_gradients_that_differ_are_called_that() -> None:
    rows = [dict(row) for row in where(stored("kept_maps").rows, layers=1, length=256)]
    assert say("cost_maps.equal") in sentences(rows, rows)[0]
    rows[2] |= {"equal": False, "apart": 0.01}
    assert say("cost_maps.equal") not in sentences(rows, rows)[0]
    assert "1.0e-02 of the largest" in sentences(rows, rows)[0]
