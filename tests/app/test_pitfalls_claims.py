"""The cards of mean weights, checks, temperature, the untrained toy and figures without a source."""

from __future__ import annotations

import pytest

from mha_viz.words.en import EN
from tests.app.driver import bodies, figure, opened, plain, untroubled

PAGE = "pages/pitfalls.py"


def verdict(app):
    """The one of a card, as a reader sees it."""
    (body,) = bodies(app, "mha-verdict")
    return plain(body.split("class='mha-verdict'>")[1].split("</div>")[0])


def charts(app):
    """The keys of all figures."""
    return {chart.key for chart in app.get("plotly_chart")}


def test_mean_weights_stand_beside_slopes_and_unpacking_has_its_own_picture():
    app = opened(PAGE, pitfall="mean")
    assert untroubled(app)
    assert EN["pitfalls.outcome.false"] in verdict(app)
    assert [len(trace["x"]) for trace in figure(app, "pitfall_mean")["data"]] == [72, 72]
    app.selectbox(key="pitfall_claim").set_value("unpack").run()
    assert untroubled(app)
    assert len(figure(app, "pitfall_mean")["data"]) == 3
    app.button_group(key="pitfall_mean_batch").set_value(3).run()
    assert "too many values to unpack" in verdict(app)
    assert untroubled(app)


@pytest.mark.parametrize(
    ("card", "tried"),
    [
        ("checks", ("shapes", "order", "padding", "parameters", "head_mask", "maps")),
        ("temperature", ("one_layer", "equal_maps", "alike", "darker", "reversed", "all_layers")),
        ("sources", ("glue", "interleaved", "masks", "speed", "found", "imdb", "sixteen")),
    ],
)
def test_every_claim_of_a_card_has_a_verdict_of_its_own(card, tried):
    app = opened(PAGE, pitfall=card)
    seen = [verdict(app)]
    for name in tried[1:]:
        app.selectbox(key="pitfall_claim").set_value(name).run()
        assert untroubled(app), name
        seen.append(verdict(app))
    assert len(set(seen)) == len(tried)


def test_the_toy_shows_random_heads_and_those_set_by_hand_and_follows_the_scale():
    app = opened(PAGE, pitfall="flat")
    assert untroubled(app)
    assert charts(app) == {"pitfall_flat", "pitfall_flat_designed", "pitfall_flat_curve"}
    assert EN["pitfalls.outcome.false"] in verdict(app)
    app.select_slider(key="pitfall_flat_scale").set_value(3.0).run()
    assert EN["pitfalls.outcome.partly"] in verdict(app)
