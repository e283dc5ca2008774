"""What every source of traces holds to. A new source is added to ``MODELS``, and all of this applies to it."""

from __future__ import annotations

import math
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import mha_viz
from mha_viz.controls import Controls, HeadId
from mha_viz.masks import (
    AcrossSentences,
    BlockDiagonal,
    BlockSparse,
    Causal,
    DilatedWindow,
    GlobalTokens,
    HideQuery,
    LocalWindow,
    Mask,
    Padding,
    Painted,
)
from mha_viz.models.base import AttentionModel
from tests.unit.build import softmax

TEXT = "the cat sat on the mat. it was a dog, it was the cat!"


def toy(**options):
    return lambda _: mha_viz.open_model("toy", **options)


def of_family(name: str):
    return lambda request: request.getfixturevalue("family")(name)


#: Name of a source, or of a variant of one, to what opens it.
MODELS = {
    "toy": toy(),
    "toy random": toy(weights="random", d_model=32, n_heads=4),
    "toy one head": toy(n_heads=1),
    "tiny": lambda request: request.getfixturevalue("tiny_model"),
    "hub": lambda request: request.getfixturevalue("hub_model"),
    "minilm": lambda request: request.getfixturevalue("minilm"),
    **{
        name: of_family(name)
        for name in ("roberta", "electra", "albert", "distilbert", "gpt2", "llama", "bert classes")
    },
}


@pytest.fixture(params=[pytest.param(name, marks=[pytest.mark.model] if name == "minilm" else []) for name in MODELS])
def model(request) -> AttentionModel:
    return MODELS[request.param](request)


@pytest.fixture
def tokens(model):
    return model.tokenize(TEXT)


MASKS = [
    Causal(),
    LocalWindow(1),
    LocalWindow(0),
    Padding(3),
    Causal() & LocalWindow(2),
    LocalWindow(1) & Padding(4),
    Padding(400),
    BlockDiagonal(3) & Padding(4),
    HideQuery(1),
    DilatedWindow(1, 2) | GlobalTokens(1),
    ~(Causal() | BlockSparse(2, 0, 0, 1)),
    AcrossSentences(),
    Painted.of(~np.tri(4, k=-1, dtype=bool)),
]


def own_mask(model: AttentionModel, n_tokens: int) -> np.ndarray:
    """bool (query, key): what the model itself lets be seen."""
    return np.tri(n_tokens, dtype=bool) if model.spec.causal else np.ones((n_tokens, n_tokens), dtype=bool)


def every_head(model: AttentionModel, layer: int) -> frozenset[HeadId]:
    return frozenset(HeadId(layer, head) for head in range(model.spec.n_heads))


def test_every_source_of_the_package_is_among_the_models():
    assert set(mha_viz.SOURCES) <= set(MODELS)


def test_the_trace_has_the_shapes_of_its_spec(model, tokens):
    trace, spec, n = model.run(tokens), model.spec, tokens.n_tokens
    assert trace.spec == spec
    assert trace.weights.shape == (spec.n_layers, spec.n_heads, n, n)
    assert trace.weights.dtype == trace.output.dtype == np.float32
    assert trace.visible.shape == trace.weights.shape
    assert trace.no_key.shape == trace.weights.shape[:-1]
    assert trace.output.shape == (n, spec.d_model)
    assert trace.query_tokens is trace.key_tokens is tokens


def test_rows_sum_to_1_and_the_checks_say_so(model, tokens):
    trace = model.run(tokens)
    assert np.abs(trace.weights.sum(axis=-1) - 1).max() <= 1e-5
    assert trace.checks.passed
    assert trace.checks.row_sum_error <= 1e-5
    assert not trace.no_key.any()


def test_controls_that_change_nothing_change_nothing(model, tokens):
    runs = [model.run(tokens), model.run(tokens, None), model.run(tokens, Controls())]
    runs.append(model.run(tokens, Controls(mask=LocalWindow(500), uniform=frozenset(), layers=frozenset())))
    for run in runs[1:]:
        assert np.array_equal(run.weights, runs[0].weights)
        assert np.array_equal(run.output, runs[0].output)


def test_a_run_leaves_no_trace_on_the_model(model, tokens):
    before = model.run(tokens)
    model.run(tokens, Controls(0.0, Causal(), None, None, every_head(model, 0), every_head(model, 0)))
    after = model.run(tokens)
    assert np.array_equal(before.weights, after.weights)
    assert np.array_equal(before.output, after.output)


