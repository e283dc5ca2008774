"""The view "Real text": what is drawn is what is stored, what was not tried is said, and verdicts are those of the rows."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats
from streamlit.testing.v1 import AppTest

from mha_viz.labs import stored
from mha_viz.labs.registry import LABS
from mha_viz.labs.results import where
from mha_viz.labs.stored import stored as stored_result
from mha_viz.labs.texts_told import gain_of_heads, gain_of_words, in_points
from mha_viz.ui import texts_view
from mha_viz.words import say
from tests.app.driver import figure, opened, said, untroubled

PAGE = "pages/head_count.py"


def view() -> AppTest:
    return opened(PAGE, head_count_view="texts")


def words(app: AppTest) -> str:
    return "\n".join(one.value for one in [*app.markdown, *app.caption])


def choose(app: AppTest, data: str) -> AppTest:
    return app.button_group(key="texts_data").set_value(data).run()


# --- The stored results ---------------------------------------------------------------------------------


@pytest.mark.parametrize("lab", ["texts", "shuffled"])
def test_the_stored_result_is_that_of_its_options_and_whole(lab):
    result = stored_result(lab)
    assert result.whole
    assert LABS[lab].options_of(result.options) == LABS[lab].full
    assert (stored.FOLDER / f"{lab}.json").stat().st_size < 150_000


@pytest.mark.parametrize("data", ["movies", "sms"])
def test_stored_nets_have_equal_parameters_and_three_seeds(data):
    nets = where(stored_result("texts").rows, kind="net", data=data)
    assert len({row["parameters"] for row in nets}) == 1
    assert {(row["heads"], row["seed"]) for row in nets} == {
        (heads, seed) for heads in (1, 2, 4, 8) for seed in range(3)
    }
    assert all(row["final"] == row["accuracy"][-1] > row["commonest"] for row in nets)


# --- The page -------------------------------------------------------------------------------------------


def test_the_stored_accuracies_and_the_line_to_beat_are_drawn():
    app = view()
    assert untroubled(app)
    rows = where(stored_result("texts").rows, data="movies")
    level, seeds, means = figure(app, "texts_scores")["data"]
    nets = [where(rows, kind="net", heads=heads) for heads in (1, 2, 4, 8)]
    assert np.asarray(means["y"]) == pytest.approx([np.mean([row["final"] for row in group]) for group in nets])
    assert len(np.asarray(seeds["y"])) == 12
    assert np.asarray(level["y"])[0] == pytest.approx(np.mean([row["final"] for row in where(rows, kind="words")]))
    lines = figure(app, "texts_courses")["data"]
    assert [line["line"]["dash"] for line in lines] == ["solid", "dash"] * 4
    expected = np.mean([row["train_accuracy"] for row in nets[-1]], axis=0)
    assert np.asarray(lines[-1]["y"]) == pytest.approx(expected)
    assert f"{nets[0][0]['parameters']:,}" in words(app)


def test_another_data_set_and_the_loss_can_be_chosen():
    app = choose(view(), "sms")
    app.button_group(key="texts_measure").set_value("loss").run()
    assert untroubled(app)
    nets = where(stored_result("texts").rows, data="sms", kind="net", heads=1)
    assert np.asarray(figure(app, "texts_courses")["data"][0]["y"]) == pytest.approx(
        np.mean([row["loss"] for row in nets], axis=0)
    )


def test_imdb_is_marked_as_not_tried():
    app = choose(view(), "imdb")
    assert untroubled(app)
    assert any("not tried here" in notice for notice in said(app))
    assert "were tried here" in words(app)
    assert [chart for chart in app.get("plotly_chart") if chart.key == "texts_scores"] == []


def test_without_heads_there_is_a_hint():
    app = view()
    app.multiselect(key="texts_heads").set_value([]).run()
    assert untroubled(app)
    assert say("texts.no_heads") in said(app)


def test_the_bag_of_words_is_shown_with_its_numbers():
    app = view()
    rows = stored_result("shuffled").rows
    off = max(row["difference"] for row in where(rows, positions="off"))
    assert off < 1e-12 < 1e-2 < min(row["difference"] for row in where(rows, positions="on"))
    assert f"changes no logit by more than {off:.0e}" in words(app)
    table = app.table[-1].value
    assert [str(cell) for cell in table.iloc[1, 1:]] == [
        f"{np.mean([row['accuracy_shuffled'] for row in where(rows, positions=positions)]):.3f}"
        for positions in ("on", "off")
    ]


# --- What the sentence says -----------------------------------------------------------------------------


def nets(**finals: list[float]) -> list[dict[str, object]]:
    """Rows of nets: "h8" is the number of heads, then a final accuracy a seed."""
    return [
        {"kind": "net", "heads": int(name[1:]), "seed": seed, "final": final}
        for name, values in finals.items()
        for seed, final in enumerate(values)
    ]


def test_the_interval_is_scipys_of_the_paired_differences():
    few, more = [0.75, 0.76, 0.74, 0.77], [0.76, 0.75, 0.76, 0.79]
    found = gain_of_heads(nets(h1=few, h4=[0.1] * 4, h8=more))
    assert found is not None
    low, high, gain = found
    assert gain.half is not None
    assert (low, high, gain.n) == (1, 8, 4)
    expected = stats.ttest_rel(more, few).confidence_interval(0.95)
    assert (gain.mean - gain.half, gain.mean + gain.half) == pytest.approx(tuple(expected), abs=1e-4)


def test_counts_of_words_are_compared_with_the_mean_of_all_nets():
    words = [{"kind": "words", "seed": seed, "final": final} for seed, final in enumerate([0.8, 0.9, 0.7])]
    gain = gain_of_words([*words, *nets(h1=[0.7, 0.8], h8=[0.8, 0.9])])
    assert gain is not None
    assert gain.n == 2
    assert (gain.mean, gain.half) == pytest.approx((0.05, 0), abs=1e-12)
    assert gain_of_words(words) is gain_of_words(nets(h1=[0.7])) is None


@pytest.mark.parametrize(
    ("few", "more", "sentence", "promise"),
    [
        ([0.75, 0.76, 0.77], [0.755, 0.755, 0.77], "same", "out"),
        ([0.75, 0.76, 0.77], [0.80, 0.75, 0.79], "same", "in"),
        ([0.75, 0.76, 0.77], [0.76, 0.77, 0.781], "differs", "out"),
        ([0.75, 0.76, 0.77], [0.80, 0.81, 0.821], "differs", "met"),
        ([0.75, 0.76, 0.77], [0.70, 0.71, 0.719], "differs", "out"),
    ],
)
def test_no_winner_is_named_within_the_noise_and_one_is_beyond_it(few, more, sentence, promise):
    found = gain_of_heads(nets(h1=few, h8=more))
    assert found is not None
    assert found[2].differs is (sentence == "differs")
    text = texts_view._verdict(*found)
    start = say(f"texts.verdict.{sentence}", low=0, high=0, mean=0, least=0, most=0, n=0).split(".")[0]
    assert text.startswith(start)
    assert text.endswith(say(f"texts.promise.{promise}"))


def test_one_seed_tells_nothing_of_noise_and_one_number_of_heads_nothing_at_all():
    found = gain_of_heads(nets(h1=[0.7], h8=[0.8]))
    assert found is not None
    assert found[2].half is None
    assert "only more seeds can tell" in texts_view._verdict(*found)
    assert gain_of_heads(nets(h4=[0.7, 0.8])) is None
    assert gain_of_heads([]) is None


@pytest.mark.parametrize(("share", "text"), [(0.0123, "+1.2"), (-0.02, "−2.0"), (-0.0001, "0.0"), (0.0, "0.0")])
def test_differences_are_told_in_points(share, text):
    assert in_points(share) == text


# --- A result that is not whole yet ---------------------------------------------------------------------

SCRIPT = """
import json
from mha_viz.labs.results import LabResult
from mha_viz.ui import shuffled_view, texts_view
result = LabResult("texts", {{"heads": [1, 8]}}, tuple(json.loads({rows!r})), live=json.loads({live!r}), whole=False)
texts_view._draw("movies", result)
shuffled_view._draw(LabResult("shuffled", {{}}, (), live={{}}, whole=False))
"""


@pytest.mark.parametrize("n_rows", [0, 1, 2, 3])
@pytest.mark.parametrize("epochs", [0, 2])
def test_what_there_is_of_a_training_is_drawn(n_rows, epochs):
    stored_rows = where(stored_result("texts").rows, data="movies", seed=0)
    at_work = dict(stored_rows[n_rows + 1])
    del at_work["final"], at_work["best_epoch"]
    at_work |= {name: values[:epochs] for name, values in at_work.items() if isinstance(values, list)}
    app = AppTest.from_string(
        SCRIPT.format(rows=json.dumps(stored_rows[:n_rows]), live=json.dumps(at_work)), default_timeout=60
    )
    app.run()
    assert untroubled(app)
    assert len(np.asarray(figure(app, "texts_scores")["data"][-1]["y"])) == max(0, n_rows - 1)
    assert say("texts.shuffled.wait") in words(app)
