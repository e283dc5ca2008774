"""Models of the Hub that are on this computer: the pages show their numbers, and the link names them exactly."""

from __future__ import annotations

import numpy as np
import pytest

from mha_viz import Causal, Controls, LocalWindow
from mha_viz.words.en import EN
from tests.app import masks_page
from tests.app.driver import (
    HEAD_PAGES,
    HEADS,
    assert_same,
    bodies,
    button,
    figure,
    grid_weights,
    large_weights,
    plain,
    said,
    shows,
    untroubled,
)
from tests.app.hub import TEXT, Computer, sentence, shown, wanted

MASKS = "pages/masks.py"
VIEWS = ("mask", "temperature", "stages", "difference")
_PAGES = HEAD_PAGES


def _badge(app) -> str:
    return plain(bodies(app, "mha-badge")[0])


def test_the_numbers_are_those_of_the_model(computer: Computer) -> None:
    commit = computer.has("org/tiny")
    app = shown("org/tiny", layer="2", head="1")
    right = wanted("org/tiny", commit, layer=2, head=1)
    shows(app, right)
    assert_same(grid_weights(app), right.heads)
    assert said(app) == []


def test_the_sidebar_knows_the_models_layers_and_heads(computer: Computer) -> None:
    computer.has("org/tiny")
    app = shown("org/tiny")
    assert app.selectbox(key="layer").options == ["0", "1", "2"]
    assert app.selectbox(key="head").options == ["0", "1"]


def test_the_link_pins_the_version_and_shows_the_same_elsewhere(computer: Computer) -> None:
    commit = computer.has("org/tiny")
    app = shown("org/tiny", head="1")
    assert app.query_params == {
        "source": "hub", "model": "org/tiny", "revision": commit, "text": TEXT, "head": "1",
    }  # fmt: skip
    again = shown("org/tiny", revision=commit, head="1")
    assert again.query_params == app.query_params
    assert_same(large_weights(again), large_weights(app))


def test_the_badge_names_the_model_and_its_version(computer: Computer) -> None:
    commit = computer.has("org/tiny")
    assert f"org/tiny, version {commit[:8]}" in _badge(shown("org/tiny"))


def test_a_version_that_is_not_here_can_be_let_go(computer: Computer) -> None:
    commit = computer.has("org/tiny")
    app = shown("org/tiny", revision="0" * 40)
    assert untroubled(app)
    assert said(app) == [sentence("error.hub_no_network", name="org/tiny")]
    button(app, "hub.other_version").click().run()
    shows(app, wanted("org/tiny", commit))
    assert app.query_params["revision"] == commit


def test_another_model_forgets_the_version(computer: Computer) -> None:
    computer.has("org/tiny")
    commit = computer.has("org/other", "albert")
    app = shown("org/tiny")
    app.selectbox(key="model").set_value("org/other").run()
    shows(app, wanted("org/other", commit))
    assert app.query_params["revision"] == commit


def test_controls_and_places_are_kept_while_no_model_is_here(computer: Computer) -> None:
    commit = computer.has("org/tiny")
    app = shown("org/tiny", layer="2", head="1", temperature="3", causal="1")
    app.selectbox(key="model").set_value(None).run()
    app.selectbox(key="model").set_value("org/tiny").run()
    shows(app, wanted("org/tiny", commit, layer=2, head=1, controls=Controls(temperature=3.0, mask=Causal())))
    assert said(app) == []


@pytest.mark.parametrize("page", _PAGES)
@pytest.mark.parametrize("family", ["gpt2", "albert", "bert classes"])
def test_every_page_runs_on_every_kind_of_model(computer: Computer, page: str, family: str) -> None:
    commit = computer.has("org/tiny", family)
    right = wanted("org/tiny", commit, layer=1, controls=Controls(temperature=2.0))
    for view in VIEWS if page == MASKS else VIEWS[:1]:
        app = shown("org/tiny", page, layer="1", view=view, temperature="2")
        assert untroubled(app)
        assert said(app) == []
        charts = [chart.key for chart in app.get("plotly_chart")]
        if "large_head" in charts:
            shows(app, right)
        else:
            heatmaps = masks_page.heatmaps(app, view)  # the last of the stages, and the second before and after
            assert_same(heatmaps[-1 if view == "stages" else 1], right.large)


