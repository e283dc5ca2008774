"""Heads switched off and tokens changed act inside the model; effect and importance are those of independent computations."""

from __future__ import annotations

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import mha_viz
from mha_viz.analysis.effects import mean_pooled
from mha_viz.analysis.importance import HeadImportance, order_of
from mha_viz.analysis.sentences import Item
from mha_viz.analysis.spam import spam_classifier
from mha_viz.analysis.work import finished
from mha_viz.controls import HeadId
from mha_viz.edits import parse
from mha_viz.figures.overview import HIDDEN
from mha_viz.labs.importance import gradient_importance, removal_curve
from mha_viz.labs.losses import samples_of
from mha_viz.words import say
from tests.app.driver import (
    HEADS,
    Wanted,
    assert_same,
    bodies,
    button,
    component,
    decoded,
    figure,
    large_weights,
    model,
    opened,
    plain,
    said,
    shows,
    untroubled,
)

PAGE = "pages/change.py"
TEXT = "the animal did not cross the street because it was too tired"
OFF = frozenset({HeadId(1, 0), HeadId(3, 1)})
LINK = {"source": "minilm", "text": TEXT}


pytestmark = pytest.mark.usefixtures("at_once")


def texts(app: AppTest) -> str:
    """Captions and Markdown as a reader sees them."""
    found = [*(one.value for one in app.caption), *(one.value for one in app.markdown)]
    return re.sub(r"\\(.)", r"\1", "\n".join(found)).replace("\u200b", "")


@pytest.mark.parametrize("how", ["zero", "uniform"])
def test_heads_switched_off_act_inside_the_model(how: str) -> None:
    controls = mha_viz.Controls(silenced=OFF) if how == "zero" else mha_viz.Controls(uniform=OFF)
    wanted = Wanted(source="minilm", text=TEXT, layer=5, head=11, controls=controls)
    app = opened(HEADS, **LINK, off="L1H0.L3H1", off_as=how, layer="5", head="11")
    shows(app, wanted)
    assert np.abs(wanted.large - Wanted(source="minilm", text=TEXT, layer=5, head=11).large).max() > 0.01


def test_the_two_ways_differ_and_the_toy_has_both() -> None:
    maps = [large_weights(opened(HEADS, off="L0H3", off_as=how, head="3")) for how in ("zero", "uniform")]
    assert_same(maps[0], Wanted(head=3).large)
    np.testing.assert_allclose(maps[1], 1 / len(maps[1]), atol=1e-6)


def test_heads_that_the_model_does_not_have_are_told_and_left_out() -> None:
    app = opened(HEADS, **LINK, off="L1H0.L7H0")
    assert any("L7H0" in notice for notice in said(app))
    assert app.query_params["off"] == "L1H0"
    shows(app, Wanted(source="minilm", text=TEXT, controls=mha_viz.Controls(silenced=frozenset({HeadId(1, 0)}))))


def test_a_whole_layer_goes_and_comes_back() -> None:
    app = opened(PAGE, **LINK, layer="2")
    (off,) = [one for one in app.button if one.label == say("off.layer_off", layer=2)]
    off.click().run()
    assert app.query_params["off"] == ".".join(f"L2H{head}" for head in range(12))
    (on,) = [one for one in app.button if one.label == say("off.layer_on", layer=2)]
    on.click().run()
    assert "off" not in app.query_params


def test_the_overview_says_which_heads_are_off() -> None:
    for how, word in (("zero", "silenced"), ("uniform", "made_even")):
        header, cells = component(opened("pages/overview.py", **LINK, off="L1H0", off_as=how), "overview")
        assert say(f"overview.{word}", note="").strip(" ,·") in header["notes"][12]
        assert (cells != HIDDEN).all()


@pytest.mark.parametrize("edits", ["swap-2-7", "put-2-dog", "mask-10", "drop-4", "put-2-unbelievable.mask-12"])
def test_changed_tokens_are_what_is_read(edits: str) -> None:
    bert = model("minilm")
    tokens = bert.edited(bert.tokenize(TEXT), parse(edits))
    app = opened(HEADS, **LINK, edits=edits, layer="3", head="1")
    assert untroubled(app)
    assert_same(large_weights(app), bert.run(tokens).weights[3, 1])
    assert app.query_params["edits"] == edits


@pytest.mark.parametrize(
    ("edits", "key"), [("mask-99", "error.no_such_token"), ("mask-0", "error.edit_special"), ("put-1-​", "link")]
)
def test_changes_that_cannot_be_made_are_told_with_the_way_back(edits: str, key: str) -> None:
    app = opened(HEADS, **LINK, edits=edits)
    assert untroubled(app)
    if key == "link":
        assert any("edits" in notice for notice in said(app))
        return
    assert said(app)
    button(app, "edits.undo_all").click().run()
    shows(app, Wanted(source="minilm", text=TEXT))


def test_a_token_is_changed_and_changed_back_on_the_page() -> None:
    app = opened(PAGE, **LINK, focus="2")
    button(app, "edits.mask").click().run()
    assert app.query_params["edits"] == "mask-2"
    assert say("edit.mask", token="“animal”", position=2) in texts(app)
    button(app, "edits.undo").click().run()
    assert "edits" not in app.query_params


