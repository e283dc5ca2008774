"""The overview holds every head of an independent run; its numbers, types, ranking and map are those of the analysis."""

from __future__ import annotations

import csv
import io
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mha_viz.analysis.distances import matrix_of_distances
from mha_viz.analysis.placing import placed
from mha_viz.analysis.reading import read
from mha_viz.analysis.sentences import SENTENCES
from mha_viz.analysis.tally import tally
from mha_viz.analysis.types import title_of, types_of
from mha_viz.figures.overview import HIDDEN, HIGHEST
from mha_viz.metrics import METRICS, measured
from mha_viz.ui import overview, overview_view
from mha_viz.words import say
from tests.app.driver import Wanted, button, component, decoded, figure, model, opened, said, untroubled

PAGE = "pages/overview.py"
LONG = (
    "the cat sat on the mat and the dog lay on the rug while the old man read a long book about the sea and its ships . "
    * 12
)


def heads(app: AppTest) -> tuple[dict[str, Any], np.ndarray]:
    """What the canvas of all heads was sent: its text, and the cells, (layer, head, row, column)."""
    header, cells = component(app, "overview")
    return header, cells.reshape(header["layers"], header["heads"], header["side"], header["side"])


def values_of(wanted: Wanted, metric: str) -> np.ndarray:
    return measured(wanted.trace, wanted.matrices)[metric]


def captions(app: AppTest) -> str:
    return " ".join(caption.value for caption in app.caption)


@pytest.mark.parametrize("source", ["toy", "minilm"])
def test_the_cells_are_every_head_of_an_independent_run(source: str) -> None:
    wanted = Wanted(source=source)
    header, cells = heads(opened(PAGE, source=source))
    assert np.abs(cells / HIGHEST - wanted.trace.weights).max() <= 0.5 / HIGHEST + 1e-4  # the scale ends at 1 here
    assert header["order"] == list(range(cells.shape[0] * cells.shape[1]))
    entropy = values_of(wanted, "entropy_share")
    assert header["values"] == [f"{value:.3f}" for value in entropy.ravel()]
    assert header["notes"] == [title_of(str(name)) for name in types_of(wanted.trace).names.ravel()]


def test_a_masked_run_has_hidden_cells_in_every_head() -> None:
    _, cells = heads(opened(PAGE, source="minilm", causal="1"))
    above = np.triu(np.ones(cells.shape[2:], dtype=bool), k=1)
    assert (cells[..., above] == HIDDEN).all()
    assert (cells[..., ~above] != HIDDEN).all()


def test_the_large_head_has_the_scale_of_the_picture_beside_it() -> None:
    app = opened(PAGE, source="minilm", layer="5", head="0")
    weights = Wanted(source="minilm").trace.weights
    assert weights[5].max() < 0.9 * weights.max()  # else the two scales could not be told apart
    ends = figure(app, "large_head")["layout"]["coloraxis"]
    assert ends["cmax"] == pytest.approx(float(heads(app)[0]["words"]["high"]))
    assert ends["cmax"] >= weights.max() - 1e-6


