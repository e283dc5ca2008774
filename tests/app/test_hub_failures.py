"""Every way in which the Hub, a model or a download can fail: a sentence, and a next step that works."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mha_viz.models.hub.catalogue import LISTED
from mha_viz.words.en import EN
from tests.app.driver import button, buttons, said, shows, untroubled
from tests.app.hub import NAME, Computer, cards, fetch_button, fetched, sentence, serving, shown, wanted
from tests.models import hub_models
from tests.models.hub_server import HubServer


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
        assert len(cards(app)) == len(LISTED)


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
