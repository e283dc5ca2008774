"""Cards on norms, gradients, sqrt(d_k), softmax and cost: one visit each."""

from __future__ import annotations

from mha_viz.words.en import EN
from tests.app.driver import bodies, figure, opened, plain, untroubled

PAGE = "pages/pitfalls.py"


def verdict(app):
    (body,) = bodies(app, "mha-verdict")
    return plain(body)


def choose(app, key, value):
    """A claim of a card, or another choice."""
    (app.selectbox if key == "pitfall_claim" else app.button_group)(key=key).set_value(value).run()
    assert untroubled(app)


def test_norm_every_claim_has_its_picture():
    app = opened(PAGE, pitfall="norm")
    assert EN["pitfalls.outcome.partly"] in verdict(app)
    assert len(figure(app, "pitfall_norm")["data"]) == 3
    choose(app, "pitfall_claim", "length")
    assert "1 of 6" in verdict(app)
    choose(app, "pitfall_claim", "finite")
    assert len(figure(app, "pitfall_norm")["data"]) == 2
    choose(app, "pitfall_claim", "mask")
    app.slider(key="pitfall_norm_tokens").set_value(16).run()
    assert "93.8 % of the output are NaN" in verdict(app)


def test_gradients_every_claim_has_its_picture():
    app = opened(PAGE, pitfall="gradients")
    assert figure(app, "pitfall_gradients")["layout"]["yaxis"]["type"] == "log"
    choose(app, "pitfall_claim", "thresholds")
    (table,) = app.dataframe
    assert list(table.value.iloc[:, 2]) == ["fine", *["too small"] * 3, "too large", "not finite"]
    choose(app, "pitfall_claim", "again")
    assert "2.000 times" in verdict(app)
    choose(app, "pitfall_claim", "tuple")
    assert "2 of 4 modules" in verdict(app)


def test_sqrt_what_is_shown_and_both_claims():
    app = opened(PAGE, pitfall="sqrt")
    choose(app, "pitfall_sqrt_show", "entropy")
    title = figure(app, "pitfall_sqrt")["layout"]["yaxis"]["title"]["text"]
    assert title == EN["pitfalls.sqrt.axis.entropy"]
    choose(app, "pitfall_claim", "twice")
    assert EN["pitfalls.outcome.false"] in verdict(app)
    assert len(figure(app, "pitfall_sqrt")["data"]) >= 2


def test_softmax_both_kinds_of_numbers_and_both_claims():
    app = opened(PAGE, pitfall="softmax")
    assert "88.72" in verdict(app)
    choose(app, "pitfall_softmax_dtype", "float16")
    assert "11.09" in verdict(app)
    choose(app, "pitfall_softmax_way", "down")
    choose(app, "pitfall_claim", "changes")
    assert "changes nothing" in verdict(app)


def test_linear_shows_what_was_measured_beside_what_is_told():
    app = opened(PAGE, pitfall="linear")
    assert untroubled(app)
    assert [trace["name"] for trace in figure(app, "pitfall_linear")["data"]] == [
        EN["pitfalls.linear.measured"],
        EN["pitfalls.linear.operations"],
        EN["pitfalls.linear.told"],
    ]
    choose(app, "pitfall_claim", "memory")
    assert EN["pitfalls.outcome.partly"] in verdict(app)