def test_a_long_sentence_is_pooled_and_the_page_says_so() -> None:
    app = opened(PAGE, source="minilm", text=LONG[:1400])
    header, cells = heads(app)
    trace = Wanted(text=LONG[:1400], source="minilm").trace
    step = -(-trace.n_tokens // 32)
    assert step > 1
    first = trace.weights[..., :step, :step].max(axis=(-2, -1))
    assert np.abs(cells[..., 0, 0] / HIGHEST * float(header["words"]["high"]) - first).max() < 0.01
    assert say("heads.pooled_largest", step=step) in captions(app)


@pytest.mark.parametrize("metric", ["previous", "offset", "output_share"])
@pytest.mark.parametrize("order", ["high", "low"])
def test_heads_stand_in_the_order_of_any_metric(metric: str, order: str) -> None:
    header, _ = heads(opened(PAGE, source="minilm", metric=metric, order=order))
    values = values_of(Wanted(source="minilm"), metric).ravel()[header["order"]]
    steps = np.diff(values)
    assert (steps <= 1e-9).all() if order == "high" else (steps >= -1e-9).all()
    assert header["sorted"] is True


def test_a_range_of_the_metric_leaves_the_other_heads_pale() -> None:
    app = opened(PAGE, source="minilm", metric="first", metric_low="0.5")
    values = values_of(Wanted(source="minilm"), "first").ravel()
    header, _ = heads(app)
    assert header["faint"] == np.flatnonzero(values < 0.5).tolist()
    left = int((values >= 0.5).sum())
    assert 0 < left < 72
    assert say("overview.filtered", n_left=left, n_heads=72) in captions(app)
    app.selectbox(key="metric").set_value("next").run()
    assert heads(app)[0]["faint"] == []


def test_a_metric_that_nothing_can_be_counted_for_is_a_dash_everywhere() -> None:
    app = opened(PAGE, metric="cls", order="high")  # the toy has no special tokens
    header, _ = heads(app)
    assert set(header["values"]) == {"–"}
    assert header["order"] == list(range(8))
    assert set(header["shares"]) == {None}
    app = opened(PAGE, metric="cls", overview_view="matrix")
    assert untroubled(app)
    assert any(say("overview.no_metric", metric=say("metric.cls")) in text for text in said(app))


def test_words_and_special_tokens_are_read_as_chosen() -> None:
    text = "Unbelievably, the tokenizers disagree."
    app = opened(PAGE, source="minilm", text=text, level="words", specials="renormalised")
    shown = read(Wanted(text=text, source="minilm").trace, "words", "renormalised")
    _, cells = heads(app)
    assert cells.shape[-1] == shown.n_tokens < Wanted(text=text, source="minilm").trace.n_tokens - 2
    top = float(heads(app)[0]["words"]["high"])
    assert np.abs(cells / HIGHEST * top - shown.weights).max() <= 0.5 / HIGHEST + 1e-3
    assert shown.removed is not None
    removed = f"{float(np.mean(shown.removed)):.2f}"
    assert say("reading.renormalised_rule", share=removed) in captions(app)
    assert say("reading.words_rule") in captions(app)
    bars = decoded(figure(app, "removed")["data"][0]["y"])
    np.testing.assert_allclose(bars, shown.removed[0, 0], atol=1e-6)


def test_only_special_tokens_hidden_is_said_with_what_to_do() -> None:
    app = opened(PAGE, source="minilm", text="[SEP]", special="1", specials="hidden")
    assert untroubled(app)
    assert any("nothing is left to show" in text for text in said(app))
    button(app, "run.show_special").click().run()
    assert heads(app)[1].shape[-1] == 3


def test_the_numbers_come_first_where_they_decide_and_later_where_they_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[bool] = []

    def draw(*arguments: Any, **named: Any) -> None:
        sent.append(named["measured"] is not None)
        overview.overview(*arguments, **named)

    monkeypatch.setattr(overview_view, "overview", SimpleNamespace(overview=draw, notes_of=overview.notes_of))
    opened(PAGE, text="numbers come later here")
    assert sent == [False, True]
    sent.clear()
    opened(PAGE, text="numbers come first here", order="high")
    assert sent == [True]


def test_a_sink_is_named_with_three_ways_past_it() -> None:
    app = opened(PAGE, source="minilm")
    trace = Wanted(source="minilm").trace
    loud = int((trace.weights[..., 0].mean(axis=-1) >= 0.5).sum())
    if 2 * loud <= 72:
        app = opened(PAGE, source="minilm", text="Hello there.")
        trace = Wanted(text="Hello there.", source="minilm").trace
        loud = int((trace.weights[..., 0].mean(axis=-1) >= 0.5).sum())
    assert 2 * loud > 72
    assert f"{loud} of 72" in captions(app)
    button(app, "sink.log").click().run()
    assert app.session_state["scale"] == "log"
    assert heads(app)[0]["words"]["scale"] == say("colour.scale.log")
    button(app, "sink.hide").click().run()
    assert app.session_state["specials"] == "renormalised"


# Numbers


@pytest.mark.parametrize("metric", list(METRICS))
def test_the_matrix_holds_every_metric_of_every_head(metric: str) -> None:
    app = opened(PAGE, source="minilm", overview_view="matrix", metric=metric)
    values = values_of(Wanted(source="minilm"), metric)
    np.testing.assert_allclose(decoded(figure(app, "metric_matrix")["data"][0]["z"]), values, rtol=1e-5, atol=1e-6)
    explained = say(f"metric.{metric}.denominator")
    assert explained in captions(app)


def test_the_table_is_ranked_and_can_be_taken_away() -> None:
    app = opened(PAGE, source="minilm", overview_view="matrix", metric="confidence")
    (table,) = app.dataframe
    values = values_of(Wanted(source="minilm"), "confidence").ravel()
    column = table.value[say("metric.confidence")].to_numpy()
    np.testing.assert_allclose(column, np.sort(values)[::-1], atol=1e-6)
    first = int(np.argmax(values))
    assert table.value[say("overview.head_column")].iloc[0] == f"L{first // 12} H{first % 12}"
    assert list(table.value.columns)[:3] == [
        say("overview.head_column"),
        say("overview.type_column"),
        say("metric.confidence"),
    ]


def test_the_csv_holds_the_same_numbers() -> None:
    from mha_viz.ui.matrix_view import as_csv

    text = as_csv({"Head": ["L0 H0", "L0 H1"], "Type": ["sink", "–"], "Entropy": [0.5, None]})
    assert list(csv.reader(io.StringIO(text))) == [
        ["Head", "Type", "Entropy"],
        ["L0 H0", "sink", "0.5"],
        ["L0 H1", "–", ""],
    ]


# Types


def test_the_types_of_the_designed_heads_are_told_with_their_rules() -> None:
    app = opened(PAGE, overview_view="types", text="the cat saw the dog and the dog saw the cat")
    cells = figure(app, "type_matrix")["data"][0]["text"][0]
    names = types_of(Wanted(text="the cat saw the dog and the dog saw the cat").trace).names[0]
    assert cells == [title_of(str(name)) for name in names]
    assert cells[:4] == [title_of(name) for name in ("previous", "next", "sink", "itself")]
    rules = next(element.proto.body for element in app.get("html") if "mha-rules" in element.proto.body)
    assert "Clark et al. 2019" in rules
    assert "0.5" in rules


def test_a_set_of_sentences_gives_each_head_its_most_frequent_type() -> None:
    app = opened(PAGE, overview_view="types")
    (start,) = [one for one in app.button if one.label == say("types.count", n=len(SENTENCES))]
    start.click().run()
    for _ in range(40):
        if [chart for chart in app.get("plotly_chart") if chart.key == "type_matrix_of_set"]:
            break
        app.run()
    toy = model("toy")
    counted = tally([types_of(toy.run(toy.tokenize(item.text, item.pair, cut=True))) for item in SENTENCES])
    assert figure(app, "type_matrix_of_set")["data"][0]["text"] == [
        [title_of(str(name)) for name in row] for row in counted.names
    ]
    steady = int((counted.agreement >= 0.8).sum())
    assert say("types.steady", n_steady=steady, n_heads=8, n=len(SENTENCES)) in captions(app)


def test_own_sentences_one_a_line_and_lines_with_nothing_to_read() -> None:
    from mha_viz.ui.types_view import items_of

    assert [tuple(item) for item in items_of(" a b \n\nc\td\n")] == [("a b", None), ("c", "d")]
    app = opened(PAGE, overview_view="types")
    app.segmented_control(key="types_set").set_value(say("types.own")).run()
    assert say("types.nothing_pasted") in captions(app)
    app.text_area(key="types_pasted").set_value("\u200b\u200b\nthe cat sat").run()
    (start,) = [one for one in app.button if one.label == say("types.count", n=2)]
    start.click().run()
    for _ in range(10):
        if "sentences" in captions(app) and [
            chart for chart in app.get("plotly_chart") if chart.key == "type_matrix_of_set"
        ]:
            break
        app.run()
    assert untroubled(app)


# Map


def mapped(app: AppTest) -> dict[str, Any]:
    for _ in range(40):
        if [chart for chart in app.get("plotly_chart") if chart.key == "head_map"]:
            return figure(app, "head_map")
        app.run()
    raise AssertionError("no map")


@pytest.mark.parametrize("drop", ["0", "1"])
def test_heads_are_placed_by_the_root_of_their_divergence(drop: str) -> None:
    data = mapped(opened(PAGE, source="minilm", overview_view="map", map_drop=drop))["data"][-1]
    js = matrix_of_distances(Wanted(source="minilm").trace, drop == "1")
    points = placed(np.sqrt(np.maximum(js, 0.0))).points
    x, y = (np.asarray(decoded(data[axis])) for axis in "xy")
    np.testing.assert_allclose(np.column_stack([x, y]), points, atol=1e-6)


def test_the_map_by_outputs_says_how_the_two_agree() -> None:
    app = opened(PAGE, source="minilm", overview_view="map", map_by="outputs", map_colour="type")
    data = mapped(app)["data"]
    assert len(data[-1]["text"]) == 72
    assert "0.20 (1: they agree)" in captions(app)  # -0.20 against likeness (science.md 1.9), +0.20 against distance
    assert say("map.few_tokens", n_tokens=16, d_k=32) in captions(app)
    named = {trace["name"] for trace in data[:-1]}
    assert named == {title_of(str(name)) for name in set(types_of(Wanted(source="minilm").trace).names.ravel())}


@pytest.mark.parametrize("view", ["all", "matrix", "types", "map"])
@pytest.mark.parametrize(
    "text", ["Hi", ".", "the the the the", "今天天气很好，我们去公园散步吧。", "<s> <b>x</b> $y$ &amp; 🙂"]
)
def test_odd_sentences_are_shown_in_every_view(view: str, text: str) -> None:
    for source in ("toy", "minilm"):
        app = opened(PAGE, source=source, overview_view=view, text=text)
        assert untroubled(app)
        assert not app.error


@pytest.mark.parametrize("view", ["all", "matrix", "types", "map"])
def test_a_masked_run_is_shown_in_every_view(view: str) -> None:
    app = opened(PAGE, source="minilm", overview_view=view, blocks="1", padding="1", padding_last="3")
    assert untroubled(app)


def test_bad_parts_of_the_link_are_told_and_nothing_is_lost() -> None:
    app = opened(PAGE, metric="fame", order="sideways", metric_low="nan", level="letters", layer="77", source="minilm")
    assert untroubled(app)
    told = " ".join(said(app))
    for name in ("metric", "order", "metric_low", "level", "layer"):
        assert f"{name} = " in told
    assert heads(app)[0]["order"] == list(range(72))
