"""The views on depth and gradients draw what the stored results hold, and also what a run that was stopped left."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mha_viz.labs.results import LabResult, where
from mha_viz.labs.stored import stored
from mha_viz.ui import depth_gradients_block_view, labs
from mha_viz.ui.depth_gradients_numbers import digits
from mha_viz.ui.depth_gradients_start_view import below_zero, gradients_told
from mha_viz.words import say
from tests.app.driver import decoded, figure, opened, untroubled

PAGE = "pages/depth_gradients.py"

pytestmark = pytest.mark.usefixtures("at_once")


def texts(app: AppTest) -> str:
    return re.sub(r"\\(.)", r"\1", "\n".join(one.value for one in (*app.markdown, *app.caption)))


def drawn(app: AppTest, key: str, name: str) -> list[float]:
    """The heights of a trace."""
    (trace,) = [trace for trace in figure(app, key)["data"] if trace.get("name") == name]
    return list(decoded(trace["y"]) if isinstance(trace["y"], dict) else trace["y"])


def names(app: AppTest, key: str) -> list[str]:
    return [trace["name"] for trace in figure(app, key)["data"] if trace.get("showlegend") is not False]


def test_stacks_show_diversity_gradients_and_the_comparison_with_theory() -> None:
    app = opened(PAGE)
    assert untroubled(app)
    of = {"ffn": "on", "steps": 0}
    pre = where(stored("stacks").rows, kind="pre", layers=32, **of)
    wanted = np.median([row["diversity"] for row in pre], axis=0)
    assert drawn(app, "stacks_diversity", say("stacks.kind.pre")) == pytest.approx(list(wanted))
    deaf = drawn(app, "stacks_gradients", say("stacks.kind.attention"))
    assert deaf[-1] == 1e-10  # exact zeros stand on the lowest line
    flat = {row["seed"]: row["ffn2"][-1] for row in where(stored("stacks").rows, kind="pre", layers=2, **of)}
    ratio = np.mean([row["ffn2"][-1] / flat[row["seed"]] for row in pre])
    assert 0.2 < ratio < 0.35
    found = dict(
        zip((2, 4, 6, 8, 12, 16, 24, 32, 48), drawn(app, "stacks_ratios", say("stacks.kind.pre")), strict=True)
    )
    assert found[32] == pytest.approx(ratio)
    assert len(names(app, "stacks_matrices")) == 6
    app.button_group(key="stacks_ffn").set_value("off").run()
    assert names(app, "stacks_ratios") == [say("stacks.kind.post"), say("stacks.kind.pre")]  # no theory without FFN
    assert len(names(app, "stacks_matrices")) == 4
    app.selectbox(key="stacks_matrix").set_value("ffn2").run()
    assert say("stacks.no_ffn", matrix="FFN W_2") in [one.value for one in app.info]


def test_the_picture_and_the_table_tell_the_same_seed() -> None:
    """Where one seed of three explodes and two have no gradient at all, no mean tells what any of them did."""
    app = opened(PAGE)
    rows = where(stored("stacks").rows, kind="residual", layers=32, ffn="on", steps=0)
    last = sorted(row["query"][-1] for row in rows)
    assert last[0] == last[1] == 0 < 1e6 < last[2]
    assert drawn(app, "stacks_gradients", say("stacks.kind.residual"))[-1] == 1e-10
    cell = app.dataframe[0].value[say("stacks.last", matrix="W_Q")][1]
    assert cell == say("stacks.reach", middle="0", low="0", high=digits(last[2], 2))
    assert say("stacks.seeds", n=3) in texts(app)


def test_the_stack_that_was_chosen_stays_while_a_run_has_not_reached_it(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = stored("stacks")
    first = tuple(where(whole.rows, kind="attention", layers=32, ffn="on", steps=0))[:1]
    monkeypatch.setattr(labs, "show", _shows(LabResult("stacks", whole.options, first, whole.facts, whole=False)))
    app = opened(PAGE)
    assert untroubled(app)
    assert app.button_group(key="stacks_kind").value == "pre"
    assert say("stacks.no_kind", kind=say("stacks.kind.pre")) in [one.value for one in app.info]
    assert say("stacks.one_seed") in texts(app)


def test_after_steps_the_nearest_depth_is_shown_and_told() -> None:
    app = opened(PAGE)
    app.button_group(key="stacks_when").set_value("after").run()
    app.button_group(key="stacks_layers").set_value(24).run()
    assert untroubled(app)
    assert say("stacks.nearest", wanted=24, shown=32) in texts(app)
    trained = where(stored("stacks").rows, kind="post", layers=32, ffn="on", steps=20)
    wanted = np.median([row["diversity"] for row in trained], axis=0)
    assert drawn(app, "stacks_diversity", say("stacks.kind.post")) == pytest.approx(list(wanted))


def test_the_switches_choose_among_the_beginnings() -> None:
    app = opened(PAGE, depth_gradients_view="start")
    assert untroubled(app)
    values = {one.label: one.value for one in app.metric}
    assert float(values[say("beginnings.metric.std")]) == pytest.approx(0.336, rel=0.02)
    app.button_group(key="beginnings_scaling").set_value("twice").run()
    values = {one.label: one.value for one in app.metric}
    assert float(values[say("beginnings.metric.entropy")]) > 0.999
    assert len(app.dataframe[0].value) == 15
    app.button_group(key="beginnings_scheme").set_value("unit").run()
    assert say("beginnings.scheme.unit") in figure(app, "beginnings_map")["layout"]["annotations"][0]["text"]


def test_of_gradients_is_said_what_the_table_holds() -> None:
    def row(scheme: str, scaling: str, seed: int, entropy: float, relative: float, gradient: float) -> dict[str, Any]:
        about = {"scheme": scheme, "scaling": scaling, "seed": seed}
        return about | {"entropy": entropy, "relative": relative, "gradient": gradient}

    rows = [
        row("unit", "off", 0, 0.1, 0.001, 3.0),
        row("unit", "off", 1, 0.1, 0.009, 3.0),
        row("linear", "on", 0, 0.9, 0.02, 0.1),
        row("linear", "on", 1, 0.9, 0.02, 0.1),
        row("xavier", "on", 0, 0.5, 0.03, 4.0),
    ]
    (said,) = gradients_told(rows)
    assert said.startswith("Largest for N(0, 1/d) ÷ √d_k: 0.03. ")
    assert "most even, nn.Linear ÷ √d_k: 0.02. " in said
    assert "sharpest, N(0, 1) ÷ nothing: 0.005; " in said
    assert said.endswith("is 3 there, and 1 of the 2 others have a larger one.")
    assert below_zero(rows, "relative") == [say("beginnings.below_zero", names="N(0, 1) ÷ nothing")]
    assert below_zero(rows, "gradient") == []
    assert gradients_told(rows[:2]) == []


def test_the_stable_block_stands_beside_the_plain_one_and_every_part_can_be_switched() -> None:
    app = opened(PAGE, depth_gradients_view="block")
    assert untroubled(app)
    rate = {"rate": 0.01}
    rows = where(stored("stable").rows, pre=False, qk_norm=False, temperature=False, **rate)
    wanted = np.mean([row["losses"] for row in rows], axis=0)
    assert drawn(app, "stable_losses", say("stable.plain")) == pytest.approx(list(wanted))
    assert names(app, "stable_losses") == [say("stable.plain"), "pre-LN +QK +T"]
    assert f"**{rows[0]['parameters']:,}**" in texts(app)
    assert (say("stable.few", n=len(rows)) in texts(app)) == (1 < len(rows) < 5)
    app.toggle(key="stable_qk_norm").set_value(False).run()
    app.toggle(key="stable_temperature").set_value(False).run()
    assert names(app, "stable_losses") == [say("stable.plain"), "pre-LN"]
    app.toggle(key="stable_pre").set_value(False).run()
    assert untroubled(app)
    assert say("stable.choose") in texts(app)


@pytest.mark.parametrize(("half", "cut"), [(0.1, False), (0.5, True)])
def test_an_interval_that_leaves_the_frame_is_told(half: float, cut: bool) -> None:
    assert depth_gradients_block_view._cut([(0.8, half), (None, None), (0.9, None)], (0.0, 1.05)) == (
        [say("stable.cut")] if cut else []
    )


@pytest.mark.parametrize(
    ("view", "lab", "live"),
    [("stacks", "stacks", None), ("start", "beginnings", None), ("block", "stable", {"at": [20], "losses": [0.9]})],
)
def test_what_a_stopped_run_left_is_drawn(
    view: str, lab: str, live: dict[str, Any] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One row; and none but the training at work."""
    whole = stored(lab)
    first = whole.rows[0]
    at_work = (
        {name: first[name] for name in ("pre", "qk_norm", "temperature", "rate", "layers")} | live if live else None
    )
    results = [LabResult(lab, whole.options, (first,), whole.facts, whole=False)]
    results += [LabResult(lab, whole.options, (), whole.facts, live=at_work, whole=False)] if at_work else []
    for result in results:
        monkeypatch.setattr(labs, "show", _shows(result))
        assert untroubled(opened(PAGE, depth_gradients_view=view))


def _shows(result: LabResult) -> Callable[..., None]:
    return lambda lab, options, draw, about: draw(result)