@pytest.mark.parametrize(("page", "link"), [(HEADS, {}), (MASKS, {"view": "temperature"})])
def test_a_decoders_own_mask_is_not_drawn_as_weights(computer: Computer, page: str, link: dict[str, str]) -> None:
    computer.has("org/gpt", "gpt2")
    shown_weights = large_weights(shown("org/gpt", page, **link))
    n = len(shown_weights)
    assert np.array_equal(np.isnan(shown_weights), np.triu(np.ones((n, n), bool), 1))


def test_a_decoders_own_mask_is_seen_on_the_painter_and_counted(computer: Computer) -> None:
    computer.has("org/gpt", "gpt2")
    app = shown("org/gpt", MASKS)
    visible, painted = masks_page.painter(app)
    n = len(visible)
    assert np.array_equal(visible, np.tril(np.ones((n, n), bool)))
    assert not painted.any()
    assert f"{n * (n + 1) // 2}" in masks_page.cards(app)[0]


def test_the_badge_says_that_a_decoders_mask_is_its_own(computer: Computer) -> None:
    computer.has("org/gpt", "gpt2")
    computer.has("org/tiny")
    assert EN["checks.own_mask"] in _badge(shown("org/gpt"))
    assert EN["checks.own_mask"] not in _badge(shown("org/tiny"))


def test_a_mask_acts_on_top_of_a_decoders_own(computer: Computer) -> None:
    commit = computer.has("org/gpt", "gpt2")
    app = shown("org/gpt", window="1", window_radius="1")
    shows(app, wanted("org/gpt", commit, controls=Controls(mask=LocalWindow(1))))
    weights = large_weights(app)
    assert np.isfinite(weights[3]).tolist() == [False, False, True, True, *[False] * (len(weights) - 4)]
    np.testing.assert_allclose(np.nansum(weights, axis=1), 1, atol=1e-6)


def test_a_pair_of_sentences_on_roberta(computer: Computer) -> None:
    commit = computer.has("org/roberta", "roberta")
    app = shown("org/roberta", text="the cat", pair="the mat")
    right = wanted("org/roberta", commit, text="the cat", pair="the mat")
    shows(app, right)
    assert sum(right.tokens.special) == 4  # <s> a </s></s> b </s>
    assert figure(app, "large_head")["layout"]["xaxis"]["ticktext"].count("</s>") == 0  # escaped for Plotly
    assert said(app) == []


def test_a_model_that_goes_its_own_way_is_refused_and_another_can_be_chosen(computer: Computer) -> None:
    computer.has("org/odd", "mpnet")
    app = shown("org/odd")
    assert untroubled(app)
    (told,) = said(app)
    assert told.startswith("org/odd") or "org/odd" in told
    assert str(computer.cache) not in told
    assert app.get("plotly_chart") == []
    button(app, "run.choose_another").click().run()
    assert said(app) == []
    assert app.query_params == {"source": "hub", "text": TEXT}
    assert any(EN["hub.list"] == markdown.value for markdown in app.markdown)


def test_damaged_weights_are_named_and_can_be_fetched_again(computer: Computer) -> None:
    commit = computer.has("org/tiny")
    (weights,) = computer.cache.glob(f"models--org--tiny/snapshots/{commit}/model.safetensors")
    weights.write_bytes(weights.read_bytes()[:-1_000])
    app = shown("org/tiny")
    assert untroubled(app)
    told = said(app)
    assert told[0] == sentence("error.hub_damaged", name="org/tiny", file="model.safetensors")
    assert told[1:] == [sentence("error.hub_no_network", name="org/tiny")]  # fetching was tried: there is no network
    button(app, "run.choose_another").click().run()
    assert said(app) == []
