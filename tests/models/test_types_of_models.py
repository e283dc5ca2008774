"""The toy's designed heads are recognised for what they are built for; MiniLM's positional heads are found."""

from __future__ import annotations

import pytest

import mha_viz
from mha_viz.analysis.sentences import SENTENCES
from mha_viz.analysis.tally import tally
from mha_viz.analysis.types import types_of
from mha_viz.controls import Controls
from mha_viz.masks import Causal, Padding
from tests.refs import tokens

TEXTS = [
    "the cat sat on the mat. the cat lay on the rug.",
    "The animal didn't cross the street because it was too tired, and the dog saw it.",
    "one two three four five six seven one two three",
    *[item.text for item in SENTENCES if item.pair is None and item.text.startswith(("A friend", "The dog", "Red"))],
]
BUILT = ["previous", "next", "sink", "itself", "same_word", "mixed", "broad"]


@pytest.fixture(scope="module")
def toy():
    return mha_viz.open_model("toy", n_heads=8, weights="designed")


@pytest.mark.parametrize("text", TEXTS)
def test_designed_heads_are_recognised(toy, text):
    found = types_of(toy.run(toy.tokenize(text)))
    assert found.names[0, :7].tolist() == BUILT
    assert (found.strength[0, :5] >= 0.9).all()


@pytest.mark.parametrize("text", TEXTS)
def test_they_are_recognised_with_padding_hidden_too(toy, text):
    found = types_of(toy.run(toy.tokenize(text + " and so on"), Controls(mask=Padding(3))))
    assert found.names[0, :7].tolist() == BUILT


@pytest.mark.parametrize("text", TEXTS)
def test_under_a_causal_mask_those_that_look_back_are_recognised(toy, text):
    names = types_of(toy.run(toy.tokenize(text), Controls(mask=Causal()))).names[0].tolist()
    assert (names[0], names[2], names[3], names[6]) == ("previous", "sink", "itself", "broad")
    assert names[1] != "next"


def test_without_a_repeated_word_the_head_for_it_looks_at_itself(toy):
    assert types_of(toy.run(toy.tokenize("every word of this one stands alone here"))).names[0, 4] == "itself"


@pytest.mark.model
def test_the_previous_and_next_heads_of_minilm_and_its_sinks_are_found(minilm):
    """Head (0, 2) puts 1.000 of the weight on each existing predecessor, layers 1 to 4 rest on [CLS] (measured apart)."""
    coref = types_of(minilm.run(minilm.tokenize(tokens("b")["coref"]["text"])))
    assert coref.names[0, 2] == "previous"
    assert coref.strength[0, 2] == pytest.approx(1.0, abs=2e-3)
    counted = tally([types_of(minilm.run(minilm.tokenize(item.text, item.pair))) for item in SENTENCES[::4]])
    assert counted.names[0, 2] == "previous"
    assert counted.agreement[0, 2] == 1.0
    assert (counted.names[1:5] == "sink").sum() > 24 - 6
    assert not (counted.names[[0, 5]] == "sink").any()
