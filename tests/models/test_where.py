"""Controls that act in some layers and heads change those exactly as everywhere, and leave all others exactly alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mha_viz
from mha_viz.controls import Controls, HeadId
from mha_viz.errors import InputError
from mha_viz.masks import BlockDiagonal, Causal, HideQuery, Padding
from mha_viz.models.base import AttentionModel

TEXT = "the cat sat on the mat. it was a dog, it was the cat!"
MODELS = {
    "toy": lambda _: mha_viz.open_model("toy"),
    "toy random": lambda _: mha_viz.open_model("toy", weights="random", d_model=32, n_heads=4),
    "tiny": lambda request: request.getfixturevalue("tiny_model"),
    "minilm": lambda request: request.getfixturevalue("minilm"),
}

#: What changes inside the heads that are named.
CHANGES = {
    "cold": {"temperature": 0.0},
    "warm": {"temperature": 3.0},
    "even": {"temperature": math.inf},
    "causal": {"mask": Causal()},
    "rows without a key": {"mask": BlockDiagonal(3) & Padding(4)},
    "both": {"temperature": 0.5, "mask": HideQuery(2) & Causal()},
}


@pytest.fixture(params=[pytest.param(name, marks=[pytest.mark.model] if name == "minilm" else []) for name in MODELS])
def model(request) -> AttentionModel:
    return MODELS[request.param](request)


@pytest.fixture
def tokens(model):
    return model.tokenize(TEXT)


@pytest.fixture(params=CHANGES.values(), ids=list(CHANGES))
def change(request):
    return request.param


def test_only_the_named_heads_of_the_named_layer_differ_and_they_are_as_if_all_were_named(model, tokens, change):
    plain = model.run(tokens)
    last, heads = model.spec.n_layers - 1, [0, model.spec.n_heads - 1]
    others = [head for head in range(model.spec.n_heads) if head not in heads]
    some = model.run(tokens, Controls(**change, layers=frozenset({last}), heads=frozenset(heads)))
    every = model.run(tokens, Controls(**change, layers=frozenset({last})))
    assert np.array_equal(some.weights[:last], plain.weights[:last])
    assert np.array_equal(some.weights[last, others], plain.weights[last, others])
    assert np.array_equal(some.weights[last, heads], every.weights[last, heads])
    for head in heads:
        assert np.abs(some.weights[last, head] - plain.weights[last, head]).max() > 1e-4


def test_what_the_other_heads_hand_over_is_exactly_what_it_was(model, tokens, change):
    heads = frozenset({0})
    plain = model.inspect_layer(tokens, None, 0)
    some = model.inspect_layer(tokens, Controls(**change, layers=frozenset({0}), heads=heads), 0)
    every = model.inspect_layer(tokens, Controls(**change, layers=frozenset({0})), 0)
    assert np.array_equal(some.scores, plain.scores)
    assert np.array_equal(some.head_output[1:], plain.head_output[1:])
    assert np.array_equal(some.head_output[0], every.head_output[0])
    assert np.array_equal(some.weights[1:], plain.weights[1:])


def test_visible_and_rows_without_a_key_are_told_head_by_head(model, tokens):
    mask, n = HideQuery(1), tokens.n_tokens
    run = model.run(tokens, Controls(mask=mask, heads=frozenset({1})))
    assert (run.visible[:, 1] == mask.visible(tokens)).all()
    assert run.visible[:, [0, *range(2, model.spec.n_heads)]].all()
    assert np.argwhere(run.no_key).tolist() == [[layer, 1, 1] for layer in range(model.spec.n_layers)]
    assert (run.weights[:, 1, 1] == 0).all()
    assert run.checks.hidden_cells == model.spec.n_layers * n
    assert run.checks.rows_without_key == model.spec.n_layers
    assert run.checks.passed


def test_layers_above_read_what_a_changed_head_wrote(tiny_model):
    tokens = tiny_model.tokenize(TEXT)
    plain = tiny_model.run(tokens).weights
    changed = tiny_model.run(tokens, Controls(temperature=5.0, layers=frozenset({0}), heads=frozenset({0}))).weights
    assert all(np.abs(changed[layer] - plain[layer]).max() > 1e-3 for layer in (1, 2))


@pytest.mark.parametrize("nowhere", [{"heads": frozenset()}, {"layers": frozenset()}], ids=["no head", "no layer"])
def test_controls_that_act_nowhere_change_nothing(model, tokens, nowhere):
    plain, run = model.run(tokens), model.run(tokens, Controls(temperature=7.0, mask=Causal(), **nowhere))
    assert np.array_equal(run.weights, plain.weights)
    assert np.array_equal(run.output, plain.output)
    assert run.visible.all()


def test_all_heads_named_is_no_head_named(model, tokens):
    every = frozenset(range(model.spec.n_heads))
    named, unnamed = (model.run(tokens, Controls(temperature=2.0, mask=Causal(), heads=h)) for h in (every, None))
    assert np.array_equal(named.weights, unnamed.weights)
    assert np.array_equal(named.output, unnamed.output)


def test_silenced_and_uniform_heads_are_so_wherever_temperature_and_mask_act(model, tokens):
    last = model.spec.n_heads - 1
    controls = Controls(
        temperature=3.0,
        mask=Causal(),
        heads=frozenset({0}),
        silenced=frozenset({HeadId(0, 0), HeadId(0, last)}),
        uniform=frozenset({HeadId(0, last)}),
    )
    layer, n = model.inspect_layer(tokens, controls, 0), tokens.n_tokens
    assert (layer.head_output[[0, last]] == 0).all()
    assert np.abs(layer.weights[last] - 1 / n).max() < 1e-7
    assert (np.triu(layer.weights[0], 1) == 0).all()


def test_a_head_that_the_model_lacks_is_refused(model, tokens):
    beyond = model.spec.n_heads
    with pytest.raises(InputError) as caught:
        model.run(tokens, Controls(temperature=2.0, heads=frozenset({0, beyond})))
    assert f"H{beyond}" in str(caught.value)


def test_block_diagonal_and_padding_leave_rows_without_a_key_which_are_named(model, tokens):
    """The last block is all padding, so whoever stands in it sees nothing."""
    mask, n = BlockDiagonal(3) & Padding(4), tokens.n_tokens
    dead = [query for query in range(n) if query // 3 * 3 >= n - 4]
    assert len(dead) >= 2
    run = model.run(tokens, Controls(mask=mask))
    assert all(np.flatnonzero(rows).tolist() == dead for rows in run.no_key.reshape(-1, n))
    assert (run.weights[:, :, dead] == 0).all()
    assert np.isfinite(run.output).all()
