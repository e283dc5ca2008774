"""What the controls do inside a BERT equals a Hugging Face eager BERT that was edited by hand to do the same."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np
import pytest
import torch

from mha_viz.controls import Controls, HeadId, heads_without
from mha_viz.errors import ModelError, RecordError
from mha_viz.masks import (
    BlockDiagonal,
    BlockSparse,
    Causal,
    DilatedWindow,
    GlobalTokens,
    HideKey,
    LocalWindow,
    Padding,
    Painted,
    Strided,
    WithinSentence,
    visible_cells,
)
from mha_viz.models.huggingface import HuggingFaceModel
from mha_viz.models.huggingface.kernel import IMPLEMENTATION
from mha_viz.models.packaged import model_folder
from tests.models.conftest import Eager

FOX = "The quick brown fox jumps over the lazy dog"
LOWEST = torch.finfo(torch.float32).min

SOURCES = ["tiny", pytest.param("minilm", marks=pytest.mark.model)]


@pytest.fixture(scope="module", params=SOURCES)
def pair_of_models(request, tiny_folder):
    """Ours and eager's, of the same files."""
    if request.param == "tiny":
        return request.getfixturevalue("tiny_model"), Eager(tiny_folder)
    return request.getfixturevalue("minilm"), Eager(model_folder())


@pytest.fixture
def ours(pair_of_models):
    return pair_of_models[0]


@pytest.fixture
def eager(pair_of_models):
    """A copy, to be edited."""
    return copy.deepcopy(pair_of_models[1])


@pytest.fixture
def tokens(ours):
    return ours.tokenize(FOX)


def rows_of(head: int, d_k: int) -> slice:
    return slice(head * d_k, (head + 1) * d_k)


def attention_of(eager: Eager, layer: int) -> Any:
    """The module with the linear layers query, key and value."""
    return eager.model.encoder.layer[layer].attention.self


def assert_same(trace, reference, tolerance: float = 2e-6) -> None:
    weights, output = reference
    assert np.abs(trace.weights - weights).max() <= tolerance
    assert np.abs(trace.output - output).max() <= 20 * tolerance


def test_silenced_heads_equal_a_model_whose_values_are_zeroed(ours, eager, tokens):
    silenced = {HeadId(0, 0), HeadId(1, 1)}
    with torch.no_grad():
        for layer, head in silenced:
            value = attention_of(eager, layer).value
            value.weight[rows_of(head, ours.spec.d_k)] = 0
            value.bias[rows_of(head, ours.spec.d_k)] = 0
    trace = ours.run(tokens, Controls(silenced=frozenset(silenced)))
    assert_same(trace, eager.run(tokens))


def test_silencing_every_head_of_layer_0_changes_every_later_layer(ours, eager, tokens):
    heads = frozenset(HeadId(0, head) for head in range(ours.spec.n_heads))
    with torch.no_grad():
        attention_of(eager, 0).value.weight.zero_()
        attention_of(eager, 0).value.bias.zero_()
    plain, trace = ours.run(tokens), ours.run(tokens, Controls(silenced=heads))
    assert np.array_equal(trace.weights[0], plain.weights[0])
    for layer in range(1, ours.spec.n_layers):
        assert np.abs(trace.weights[layer] - plain.weights[layer]).max() > 1e-2
    assert_same(trace, eager.run(tokens))


def test_heads_kept_in_every_layer_equal_a_model_whose_other_values_are_zeroed(ours, eager, tokens):
    with torch.no_grad():
        for layer in range(ours.spec.n_layers):
            for head in range(1, ours.spec.n_heads):
                attention_of(eager, layer).value.weight[rows_of(head, ours.spec.d_k)] = 0
                attention_of(eager, layer).value.bias[rows_of(head, ours.spec.d_k)] = 0
    assert_same(ours.run(tokens, Controls(silenced=heads_without(ours.spec, [0]))), eager.run(tokens))


def test_uniform_heads_equal_a_model_whose_queries_are_zeroed(ours, eager, tokens):
    head = HeadId(0, 1)
    with torch.no_grad():
        attention_of(eager, 0).query.weight[rows_of(1, ours.spec.d_k)] = 0
        attention_of(eager, 0).query.bias[rows_of(1, ours.spec.d_k)] = 0
    assert_same(ours.run(tokens, Controls(uniform=frozenset({head}))), eager.run(tokens))


@pytest.mark.parametrize("temperature", [0.5, 2.0])
def test_temperature_equals_a_model_whose_queries_are_divided_by_it(ours, eager, tokens, temperature):
    with torch.no_grad():
        for layer in range(ours.spec.n_layers):
            attention_of(eager, layer).query.weight /= temperature
            attention_of(eager, layer).query.bias /= temperature
    assert_same(ours.run(tokens, Controls(temperature=temperature)), eager.run(tokens), 1e-5)


@pytest.mark.parametrize("temperature", [0.5, 2.0])
def test_temperature_in_one_head_equals_a_model_whose_query_of_that_head_is_divided_by_it(
    ours, eager, tokens, temperature
):
    with torch.no_grad():
        for layer in (0, 2):
            query = attention_of(eager, layer).query
            query.weight[rows_of(1, ours.spec.d_k)] /= temperature
            query.bias[rows_of(1, ours.spec.d_k)] /= temperature
    controls = Controls(temperature=temperature, layers=frozenset({0, 2}), heads=frozenset({1}))
    assert_same(ours.run(tokens, controls), eager.run(tokens), 1e-5)


