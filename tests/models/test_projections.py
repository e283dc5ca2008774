"""What a layer's projections read, and their matrices, equal what the modules of torch and transformers have and do."""

from __future__ import annotations

import dataclasses
import threading

import numpy as np
import pytest
import torch
import transformers

import mha_viz
from mha_viz.controls import Controls, HeadId
from mha_viz.errors import RecordError
from mha_viz.masks import Causal, LocalWindow
from mha_viz.models.huggingface import HuggingFaceModel
from mha_viz.models.packaged import model_folder
from mha_viz.models.place import Place
from mha_viz.trace import PROJECTION_TOLERANCE, LayerTrace, side_by_side
from tests.models import families

TEXT = "the cat sat on the mat"
#: What query, key and value are called where the architecture is written down in transformers; one name if one module has all.
_BERT = tuple(f"encoder.layer.{{}}.attention.self.{name}" for name in ("query", "key", "value"))
PROJECTIONS = {
    "bert": _BERT,
    "bert masked": _BERT,
    "bert decoder": _BERT,
    "roberta": _BERT,
    "electra": _BERT,
    "distilbert": tuple(f"transformer.layer.{{}}.attention.{name}_lin" for name in "qkv"),
    "albert": tuple(
        f"encoder.albert_layer_groups.0.albert_layers.0.attention.{name}" for name in ("query", "key", "value")
    ),
    "gpt2": ("h.{}.attn.c_attn",),
    "gpt2 bare": ("h.{}.attn.c_attn",),
}
CONTROLS = [
    Controls(),
    Controls(temperature=2.0, mask=Causal(), silenced=frozenset({HeadId(1, 0)})),
    Controls(mask=LocalWindow(0), uniform=frozenset({HeadId(0, 1)})),
]


def assert_follows(inside: LayerTrace, tolerance: float = 1e-5) -> None:
    """The record's x and matrices give its query, key, value and output, in double precision."""
    assert inside.x is not None
    x = inside.x.astype(np.float64)
    for letter, by_head in (("Q", inside.query), ("K", inside.key), ("V", inside.value)):
        expected = side_by_side(by_head)
        bias = getattr(inside, f"b_{letter}")
        got = x @ getattr(inside, f"W_{letter}") + (0.0 if bias is None else bias)
        assert np.abs(got - expected).max() <= tolerance * max(np.abs(expected).max(), 1.0)
    assert inside.W_O is not None
    got = inside.joined.astype(np.float64) @ inside.W_O + (0.0 if inside.b_O is None else inside.b_O)
    assert np.abs(got - inside.output).max() <= tolerance * max(np.abs(inside.output).max(), 1.0)


@pytest.mark.parametrize("controls", CONTROLS, ids=repr)
@pytest.mark.parametrize("name", PROJECTIONS)
def test_x_times_the_matrices_is_what_the_layer_projected(family, name, controls):
    model = family(name)
    tokens = model.tokenize(TEXT)
    for layer in range(model.spec.n_layers):
        assert_follows(model.inspect_layer(tokens, controls, layer))


@pytest.mark.parametrize("name", PROJECTIONS)
def test_x_and_the_matrices_are_those_of_a_model_loaded_anew(tmp_path, name):
    folder = families.save(tmp_path, name)
    ours = HuggingFaceModel(folder, name)
    theirs = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager", local_files_only=True).eval()
    tokens = ours.tokenize(TEXT)
    reads: dict[str, list[np.ndarray]] = {}
    for module_name, module in theirs.named_modules():
        module.register_forward_pre_hook(
            lambda module, given, at=module_name: reads.setdefault(at, []).append(
                given[0][0].numpy() if given and torch.is_tensor(given[0]) else np.empty(0)
            )
        )
    with torch.inference_mode():
        theirs(torch.tensor([tokens.ids]))
    for layer in range(ours.spec.n_layers):
        inside = ours.inspect_layer(tokens, None, layer)
        names = [named.format(layer) for named in PROJECTIONS[name]]
        seen = reads[names[0]]
        assert inside.x is not None
        assert np.abs(inside.x - seen[layer if len(seen) > 1 else 0]).max() <= 1e-5
        weights = [theirs.get_submodule(named).weight.detach().numpy() for named in names]
        biases = np.concatenate([theirs.get_submodule(named).bias.detach().numpy() for named in names])
        matrix = (
            weights[0] if len(names) == 1 else np.concatenate(weights).T
        )  # Conv1D keeps (in, out), Linear (out, in)
        assert np.array_equal(np.concatenate([inside.W_Q, inside.W_K, inside.W_V], axis=1), matrix)
        assert np.array_equal(np.concatenate([inside.b_Q, inside.b_K, inside.b_V]), biases)


@pytest.mark.parametrize("source", ["tiny", pytest.param("minilm", marks=pytest.mark.model)])
def test_a_linear_of_torch_with_these_matrices_projects_the_same(request, source):
    model = request.getfixturevalue("tiny_model" if source == "tiny" else "minilm")
    tokens = model.tokenize("The quick brown fox jumps over the lazy dog")
    for layer in (0, model.spec.n_layers - 1):
        inside = model.inspect_layer(tokens, Controls(mask=Causal()), layer)
        assert_follows(inside)
        for letter in "QKV":
            weight, bias = (torch.tensor(getattr(inside, f"{kind}_{letter}")) for kind in "Wb")
            projected = torch.nn.functional.linear(torch.tensor(inside.x), weight.T, bias).numpy()
            by_head = {"Q": inside.query, "K": inside.key, "V": inside.value}[letter]
            assert np.abs(projected - side_by_side(by_head)).max() <= 1e-5


