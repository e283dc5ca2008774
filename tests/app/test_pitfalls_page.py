"""The page of pitfalls."""

from __future__ import annotations

from mha_viz.labs.pitfalls.registry import PITFALLS, cases
from mha_viz.labs.stored import stored
from mha_viz.words import say
from mha_viz.words.en import EN
from tests.app.driver import bodies, figure, opened, plain, untroubled

PAGE = "pages/pitfalls.py"


def verdict(app):
    """The one of a card, as a reader sees it."""
    (body,) = bodies(app, "mha-verdict")
    return plain(body)


def test_a_card_shows_claim_verdict_code_and_picture_and_follows_its_controls():
    app = opened(PAGE, pitfall="scaled")
    assert untroubled(app)
    assert EN["pitfalls.outcome.false"] in verdict(app)
    assert [len(trace["x"]) for trace in figure(app, "pitfall_scaled")["data"]] == [8, 8]
    app.slider(key="pitfall_scaled_most").set_value(3.0).run()
    assert "0.50 … 3.00" in verdict(app)
    assert "def scale_after_softmax(query, key, value, scale, W_O):" in app.code[0].value


def test_the_next_pitfall_is_a_click_away_and_stands_in_the_link():
    app = opened(PAGE, pitfall="scaled")
    app.selectbox(key="pitfall").set_value("all").run()
    assert "pitfall" not in app.query_params
    app.button(key="open_scaled").click().run()
    assert app.query_params == {"pitfall": "scaled"}
    assert untroubled(app)


def test_the_claims_at_a_glance_are_those_of_today():
    """Every case once, in the words that there are now; one that was tried twice shows its settings."""
    rows = stored("pitfalls").rows
    told = [(row["pitfall"], row["case"]) for row in rows]
    assert told == [(name, case.plain()) for name in PITFALLS for case in cases(name)]
    app = opened(PAGE)
    assert untroubled(app)
    shown = [plain(body) for body in bodies(app, "mha-tried")]
    assert len(shown) == len(PITFALLS)
    for row in rows:
        assert any(say(row["verdict"]["key"], **row["verdict"]["values"]) in text for text in shown)
    assert any("side = left" in text for text in shown)