#: Each leaves a key to every query, also in a sentence of a few tokens.
MASKS = [
    Causal(),
    LocalWindow(1),
    LocalWindow(0),
    Padding(3),
    Causal() & LocalWindow(2) & Padding(1),
    DilatedWindow(1, 3),
    Strided(2),
    GlobalTokens(1),
    BlockDiagonal(4),
    BlockSparse(2, 0, 1, 1, seed=4),
    WithinSentence(),
    HideKey(2),
    ~HideKey(0) | Causal(),
    ~LocalWindow(1) | BlockDiagonal(2),
    Painted.of(np.tri(4, k=-1, dtype=bool)),
]


@pytest.mark.parametrize("mask", MASKS, ids=repr)
def test_a_mask_equals_eager_with_an_additive_mask(ours, eager, tokens, mask):
    trace = ours.run(tokens, Controls(mask=mask))
    assert not trace.no_key.any()  # such a row is eager's to make up
    additive = torch.where(torch.tensor(mask.visible(tokens)), 0.0, LOWEST)
    assert_same(trace, eager.run(tokens, additive))


def test_a_causal_mask_hides_the_future_in_every_layer_and_changes_later_layers(ours, tokens):
    plain, causal = ours.run(tokens).weights, ours.run(tokens, Controls(mask=Causal())).weights
    assert (np.triu(causal, 1) == 0.0).all()
    n = tokens.n_tokens
    again = plain / np.where(np.tri(n), plain, 0).sum(axis=-1, keepdims=True) * np.tri(n)
    assert np.abs(causal[0] - again[0]).max() < 1e-5  # the first layer reads the same tokens
    for layer in range(1, ours.spec.n_layers):  # the others read what a masked layer wrote
        assert np.abs(causal[layer] - again[layer]).max() > 1e-3


def test_controls_in_one_layer_leave_the_layers_below_as_they_were(ours, tokens):
    last = ours.spec.n_layers - 1
    plain = ours.run(tokens)
    trace = ours.run(tokens, Controls(temperature=3.0, mask=Causal(), layers=frozenset({last})))
    assert np.array_equal(trace.weights[:last], plain.weights[:last])
    assert (np.triu(trace.weights[last], 1) == 0.0).all()
    assert trace.visible[:last].all()
    assert not trace.visible[last].all()


def test_padding_and_a_mask_equal_eager_with_both_in_one_additive_mask(ours, eager, tokens):
    padded = ours.pad(tokens, tokens.n_tokens + 4)
    mask = LocalWindow(6)
    additive = torch.where(torch.tensor(visible_cells(padded, mask)), 0.0, LOWEST)
    assert_same(ours.run(padded, Controls(mask=mask)), eager.run(padded, additive))


def test_without_the_registered_mask_function_padding_is_not_hidden_and_the_run_is_refused(ours, tokens, monkeypatch):
    from transformers import AttentionMaskInterface

    padded = ours.pad(tokens, tokens.n_tokens + 4)
    assert (ours.run(padded).weights[..., tokens.n_tokens :] == 0.0).all()
    monkeypatch.delitem(AttentionMaskInterface._global_mapping, IMPLEMENTATION)
    with pytest.raises(RecordError, match="hidden cells"):
        ours.run(padded)


@pytest.mark.parametrize("layer", [0, -1])
def test_the_inside_of_a_layer_equals_what_eagers_own_modules_give(ours, eager, tokens, layer):
    layer %= ours.spec.n_layers
    seen: dict[str, np.ndarray] = {}

    def keep(name):
        return lambda module, given, result: seen.update(
            {name: result[0].numpy(), f"{name} reads": given[0][0].numpy()}
        )

    block = eager.model.encoder.layer[layer].attention
    for name in ("query", "key", "value"):
        getattr(block.self, name).register_forward_hook(keep(name))
    block.output.dense.register_forward_hook(keep("dense"))
    eager.run(tokens)
    inside = ours.inspect_layer(tokens, Controls(), layer)

    def by_head(joined):
        return joined.reshape(tokens.n_tokens, ours.spec.n_heads, ours.spec.d_k).transpose(1, 0, 2)

    for name in ("query", "key", "value"):
        assert np.abs(getattr(inside, name) - by_head(seen[name])).max() <= 1e-5
    assert np.abs(inside.head_output - by_head(seen["dense reads"])).max() <= 1e-5
    assert np.abs(inside.output - seen["dense"]).max() <= 1e-5


def test_a_model_in_training_mode_is_refused(tiny_folder):
    model = HuggingFaceModel(tiny_folder, "tiny")
    model._network.train()
    with pytest.raises(RecordError, match="mode train"):
        model.run(model.tokenize("the cat sat"))


@pytest.mark.parametrize("claimed", [2, 4])
def test_a_model_that_does_not_send_every_layer_through_the_kernel_is_refused(tiny_folder, claimed):
    model = HuggingFaceModel(tiny_folder, "tiny")
    model.spec = dataclasses.replace(model.spec, n_layers=claimed)
    with pytest.raises(ModelError) as caught:
        model.run(model.tokenize("the cat sat"))
    assert "3 attention layers" in str(caught.value)
    assert f"should have been {claimed}" in str(caught.value)