@pytest.mark.parametrize("weights", ["designed", "random"])
@pytest.mark.parametrize("n_heads", [1, 2, 8, 64])
def test_the_toy_has_its_vectors_and_matrices(n_heads, weights):
    model = mha_viz.open_model("toy", n_heads=n_heads, weights=weights)
    inside = model.inspect_layer(model.tokenize(TEXT), Controls(mask=Causal()), 0)
    assert_follows(inside)
    theirs = torch.nn.MultiheadAttention(64, n_heads, bias=False, batch_first=True)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.tensor(np.concatenate([inside.W_Q, inside.W_K, inside.W_V], axis=1)).T)
        theirs.out_proj.weight.copy_(torch.tensor(inside.W_O).T)
        x = torch.tensor(inside.x)[None]
        hidden = ~torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        output, _ = theirs.eval()(x, x, x, attn_mask=hidden)
    assert np.abs(output[0].numpy() - inside.output).max() <= 1e-5
    assert inside.b_Q is None
    assert inside.b_O is None


def test_a_model_with_turned_queries_has_none(family):
    model = family("llama")
    inside = model.inspect_layer(model.tokenize(TEXT), None, 1)
    for name in ("x", "W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V", "b_O"):
        assert getattr(inside, name) is None


@pytest.mark.parametrize("name", ["bert", "albert", "gpt2"])
def test_no_hook_stays_on_the_shared_network(family, name):
    model = family(name)
    # transformers leaves hooks of its own on a network whose hidden states were asked for, as another test may have done
    before = {
        module: (dict(module._forward_hooks), dict(module._forward_pre_hooks)) for module in model._network.modules()
    }
    model.inspect_layer(model.tokenize(TEXT), None, 0)
    for module in model._network.modules():
        assert (dict(module._forward_hooks), dict(module._forward_pre_hooks)) == before[module]
    twin = dict(model._recorder.twin.named_parameters())
    for parameter, tensor in model._network.named_parameters():
        assert twin[parameter] is tensor


@pytest.mark.parametrize("name", ["bert", "albert", "gpt2"])
def test_threads_that_look_into_different_layers_and_texts_never_mix(family, name):
    model = family(name)
    texts = ["the cat sat", "a dog sat on the mat .", "it was the cat , the dog", "the the the the"]
    asked = [(model.tokenize(text), CONTROLS[at % 3], at % 3) for at, text in enumerate(texts)]
    alone = [model.inspect_layer(*each) for each in asked]
    wrong: list[str] = []
    start = threading.Barrier(len(asked))

    def look(at: int) -> None:
        start.wait()
        for _ in range(20):
            inside = model.inspect_layer(*asked[at])
            names = ("x", "query", "W_Q", "weights", "output")
            wrong.extend(
                f"{at} {name}" for name in names if not np.array_equal(getattr(inside, name), getattr(alone[at], name))
            )

    threads = [threading.Thread(target=look, args=(at,)) for at in range(len(asked))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_matrices_of_a_record_are_its_own(tmp_path):
    model = HuggingFaceModel(families.save(tmp_path, "bert"), "bert")
    inside = model.inspect_layer(model.tokenize(TEXT), None, 0)
    assert inside.W_Q is not None
    kept = inside.W_Q.copy()
    with torch.no_grad():
        model._network.encoder.layer[0].attention.self.query.weight.zero_()
    assert np.array_equal(inside.W_Q, kept)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_follows_within_its_tolerance(tmp_path, dtype):
    model = HuggingFaceModel(families.save(tmp_path, "gpt2"), "gpt2", Place("cpu", dtype))
    inside = model.inspect_layer(model.tokenize(TEXT), None, 1)
    assert inside.dtype == dtype
    assert_follows(inside, PROJECTION_TOLERANCE[dtype])


@pytest.mark.parametrize("name", ["x", "W_Q", "W_K", "W_V", "W_O", "b_K", "b_O"])
def test_an_x_or_a_matrix_that_is_another_one_is_refused(family, name):
    model = family("bert")
    good = model.inspect_layer(model.tokenize(TEXT), None, 0)
    wrong = np.roll(getattr(good, name), 1, axis=0) + 0.1  # LayerNorm's rows sum to 0: adding alone would not show
    with pytest.raises(RecordError, match="differs by"):
        dataclasses.replace(good, **{name: wrong})


@pytest.mark.parametrize("name", ["x", "W_Q", "W_O"])
def test_a_record_with_a_part_of_them_is_refused(family, name):
    model = family("bert")
    good = model.inspect_layer(model.tokenize(TEXT), None, 0)
    with pytest.raises(RecordError, match="has 4 of x, W_Q, W_K, W_V and W_O"):
        dataclasses.replace(good, **{name: None})


@pytest.mark.model
def test_minilm_s_x_in_layer_0_is_what_its_embeddings_give():
    model = HuggingFaceModel(model_folder(), "minilm")
    tokens = model.tokenize(TEXT)
    theirs = transformers.AutoModel.from_pretrained(model_folder(), local_files_only=True).eval()
    with torch.inference_mode():
        expected = theirs.embeddings(torch.tensor([tokens.ids]))[0].numpy()
    inside = model.inspect_layer(tokens, None, 0)
    assert inside.x is not None
    assert np.abs(inside.x - expected).max() <= 1e-5
