"""The probes on the page are those of the runner, on the loaded model; one's own are tried too."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from mha_viz.probes.book import all_probes
from mha_viz.probes.records import Outcome
from mha_viz.probes.runner import Subject, all_outcomes
from mha_viz.probes.told import sentences, summary
from mha_viz.words import say
from tests.app.driver import figure, model, opened, said, untroubled

PAGE = "pages/probes.py"


pytestmark = pytest.mark.usefixtures("at_once")


def texts(app: AppTest) -> str:
    return re.sub(r"\\(.)", r"\1", "\n".join(one.value for one in app.markdown)).replace("\u200b", "")


def outcomes(source: str) -> tuple[Outcome, ...]:
    opened_model = model(source)
    subject = Subject(opened_model.spec.name, toy=source == "toy")
    return all_outcomes(all_probes(), lambda text, pair: opened_model.run(opened_model.tokenize(text, pair)), subject)


def test_every_probe_is_told_with_what_came_of_it() -> None:
    app, wanted = opened(PAGE, source="minilm"), outcomes("minilm")
    assert untroubled(app)
    shown = texts(app)
    assert summary(wanted) in shown
    for outcome in wanted:
        assert all(sentence in shown for sentence in sentences(outcome))
    assert len(app.expander) == len(wanted) + 1
    drawn = figure(app, "probe_dots")["data"][0]["x"]
    assert len(drawn["bdata"] if isinstance(drawn, dict) else drawn) > 0


def test_a_toy_has_learnt_no_language_and_fails_nothing() -> None:
    app = opened(PAGE)
    n = len(all_probes())
    assert f"0 hold, 0 do not, {n} could not be tried" in texts(app)


def test_the_verdicts_can_be_chosen() -> None:
    app = opened(PAGE, source="minilm")
    app.button_group(key="probes_shown").set_value("holds").run()
    holds = sum(outcome.verdict == "holds" for outcome in outcomes("minilm"))
    assert len(app.expander) == holds + 1


def test_own_probes_are_tried_and_wrong_lines_told() -> None:
    app = opened(PAGE, source="minilm")
    app.text_area(key="own_probes").set_value("The cat sat. | sat -> cat | 1.5\nnonsense\n<b>a</b> $x$ | q -> r").run()
    assert untroubled(app)
    assert len(app.expander) == len(all_probes()) + 2
    assert any(say("error.probe_line", got="nonsense") in notice for notice in said(app))


def test_controls_do_not_change_what_the_model_is_judged_by() -> None:
    assert summary(outcomes("minilm")) in texts(opened(PAGE, source="minilm", temperature="4", causal="1", off="L3H1"))