def test_a_change_that_the_model_refuses_is_told_and_nothing_is_lost() -> None:
    app = opened(PAGE, **LINK, focus="0")
    button(app, "edits.drop").click().run()
    assert any(say("error.edit_special", token="[CLS]", position=0) in notice for notice in said(app))
    assert "edits" not in app.query_params


def test_the_toy_has_no_mask_token_and_says_so() -> None:
    app = opened(PAGE, focus="1")
    button(app, "edits.mask").click().run()
    assert say("error.no_mask_token", name=model().spec.name) in said(app)


def test_changes_go_with_the_sentence() -> None:
    app = opened(HEADS, **LINK, edits="drop-2")
    app.text_input(key="text").set_value("one two three").run()
    shows(app, Wanted(source="minilm", text="one two three"))


def test_the_effect_is_that_on_the_embedding_and_on_the_classes() -> None:
    app = opened(PAGE, **LINK, off="L1H0.L3H1", edits="put-2-dog")
    bert = model("minilm")
    tokens = bert.tokenize(TEXT)
    before, after = bert.run(tokens), bert.run(bert.edited(tokens, parse("put-2-dog")), mha_viz.Controls(silenced=OFF))
    one, other = before.output.mean(axis=0), after.output.mean(axis=0)
    cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
    (cards,) = bodies(app, "mha-cards")
    assert [float(number) for number in re.findall(r"<strong>([\d.]+)</strong>", cards)] == pytest.approx(
        [cosine, np.linalg.norm(other - one)], abs=2e-4
    )
    (table,) = bodies(app, "mha-chances")
    shares = [float(number) for number in re.findall(r"<span>([\d.]+)</span>", table)]
    wanted = [spam_classifier().probabilities(mean_pooled(run)) for run in (before, after)]
    assert shares == pytest.approx(np.stack(wanted, axis=1).ravel(), abs=6e-4)
    assert say("change.no_fills") in texts(app)


def test_without_a_change_nothing_changes() -> None:
    app = opened(PAGE, **LINK)
    assert say("change.nothing") in texts(app)
    assert say("effect.embedding.same") in texts(app)
    assert "<strong>1.0000</strong>" in bodies(app, "mha-cards")[0]


def importance(**link: str) -> AppTest:
    app = opened(PAGE, change_view="importance", **LINK, **link)
    assert untroubled(app)
    return app


def measured() -> HeadImportance:
    bert = model("minilm")
    return finished(gradient_importance(bert, samples_of(bert, [Item(TEXT)], "even")))


def test_heads_by_gradient_and_the_most_important_are_kept() -> None:
    app, wanted = importance(), measured().values
    trace = figure(app, "importance_matrix")["data"][0]
    np.testing.assert_allclose(decoded(trace["customdata"]), wanted, rtol=1e-3, atol=1e-7)
    np.testing.assert_allclose(decoded(trace["z"]), 100 * wanted / wanted.sum(), rtol=1e-3, atol=1e-4)
    app.slider(key="keep_most").set_value(10).run()
    (apply,) = [one for one in app.button if one.label == say("importance.apply", n=10)]
    apply.click().run()
    gone = np.argsort(-wanted.ravel(), kind="stable")[10:]
    assert set(app.query_params["off"].split(".")) == {f"L{place // 12}H{place % 12}" for place in gone}


def test_the_importance_of_heads_that_are_off_is_measured_too() -> None:
    trace = figure(importance(off="L5H8"), "importance_matrix")["data"][0]
    np.testing.assert_allclose(decoded(trace["customdata"]), measured().values, rtol=1e-3, atol=1e-7)


def test_the_mean_weight_says_nothing_and_says_so() -> None:
    app = importance(method="weight")
    np.testing.assert_allclose(decoded(figure(app, "importance_matrix")["data"][0]["customdata"]), 1 / 14, rtol=1e-5)
    assert say("importance.naive", share=f"{1 / 14:.4f}") in texts(app)


def test_two_measures_are_held_against_each_other() -> None:
    app = importance(method="zero")
    app.button_group(key="method").set_value("gradient").run()
    assert re.search(r"“Gradient” and “Silenced” rank the heads with a correlation of 0\.\d", texts(app))


def test_the_curve_is_that_of_heads_really_taken_out() -> None:
    app = importance()
    button(app, "importance.curve").click().run()
    bert, found = model("minilm"), measured()
    samples = samples_of(bert, [Item(TEXT)], "even")
    for line, order in zip(figure(app, "removal_curve")["data"], ("least", "most"), strict=True):
        heads = order_of(found.values, order)
        curve = finished(removal_curve(bert, samples, heads, step=2))
        np.testing.assert_allclose(decoded(line["y"]), curve.mean_cosine, atol=1e-4)
        assert line["y"] != [1.0] * len(curve.removed)


def test_a_loss_between_two_sentences_asks_for_the_second() -> None:
    app = importance(loss="pair")
    assert any("second sentence" in notice for notice in said(app))
    assert untroubled(importance(loss="pair", pair="a tired animal stays at home"))


@pytest.mark.parametrize("view", ["effect", "importance"])
@pytest.mark.parametrize("text", ["猫", "<script>alert(1)</script> $x$ `a`", "the " * 700])
def test_odd_sentences(view: str, text: str) -> None:
    app = opened(PAGE, source="minilm", text=text, cut="1", change_view=view, method="weight")
    assert untroubled(app)
    assert "<script>" not in plain("".join(bodies(app, "mha-chances")))
