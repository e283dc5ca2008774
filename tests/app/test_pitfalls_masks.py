"""The cards of splitting, masks and queries without a key."""

from __future__ import annotations

import html

import numpy as np

from mha_viz.words.en import EN
from tests.app.driver import bodies, decoded, figure, opened, plain, untroubled

PAGE = "pages/pitfalls.py"


def verdict(app):
    (body,) = bodies(app, "mha-verdict")
    return plain(body)


def test_splitting_shows_one_head_from_both_cuts_and_which_features_are_read():
    app = opened(PAGE, pitfall="split")
    assert untroubled(app)
    told, right = (decoded(trace["z"]) for trace in figure(app, "pitfall_split")["data"][:2])
    np.testing.assert_allclose(told, right, atol=1e-12)
    app.slider(key="pitfall_split_head_8").set_value(3).run()
    assert not np.allclose(decoded(figure(app, "pitfall_split")["data"][0]["z"]), told)
    app.selectbox(key="pitfall_claim").set_value("grouped").run()
    assert untroubled(app)
    assert "576 instead of 4160" in verdict(app)
    assert np.isfinite(decoded(figure(app, "pitfall_split_reach")["data"][1]["z"])).sum(-1).tolist() == [8] * 8


def test_masks_follow_their_controls_and_an_error_of_torch_is_shown_as_text():
    app = opened(PAGE, pitfall="masks")
    assert untroubled(app)
    assert len(figure(app, "pitfall_masks")["layout"]["shapes"]) > 9
    app.selectbox(key="pitfall_claim").set_value("anded").run()
    assert untroubled(app)
    (body,) = bodies(app, "mha-verdict")
    assert html.escape('"bitwise_and_cpu" not implemented') in body
    for claim in ("batch", "half", "weak", "device", "compound"):
        app.selectbox(key="pitfall_claim").set_value(claim).run()
        assert untroubled(app)
    assert "5 of 12 rows" in verdict(app)
    app.slider(key="pitfall_masks_pads").set_value(0).run()
    assert untroubled(app)
    assert EN["pitfalls.outcome.holds"] in verdict(app)


def test_a_query_without_a_key_is_shown_call_by_call_with_those_of_transformers():
    app = opened(PAGE, pitfall="no_key")
    assert untroubled(app)
    first, second = bodies(app, "mha-calls")
    assert first.count("mha-tile mha-key-") == 28
    assert second.count("mha-tile mha-key-") == 2
    assert np.isnan(decoded(figure(app, "pitfall_no_key")["data"][1]["z"])[2]).all()
    app.selectbox(key="pitfall_claim").set_value("loss").run()
    assert untroubled(app)
    (tiles,) = bodies(app, "mha-calls")
    assert "64 NaN" in plain(tiles)
    app.selectbox(key="pitfall_claim").set_value("bert").run()
    assert untroubled(app)
    eager, sdpa = (np.array(trace["y"]) for trace in figure(app, "pitfall_no_key_bert")["data"])
    assert eager.any()
    assert not sdpa.any()
