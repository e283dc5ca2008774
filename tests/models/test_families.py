"""Every architecture: its sizes, its own mask, W_O, its output layer, its tokens; and those that must be refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
import transformers

import mha_viz
from mha_viz.controls import Controls
from mha_viz.masks import Causal, HideKey, LocalWindow, Padding
from mha_viz.models.hub import architecture
from mha_viz.models.hub.architecture import OWN_ATTENTION
from mha_viz.models.huggingface import HuggingFaceModel
from tests.models import families

TEXT = "the cat sat on the mat"
#: What W_O is called where the architecture is written down in transformers.
W_O = {
    "bert": "encoder.layer.{}.attention.output.dense",
    "bert masked": "encoder.layer.{}.attention.output.dense",
    "distilbert": "transformer.layer.{}.attention.out_lin",
    "roberta": "encoder.layer.{}.attention.output.dense",
    "electra": "encoder.layer.{}.attention.output.dense",
    "albert": "encoder.albert_layer_groups.0.albert_layers.0.attention.dense",
    "gpt2": "h.{}.attn.c_proj",
    "llama": "layers.{}.self_attn.o_proj",
}


@pytest.fixture(params=families.FAMILIES)
def name(request) -> str:
    return request.param


def test_a_run_equals_hugging_face_loaded_anew_and_run_in_eager(tmp_path, name):
    folder = families.save(tmp_path, name)
    ours = HuggingFaceModel(folder, name)
    theirs = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager", local_files_only=True).eval()
    tokens = ours.tokenize(TEXT)
    assert (ours.spec.n_layers, ours.spec.n_heads, ours.spec.d_model) == (3, 2, 16)
    with torch.inference_mode():
        expected = theirs(torch.tensor([tokens.ids]), output_attentions=True)
    trace = ours.run(tokens)
    assert np.abs(trace.weights - torch.stack(expected.attentions)[:, 0].numpy()).max() <= 1e-6
    assert np.abs(trace.output - expected.last_hidden_state[0].numpy()).max() <= 1e-5


@pytest.mark.parametrize("mask", [None, LocalWindow(2), Padding(2), HideKey(3)], ids=repr)
def test_the_agreement_with_eager_holds_with_a_mask_and_is_measured(family, name, mask):
    model = family(name)
    agreement = model.agreement(model.tokenize(TEXT), Controls(mask=mask))
    assert agreement.passed
    assert agreement.weights <= 1e-6
    assert agreement.masked == (mask is not None)


def test_the_agreement_says_where_the_difference_is(tmp_path):
    model = HuggingFaceModel(families.save(tmp_path, "bert"), "bert")
    tokens = model.tokenize(TEXT)
    model.agreement(tokens)  # the twin is made and shares the weights
    with torch.no_grad():  # rows of head 1 of the query in layer 2, in the twin alone
        query = model._twin.base_model.encoder.layer[2].attention.self.query
        query.weight = torch.nn.Parameter(query.weight.clone())
        query.weight[8:] *= 0.9
    agreement = model.agreement(tokens)
    assert not agreement.passed
    assert (agreement.layer, agreement.head) == (2, 1)
    assert agreement.weights > 1e-4


def test_a_mask_that_leaves_a_row_without_a_key_is_left_out_of_the_agreement(family):
    model = family("bert")
    controls = Controls(mask=Padding(400))
    assert not model.agreement(model.tokenize(TEXT), controls).masked
    warm = Controls(temperature=2.0, mask=Causal())
    assert not model.agreement(model.tokenize(TEXT), warm).masked


@pytest.mark.parametrize("decoder", ["gpt2", "gpt2 bare", "bert decoder", "llama"])
def test_a_decoder_s_own_mask_is_shown_as_its_own(family, decoder):
    model = family(decoder)
    tokens = model.tokenize(TEXT)
    assert model.spec.causal
    trace = model.run(tokens)
    triangle = np.tri(tokens.n_tokens, dtype=bool)
    assert (trace.visible == triangle).all()
    assert (trace.weights[..., ~triangle] == 0).all()
    n_hidden = int((~triangle).sum())
    assert trace.checks.hidden_cells == model.spec.n_layers * model.spec.n_heads * n_hidden
    window = model.run(tokens, Controls(mask=LocalWindow(1)))
    assert (window.visible == (triangle & LocalWindow(1).visible(tokens))).all()
    ahead = model.run(tokens, Controls(mask=~Causal()))
    assert ahead.no_key.all()


def test_causal_on_a_decoder_changes_nothing(family):
    model = family("gpt2")
    tokens = model.tokenize(TEXT)
    assert np.array_equal(model.run(tokens, Controls(mask=Causal())).weights, model.run(tokens).weights)


@pytest.mark.parametrize("family_name", W_O)
def test_w_o_is_found_whatever_it_is_called(family, family_name):
    model = family(family_name)
    for layer, found in enumerate(model._merges):
        assert found is model._network.base_model.get_submodule(W_O[family_name].format(layer))


def test_what_w_o_gives_is_what_the_layer_hands_on(family):
    model = family("gpt2")
    tokens = model.tokenize(TEXT)
    seen: dict[str, torch.Tensor] = {}
    hook = model._network.base_model.h[1].attn.register_forward_hook(
        lambda module, given, output: seen.update(output=output[0][0])
    )
    model.run(tokens)
    hook.remove()
    assert np.abs(model.inspect_layer(tokens, None, 1).output - seen["output"].numpy()).max() <= 1e-6


@pytest.mark.parametrize("unfit", ["mpnet", "deberta"])
def test_a_model_that_ignores_the_attention_interface_is_refused_by_its_config(tmp_path, unfit):
    folder = families.save(tmp_path, unfit)
    (folder / "model.safetensors").unlink()
    with pytest.raises(mha_viz.ModelError, match="computes its attention in a way of its own"):
        HuggingFaceModel(folder, unfit)


def test_the_architectures_refused_are_those_that_transformers_gives_no_attention_function():
    from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

    for model_type in OWN_ATTENTION:
        names = MODEL_MAPPING_NAMES[model_type]
        kind = getattr(transformers, names if isinstance(names, str) else names[0])
        assert not kind._supports_attention_backend, model_type
        assert not kind._supports_sdpa, model_type


@pytest.mark.parametrize("unfit", ["mpnet", "deberta"])
def test_a_model_that_ignores_the_attention_interface_is_found_out_whatever_its_name(tmp_path, monkeypatch, unfit):
    monkeypatch.setattr("mha_viz.models.hub.architecture.OWN_ATTENTION", frozenset())
    with pytest.raises(mha_viz.ModelError, match="0 attention layers through the kernel; it should have been 3"):
        HuggingFaceModel(families.save(tmp_path, unfit), unfit)


def changed_config(folder, **entries) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | entries))


def test_a_model_whose_config_says_another_mask_is_refused(tmp_path, monkeypatch):
    folder = families.save(tmp_path, "llama")
    changed_config(folder, architectures=["LlamaModel"], model_type="llama")
    assert HuggingFaceModel(folder, "llama").spec.causal
    windowed = families.save(tmp_path / "windowed", "qwen window")
    for refuses in (architecture._hides_far_tokens, lambda config: False):  # by its config, and by the proof
        monkeypatch.setattr(architecture, "_hides_far_tokens", refuses)
        with pytest.raises(mha_viz.ModelError, match="hides tokens by a rule of its own"):
            HuggingFaceModel(windowed, "qwen window")


def test_weights_that_are_missing_are_refused_and_not_made_up(tmp_path):
    from safetensors.torch import load_file, save_file

    folder = families.save(tmp_path, "bert")
    weights = load_file(folder / "model.safetensors")
    del weights["encoder.layer.1.attention.self.query.weight"]
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(mha_viz.ModelError, match=r"lacks 1 of the weights.*layer\.1\.attention\.self\.query"):
        HuggingFaceModel(folder, "bert")


def test_an_output_layer_without_weights_is_left_out(tmp_path):
    folder = families.save(tmp_path, "bert")
    changed_config(folder, architectures=["BertForMaskedLM"])
    model = HuggingFaceModel(folder, "bert")
    trace = model.run(model.tokenize("the [MASK] sat", read_special=True))
    assert trace.answer is None
    with pytest.raises(mha_viz.ModelError, match="no output layer"):
        model.answer_name(0)


def test_a_truncated_file_is_refused(tmp_path):
    folder = families.save(tmp_path, "bert")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1000])
    with pytest.raises(mha_viz.ModelError, match="cannot be read"):
        HuggingFaceModel(folder, "bert")


def test_pickled_weights_are_never_read(tmp_path):
    folder = families.save(tmp_path, "bert")
    weights = folder / "model.safetensors"
    torch.save({"pickled": torch.ones(1)}, folder / "pytorch_model.bin")
    weights.unlink()
    with pytest.raises(mha_viz.ModelError, match="cannot be read"):
        HuggingFaceModel(folder, "bert")


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ({"auto_map": {"AutoModel": "code.Model"}}, "program code of its own"),
        ({"is_encoder_decoder": True}, "an encoder with a decoder"),
        ({"num_attention_heads": 3}, "3 heads cannot share d_model = 16"),
        ({"num_attention_heads": None}, "no attention heads"),
        ({"model_type": None}, "no attention heads"),
        ({"num_hidden_layers": 1000}, "n_layers = 1,000; at most 128"),
        ({"hidden_size": 1_000_000}, "d_model = 1,000,000; at most 16,384"),
        ({"vocab_size": 2_000_000}, "vocab_size = 2,000,000"),
        ({"head_dim": 4}, "2 heads of width 4"),
        ({"num_hidden_layers": 0}, "n_layers is 0"),
    ],
)
def test_a_config_that_cannot_be_shown_is_refused_before_any_weight_is_read(tmp_path, entries, says):
    folder = families.save(tmp_path, "bert")
    changed_config(folder, **entries)
    (folder / "model.safetensors").unlink()
    with pytest.raises(mha_viz.ModelError) as caught:
        HuggingFaceModel(folder, "bert")
    assert says in str(caught.value)


@pytest.mark.parametrize("content", ["", "[]", "{", "\x00"])
def test_a_config_that_is_none_is_refused(tmp_path, content):
    (tmp_path / "config.json").write_text(content)
    with pytest.raises(mha_viz.ModelError, match="no readable config"):
        HuggingFaceModel(tmp_path, "bert")


def test_a_tokenizer_with_words_beyond_the_weights_is_told_so(tmp_path):
    folder = families.save(tmp_path, "bert")
    file = folder / "tokenizer.json"
    content = json.loads(file.read_text())
    content["model"]["vocab"]["zebra"] = 999
    file.write_text(json.dumps(content))
    model = HuggingFaceModel(folder, "bert")
    assert model.run(model.tokenize("the cat")).checks.passed
    with pytest.raises(mha_viz.ModelError, match="token number 999, and its weights end at 19"):
        model.run(model.tokenize("the zebra"))


def test_of_sizes_that_disagree_only_the_fact_is_told(tmp_path):
    folder = families.save(tmp_path, "bert")
    changed_config(folder, vocab_size=30)
    with pytest.raises(mha_viz.ModelError) as caught:
        HuggingFaceModel(folder, "bert")
    assert "ignore_mismatched_sizes" not in str(caught.value)
    assert "choose another model" in str(caught.value)
