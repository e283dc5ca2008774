"""Probes tried on real models: the toy is never judged, and MiniLM's numbers are those of Hugging Face's own run."""

from __future__ import annotations

import numpy as np
import pytest

import mha_viz
from mha_viz.controls import HeadId
from mha_viz.probes import Subject, all_outcomes, all_probes, parse_line, sentences, try_probe


def runner(model):
    return lambda text, pair: model.run(model.tokenize(text, pair))


@pytest.fixture(scope="module")
def outcomes(minilm):
    tried = all_outcomes(all_probes(), runner(minilm), Subject(minilm.spec.name))
    return {one.probe.id: one for one in tried}


def test_the_toy_is_not_judged():
    model = mha_viz.open_model("toy", n_heads=4)
    tried = all_outcomes(all_probes(), runner(model), Subject(model.spec.name, toy=True))
    assert {one.verdict for one in tried} == {"untried"}
    assert all("Toy" in one.reason for one in tried)


def test_every_probe_can_be_run_on_the_toy_too_if_somebody_wants_to():
    """Its words are found among the tokens of a quite different tokenizer."""
    model = mha_viz.open_model("toy", n_heads=4)
    tried = all_outcomes(all_probes(), runner(model), Subject("bert-base-uncased"))
    missing = [one.reason for one in tried if "make up just" in one.reason]
    assert not missing
    designed = {one.probe.id: one for one in tried}
    assert designed["strongest_previous"].head == HeadId(0, 0)
    assert designed["previous"].verdict == "holds"


@pytest.mark.model
def test_minilm_is_untried_where_the_claim_is_about_another_model_or_its_vocabulary(outcomes):
    untried = {name for name, one in outcomes.items() if one.verdict == "untried"}
    named = {name for name, one in outcomes.items() if one.probe.published_head} | {"sep_6_10"}
    assert untried == named | {"ta_xiaogou", "pingguo"}
    for name in ("ta_xiaogou", "pingguo"):
        assert "does not know" in outcomes[name].reason


@pytest.mark.model
def test_minilms_numbers_are_those_of_hugging_faces_own_run(minilm, eager_minilm, outcomes):
    """Plain words of one token each, so that the cells can be read off: apple (5) and ate (2) behind [CLS]."""
    one = outcomes["dobj"]
    tokens = minilm.tokenize(one.probe.sentence)
    at = {token: position for position, token in enumerate(tokens.tokens)}
    weights, _ = eager_minilm.run(tokens)
    cells = weights[:, :, at["apple"], at["ate"]]
    best = np.unravel_index(cells.argmax(), cells.shape)
    assert one.head == HeadId(*map(int, best))
    assert one.measured == pytest.approx(float(cells.max()) * tokens.n_tokens, rel=1e-4)
    here, there = (eager_minilm.run(minilm.tokenize(text))[0] for text in _tired_and_wide(outcomes))
    tired = minilm.tokenize(outcomes["it_tired"].probe.sentence).tokens
    more = (here - there)[:, :, tired.index("it"), tired.index("animal")]
    assert outcomes["it_tired"].measured == pytest.approx(float(more.max()), abs=1e-5)
    assert outcomes["it_tired"].head == HeadId(*map(int, np.unravel_index(more.argmax(), more.shape)))


def _tired_and_wide(outcomes):
    probe = outcomes["it_tired"].probe
    return probe.sentence, probe.claim.other


@pytest.mark.model
def test_minilm_tells_the_two_apples_apart_as_hugging_faces_own_output_does(minilm, eager_minilm, outcomes):
    one = outcomes["apple"]
    vectors = []
    for text in (one.probe.sentence, one.probe.claim.other, one.probe.claim.same):
        tokens = minilm.tokenize(text)
        vectors.append(eager_minilm.run(tokens)[1][tokens.tokens.index("apple")])
    fruit, firm, again = (vector / np.linalg.norm(vector) for vector in vectors)
    assert one.measured == pytest.approx(float(fruit @ again - fruit @ firm), abs=1e-4)
    assert one.verdict == "holds"


@pytest.mark.model
def test_what_is_known_of_minilm_holds(outcomes):
    """Head (0, 2) puts all on the predecessor; layers 1 to 4 rest on [CLS]; "it" finds the animal in (3, 1)."""
    assert outcomes["strongest_previous"].head == HeadId(0, 2)
    assert outcomes["strongest_previous"].measured == pytest.approx(1.0)
    assert outcomes["previous"].verdict == outcomes["vertical"].verdict == outcomes["sink"].verdict == "holds"
    assert outcomes["it_tired"].head == HeadId(3, 1)
    assert "Published for" in " ".join(sentences(outcomes["it_tired"]))
    for one in outcomes.values():
        assert all(sentences(one))


@pytest.mark.model
def test_a_line_of_ones_own_is_tried(minilm):
    found = try_probe(
        parse_line("The sleepwalking dog barked. | barked -> sleepwalking | 1.5"), runner(minilm), Subject("MiniLM")
    )
    assert found.verdict in ("holds", "not")
    assert found.luck is not None
    assert found.luck.n == 12  # of four words
