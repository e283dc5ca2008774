"""Where a model runs, what happens when its memory is not enough, how many stay in memory, and the check by code of others."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import streamlit as st
import torch
from streamlit.testing.v1 import AppTest

from mha_viz import Causal, Controls
from mha_viz.models import devices
from mha_viz.models.huggingface import HuggingFaceModel
from mha_viz.ui import cache
from mha_viz.words.en import EN
from tests.app.driver import (
    HEAD_PAGES,
    HEADS,
    Wanted,
    bodies,
    button,
    buttons,
    large_weights,
    opened,
    plain,
    said,
    shows,
    untroubled,
)
from tests.app.hub import Computer, sentence, shown, wanted


def _badges(app: AppTest) -> list[str]:
    return [plain(body) for body in bodies(app, "mha-badge")]


def _apart(verdict: str, reference: str) -> float:
    """The largest difference that a verdict tells; 0 where it says that there is none."""
    beginning = EN["agreement.passed"].format_map(_Places({"reference": EN[reference]})).partition("{")[0]
    if verdict.startswith(beginning):
        return float(verdict.removeprefix(beginning).split()[0])
    assert verdict.startswith(EN["agreement.equal"].partition("{output}")[0].format(reference=EN[reference]))
    return 0.0


class _Places(dict[str, str]):
    """Leaves the places of a sentence for which there is no value."""

    def __missing__(self, key: str) -> str:
        return f"{{{key}}}"


# A device that is not there


@pytest.mark.parametrize("page", HEAD_PAGES)
@pytest.mark.parametrize("source", ["toy", "minilm"])
def test_a_device_that_is_not_there_is_named_and_the_fastest_offered(page: str, source: str) -> None:
    app = opened(page, source=source, device="cuda:7")
    assert untroubled(app)
    assert said(app) == [sentence("error.no_such_device", got="cuda:7", allowed=", ".join(devices.available()))]
    button(app, "run.use_fastest").click().run()
    shows(app, Wanted(source=source))
    assert "device" not in app.query_params
    assert said(app) == []


def test_the_device_of_the_setting_is_not_there_either(computer: Computer) -> None:
    commit = computer.has("org/tiny")
    computer.set(DEVICE="cuda:7")
    app = shown("org/tiny")
    assert untroubled(app)
    (told,) = said(app)
    assert "cuda:7" in told
    button(app, "run.use_fastest").click().run()
    shows(app, wanted("org/tiny", options=(("model", "org/tiny"), ("revision", commit), ("device", "cpu"))))
    assert app.query_params["device"] == devices.available()[0]


def test_half_the_precision_by_link(computer: Computer) -> None:
    commit = computer.has("org/tiny")
    app = shown("org/tiny", device="cpu", dtype="bfloat16")
    assert said(app) == []
    exact, halved = wanted("org/tiny", commit).large, large_weights(app)
    assert 1e-6 < np.abs(halved - exact).max() < 0.1  # bfloat16 has 8 bits
    assert "4e-03" in _badges(app)[0]
    assert "bfloat16" in _badges(app)[0]


def test_the_toy_ignores_the_precision() -> None:
    app = opened(HEADS, dtype="bfloat16")
    shows(app, Wanted())
    assert "float32" in _badges(app)[0]


# Out of memory


class _Short:
    """A computer with a GPU "cuda:0" that has no memory: what would run there finds none.

    The GPU is the CPU under another name; only what is asked of models at that place runs out.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, cpu_too: bool = False) -> None:
        self.gone: list[str] = []
        real = devices.find_device

        def find(place: Any) -> torch.device:
            return torch.device("cuda:0") if place.device == "cuda:0" else real(place)

        monkeypatch.setattr("mha_viz.models.retreat.find_device", find)
        load = cache._load

        def loaded(choices: Any) -> Any:
            if choices.place.device == "cuda:0" or cpu_too:
                self.gone.append(choices.place.device)
                raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
            return load(choices)

        monkeypatch.setattr(cache, "_load", loaded)


