"""A run is held as A; the page compares it with the present one, and its numbers are those of two independent runs."""

from __future__ import annotations

from urllib.parse import urlencode

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import mha_viz
from mha_viz.analysis.align import align_runs
from mha_viz.analysis.compare import changes_of
from mha_viz.analysis.find import find_head
from mha_viz.metrics import METRICS, measured
from mha_viz.words import say
from tests.app.driver import HEADS, Wanted, bodies, button, decoded, figure, opened, plain, said, untroubled

PAGE = "pages/compare.py"
TIRED = "the animal did not cross the street because it was too tired"
WIDE = TIRED.replace("tired", "wide")
A = {"source": "minilm", "text": WIDE}
B = {"source": "minilm", "text": TIRED}


pytestmark = pytest.mark.usefixtures("at_once")


def compared(a: dict[str, str], b: dict[str, str], **more: str) -> AppTest:
    app = opened(PAGE, **b, a=urlencode(a), **more)
    assert untroubled(app)
    return app


def captions(app: AppTest) -> list[str]:
    return [one.value for one in app.caption]


def test_nothing_is_compared_before_a_run_is_held() -> None:
    assert say("compare.nothing_held") in said(opened(PAGE, **B))


def test_a_run_is_held_from_any_page_and_compared_with_the_next() -> None:
    app = opened(HEADS, **A)
    button(app, "held.hold").click().run()
    held = app.query_params["a"]
    app.text_input(key="text").set_value(TIRED).run()
    app.switch_page(PAGE).run()
    assert app.query_params["a"] == held
    changes = changes_of(Wanted(text=WIDE, source="minilm").trace, Wanted(text=TIRED, source="minilm").trace)
    np.testing.assert_allclose(decoded(figure(app, "change_matrix")["data"][0]["z"]), changes.distance, atol=1e-5)
    assert changes.sentence in captions(app)
    button(app, "held.drop").click().run()
    assert "a" not in app.query_params


def test_the_same_run_twice_has_no_difference_at_all() -> None:
    app = compared(B, B, layer="3", head="1")
    assert (decoded(figure(app, "change_matrix")["data"][0]["z"]) == 0).all()
    assert (decoded(figure(app, "change_heatmap")["data"][0]["z"]) == 0).all()
    assert say("changes.none") in captions(app)


def test_a_head_is_b_less_a_over_the_aligned_tokens() -> None:
    cells = decoded(figure(compared(A, B, layer="3", head="1"), "change_heatmap")["data"][0]["z"])
    a, b = (Wanted(text=text, source="minilm").trace.weights[3, 1] for text in (WIDE, TIRED))
    np.testing.assert_allclose(cells, b - a, atol=3e-6)
    assert np.abs(cells).max() > 0.3


def test_controls_are_compared_too() -> None:
    app = compared(B, {**B, "temperature": "4", "off": "L0H0"}, layer="5")
    a = Wanted(text=TIRED, source="minilm").trace
    controls = mha_viz.Controls(temperature=4.0, silenced=frozenset({mha_viz.HeadId(0, 0)}))
    b = Wanted(text=TIRED, source="minilm", controls=controls).trace
    wanted = b.weights[5, 0] - a.weights[5, 0]
    np.testing.assert_allclose(decoded(figure(app, "change_heatmap")["data"][0]["z"]), wanted, atol=3e-6)
    assert "changed inside" in plain(bodies(app, "mha-two")[0])


def test_inserted_and_replaced_tokens_are_seen() -> None:
    app = compared({**B, "text": "the cat sat"}, {**B, "text": "the black dog sat"})
    (strip,) = bodies(app, "mha-aligned")
    assert "<ins>" in strip
    assert "<del>cat</del>" in strip
    assert np.isnan(decoded(figure(app, "change_heatmap")["data"][0]["z"])).any()


@pytest.mark.parametrize("metric", ["entropy", "output_share", "offset"])
def test_a_metric_is_subtracted_head_by_head(metric: str) -> None:
    app = compared(A, B, compare_view="numbers", metric=metric, layer="2", head="3")
    a, b = (Wanted(text=text, source="minilm") for text in (WIDE, TIRED))
    one, other = (measured(wanted.trace, wanted.matrices) for wanted in (a, b))
    shown = decoded(figure(app, "metric_change")["data"][0]["z"])
    np.testing.assert_allclose(shown, other[metric] - one[metric], atol=2e-5)
    (table,) = [frame.value for frame in app.dataframe]
    np.testing.assert_allclose(table["A"], [one[name][2, 3] for name in METRICS], atol=2e-5)
    np.testing.assert_allclose(table["B"], [other[name][2, 3] for name in METRICS], atol=2e-5)


def test_models_of_different_size_share_depth_and_the_heads_for_two_words() -> None:
    toy = {"text": TIRED}
    app = compared(toy, B)
    assert say("compare.other_model") in said(app)
    assert not [chart for chart in app.get("plotly_chart") if chart.key == "change_matrix"]
    numbers = compared(toy, B, compare_view="numbers", metric="entropy")
    heads = [decoded(trace["y"]) for trace in figure(numbers, "metric_change")["data"]][::2]
    wanted = [measured(Wanted(text=TIRED, source=source).trace)["entropy"] for source in ("toy", "minilm")]
    for shown, values in zip(heads, wanted, strict=True):
        np.testing.assert_allclose(np.sort(shown), np.sort(values.ravel()), atol=1e-5)
    pair = compared(toy, B, compare_view="pair", focus="9", key="2")
    of_toy, of_bert = (frame.value for frame in pair.dataframe)
    runs = align_runs(Wanted(text=TIRED).trace, Wanted(text=TIRED, source="minilm").trace)
    found = find_head(runs.b, 9, 2)
    best = divmod(int(found.order[0]), 12)
    assert of_bert.iloc[0, 0] == f"L{best[0]} H{best[1]}"
    assert of_bert.iloc[0, 1] == pytest.approx(found.weight[best], abs=1e-5)
    assert len(of_toy) == 8


def test_both_overviews_are_those_of_their_runs() -> None:
    app = compared(A, B, compare_view="overviews")
    found = [part for part in app.get("bidi_component") if part.proto.component_name == "mha_viz.overview"]
    assert len(found) == 2
    assert found[0].proto.bytes != found[1].proto.bytes


@pytest.mark.parametrize(
    "held", ["text=%00", "nonsense", "source=hub&model=a/b", "source=minilm&text=", "temperature=-3"]
)
def test_a_held_link_that_cannot_be_run_is_told(held: str) -> None:
    app = opened(PAGE, **B, a=held)
    assert untroubled(app)


@pytest.mark.parametrize("view", ["heads", "overviews", "numbers", "pair"])
def test_odd_sentences_in_every_view(view: str) -> None:
    for text in ("猫追老鼠", "$x$ <b>a</b> `c` a a a", "the " * 600):
        compared({**B, "text": text, "cut": "1"}, {**A, "cut": "1"}, compare_view=view, focus="1", key="2")
