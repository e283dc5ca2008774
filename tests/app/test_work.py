"""Long work on a page: in slices, with progress, stopped when asked, kept when done, never more than a few."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from mha_viz.ui import work
from mha_viz.words import say


def _page() -> None:
    """A page whose work takes as many steps as the session says, each as slow as it says."""
    import time

    import streamlit as st

    from mha_viz.ui import work

    state = st.session_state
    state.setdefault("made", [])
    key = state.get("key", "a")

    def steps():
        for step in range(state.get("steps", 3)):
            time.sleep(state.get("pause", 0.0))
            if state.get("breaks"):
                raise ValueError("broken")
            yield (step + 1) / state.get("steps", 3)
        return f"done {key}"

    def make():
        state.made.append(key)
        return steps()

    got = work.result("flow", key, make)
    st.write("nothing yet" if got is None else got)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "_AT_ONCE", 0.05)
    monkeypatch.setattr(work, "_SLICE", 0.02)
    monkeypatch.setattr(work, "_TURN", 0.1)


def page(**state: object) -> AppTest:
    app = AppTest.from_function(_page, default_timeout=60)
    for name, value in state.items():
        app.session_state[name] = value
    return app.run()


def written(app: AppTest) -> list[str]:
    return [text.value for text in app.markdown]


def again(app: AppTest, **state: object) -> AppTest:
    for name, value in state.items():
        app.session_state[name] = value
    return app.run()


def button(app: AppTest, key: str):
    (found,) = [button for button in app.button if button.label == say(key)]
    return found


def test_short_work_is_just_there():
    app = page()
    assert written(app) == ["done a"]
    assert not app.button
    assert not app.get("progress")


def test_long_work_goes_on_from_run_to_run_and_shows_how_far_it_is():
    app = page(steps=60, pause=0.01)
    assert "nothing yet" in written(app)
    (bar,) = app.get("progress")
    assert 0 < bar.proto.value < 100
    assert bar.proto.text.startswith(say("work.flow", percent="")[:10])
    before = bar.proto.value
    runs = 0
    while "done a" not in written(app) and runs < 60:
        again(app)
        runs += 1
        if app.get("progress"):
            assert app.get("progress")[0].proto.value >= before
    assert written(app) == ["done a"]
    assert app.session_state["made"] == ["a"]
    assert runs > 1


def test_stopping_keeps_nothing_and_says_so_and_it_can_begin_again():
    app = page(steps=1000, pause=0.01)
    button(app, "work.stop").click()
    app.run()
    assert written(app) == ["nothing yet"]
    assert app.info[0].value.startswith("Stopped at ")
    assert not app.get("progress")
    again(app)
    assert app.session_state["made"] == ["a"]
    app.session_state["steps"] = 2
    button(app, "work.again").click()
    app.run()
    assert written(app) == ["done a"]
    assert app.session_state["made"] == ["a", "a"]


def test_coming_back_shows_the_result_at_once():
    app = page()
    assert written(again(app, key="b")) == ["done b"]
    assert written(again(app, key="a")) == ["done a"]
    assert app.session_state["made"] == ["a", "b"]


def test_work_that_nobody_waits_for_is_given_up():
    app = page(steps=1000, pause=0.01)
    assert written(again(app, key="b", steps=2, pause=0.0)) == ["done b"]
    assert [key for _, key in app.session_state["_works"]] == ["b"]
    assert written(again(app, key="a")) == ["done a"]
    assert app.session_state["made"] == ["a", "b", "a"]


def test_only_the_last_few_results_are_kept():
    app = page()
    for number in range(work.MOST_KEPT + 2):
        again(app, key=f"k{number}")
    assert len(app.session_state["_works"]) == work.MOST_KEPT
    again(app, key="a")
    assert app.session_state["made"].count("a") == 2


@pytest.mark.parametrize("at_once", [True, False])
def test_work_that_fails_is_not_kept(at_once, monkeypatch):
    if not at_once:
        monkeypatch.setattr(work, "_AT_ONCE", 0.0)
    app = page(breaks=True)
    assert len(app.exception) == 1
    assert "done a" not in written(app)
    assert written(again(app, breaks=False)) == ["done a"]
