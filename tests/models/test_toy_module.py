"""The toy is a real multi-head attention module, and its options say truly what it is."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import mha_viz
from mha_viz.models.probe import Probe
from mha_viz.models.toy.layout import token_vectors, vector_length
from mha_viz.models.toy.model import ToyModel
from mha_viz.models.toy.options import ToyOptions
from mha_viz.spec import divisors

TEXT = "the quick brown fox jumps over the lazy dog and the cat"


def opened(**options) -> ToyModel:
    model = mha_viz.open_model("toy", **options)
    assert isinstance(model, ToyModel)
    return model


@pytest.mark.parametrize("weights", ["designed", "random"])
@pytest.mark.parametrize(("d_model", "n_heads"), [(16, 1), (64, 4), (96, 12), (64, 64)])
@pytest.mark.parametrize("causal", [False, True])
def test_it_equals_torch_multihead_attention_with_the_same_matrices(weights, d_model, n_heads, causal):
    model = opened(d_model=d_model, n_heads=n_heads, weights=weights, seed=3)
    tokens = model.tokenize(TEXT)
    module = model.module
    reference = torch.nn.MultiheadAttention(d_model, n_heads, bias=False, batch_first=True).eval()
    hidden = torch.ones(tokens.n_tokens, tokens.n_tokens, dtype=torch.bool).triu(1) if causal else None
    with torch.no_grad():
        reference.in_proj_weight.copy_(torch.cat([module.W_Q.weight, module.W_K.weight, module.W_V.weight]))
        reference.out_proj.weight.copy_(module.W_O.weight)
        x = torch.tensor(token_vectors(tokens, d_model, seed=3), dtype=torch.float32)[None]
        y, attention = reference(x, x, x, attn_mask=hidden, average_attn_weights=False)
    trace = model.run(tokens, mha_viz.Controls(mask=mha_viz.Causal() if causal else None))
    # Scores of a few thousand, as the designed head for equal words has them, are exact to 1e-7 of themselves.
    tolerance = 2e-6 if weights == "random" else 2e-3
    heads = [head for head in range(n_heads) if weights == "random" or head != 4]
    assert np.abs(trace.weights[0] - attention[0].numpy())[heads].max() <= 2e-6
    assert np.abs(trace.weights[0] - attention[0].numpy()).max() <= tolerance
    assert np.abs(trace.output - y[0].numpy()).max() <= tolerance * 10


def test_the_module_takes_a_batch_of_one_and_returns_the_same_shape():
    model = opened(d_model=32, n_heads=4)
    tokens = model.tokenize("one two three")
    probe = Probe(model.spec, tokens, mha_viz.Controls(), model.device, model.dtype)
    with torch.inference_mode():
        y = model.module(torch.zeros(1, 3, 32, device=model.device), probe)
    assert y.shape == (1, 3, 32)


@pytest.mark.parametrize("d_model", [16, 60, 512])
def test_the_parameter_count_does_not_depend_on_the_heads_and_is_that_of_the_module(d_model):
    counts = set()
    for n_heads in divisors(d_model):
        options = ToyOptions(d_model=d_model, n_heads=n_heads)
        counts.add(options.n_parameters)
        if n_heads in (1, d_model):
            module = ToyModel(options).module
            assert sum(parameter.numel() for parameter in module.parameters()) == options.n_parameters
    assert counts == {4 * d_model**2}


def test_the_module_has_the_papers_four_matrices_and_no_bias():
    module = opened().module
    assert [name for name, _ in module.named_parameters()] == ["W_Q.weight", "W_K.weight", "W_V.weight", "W_O.weight"]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("d_model", "n_heads"), [(16, 2), (64, 1), (64, 8), (128, 16), (512, 8)])
def test_random_weights_give_scaled_scores_a_standard_deviation_near_1(d_model, n_heads, seed):
    model = opened(d_model=d_model, n_heads=n_heads, weights="random", seed=seed)
    text = " ".join(f"word{i}" for i in range(40))
    scores = model.inspect_layer(model.tokenize(text), None, 0).scores / np.sqrt(d_model // n_heads)
    assert 0.7 < scores.std() < 1.3


def test_random_weights_look_at_something():
    model = opened(weights="random")
    weights = model.run(model.tokenize(TEXT)).weights
    assert weights.max() > 0.5
    assert weights.min() < 0.01


@pytest.mark.parametrize("weights", ["designed", "random"])
def test_the_same_seed_gives_the_same_weights_and_another_seed_others(weights):
    def run(seed):
        model = opened(seed=seed, weights=weights)
        return model.run(model.tokenize(TEXT))

    assert np.array_equal(run(5).weights, run(5).weights)
    assert np.array_equal(run(5).output, run(5).output)
    assert not np.array_equal(run(5).output, run(6).output)


def test_equal_words_have_equal_word_columns_and_all_vectors_one_length():
    tokens = opened().tokenize("The cat and the dog")
    vectors = token_vectors(tokens, 64, seed=1)
    assert np.array_equal(vectors[0, 9:], vectors[3, 9:])
    assert not np.array_equal(vectors[0, :9], vectors[3, :9])
    assert not np.array_equal(vectors[1, 9:], vectors[4, 9:])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([vector_length(64)] * 5)


def test_one_head_is_plain_attention_with_d_k_equal_to_d_model():
    model = opened(d_model=16, n_heads=1, weights="random")
    tokens = model.tokenize("a b c")
    x = token_vectors(tokens, 16, seed=0)
    module = model.module
    linears = (module.W_Q, module.W_K, module.W_V, module.W_O)
    W_Q, W_K, W_V, W_O = (linear.weight.double().cpu().numpy() for linear in linears)
    scores = (x @ W_Q.T) @ (x @ W_K.T).T / 4.0
    odds = np.exp(scores)
    weights = odds / odds.sum(axis=-1, keepdims=True)
    trace = model.run(tokens)
    assert np.abs(trace.weights[0, 0] - weights).max() < 2e-6
    assert np.abs(trace.output - weights @ (x @ W_V.T) @ W_O.T).max() < 1e-5


def test_without_positions_equal_words_cannot_be_told_apart_but_with_them_they_can():
    model = opened(n_heads=4, weights="random")
    weights = model.run(model.tokenize("the the the the")).weights[0]
    assert weights.shape == (4, 4, 4)
    for head in weights:
        assert len({tuple(np.round(row, 6)) for row in head}) == 4
    designed = mha_viz.open_model("toy", n_heads=4)
    weights = designed.run(designed.tokenize("the the the the")).weights[0]
    assert weights[0].argmax(axis=-1)[1:].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"d_model": 15}, ["15", "16", "512"]),
        ({"d_model": 513, "n_heads": 1}, ["513", "16", "512"]),
        ({"d_model": 64, "n_heads": 5}, ["5 heads", "64", "1, 2, 4, 8, 16, 32, 64"]),
        ({"n_heads": 0}, ["n_heads", "0"]),
        ({"seed": -1}, ["-1", "0"]),
        ({"weights": "learned"}, ["learned", "designed", "random"]),
    ],
)
def test_options_that_are_not_possible_are_refused_with_what_is(options, parts):
    with pytest.raises(mha_viz.InputError) as caught:
        mha_viz.open_model("toy", **options)
    assert all(part in str(caught.value) for part in parts)


def test_d_model_64_splits_into_1_2_4_8_16_and_64_heads():
    for n_heads in (1, 2, 4, 8, 16, 64):
        model = opened(d_model=64, n_heads=n_heads)
        layer = model.inspect_layer(model.tokenize("a b c"), None, 0)
        assert layer.query.shape == (n_heads, 3, 64 // n_heads)
        assert model.spec.d_k == 64 // n_heads
