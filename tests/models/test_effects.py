"""The effect of controls and edits on what real models say, against Hugging Face and the reference arrays."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import transformers

import mha_viz
from mha_viz.analysis.effects import effect_of, mean_pooled
from mha_viz.analysis.spam import spam_classifier
from mha_viz.controls import Controls, HeadId
from mha_viz.edits import Edits, MaskToken, PutWord
from mha_viz.labs.classifiers import classifier_for
from mha_viz.labs.losses import pooled
from mha_viz.models import packaged
from mha_viz.models.huggingface import HuggingFaceModel
from tests.models import families
from tests.refs import arrays, tokens

TEXT = "the cat sat on the mat"
SILENT = Controls(silenced=frozenset({HeadId(0, 0), HeadId(2, 1)}))


@pytest.mark.model
def test_the_mean_pooled_embedding_is_the_references_also_with_padding(minilm):
    texts, reference = tokens("b"), arrays("b")
    for row, text in enumerate(texts["batch"]["text"]):
        read = minilm.pad(minilm.tokenize(text), 16)
        expected = reference["batch/mean_pooled"][row]
        assert np.abs(mean_pooled(minilm.run(read)) - expected).max() <= 1e-5
        assert np.abs(pooled(minilm.forward(read).output, read).numpy() - expected).max() <= 1e-5


@pytest.mark.parametrize("name", ["bert masked", "roberta", "albert"])
def test_fills_of_a_gap_are_hugging_faces(tmp_path, name):
    folder = families.save(tmp_path, name)
    model = HuggingFaceModel(folder, name)
    theirs = transformers.AutoModelForMaskedLM.from_pretrained(folder, local_files_only=True).eval()
    read = model.edited(model.tokenize(TEXT), Edits((MaskToken(2),)))
    effect = effect_of(model.run(read), model.run(read, SILENT), model.answer_name, most=4)
    (fill,) = effect.fills
    with torch.inference_mode():
        expected = torch.softmax(theirs(torch.tensor([read.ids])).logits[0, 2], dim=0)
    for chance in fill.fills:
        assert chance.before == pytest.approx(float(expected[chance.number]), abs=1e-5)
        assert chance.name == model.answer_name(chance.number)
    assert {int(number) for number in torch.topk(expected, 4).indices} <= {chance.number for chance in fill.fills}
    assert any(abs(chance.difference) > 1e-4 for chance in fill.fills)
    assert [chance.after for chance in fill.fills] == sorted((chance.after for chance in fill.fills), reverse=True)
    assert fill.sentence
    assert effect.embedding.cosine < 1 - 1e-4


@pytest.mark.parametrize("name", ["bert classes", "distilbert classes"])
def test_classes_are_hugging_faces(tmp_path, name):
    folder = families.save(tmp_path, name)
    model = HuggingFaceModel(folder, name)
    theirs = transformers.AutoModelForSequenceClassification.from_pretrained(folder, local_files_only=True).eval()
    before = model.tokenize(TEXT)
    after = model.edited(before, Edits((PutWord(2, "dog"),)))
    effect = effect_of(model.run(before), model.run(after), model.answer_name)
    assert effect.classes is not None
    assert [chance.name for chance in effect.classes.classes] == ["bad", "fair", "good"]
    for read, side in ((before, "before"), (after, "after")):
        with torch.inference_mode():
            expected = torch.softmax(theirs(torch.tensor([read.ids])).logits[0], dim=0).numpy()
        got = [getattr(chance, side) for chance in effect.classes.classes]
        assert np.abs(np.array(got) - expected).max() <= 1e-5
    assert effect.classes.sentence


def test_a_decoder_goes_on_with_another_word(family):
    model = family("gpt2")
    read = model.tokenize("the cat")
    (fill,) = effect_of(model.run(read), model.run(read, SILENT), model.answer_name).fills
    assert fill.position_after == read.n_tokens - 1
    assert fill.sentence.startswith("After token")


def test_a_model_that_says_nothing_has_an_embedding_only(tiny_model):
    read = tiny_model.tokenize(TEXT)
    effect = effect_of(tiny_model.run(read), tiny_model.run(read, SILENT), tiny_model.answer_name)
    assert effect.fills == ()
    assert effect.classes is None
    assert effect.embedding.cosine < 1
    assert classifier_for(tiny_model) is None


def test_the_classifier_is_for_minilm_alone(family, hub_model):
    for model in (mha_viz.open_model("toy"), family("bert classes"), hub_model):
        assert classifier_for(model) is None


@pytest.mark.model
def test_minilm_has_the_classifier_under_both_of_its_names_and_no_other_revision(minilm):
    assert classifier_for(minilm) is spam_classifier()
    folder = packaged.model_folder()
    assert classifier_for(HuggingFaceModel(folder, packaged.HUB_ID, None, packaged.HUB_REVISION)) is spam_classifier()
    assert classifier_for(HuggingFaceModel(folder, packaged.HUB_ID, None, "f" * 40)) is None
    assert classifier_for(HuggingFaceModel(folder, "folder:mine")) is None


#: Written for this test.
SPAM = [
    "WINNER! Claim your free prize of 500 pounds now, text CLAIM to 80800",
    "Free ringtone! Reply YES, cost 1.50/msg",
]
HAM = ["I will be home at seven, shall we cook together?", "Did you sleep well? Call me when you are up"]


@pytest.mark.model
def test_spam_and_other_messages_are_told_apart_and_equal_a_direct_computation(minilm, eager_minilm):
    classifier = classifier_for(minilm)
    assert classifier is not None
    before, after = minilm.tokenize(HAM[0]), minilm.tokenize(SPAM[0])
    effect = effect_of(minilm.run(before), minilm.run(after), minilm.answer_name, classifier=classifier)
    assert effect.classes is not None
    assert [chance.name for chance in effect.classes.classes] == ["no spam", "spam"]
    for texts, is_spam in ((SPAM, True), (HAM, False)):
        for text in texts:
            read = minilm.tokenize(text)
            likely = classifier.probabilities(mean_pooled(minilm.run(read)))[1]
            assert (likely > 0.5) == is_spam, text
            embedding = eager_minilm.run(read)[1].mean(axis=0, dtype=np.float64)
            direct = 1 / (1 + np.exp(-(embedding @ classifier.coefficients + classifier.intercept)))
            assert likely == pytest.approx(direct, abs=1e-5)
