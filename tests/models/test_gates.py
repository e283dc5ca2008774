"""Heads silenced, made even or gated act inside every model: as editing its matrices does, and later layers follow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import mha_viz
from mha_viz.controls import Controls, HeadId
from mha_viz.masks import Causal
from mha_viz.models.huggingface import HuggingFaceModel
from tests.models import families
from tests.models.test_conformance import MODELS

TEXT = "the cat sat on the mat. it was a dog, it was the cat!"
#: Architectures whose layers have a W_O of their own.
OWN_W_O = ["bert", "bert masked", "bert classes", "distilbert", "roberta", "electra", "gpt2", "llama"]


@pytest.fixture(params=[pytest.param(name, marks=[pytest.mark.model] if name == "minilm" else []) for name in MODELS])
def model(request):
    return MODELS[request.param](request)


@pytest.fixture
def tokens(model):
    return model.tokenize(TEXT)


def scale_head(network_layer: Any, head: int, d_k: int, factor: float) -> None:
    """Scales what W_O makes of one head: its columns, or rows where the module keeps its matrix the other way."""
    weight, own = network_layer.weight, slice(head * d_k, (head + 1) * d_k)
    with torch.no_grad():
        if isinstance(network_layer, torch.nn.Linear):
            weight[:, own] *= factor
        else:
            weight[own] *= factor


def only(how: str, head: HeadId) -> Controls:
    heads = frozenset({head})
    return Controls(silenced=heads) if how == "silenced" else Controls(uniform=heads)


@pytest.mark.parametrize("how", ["silenced", "uniform"])
def test_what_is_done_to_a_head_reaches_the_output_and_every_later_layer(model, tokens, how):
    plain = model.run(tokens)
    for layer in range(model.spec.n_layers):
        changed = model.run(tokens, only(how, HeadId(layer, 0)))
        assert np.array_equal(changed.weights[:layer], plain.weights[:layer])
        if how == "silenced":
            assert np.array_equal(changed.weights[layer], plain.weights[layer])
        for later in range(layer + 1, model.spec.n_layers):
            assert np.abs(changed.weights[later] - plain.weights[later]).max() > 1e-6
        assert np.abs(changed.output - plain.output).max() > 1e-5


@pytest.mark.parametrize("name", OWN_W_O)
def test_a_silenced_head_equals_zeros_in_w_o(tmp_path, name):
    edited = HuggingFaceModel(families.save(tmp_path, name), name)
    tokens = edited.tokenize(TEXT)
    expected = edited.run(tokens, Controls(silenced=frozenset({HeadId(1, 1)})))
    scale_head(edited._merges[1], 1, edited.spec.d_k, 0.0)
    run = edited.run(tokens)
    assert np.abs(run.weights - expected.weights).max() <= 1e-6
    assert run.output is not None
    assert expected.output is not None
    assert np.abs(run.output - expected.output).max() <= 1e-5


def test_a_silenced_toy_head_equals_zeros_in_w_o():
    toy = mha_viz.open_model("toy", d_model=32, n_heads=4, weights="random")
    tokens = toy.tokenize(TEXT)
    silenced = toy.run(tokens, Controls(silenced=frozenset({HeadId(0, 2)}))).output
    matrix = toy._matrices(0)["W_O"].numpy().copy()  # type: ignore[union-attr]
    joined = np.concatenate([*toy.inspect_layer(tokens, None, 0).head_output], axis=1)
    matrix[16:24] = 0
    assert np.abs(silenced - joined @ matrix).max() <= 1e-5


def test_gates_of_1_change_nothing_and_gates_of_0_silence(model, tokens):
    ones = torch.ones(model.spec.shape, device=model.device)
    controls = Controls(temperature=2.0, mask=Causal())
    plain = model.run(tokens, controls)
    for gates in (None, ones):
        output = model.forward(tokens, controls, gates).output
        assert np.abs(output.detach().numpy() - plain.output).max() <= 1e-6
    gates = ones.clone()
    gates[0, 0] = 0
    silenced = model.run(tokens, Controls(silenced=frozenset({HeadId(0, 0)}))).output
    assert np.abs(model.forward(tokens, None, gates).output.numpy() - silenced).max() <= 1e-6


def test_gradients_flow_into_the_gates_and_into_no_weight(model, tokens):
    gates = torch.ones(model.spec.shape, device=model.device, requires_grad=True)
    model.forward(tokens, None, gates).output.square().mean().backward()
    assert gates.grad is not None
    assert torch.isfinite(gates.grad).all()
    assert (gates.grad != 0).any(dim=1).all()
    network = getattr(model, "_network", None) or model.module
    assert not any(parameter.requires_grad or parameter.grad is not None for parameter in network.parameters())


def test_a_gate_of_a_silenced_head_has_no_gradient(model, tokens):
    gates = torch.ones(model.spec.shape, device=model.device, requires_grad=True)
    silenced = frozenset({HeadId(0, 0)})
    model.forward(tokens, Controls(silenced=silenced), gates).output.square().mean().backward()
    assert gates.grad is not None
    assert gates.grad[0, 0] == 0


def test_controls_of_some_heads_alone_keep_the_gates(model, tokens):
    gates = torch.full(model.spec.shape, 0.5, device=model.device)
    controls = Controls(temperature=3.0, heads=frozenset({0}))
    got = model.forward(tokens, controls, gates).output
    everywhere = Controls(temperature=3.0) if model.spec.n_heads == 1 else None
    if everywhere is not None:
        assert torch.equal(got, model.forward(tokens, everywhere, gates).output)
    assert not torch.equal(got, model.forward(tokens, controls).output)


def test_gates_of_another_shape_are_refused(model, tokens):
    layers, heads = model.spec.shape
    with pytest.raises(mha_viz.RecordError, match="gates"):
        model.forward(tokens, None, torch.ones((layers, heads + 1)))


def test_a_forward_pass_refuses_what_a_run_refuses(model, tokens):
    missing = Controls(silenced=frozenset({HeadId(0, model.spec.n_heads)}))
    with pytest.raises(mha_viz.InputError):
        model.forward(tokens, missing)
    with pytest.raises(mha_viz.InputError):
        model.forward(model.pad(tokens, model.spec.max_tokens + 1))
