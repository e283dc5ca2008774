"""The short list, what the Hub offers, fetching with cancel and resume, and every way in which it can fail."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from mha_viz.models.hub.catalogue import LISTED
from mha_viz.words.en import EN
from tests.app.driver import bodies, button, buttons, opened, plain, said, shows, untroubled
from tests.app.hub import TEXT, Computer, fetch_button, fetched, sentence, serving, shown, wanted
from tests.models import hub_models
from tests.models.hub_server import HubServer

NAME = "org/big"


@pytest.fixture
def big(computer: Computer, tmp_path: Path) -> Path:
    """A model of one megabyte, and one of a kind that nobody else has: it must not be in any cache."""
    return hub_models.padded(hub_models.copy(computer.family("bert"), tmp_path / "big"))


@pytest.fixture
def hub(computer: Computer, big: Path) -> Iterator[HubServer]:
    with serving({NAME: big}, computer) as server:
        yield server


def _cards(app: AppTest) -> list[str]:
    return [plain(body) for body in bodies(app, "mha-model")]


# The short list


@pytest.mark.usefixtures("computer")
def test_without_a_model_there_is_one_card_for_each_of_the_list() -> None:
    app = opened("pages/heads.py", source="hub")
    assert untroubled(app)
    assert said(app) == []
    cards = _cards(app)
    assert len(cards) == len(LISTED) == buttons(app).count(EN["hub.choose"])
    for card, listed in zip(cards, LISTED, strict=True):
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
    assert EN["hub.is_here"] in next(card for card in _cards(app) if card.startswith("albert"))
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
    (card,) = _cards(app)
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
    assert said(app) == []
    assert any(f"{kept.done / 1e3:.0f} kB of" in caption.value for caption in app.main.caption)
    (partial,) = computer.cache.rglob("*.incomplete")
    assert partial.stat().st_size > 100_000
    assert fetch_button(app).label == f"Fetch {(kept.total - kept.done) / 1e3:.0f} kB"
    hub.mend()
    fetch_button(app).click().run()
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


# What fails


@pytest.mark.parametrize(
    ("faults", "key", "values"),
    [
        ({"status": 404}, "error.hub_not_found", {}),
        ({"status": 401}, "error.hub_not_found", {}),
        ({"status": 403}, "error.hub_refused", {}),
        ({"status": 429}, "error.hub_too_many", {}),
        ({"status": 500}, "error.hub_trouble", {"status": 500}),
        ({"gated": True}, "error.hub_gated", {}),
        ({"disabled": True}, "error.hub_disabled", {}),
        ({"garbage": True}, "error.hub_strange", {}),
    ],
)
def test_a_hub_that_says_no_is_asked_again_once_it_says_yes(
    hub: HubServer, faults: dict[str, Any], key: str, values: dict[str, Any]
) -> None:
    for fault, value in faults.items():
        setattr(hub.faults, fault, value)
    app = shown(NAME)
    assert untroubled(app)
    assert said(app) == [sentence(key, name=NAME, **values)]
    hub.mend()
    app.run()
    assert hub.requests == []  # an answer is kept for a while
    button(app, "hub.again").click().run()
    assert said(app) == []
    assert fetch_button(app)


@pytest.mark.parametrize(
    ("spoil", "key"),
    [
        (hub_models.only_pickle, "error.hub_no_safetensors"),
        (hub_models.remote_code, "error.remote_code"),
        (hub_models.no_tokenizer, "error.hub_no_tokenizer"),
        (hub_models.adapter, "error.hub_adapter"),
    ],
)
def test_a_model_that_cannot_be_used_is_not_fetched_and_another_can_be_chosen(
    computer: Computer, tmp_path: Path, spoil: Callable[[Path], Path], key: str
) -> None:
    with serving({"org/odd": spoil(hub_models.copy(computer.family("bert"), tmp_path / "odd"))}, computer) as hub:
        app = shown("org/odd")
        assert untroubled(app)
        assert said(app) == [sentence(key, name="org/odd")]
        assert not [request for request in hub.requests if request.path.endswith((".safetensors", ".bin"))]
        button(app, "run.choose_another").click().run()
        assert said(app) == []
        assert len(_cards(app)) == len(LISTED)


@pytest.mark.parametrize(
    ("faults", "key", "values"),
    [
        ({"file_status": 403}, "error.hub_refused", {}),
        ({"break_after": 50_000, "no_range": True}, "error.hub_broken_off", {}),
        ({"wrong_bytes": True}, "error.hub_wrong_bytes", {"file": "model.safetensors"}),
    ],
)
def test_a_download_that_fails_says_why_and_can_be_started_again(
    computer: Computer, hub: HubServer, faults: dict[str, Any], key: str, values: dict[str, Any]
) -> None:
    for fault, value in faults.items():
        setattr(hub.faults, fault, value)
    app = shown(NAME)
    fetch_button(app).click().run()
    fetched(app)
    assert untroubled(app)
    assert said(app) == [sentence(key, name=NAME, **values)]
    hub.mend()
    fetch_button(app).click().run()
    shows(fetched(app), wanted(NAME, hub.commit(NAME)))


@pytest.mark.usefixtures("computer")
def test_no_hub_at_all() -> None:
    app = shown(NAME)
    assert untroubled(app)
    assert said(app) == [sentence("error.hub_no_network", name=NAME)]
    assert {EN["hub.again"], EN["run.choose_another"]} <= set(buttons(app))


def test_where_nothing_may_be_fetched_nothing_is_asked(computer: Computer, hub: HubServer) -> None:
    computer.set(HUB="off")
    app = shown(NAME)
    assert said(app) == [sentence("error.hub_off", name=NAME)]
    button(app, "run.choose_another").click().run()
    assert said(app) == []
    assert hub.requests == []


def test_where_only_the_list_may_be_fetched_others_are_refused(computer: Computer, big: Path) -> None:
    computer.set(HUB="listed")
    listed = "albert/albert-base-v2"
    with serving({NAME: big, listed: big}, computer) as hub:
        assert said(shown(NAME)) == [sentence("error.hub_not_listed", name=NAME)]
        assert hub.requests == []
        assert fetch_button(shown(listed))


def test_a_version_that_the_hub_does_not_have_can_be_let_go(hub: HubServer) -> None:
    app = shown(NAME, revision="0" * 40)
    assert said(app) == [sentence("error.hub_no_revision", name=NAME)]
    button(app, "hub.other_version").click().run()
    assert said(app) == []
    assert fetch_button(app)
    assert "revision" not in app.query_params


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
