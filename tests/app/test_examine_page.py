"""The page that examines a module: what comes with the app, one of the visitor's own, and where none may be run."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from streamlit import config

from mha_viz.errors import InputError
from mha_viz.figures import theme
from mha_viz.labs.examine.base import CHECKS, OUTCOMES
from mha_viz.labs.plans_tried import ExamineOptions
from mha_viz.labs.pool import Pool, Training
from mha_viz.labs.stored import stored
from mha_viz.settings import settings
from mha_viz.ui import labs
from mha_viz.ui.plain import asset
from mha_viz.words import say
from tests.app.driver import bodies, button, figure, opened, plain, said, untroubled

PAGE = "pages/examine.py"
_PATIENCE = 120.0
_CODES = {outcome: place for place, outcome in enumerate(theme.OUTCOMES)}


@pytest.fixture(autouse=True)
def _local(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server that only its own computer can reach."""
    monkeypatch.delenv("MHA_VIZ_EXAMINE", raising=False)
    settings.cache_clear()
    before = config.get_option("server.address")
    config.set_option("server.address", "localhost")
    yield
    config.set_option("server.address", before)
    settings.cache_clear()


@pytest.fixture
def own_pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pool]:
    pool = Pool()
    monkeypatch.setattr(labs, "pool", lambda: pool)
    yield pool
    pool.close()


def matrix(app):
    """(check, module) of codes."""
    return [list(row) for row in figure(app, "examine_matrix")["data"][0]["z"]]


def details(app):
    (body,) = bodies(app, "mha-examined")
    return plain(body)


def test_what_comes_with_the_app_is_shown_with_the_failures_first():
    app = opened(PAGE)
    assert untroubled(app)
    rows = stored("examine").rows
    by_check = [[row for row in rows if row["check"] == check] for check in CHECKS]
    assert matrix(app) == [[_CODES[row["outcome"]] for row in found] for found in by_check]
    assert details(app).startswith(f"✗ Failed{say('examine.check.no_key')}")
    app.button_group(key="examine_chosen_ours").set_value("minilm").run()
    assert "✗" not in details(app)
    assert details(app).count("✓") == len(CHECKS)


def test_one_s_own_module_is_examined_beside_them_and_its_words_are_no_markup(own_pool, tmp_path):
    text = "import torch\n\nclass Mine(torch.nn.Module):\n    def __init__(self):\n        raise ValueError('<b>$x$</b>')\n"
    (tmp_path / "a_module.py").write_text(text, encoding="utf-8")
    app = opened(PAGE)
    app.text_input(key="examine_folder").set_value(str(tmp_path))
    app.text_input(key="examine_path").set_value("a_module:Mine").run()
    assert app.query_params == {}
    button(app, "labs.start").click().run()
    (training,) = own_pool._trainings
    end = time.monotonic() + _PATIENCE
    while training.active:
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)
    app.run()
    assert untroubled(app)
    assert [row[0] for row in matrix(app)] == [_CODES["failed"]] + [_CODES["impossible"]] * (len(CHECKS) - 1)
    assert len(matrix(app)[0]) == 4
    assert "ValueError: <b>$x$</b> (a_module.py:5)" in details(app)
    assert "<b>$x$</b>" not in bodies(app, "mha-examined")[0]
    assert f"{len(CHECKS) - 1} other checks. {say('examine.no.called')}" in details(app)
    assert details(app).count(say("examine.no.called")) == 1


class Waiting:
    """A pool whose labs have told nothing yet."""

    def start(self, lab, options, here):
        return Training(lab, options, here)

    def before(self, _training):
        return 0


def test_until_a_run_tells_something_it_is_starting_and_no_older_result_stands_there(monkeypatch):
    pool = Waiting()
    monkeypatch.setattr(labs, "pool", lambda: pool)
    app = opened(PAGE)
    app.text_input(key="examine_path").set_value("a_module:Mine").run()
    button(app, "labs.start").click().run()
    assert untroubled(app)
    (bar,) = app.get("progress")
    assert bar.proto.text == say("labs.starting")
    assert [row[0] for row in matrix(app)] == [None] * len(CHECKS)
    assert len(matrix(app)[0]) == 4
    app.text_input(key="examine_path").set_value("a_module:Other").run()
    told = say("labs.other", lab=say("lab.examine"), state=say("labs.starting"))
    assert told in [one.value for one in app.caption]


@pytest.mark.parametrize(
    ("address", "setting", "names"),
    [
        ("0.0.0.0", None, "0.0.0.0"),
        (None, None, "0.0.0.0"),
        ("example.org", "local", "example.org"),
        ("localhost", "off", "off"),
    ],
)
def test_no_code_is_run_where_others_can_reach_the_app(monkeypatch, own_pool, address, setting, names):
    config.set_option("server.address", address)
    if setting:
        monkeypatch.setenv("MHA_VIZ_EXAMINE", setting)
    settings.cache_clear()
    app = opened(PAGE, examine_path="os:system", path="os:system")
    assert untroubled(app)
    assert not app.text_input
    (told,) = [notice for notice in said(app) if "lab examine" in notice]
    assert names in told
    assert len(matrix(app)) == len(CHECKS)
    with pytest.raises(InputError):
        labs._start("examine", ExamineOptions(modules=("own",), path="os:system"))
    assert own_pool._trainings == []


def test_the_badges_have_the_colours_of_the_matrix():
    for outcome in OUTCOMES:
        assert f".mha-{outcome} {{\n  background: {theme.OUTCOMES[outcome]};" in asset("examine.css")