def test_arrays_are_read_only_also_after_a_cache(model, tokens):
    trace = model.run(tokens, Controls(mask=Causal()))
    layer = model.inspect_layer(tokens, Controls(), 0)
    for record in (trace, layer, pickle.loads(pickle.dumps(trace)), pickle.loads(pickle.dumps(layer))):
        arrays = [value for value in vars(record).values() if isinstance(value, np.ndarray)]
        assert len(arrays) >= 4
        assert not any(array.flags.writeable for array in arrays)


def test_a_second_run_does_not_write_into_the_first(model, tokens):
    first = model.run(tokens)
    kept = first.weights.copy()
    model.run(tokens, Controls(temperature=5.0))
    assert np.array_equal(first.weights, kept)


def test_temperature_0_puts_all_weight_on_the_largest_score(model, tokens):
    layer = model.inspect_layer(tokens, Controls(temperature=0.0), 0)
    own = own_mask(model, tokens.n_tokens)
    for seen, weights in zip(layer.scores, layer.weights, strict=True):
        scores = np.where(own, seen, -np.inf)
        top = np.isclose(scores, scores.max(axis=-1, keepdims=True), rtol=1e-6, atol=1e-6)
        assert (weights[~top] == 0).all()
        assert np.abs(weights.sum(axis=-1) - 1).max() < 1e-6
        alone = top.sum(axis=-1) == 1
        assert (weights.max(axis=-1)[alone] == 1.0).all()


def test_infinite_temperature_is_even_in_every_layer(model, tokens):
    trace = model.run(tokens, Controls(temperature=math.inf, mask=Causal()))
    n = tokens.n_tokens
    even = np.tri(n) / np.arange(1, n + 1)[:, None]
    assert np.abs(trace.weights - even).max() < 1e-7


@pytest.mark.parametrize("mask", [None, Causal()])
@pytest.mark.parametrize("temperature", [1e-45, 1e-6, 1000.0, 1e39])
def test_extreme_temperatures_give_numbers(model, tokens, temperature, mask):
    trace = model.run(tokens, Controls(temperature=temperature, mask=mask))
    assert np.isfinite(trace.weights).all()
    assert trace.checks.passed


@pytest.mark.parametrize("mask", MASKS, ids=repr)
def test_a_mask_is_honoured_in_every_layer_and_head(model, tokens, mask: Mask):
    trace = model.run(tokens, Controls(mask=mask))
    visible = mask.visible(tokens) & own_mask(model, tokens.n_tokens)
    assert (trace.weights[..., ~visible] == 0.0).all()
    assert (trace.visible == visible).all()
    has_key = visible.any(axis=-1)
    assert np.abs(trace.weights.sum(axis=-1) - has_key).max() <= 1e-5
    assert (trace.no_key == ~has_key).all()
    assert np.isfinite(trace.output).all()
    assert trace.checks.rows_without_key == model.spec.n_layers * model.spec.n_heads * int((~has_key).sum())


def test_padding_of_the_sequence_is_hidden_and_changes_no_real_row(model, tokens):
    n = tokens.n_tokens
    plain, padded = model.run(tokens), model.run(model.pad(tokens, n + 5))
    assert (padded.weights[..., n:] == 0.0).all()
    assert np.abs(padded.weights[:, :, :n, :n] - plain.weights).max() < 1e-5
    assert np.abs(padded.output[:n] - plain.output).max() < 1e-4
    assert not padded.visible[..., n:].any()


def test_padding_and_a_mask_together_hide_what_either_hides(model, tokens):
    n = tokens.n_tokens
    padded = model.pad(tokens, n + 2)
    trace = model.run(padded, Controls(mask=LocalWindow(1)))
    assert (trace.weights[..., n:] == 0.0).all()
    assert (trace.no_key == ([False] * (n + 1) + [True])).all()
    assert (trace.weights[:, :, n + 1] == 0.0).all()


def test_a_silenced_head_keeps_its_weights_and_hands_over_nothing(model, tokens):
    plain = model.inspect_layer(tokens, Controls(), 0)
    silent = model.inspect_layer(tokens, Controls(silenced=frozenset({HeadId(0, 0)})), 0)
    assert (silent.head_output[0] == 0.0).all()
    assert np.abs(plain.head_output[0]).max() > 0
    assert np.array_equal(silent.head_output[1:], plain.head_output[1:])
    assert np.array_equal(silent.weights, plain.weights)


