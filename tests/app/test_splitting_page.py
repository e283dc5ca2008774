"""The page of the splitting animation: what the script in the browser is given, and what the link holds."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import mha_viz
from mha_viz.splitting import STEPS
from mha_viz.words.en import EN
from tests.app.driver import APP, SENTENCE, model, opened, said, untroubled
from tests.app.masks_page import component

_PAGE = "pages/splitting.py"


def _given(app: AppTest) -> dict[str, Any]:
    assert untroubled(app)
    return component(app, "splitting")


def _array(part: dict[str, Any], name: str) -> np.ndarray:
    about = part["payload"]["arrays"][name]
    numbers = np.frombuffer(base64.b64decode(part["bytes"]), dtype="<f4")
    return numbers[about["offset"] :][: np.prod(about["shape"])].reshape(about["shape"])


def _layer(source: str = "toy", layer: int = 0, controls: mha_viz.Controls | None = None, **options: Any) -> Any:
    opened_model = model(source, **options)
    return opened_model.inspect_layer(opened_model.tokenize(SENTENCE), controls, layer)


def _shows(part: dict[str, Any], layer: mha_viz.LayerTrace) -> None:
    n = len(part["payload"]["shown"]["rows"])
    np.testing.assert_allclose(_array(part, "weights"), layer.weights[:, :n, :n], rtol=0, atol=2e-6)
    columns = part["payload"]["shown"]["columns"]
    np.testing.assert_allclose(_array(part, "output"), layer.output[:n, columns], rtol=0, atol=2e-5)


def test_the_toys_layer_is_shown_from_its_first_step() -> None:
    given = _given(opened(_PAGE))
    (part,) = given["parts"]
    _shows(part, _layer())
    assert [step["name"] for step in part["payload"]["steps"]] == list(STEPS)
    assert given["view"] == {"step": "x", "head": 0, "scope": "all", "motion": "play"}


def test_any_layer_of_bert_with_the_controls_of_the_view() -> None:
    app = opened(_PAGE, source="minilm", layer="3", head="7", temperature="2", step="softmax")
    given = _given(app)
    (part,) = given["parts"]
    _shows(part, _layer("minilm", 3, mha_viz.Controls(temperature=2.0)))
    assert given["view"]["head"] == 7
    assert "7" in part["payload"]["steps"][5]["speech"]


def test_the_link_holds_step_scope_motion_and_the_second_stage() -> None:
    link = {"step": "weigh", "split_scope": "one", "split_motion": "sheet", "beside": "1", "head": "2", "focus": "4"}
    app = opened(_PAGE, **link)
    given = _given(app)
    assert app.query_params == link
    assert given["view"] == {"step": "weigh", "head": 2, "scope": "one", "motion": "sheet"}
    assert [part["payload"]["query_row"]["position"] for part in given["parts"]] == [4, 4]
    _shows(given["parts"][1], _layer(n_heads=1))


@pytest.mark.parametrize("name", ["step", "split_scope", "split_motion"])
def test_an_impossible_value_in_the_link_is_told(name: str) -> None:
    app = opened(_PAGE, **{name: "sideways"})
    assert untroubled(app)
    assert app.query_params == {}
    assert any("sideways" in sentence for sentence in said(app))


def test_other_choices_keep_the_step() -> None:
    app = opened(_PAGE, step="mask")
    app.selectbox(key="heads").select(4).run()
    app.toggle(key="causal").set_value(True).run()
    app.select_slider(key="temperature").set_value(3.0).run()
    given = _given(app)
    assert given["view"]["step"] == "mask"
    _shows(given["parts"][0], _layer(n_heads=4, controls=mha_viz.Controls(temperature=3.0, mask=mha_viz.Causal())))


def test_one_head_has_nothing_to_stand_beside() -> None:
    app = opened(_PAGE, heads="1", beside="1")
    assert len(_given(app)["parts"]) == 1
    assert EN["split.beside"] not in [toggle.label for toggle in app.toggle]


@pytest.mark.usefixtures("cold_server")
def test_the_page_reached_without_the_frame_goes_through_it() -> None:
    app = AppTest.from_file(APP, default_timeout=120)
    app.query_params = {"step": "join", "head": "1"}
    app.switch_page(_PAGE).run()
    assert _given(app)["view"]["step"] == "join"
    assert app.query_params == {"step": "join", "head": "1"}


def test_both_files_are_offered() -> None:
    app = opened(_PAGE)
    labels = [button.proto.label for button in app.get("download_button")]
    assert labels == [EN["split.html"], EN["split.svg"]]