def test_a_gpu_without_memory_leaves_it_to_the_cpu_and_says_so(
    computer: Computer, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = _Short(monkeypatch)
    commit = computer.has("org/short")
    app = shown("org/short", device="cuda:0")
    assert untroubled(app)
    assert said(app) == [sentence("run.given_up", device="cuda:0")]
    assert short.gone
    shows(app, wanted("org/short", commit))
    assert " cpu" in _badges(app)[0]


def test_a_run_that_finds_no_memory_is_made_again_on_the_cpu(
    computer: Computer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model is loaded, and its run does not fit."""
    commit = computer.has("org/run")
    real = HuggingFaceModel.run
    ran: list[weakref.ref[Any]] = []

    def run(self: Any, *arguments: Any) -> Any:
        ran.append(weakref.ref(self))
        if len(ran) == 1:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return real(self, *arguments)

    monkeypatch.setattr(HuggingFaceModel, "run", run)
    monkeypatch.setattr(
        "mha_viz.models.retreat.find_device", lambda place: torch.device("cpu" if place.device == "cpu" else "cuda")
    )
    app = shown("org/run")
    assert said(app) == [sentence("run.given_up", device="cuda")]
    assert ran[0]() is not ran[1]()
    shows(app, wanted("org/run", commit))


def test_a_cpu_without_memory_has_a_sentence_and_another_model_can_be_chosen(
    computer: Computer, monkeypatch: pytest.MonkeyPatch
) -> None:
    _Short(monkeypatch, cpu_too=True)
    computer.has("org/long")
    app = shown("org/long")
    assert untroubled(app)
    assert said(app) == [EN["error.out_of_memory"]]
    assert app.get("plotly_chart") == []
    button(app, "run.choose_another").click().run()
    assert said(app) == []


def test_a_model_that_does_not_fit_is_not_loaded(computer: Computer, monkeypatch: pytest.MonkeyPatch) -> None:
    computer.has("org/fits")
    monkeypatch.setattr("mha_viz.models.memory.free_bytes", lambda device: 200_001_000)
    app = shown("org/fits")
    assert untroubled(app)
    (told,) = said(app)
    assert told.startswith("org/fits needs about 0.0 GB")  # a tiny model
    assert EN["run.choose_another"] in buttons(app)


# How many stay in memory


def test_models_beyond_the_allowed_number_leave_memory(computer: Computer, monkeypatch: pytest.MonkeyPatch) -> None:
    one = st.cache_resource(max_entries=1, show_spinner=False, on_release=cache._released)(cache._checkpoint._info.func)
    monkeypatch.setattr(cache, "_checkpoint", one)
    loaded: list[weakref.ref[Any]] = []
    load = cache._load

    def watched(choices: Any) -> Any:
        model = load(choices)
        loaded.append(weakref.ref(model))
        return model

    monkeypatch.setattr(cache, "_load", watched)
    for name in ("org/one", "org/two", "org/three"):
        computer.has(name)
        shows(shown(name), wanted(name, computer.commit(name)))
    gc.collect()
    alive = [model.spec.name for model in (reference() for reference in loaded) if model is not None]
    assert len(loaded) == 3
    assert alive == ["org/three"]


# Checked by code of others


@pytest.mark.parametrize(
    ("open_app", "key"),
    [(lambda: opened(HEADS), "agreement.toy"), (lambda: opened(HEADS, source="minilm"), "agreement.hugging_face")],
    ids=["toy", "bert"],
)
def test_the_run_can_be_checked_by_code_of_others(open_app: Callable[[], AppTest], key: str) -> None:
    app = open_app()
    assert len(_badges(app)) == 1
    button(app, key).click().run()
    assert untroubled(app)
    verdict = _badges(app)[1]
    assert _apart(verdict, "check.torch" if key == "agreement.toy" else "check.eager") < 1e-5
    app.run()
    assert len(_badges(app)) == 2  # stays while the view is the same
    app.toggle(key="causal").set_value(True).run()
    assert len(_badges(app)) == 1
    button(app, key).click().run()
    assert _badges(app)[1].endswith(EN["agreement.masked"])
    app.select_slider(key="temperature").set_value(2.0).run()
    button(app, key).click().run()
    assert _badges(app)[1].endswith(EN["agreement.unchanged"])


@pytest.mark.parametrize("family", ["gpt2", "albert", "roberta", "bert classes"])
def test_other_models_can_be_checked_too(computer: Computer, family: str) -> None:
    computer.has("org/checked", family)
    app = shown("org/checked", window="1", window_radius="2", text="the cat sat on the mat")
    button(app, "agreement.hugging_face").click().run()
    assert untroubled(app)
    assert said(app) == []
    verdict = _badges(app)[1]
    assert _apart(verdict, "check.eager") < 1e-5
    assert verdict.endswith(EN["agreement.masked"])


def test_a_mask_of_its_own_and_one_on_top_are_both_in_the_check(computer: Computer) -> None:
    commit = computer.has("org/own", "gpt2")
    app = shown("org/own", causal="1")
    shows(app, wanted("org/own", commit, controls=Controls(mask=Causal())))
    button(app, "agreement.hugging_face").click().run()
    assert _badges(app)[1].endswith(EN["agreement.masked"])