def test_a_uniform_head_is_even_over_its_keys(model, tokens):
    controls = Controls(uniform=frozenset({HeadId(0, 0)}), mask=Padding(3))
    weights = model.run(tokens, controls).weights[0]
    seen = Padding(3).visible(tokens) & own_mask(model, tokens.n_tokens)
    assert np.abs(weights[0] - seen / seen.sum(axis=-1, keepdims=True)).max() < 1e-7
    assert np.array_equal(weights[1:], model.run(tokens, Controls(mask=Padding(3))).weights[0, 1:])


@pytest.mark.parametrize(
    "controls",
    [
        Controls(),
        Controls(temperature=3.0, mask=Causal()),
        Controls(mask=LocalWindow(1) & Padding(3), silenced=frozenset({HeadId(0, 0)})),
        Controls(temperature=0.5, layers=frozenset({0}), uniform=frozenset({HeadId(0, 0)})),
    ],
    ids=repr,
)
def test_a_layer_looked_into_agrees_with_the_run(model, tokens, controls):
    run = model.run(tokens, controls)
    for layer in range(model.spec.n_layers):
        inside = model.inspect_layer(tokens, controls, layer)
        assert inside.layer == layer
        assert np.array_equal(inside.weights, run.weights[layer])
        assert np.array_equal(inside.visible, run.visible[layer])
        assert inside.controls == controls


@pytest.mark.parametrize("controls", [Controls(), Controls(temperature=3.0, mask=Causal())], ids=repr)
def test_inside_a_layer_each_stage_follows_from_the_one_before(model, tokens, controls):
    for layer in range(model.spec.n_layers):
        inside = model.inspect_layer(tokens, controls, layer)
        spec, n = model.spec, tokens.n_tokens
        assert inside.query.shape == inside.key.shape == inside.value.shape == (spec.n_heads, n, spec.d_k)
        assert inside.scores.shape == inside.weights.shape == (spec.n_heads, n, n)
        exact = inside.query.astype(np.float64) @ inside.key.astype(np.float64).transpose(0, 2, 1)
        size = max(np.abs(inside.scores).max(), 1.0)
        assert np.abs(inside.scores - exact).max() <= 2e-6 * size
        scaled = inside.scores.astype(np.float64) / math.sqrt(spec.d_k) / controls.temperature
        slack = 1e-5 if size < 1e3 else 5e-3  # float32 knows large scores less exactly
        assert np.abs(softmax(scaled, inside.visible) - inside.weights).max() <= slack
        assert np.abs(inside.weights @ inside.value - inside.head_output).max() <= 1e-5


def test_a_layer_that_does_not_exist_is_refused_with_those_that_do(model, tokens):
    for layer in (-1, model.spec.n_layers):
        with pytest.raises(mha_viz.InputError) as caught:
            model.inspect_layer(tokens, Controls(), layer)
        assert f"layer {layer}" in str(caught.value)
        assert f"0 to {model.spec.n_layers - 1}" in str(caught.value)


def test_a_head_that_does_not_exist_is_refused_before_the_run(model, tokens):
    missing = HeadId(0, model.spec.n_heads)
    with pytest.raises(mha_viz.InputError, match=str(missing)):
        model.run(tokens, Controls(silenced=frozenset({missing})))
    with pytest.raises(mha_viz.InputError):
        model.run(tokens, Controls(layers=frozenset({model.spec.n_layers})))


def test_a_sequence_longer_than_the_model_reads_is_refused_with_both_numbers(model, tokens):
    limit = model.spec.max_tokens
    with pytest.raises(mha_viz.InputError) as caught:
        model.run(model.pad(tokens, limit + 1))
    assert f"{limit + 1:,}" in str(caught.value)
    assert f"{limit:,}" in str(caught.value)


def test_threads_with_different_controls_never_mix(model, tokens):
    kinds = [
        Controls(),
        Controls(temperature=4.0),
        Controls(mask=Causal(), silenced=every_head(model, 0)),
        Controls(temperature=0.25, mask=LocalWindow(1), uniform=frozenset({HeadId(0, 0)})),
    ]
    alone = [model.run(tokens, controls) for controls in kinds]
    assert len({run.weights.tobytes() for run in alone}) == 4
    with ThreadPoolExecutor(max_workers=4) as pool:
        together = list(pool.map(lambda turn: model.run(tokens, kinds[turn % 4]), range(40)))
    for turn, run in enumerate(together):
        assert np.array_equal(run.weights, alone[turn % 4].weights)
        assert np.array_equal(run.output, alone[turn % 4].output)


def test_the_conditions_name_device_and_precision(model, tokens):
    conditions = model.run(tokens).conditions
    assert conditions.device == str(model.device)
    assert conditions.device_name
    assert conditions.dtype == "float32"
    assert conditions.training is False
    assert conditions.seconds > 0
