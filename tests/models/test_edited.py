"""Tokens edited and run again, on every source: what stands where, and that the model reads it."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from mha_viz.edits import DropToken, Edits, MaskToken, PutWord, SwapTokens
from mha_viz.errors import InputError
from mha_viz.tokens import TokenSequence
from tests.models.test_conformance import MODELS

TEXT = "the cat sat on the mat"
NAMES = [*MODELS, "bert plain", "bert masked"]


@pytest.fixture(params=[pytest.param(name, marks=[pytest.mark.model] if name == "minilm" else []) for name in NAMES])
def model(request):
    if request.param not in MODELS:
        return request.getfixturevalue("family")(request.param)
    return MODELS[request.param](request)


@pytest.fixture
def tokens(model) -> TokenSequence:
    return model.tokenize(TEXT)


def plain_places(tokens: TokenSequence) -> list[int]:
    return [at for at, special in enumerate(tokens.special) if not special]


def same_read(one: TokenSequence, other: TokenSequence) -> bool:
    """What the model reads is the same, and what is told of it; the sentence as typed may be another."""
    names = ("tokens", "ids", "segment_ids", "special", "unknown", "word_ids", "padding")
    return all(getattr(one, name) == getattr(other, name) for name in names)


def test_no_edits_change_nothing(model, tokens):
    assert model.edited(tokens, Edits()) == tokens


def test_a_masked_token_is_the_models_own_mask_token_or_refused(model, tokens):
    at = plain_places(tokens)[1]
    edits = Edits((MaskToken(at),))
    if model.mask_token is None:
        with pytest.raises(InputError, match=f"{model.spec.name} has no mask token"):
            model.edited(tokens, edits)
        return
    masked = model.edited(tokens, edits)
    assert (masked.tokens[at], masked.ids[at]) == model.mask_token
    assert masked.ids[at] == model._tokenizer._tokenizer.mask_token_id
    assert masked.ids[:at] + masked.ids[at + 1 :] == tokens.ids[:at] + tokens.ids[at + 1 :]
    assert np.abs(model.run(masked).output - model.run(tokens).output).max() > 1e-4


def test_swapped_tokens_are_read_in_the_other_order(model, tokens):
    first, second = plain_places(tokens)[1:3]
    swapped = model.edited(tokens, Edits((SwapTokens(first, second),)))
    ids = list(tokens.ids)
    ids[first], ids[second] = ids[second], ids[first]
    assert swapped.ids == tuple(ids)
    assert swapped.word_ids == tokens.word_ids
    assert model.run(swapped).checks.passed
    assert model.edited(swapped, Edits((SwapTokens(first, second),))) == tokens


def test_a_dropped_token_is_gone_and_the_model_runs(model, tokens):
    at = plain_places(tokens)[0]
    dropped = model.edited(tokens, Edits((DropToken(at),)))
    assert dropped.ids == tokens.ids[:at] + tokens.ids[at + 1 :]
    words = [word for word in dropped.word_ids if word is not None]
    assert sorted(set(words)) == list(range(words[0], words[0] + len(set(words))))
    assert words[0] == next(word for word in tokens.word_ids if word is not None)
    assert model.run(dropped).weights.shape[-1] == tokens.n_tokens - 1


@pytest.mark.parametrize("word", ["mat", "sat", "The", "playing", "dog"])
def test_a_word_in_place_of_another_reads_as_if_it_had_been_typed(model, word):
    tokens = model.tokenize("the cat sat on the mat")
    places = [at for at in plain_places(tokens) if tokens.tokens[at].strip("Ġ") == "cat"]
    put = model.edited(tokens, Edits((PutWord(places[0], word),)))
    typed = model.tokenize(f"the {word} sat on the mat")
    assert put.ids == typed.ids
    assert put.tokens == typed.tokens
    assert put.segment_ids == typed.segment_ids
    assert put.special == typed.special
    assert put.unknown == typed.unknown
    if tokens.located and typed.n_tokens == tokens.n_tokens:
        assert same_read(put, typed)
    assert np.array_equal(model.run(put).weights, model.run(typed).weights)


def test_put_at_the_start_carries_no_space(family):
    for name in ("gpt2", "roberta"):
        model = family(name)
        tokens = model.tokenize("the cat sat")
        at = plain_places(tokens)[0]
        put = model.edited(tokens, Edits((PutWord(at, "cat"),)))
        assert put.tokens[at] == "cat"
        if model.mask_token is not None:
            place = plain_places(tokens)[1]
            masked = model.edited(tokens, Edits((MaskToken(place), PutWord(place, "cat"))))
            assert masked.tokens[place] == "Ġcat"


def test_a_piece_as_the_model_writes_it_is_that_piece(family, tiny_model):
    tokens = tiny_model.tokenize("the play sat")
    put = tiny_model.edited(tokens, Edits((PutWord(3, "##ing"),)))
    assert put.tokens == ("[CLS]", "the", "play", "##ing", "[SEP]")
    assert put.ids == tiny_model.tokenize("the playing").ids
    unknown = tiny_model.edited(tokens, Edits((PutWord(3, "##zzz"),)))
    assert "##zzz" not in unknown.tokens
    gpt2 = family("gpt2")
    read = gpt2.tokenize("the cat sat")
    assert gpt2.edited(read, Edits((PutWord(0, "Ġcat"),))).tokens[0] == "Ġcat"


def test_a_special_token_typed_as_a_word_stays_text(tiny_model):
    tokens = tiny_model.tokenize("the cat sat")
    put = tiny_model.edited(tokens, Edits((PutWord(2, "[SEP]"),)))
    assert not any(put.special[2:-1])
    assert put.tokens.count("[SEP]") == 1


def test_special_tokens_stay_and_missing_ones_are_told(model, tokens):
    with pytest.raises(InputError, match=f"positions go from 0 to {tokens.n_tokens - 1}"):
        model.edited(tokens, Edits((DropToken(tokens.n_tokens),)))
    for at, special in enumerate(tokens.special):
        if special:
            with pytest.raises(InputError, match="must stay"):
                model.edited(tokens, Edits((DropToken(at),)))
    padded = model.pad(tokens, tokens.n_tokens + 1)
    with pytest.raises(InputError, match="must stay"):
        model.edited(padded, Edits((DropToken(tokens.n_tokens),)))
    first = plain_places(tokens)[0]
    assert model.edited(padded, Edits((DropToken(first),))).padding[-1]


def test_the_second_sentence_keeps_its_segment(model):
    tokens = model.tokenize("the cat sat", "it was a dog")
    at = len(tokens.tokens) - 1 - [*reversed(tokens.special)].index(False)
    put = model.edited(tokens, Edits((PutWord(at, "playing mat"),)))
    assert put.segment_ids[at] == tokens.segment_ids[at]
    assert put.segment_ids[: at + 1] == tokens.segment_ids[: at + 1]
    assert set(put.segment_ids[at:]) == {put.segment_ids[at]}
    assert len({put.word_ids[place] for place in range(at, at + put.n_tokens - tokens.n_tokens + 1)}) == 1


@pytest.mark.model
def test_minilm_reads_a_masked_sentence_as_hugging_face_does(minilm, eager_minilm):
    tokens = minilm.tokenize("The cat sat on the mat.")
    masked = minilm.edited(tokens, Edits((MaskToken(2),)))
    assert masked.tokens[2] == "[MASK]"
    assert masked.ids[2] == 103  # of BERT's uncased vocabulary
    ids = torch.tensor([[101, 1996, 103, 2938, 2006, 1996, 13523, 1012, 102]])
    assert masked.ids == tuple(ids[0].tolist())
    with torch.inference_mode():
        expected = eager_minilm.model(ids).last_hidden_state[0].numpy()
    assert np.abs(minilm.run(masked).output - expected).max() <= 1e-4
