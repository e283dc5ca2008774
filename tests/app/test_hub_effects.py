"""What models with an output layer say, before and after a change: fills of a gap, and classes."""

from __future__ import annotations

import re

import numpy as np
import pytest

from mha_viz import Controls, HeadId
from mha_viz.edits import parse
from tests.app.driver import bodies, figure, model, opened, plain, untroubled
from tests.app.hub import TEXT, Computer, wanted

PAGE = "pages/change.py"
OFF = Controls(silenced=frozenset({HeadId(0, 0)}))


def softmax(logits: np.ndarray) -> np.ndarray:
    odds = np.exp(logits.astype(np.float64) - logits.max())
    return odds / odds.sum()


def table(app: object) -> list[tuple[str, float, float]]:
    (body,) = bodies(app, "mha-chances")  # type: ignore[arg-type]
    rows = re.findall(r"<th scope='row' dir='auto'>(.*?)</th>.*?<span>([\d.]+)</span>.*?<span>([\d.]+)</span>", body)
    return [(plain(name), float(before), float(after)) for name, before, after in rows]


def test_fills_of_a_masked_token_before_and_after(computer: Computer) -> None:
    commit = computer.has("org/fills", "bert masked")
    # The mask is typed: the gap is in the run before the change too.
    text = TEXT.replace("sat", "[MASK]")
    app = opened(PAGE, source="hub", model="org/fills", text=text, special="1", off="L0H0")
    assert untroubled(app)
    right = wanted("org/fills", commit)
    bert = model(right.source, **dict(right.options))
    tokens = bert.tokenize(text, read_special=True)
    before, after = (softmax(bert.run(tokens, controls).answer.logits[0]) for controls in (Controls(), OFF))
    shown = table(app)
    assert len(shown) >= 5
    best = [bert.answer_name(int(number)) for number in np.argsort(-after, kind="stable")[:5]]
    assert set(best) <= {name for name, _, _ in shown}
    for name, was, now in shown:
        number = next(number for number in range(len(after)) if bert.answer_name(number) == name)
        assert was == pytest.approx(before[number], abs=6e-4)
        assert now == pytest.approx(after[number], abs=6e-4)


def test_classes_of_a_classifier_before_and_after(computer: Computer) -> None:
    commit = computer.has("org/classes", "bert classes")
    app = opened(PAGE, source="hub", model="org/classes", text=TEXT, off="L0H0", edits="swap-1-2")
    assert untroubled(app)
    right = wanted("org/classes", commit)
    bert = model(right.source, **dict(right.options))
    tokens = bert.tokenize(TEXT)
    runs = (bert.run(tokens), bert.run(bert.edited(tokens, parse("swap-1-2")), OFF))
    before, after = (softmax(run.answer.logits[0]) for run in runs)
    assert [name for name, _, _ in table(app)] == [bert.answer_name(number) for number in range(len(after))]
    np.testing.assert_allclose([row[1:] for row in table(app)], np.stack([before, after], axis=1), atol=6e-4)


@pytest.mark.usefixtures("at_once")
def test_masked_words_are_offered_as_a_loss_where_the_model_fills_gaps(computer: Computer) -> None:
    computer.has("org/fills", "bert masked")
    app = opened(PAGE, source="hub", model="org/fills", text=TEXT, change_view="importance", loss="masked")
    assert untroubled(app)
    assert app.query_params["loss"] == "masked"
    assert figure(app, "importance_matrix")["data"]
