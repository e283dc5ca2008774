"""The short list, what the Hub offers, and fetching it, with cancel and resume."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from mha_viz.models.hub.catalogue import LISTED
from mha_viz.words.en import EN
from tests.app.driver import button, buttons, opened, said, shows, untroubled
from tests.app.hub import NAME, TEXT, Computer, cards, fetch_button, fetched, sentence, serving, shown, wanted
from tests.models.hub_server import HubServer

# The short list


@pytest.mark.usefixtures("computer")
def test_without_a_model_there_is_one_card_for_each_of_the_list() -> None:
    app = opened("pages/heads.py", source="hub")
    assert untroubled(app)
    assert said(app) == []
    told = cards(app)
    assert len(told) == len(LISTED) == buttons(app).count(EN["hub.choose"])
    for card, listed in zip(told, LISTED, strict=True):
        owner, name = listed.id.split("/")
        assert card.startswith(owner + name + listed.good_for)
        assert f"about {listed.megabytes} MB" in card


@pytest.mark.usefixtures("computer")
def test_without_a_model_there_are_no_controls_and_that_is_said() -> None:
    app = opened("pages/heads.py", source="hub")
    assert EN["controls.later"] in [caption.value for caption in app.sidebar.caption]
    assert len(app.toggle) == len(app.select_slider) == 0
    assert "layer" not in [box.key for box in app.selectbox]


@pytest.mark.parametrize("page", ["pages/start.py", "pages/heads.py", "pages/masks.py"])
def test_choosing_one_of_the_list_puts_it_into_the_link(computer: Computer, page: str) -> None:
    commit = computer.has("albert/albert-base-v2", "albert")
    app = opened(page, source="hub", text=TEXT)
    assert EN["hub.is_here"] in next(card for card in cards(app) if card.startswith("albert"))
    app.button(key="choose_albert-base-v2").click().run()
    shows(app, wanted("albert/albert-base-v2", commit))
    assert app.query_params["model"] == "albert/albert-base-v2"
    assert app.query_params["revision"] == commit


def test_models_that_are_here_come_first_in_the_field(computer: Computer) -> None:
    computer.has("org/here")
    options = opened("pages/heads.py", source="hub").selectbox(key="model").options
    assert options == ["org/here", *(listed.id for listed in LISTED)]


# Offered and fetched


def test_what_the_hub_offers_is_told_before_anything_is_fetched(
    computer: Computer, hub: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mha_viz.models.hub.remote.free_bytes", lambda folder: 12_340_000_000)
    app = shown(NAME)
    assert untroubled(app)
    (card,) = cards(app)
    assert card.startswith(NAME)
    assert "bert: 3 layers of 2 heads, d_model = 16; up to 96 tokens" in card
    size = sum((hub.models[NAME] / file).stat().st_size for file in _wanted_files(hub.models[NAME]))
    assert f"{size / 1e6:.0f} MB in all" in card
    assert f"version {hub.commit(NAME)[:8]}" in card
    assert "12.34 GB of disk free" in card
    assert fetch_button(app).label == f"Fetch {size / 1e6:.0f} MB"
    assert hub.gets("model.safetensors") == []
    assert app.get("plotly_chart") == []


def _wanted_files(folder: Path) -> list[str]:
    names = {path.name for path in folder.iterdir()}
    return sorted(names & {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.txt"})


def test_fetching_ends_in_the_heatmap_of_the_fetched_version(computer: Computer, hub: HubServer) -> None:
    app = shown(NAME, layer="2", head="1")
    fetch_button(app).click().run()
    assert EN["hub.cancel"] in buttons(app) or app.get("plotly_chart")
    fetched(app)
    commit = hub.commit(NAME)
    shows(app, wanted(NAME, commit, layer=2, head=1))
    assert app.query_params["revision"] == commit
    assert said(app) == []


def test_cancelling_keeps_the_bytes_and_the_next_start_goes_on(computer: Computer, hub: HubServer) -> None:
    hub.faults.slow = 400_000
    app = shown(NAME)
    fetch_button(app).click().run()
    commit = hub.commit(NAME)
    _until(app, lambda: _done(computer, commit) > 200_000)
    (bar,) = app.get("progress")
    assert 0 < bar.proto.value < 100
    assert " MB" in bar.proto.text
    button(app, "hub.cancel").click().run()
    kept = computer.downloads.progress(NAME, commit)
    assert kept is not None
    assert kept.state == "cancelled"
    assert said(app) == [EN["hub.cancelled"]]
    assert any(f"{kept.done / 1e3:.0f} kB of" in caption.value for caption in app.main.caption)
    (partial,) = computer.cache.rglob("*.incomplete")
    assert partial.stat().st_size > 100_000
    assert fetch_button(app).label == f"Fetch {(kept.total - kept.done) / 1e3:.0f} kB"
    hub.mend()
    fetch_button(app).click().run()
    assert _done(computer, commit) >= kept.done  # the bar goes on too
    shows(fetched(app), wanted(NAME, commit))
    (asked,) = [request.range for request in hub.gets("model.safetensors")]
    assert asked is not None  # only what was missing
    assert int(asked.removeprefix("bytes=").removesuffix("-")) > 100_000


def _done(computer: Computer, commit: str) -> int:
    progress = computer.downloads.progress(NAME, commit)
    return progress.done if progress else 0


def _until(app: AppTest, reached: Callable[[], bool]) -> None:
    for _ in range(500):
        if reached():
            app.run()
            return
        app.run()
    raise AssertionError("it was never reached")


def test_a_download_is_watched_even_if_the_hub_answers_no_question(computer: Computer, hub: HubServer) -> None:
    hub.faults.slow = 400_000
    app = shown(NAME)
    fetch_button(app).click().run()
    computer.endpoint("http://127.0.0.1:9")
    computer.forget()
    app.text_input(key="text").set_value("the mat").run()
    assert said(app) == []
    assert EN["hub.cancel"] in buttons(app)
    assert said(shown(NAME)) == [sentence("error.hub_no_network", name=NAME)]


def test_two_visitors_see_the_same_download(computer: Computer, hub: HubServer) -> None:
    hub.faults.slow = 400_000
    mine, yours = shown(NAME), shown(NAME)
    fetch_button(mine).click().run()
    yours.run()
    assert EN["hub.cancel"] in buttons(yours)
    button(yours, "hub.cancel").click().run()
    mine.run()
    assert fetch_button(mine)
    assert len(hub.gets("model.safetensors")) <= 1


def test_a_third_download_at_a_time_is_refused(computer: Computer, big: Path) -> None:
    names = ["org/a", "org/b", "org/c"]
    with serving(dict.fromkeys(names, big), computer) as hub:
        hub.faults.slow = 100_000
        apps = [shown(name) for name in names]
        for app in apps:
            fetch_button(app).click().run()
        assert said(apps[2]) == [sentence("error.hub_busy", name="org/c", most=2)]
        button(apps[0], "hub.cancel").click().run()
        fetch_button(apps[2]).click().run()
        assert said(apps[2]) == []
        assert EN["hub.cancel"] in buttons(apps[2])


def test_a_damaged_model_is_fetched_again(computer: Computer, hub: HubServer) -> None:
    app = shown(NAME)
    fetch_button(app).click().run()
    shows(fetched(app), wanted(NAME, hub.commit(NAME)))
    (weights,) = computer.cache.rglob("snapshots/*/model.safetensors")
    whole = weights.read_bytes()
    for damaged in (whole[:-1_000], b"\xff" * 100 + whole[100:]):
        weights.resolve().write_bytes(damaged)
        computer.forget()
        app = shown(NAME)
        (told,) = said(app)
        assert told == sentence("error.hub_damaged", name=NAME, file="model.safetensors")
        again = [button for button in app.button if button.label.startswith("Fetch")]
        again[0].click().run()
        shows(fetched(app), wanted(NAME, hub.commit(NAME)))
        assert weights.read_bytes() == whole


def test_a_model_that_somebody_deletes_is_offered_again(computer: Computer, hub: HubServer) -> None:
    app = shown(NAME)
    size = fetch_button(app).label
    fetch_button(app).click().run()
    fetched(app)
    shutil.rmtree(computer.cache)
    computer.forget()
    again = shown(NAME)
    assert said(again) == []
    assert fetch_button(again).label == size
