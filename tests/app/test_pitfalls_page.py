"""The page of pitfalls."""

from __future__ import annotations

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
