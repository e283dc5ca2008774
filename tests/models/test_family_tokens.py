"""Every architecture's tokens and what its output layer says: against Hugging Face, and written so that people can read them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import transformers

from mha_viz.controls import Controls, HeadId
from mha_viz.models.huggingface import HuggingFaceModel
from mha_viz.models.huggingface.bytes import readable_token
from tests.models import families, tiny

TEXT = "the cat sat on the mat"


@pytest.mark.parametrize("family_name", ["bert masked", "bert pretraining", "albert"])
def test_the_answer_for_a_masked_word_is_that_of_hugging_face(tmp_path, family_name):
    folder = families.save(tmp_path, family_name)
    model = HuggingFaceModel(folder, family_name)
    tokens = model.tokenize("the [MASK] sat on the [MASK]", read_special=True)
    trace = model.run(tokens)
    theirs = transformers.AutoModelForMaskedLM.from_pretrained(folder, local_files_only=True).eval()
    with torch.inference_mode():
        logits = theirs(torch.tensor([tokens.ids])).logits[0].numpy()
    assert trace.answer is not None
    assert trace.answer.kind == "tokens"
    assert trace.answer.positions == tuple(at for at, token in enumerate(tokens.tokens) if token == "[MASK]")
    assert np.abs(trace.answer.logits - logits[list(trace.answer.positions)]).max() <= 1e-4
    assert model.answer_name(int(logits[2].argmax())) in tiny.WORDS
    assert model.run(model.tokenize(TEXT)).answer is None


def test_the_answer_of_a_decoder_is_the_next_token_and_padding_does_not_move_it(family):
    model = family("gpt2")
    tokens = model.tokenize(TEXT)
    answer = model.run(tokens).answer
    padded = model.run(model.pad(tokens, tokens.n_tokens + 3)).answer
    assert answer.positions == padded.positions == (tokens.n_tokens - 1,)
    assert answer.logits.shape == (1, model._network.config.vocab_size)
    assert np.abs(answer.logits - padded.logits).max() <= 1e-4


@pytest.mark.parametrize("family_name", ["bert classes", "distilbert classes"])
def test_the_answer_of_a_classifier_has_its_labels_and_reacts_to_the_controls(family, family_name):
    model = family(family_name)
    tokens = model.tokenize(TEXT)
    answer = model.run(tokens).answer
    assert (answer.kind, answer.positions, answer.logits.shape) == ("classes", (), (1, 3))
    assert [model.answer_name(number) for number in range(3)] == ["bad", "fair", "good"]
    silenced = Controls(silenced=frozenset(HeadId(layer, head) for layer in range(3) for head in range(2)))
    assert np.abs(model.run(tokens, silenced).answer.logits - answer.logits).max() > 1e-4


@pytest.mark.parametrize(
    ("token", "readable"),
    [
        ("Ġthe", "Ġthe"),
        ("the", "the"),
        ("ĠĠĠ", "ĠĠĠ"),
        ("Ġ", "Ġ"),
        ("Ã©", "é"),
        ("ä»Ĭ", "今"),
        ("Ġä»Ĭå¤©", "Ġ今天"),
        ("ä»", "<0xE4><0xBB>"),
        ("Ċ", "\n"),
        ("</s>", "</s>"),
        ("<|endoftext|>", "<|endoftext|>"),
    ],
)
def test_byte_level_tokens_are_readable(token, readable):
    assert readable_token(token) == readable


def test_byte_level_tokens_of_a_sentence_and_the_bytes_of_what_has_no_token(family):
    tokens = family("roberta").tokenize("the cat é")
    assert tokens.tokens == ("<s>", "the", "Ġcat", "Ġ", "<0xC3>", "<0xA9>", "</s>")
    assert not any(tokens.unknown)
    assert tokens.word_ids[:3] == (None, 0, 1)


def test_of_a_pair_the_second_text_is_told_apart_where_the_model_has_no_numbers_for_it(family):
    model = family("roberta")
    tokens = model.tokenize("the cat", "the cat")
    assert tokens.tokens == ("<s>", "the", "Ġcat", "</s>", "</s>", "the", "Ġcat", "</s>")
    assert tokens.segment_ids == (0, 0, 0, 0, 0, 1, 1, 1)
    assert model.run(tokens).checks.passed


def test_a_position_limit_leaves_out_the_positions_that_are_never_used(family):
    model = family("roberta")
    assert model.spec.max_tokens == families.MAX_TOKENS
    longest = model.tokenize("the cat " * 60, cut=True)
    assert longest.n_tokens == families.MAX_TOKENS
    assert model.run(longest).checks.passed


def test_a_tokenizer_without_offsets_works_with_plainer_labels(family):
    model = family("bert plain")
    tokens = model.tokenize("the cats sat", "it was the dog")
    assert tokens.tokens == ("[CLS]", "the", "cat", "##s", "sat", "[SEP]", "it", "was", "the", "dog", "[SEP]")
    assert tokens.segment_ids == (0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1)
    assert tokens.special == tuple(token in ("[CLS]", "[SEP]") for token in tokens.tokens)
    assert not tokens.located
    assert family("bert").tokenize("the cats sat").located
    words = [word for word in tokens.word_ids if word is not None]
    assert words == sorted(set(words))  # each token a word of its own
    assert model.run(tokens).checks.passed
    cut = model.tokenize("the cat " * 80, "it was " * 20, cut=True)
    assert cut.n_tokens == families.MAX_TOKENS
    assert cut.cut_from is not None
    assert cut.cut_from > families.MAX_TOKENS


def test_a_plain_tokenizer_reads_special_tokens_when_asked(family):
    tokens = family("bert plain").tokenize("the [MASK] sat", read_special=True)
    assert tokens.tokens == ("[CLS]", "the", "[MASK]", "sat", "[SEP]")
    assert tokens.special == (True, False, False, False, True)


def test_a_masked_word_is_understood_where_the_model_writes_it_otherwise(family):
    model = family("roberta")
    tokens = model.tokenize("the [MASK] cat", read_special=True)
    assert "<mask>" in tokens.tokens
    answer = model.run(tokens).answer
    assert answer is not None
    assert answer.positions == (tokens.tokens.index("<mask>"),)
    assert "<mask>" not in model.tokenize("the [MASK] cat").tokens
    assert "[MASK]" in model.special_names
