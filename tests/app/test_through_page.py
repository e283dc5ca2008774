"""The page through: its numbers are those of independent computations, in every view, and the link restores it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import mha_viz
from mha_viz.analysis.flow import LONGEST_FLOW
from mha_viz.masks import Causal, Padding
from mha_viz.ui import norms_view
from mha_viz.ui.clicks import QUERY_CHARTS
from mha_viz.words import say
from tests.app.driver import (
    Wanted,
    assert_same,
    bodies,
    button,
    decoded,
    figure,
    model,
    opened,
    plain,
    said,
    untroubled,
)
from tests.refs import arrays

PAGE = "pages/through.py"
SHORT = "the cat sat on the mat"
VIEWS = ("rollout", "flow", "norms", "average")
CHARTS = {"rollout": "rollout", "flow": "flow", "norms": "norms", "average": "mean_of_heads"}


def shown(app: AppTest, key: str, trace: int = 0) -> np.ndarray:
    return decoded(figure(app, key)["data"][trace]["z"])


def texts(app: AppTest) -> str:
    """Everything written on the page, as a reader sees it."""
    written = [*(element.value for element in [*app.markdown, *app.caption]), *said(app)]
    return re.sub(r"\\(.)", r"\1", "\n".join(written).replace("\u200b", ""))


def rolled_out(weights: np.ndarray, layer: int) -> np.ndarray:
    """Rollout written out, where every row has a key."""
    result = np.eye(weights.shape[-1])
    for heads in weights[: layer + 1].astype(np.float64):
        result = (0.5 * heads.mean(axis=0) + 0.5 * np.eye(len(result))) @ result
    return result


@pytest.mark.model
@pytest.mark.parametrize("layer", [None, 2])
def test_rollout_is_the_references(layer):
    link = {} if layer is None else {"through_layer": str(layer)}
    app = opened(PAGE, source="minilm", focus="10", **link)
    assert untroubled(app)
    expected = arrays("d")["rollout_residual"]
    chosen = 5 if layer is None else layer
    assert np.abs(shown(app, "rollout") - expected[chosen]).max() <= 1e-5
    assert np.abs(shown(app, "through_rows") - expected[:, 10]).max() <= 1e-5
    assert f"by {expected[0].std(axis=0).mean():.4f} after layer 0" in texts(app)
    assert f"by {expected[chosen].std(axis=0).mean():.4f} after layer {chosen}" in texts(app)
    assert say("through.early") not in texts(app)
    (slider,) = [slider for slider in app.slider if slider.label == say("through.layer")]
    assert slider.value == chosen


@pytest.mark.model
def test_the_slider_moves_the_layer_and_the_last_one_is_not_in_the_link():
    app = opened(PAGE, source="minilm")
    (slider,) = [slider for slider in app.slider if slider.label == say("through.layer")]
    slider.set_value(1)
    app.run()
    assert np.abs(shown(app, "rollout") - arrays("d")["rollout_residual"][1]).max() <= 1e-5
    assert app.query_params["through_layer"] == "1"
    (slider,) = [slider for slider in app.slider if slider.label == say("through.layer")]
    slider.set_value(5)
    app.run()
    assert "through_layer" not in app.query_params
    assert np.abs(shown(app, "rollout") - arrays("d")["rollout_residual"][5]).max() <= 1e-5


def test_rollout_of_the_toy_under_a_mask():
    app = opened(PAGE, text=SHORT, causal="1")
    wanted = Wanted(text=SHORT, controls=mha_viz.Controls(mask=Causal()))
    expected = rolled_out(wanted.trace.weights, 0)
    later = np.triu(np.ones_like(expected, dtype=bool), 1)
    assert_same(shown(app, "rollout"), np.where(later, np.nan, expected))
    assert say("through.early") in texts(app)
    assert say("through.one_layer") in texts(app)
    assert np.abs(shown(app, "through_rows")[0] - expected.mean(axis=0)).max() < 1e-5


def test_padding_does_not_count_among_all_tokens():
    app = opened(PAGE, text=SHORT, padding="1", padding_last="2")
    assert untroubled(app)
    expected = rolled_out(Wanted(text=SHORT, controls=mha_viz.Controls(mask=Padding(2))).trace.weights, 0)
    assert np.abs(shown(app, "through_rows")[0] - expected[:-2].mean(axis=0)).max() < 1e-5
    assert f"Rows differ by {expected[:-2].std(axis=0).mean():.4f}" in texts(app)


@pytest.mark.model
def test_flow_of_one_layer_is_that_layer_and_of_all_is_nearly_even():
    app = opened(PAGE, source="minilm", through_view="flow", through_layer="0")
    assert np.abs(finished(app, "flow") - arrays("d")["rollout_residual"][0]).max() <= 1e-5
    app = opened(PAGE, source="minilm", through_view="flow", focus="10")
    row = finished(app, "flow")[10]
    assert row.sum() == pytest.approx(1, abs=1e-5)
    assert "In the row of “it” (10), entries go from 0.056 to 0.068; even would be 0.062." in texts(app)


def finished(app: AppTest, key: str) -> np.ndarray:
    """The picture, after as many runs as the work takes."""
    for _ in range(100):
        assert untroubled(app)
        if any(chart.key == key for chart in app.get("plotly_chart")):
            return shown(app, key)
        app.run()
    raise AssertionError("it never ends")


def test_flow_of_a_long_sentence_says_how_many_tokens_are_allowed():
    app = opened(PAGE, text="word " * (LONGEST_FLOW + 1), through_view="flow")
    assert untroubled(app)
    assert not app.get("plotly_chart")
    assert any(f"{LONGEST_FLOW + 1} tokens" in notice and f"at most {LONGEST_FLOW}" in notice for notice in said(app))


@pytest.mark.model
@pytest.mark.parametrize("scope", ["head", "layer"])
def test_norms_are_the_references_and_so_are_the_shares(scope):
    app = opened(PAGE, source="minilm", through_view="norms", layer="2", head="3", norm_scope=scope)
    assert untroubled(app)
    reference = arrays("d")
    weights, norms = reference["attn"][2, 3], reference["afx_norm"][2, 3]
    if scope == "layer":
        weights, norms = reference["attn"][2].mean(axis=0), reference["sum_heads_afx_norm"][2]
    assert np.abs(shown(app, "norms") - weights).max() <= 1e-5
    assert np.abs(shown(app, "norms", 1) - norms).max() <= 1e-4
    (cards,) = bodies(app, "mha-cards")
    numbers = [float(number) for number in re.findall(r"<strong>([\d.]+)</strong>", cards)]
    sets = ([0, 15], [int(weights.mean(axis=0).argmax())])
    shares = [(values[:, keys].sum(axis=1) / values.sum(axis=1)).mean() for keys in sets for values in (weights, norms)]
    assert numbers == pytest.approx(shares, abs=1e-3)
    assert "“[CLS]” (0), most attended" in plain(cards)
    assert f"Special tokens: {shares[0]:.3f} of the weights, but {shares[1]:.3f} of the norms." in texts(app)


def test_norms_of_the_toy_are_those_of_what_its_heads_write():
    app = opened(PAGE, text=SHORT, through_view="norms", head="2", causal="1")
    toy, wanted = model(), Wanted(text=SHORT, controls=mha_viz.Controls(mask=Causal()), head=2)
    layer = toy.inspect_layer(toy.tokenize(SHORT), wanted.controls, 0)
    f = layer.value[2] @ layer.W_O[2 * 8 : 3 * 8]
    expected = layer.weights[2] * np.linalg.norm(f, axis=-1)
    np.testing.assert_allclose(shown(app, "norms", 1), np.where(layer.visible[2], expected, np.nan), atol=1e-5)
    (cards,) = bodies(app, "mha-cards")
    assert "special" not in plain(cards)


def test_a_layer_that_writes_nothing_says_so(monkeypatch):
    monkeypatch.setattr("mha_viz.ui.norms_view.head_norms", lambda trace, *_: np.zeros_like(trace.weights[0]))
    app = opened(PAGE, text=SHORT, through_view="norms")
    assert untroubled(app)
    assert say("through.no_share") in said(app)


def test_a_model_without_output_matrices_says_so(monkeypatch):
    monkeypatch.setattr("mha_viz.ui.norms_view.cache.output_matrices", lambda choices: None)
    app = opened(PAGE, text=SHORT, through_view="norms")
    assert untroubled(app)
    assert say("through.no_matrix") in said(app)
    assert not app.get("plotly_chart")


@pytest.mark.parametrize(
    ("shares", "key"),
    [
        ((0.5, 0.1, 0.1), "less"),
        ((0.5, 0.45, 0.1), "not_less"),
        ((0.05, 0.01, 0.1), "little"),
        ((1.0, 1.0, 1.0), "little"),
    ],
)
def test_the_sentence_follows_from_the_shares(shares, key):
    weights, norms, even = (f"{share:.3f}" for share in shares)
    values = {"what": "it", "weights": weights, "norms": norms} | ({"even": even} if key == "little" else {})
    assert norms_view._sentence("it", *shares) == say(f"through.{key}", **values)


@pytest.mark.model
def test_any_heads_of_any_layers_are_averaged():
    app = opened(PAGE, source="minilm", through_view="average", average="L0H3.L4H11")
    attn = arrays("d")["attn"]
    assert np.abs(shown(app, "mean_of_heads") - (attn[0, 3] + attn[4, 11]) / 2).max() <= 1e-5
    app.multiselect(key="average").set_value([])
    app.run()
    assert np.abs(shown(app, "mean_of_heads") - attn[0].mean(axis=0)).max() <= 1e-5
    assert "average" not in app.query_params


def test_heads_that_the_model_does_not_have_are_told_and_left_out():
    app = opened(PAGE, text=SHORT, through_view="average", average="L0H1.L7H2")
    assert untroubled(app)
    assert any("L7H2" in notice for notice in said(app))
    assert_same(shown(app, "mean_of_heads"), Wanted(text=SHORT).trace.weights[0, 1])
    assert app.query_params["average"] == "L0H1"


def test_a_layer_that_the_model_does_not_have_is_told():
    app = opened(PAGE, text=SHORT, through_layer="9")
    assert any("through_layer = 9" in notice for notice in said(app))
    assert untroubled(app)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dead", [{}, {"causal": "1"}, {"hide_query": "1"}, {"padding": "1", "own": "1"}], ids=str)
def test_every_view_of_masked_runs_is_drawn_and_linked(view, dead):
    link = {"text": SHORT, "through_view": view, "focus": "1", "scale": "root", "norm_scope": "layer", **dead}
    app = opened(PAGE, **link)
    assert untroubled(app)
    finished(app, CHARTS[view])
    expected = {name: value for name, value in link.items() if (name, value) != ("through_view", "rollout")}
    assert {name: app.query_params[name] for name in expected} == expected
    assert CHARTS[view] in QUERY_CHARTS


def test_the_views_are_switched_by_a_click():
    app = opened(PAGE, text=SHORT)
    for view in ("average", "norms", "rollout"):
        app.button_group(key="through_view").set_value(view)
        app.run()
        assert untroubled(app)
        assert any(chart.key == CHARTS[view] for chart in app.get("plotly_chart"))


def test_user_text_is_never_markdown():
    app = opened(PAGE, text="**bold** $x$ `y`", focus="0")
    written = [element.value for element in app.markdown if "after each layer" in element.value]
    assert written
    assert all("**bold" not in text for text in written)


def test_stopped_work_can_begin_again(monkeypatch):
    monkeypatch.setattr("mha_viz.ui.work._AT_ONCE", 0.0)
    monkeypatch.setattr("mha_viz.ui.work._TURN", 0.0)
    app = opened(PAGE, text=SHORT, through_view="flow")
    assert not app.get("plotly_chart")
    button(app, "work.stop").click()
    app.run()
    assert any(notice.startswith("Stopped at") for notice in said(app))


def test_colours_are_offered_where_one_key_outshines_the_rest():
    app = opened(PAGE, source="minilm", text="the cat sat on the mat and the dog lay on the rug " * 8)
    assert say("through.outshone", times=20) in texts(app)
    button(app, "sink.log").click().run()
    assert app.query_params["scale"] == "log"
    assert say("through.outshone", times=20) not in texts(app)
    assert say("through.outshone", times=20) not in texts(opened(PAGE, text="a b"))
