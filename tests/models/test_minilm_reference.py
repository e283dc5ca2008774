"""MiniLM through the kernel gives the reference arrays' numbers and those of Hugging Face's own eager attention."""

from __future__ import annotations

import numpy as np
import pytest

from mha_viz.controls import Controls
from mha_viz.metrics import METRICS, row_entropy
from mha_viz.stages import repainted
from tests.refs import arrays, tokens

pytestmark = pytest.mark.model

B, B_TEXTS = arrays("b"), tokens("b")
C = arrays("c")
D = arrays("d")
COREF = B_TEXTS["coref"]["text"]
BATCH = list(enumerate(B_TEXTS["batch"]["text"]))


@pytest.fixture(scope="module")
def coref(minilm):
    return minilm.tokenize(COREF)


def batch_row(minilm, text: str):
    """One sentence of the batch, filled up to the length of the longest."""
    return minilm.pad(minilm.tokenize(text), 16)


def difference(ours: np.ndarray, theirs: np.ndarray) -> float:
    assert ours.shape == theirs.shape
    return float(np.abs(ours - theirs).max())


@pytest.mark.parametrize("name", ["coref", "pair"])
def test_tokens_segments_and_weights_of_one_and_two_sentences(minilm, name):
    texts = B_TEXTS[name]["text"]
    read = minilm.tokenize(*texts) if name == "pair" else minilm.tokenize(texts)
    assert list(read.tokens) == B_TEXTS[name]["tokens"][0]
    assert list(read.ids) == B[f"{name}/input_ids"][0].tolist()
    assert list(read.segment_ids) == B[f"{name}/token_type_ids"][0].tolist()
    trace = minilm.run(read)
    assert difference(trace.weights, B[f"{name}/attn"][0]) <= 1e-5
    assert difference(trace.output, B[f"{name}/last_hidden"][0]) <= 1e-4
    entropies = row_entropy(trace.weights.astype(np.float64))
    assert difference(entropies, B[f"{name}/row_entropy"][0]) <= 1e-5


@pytest.mark.parametrize(("row", "text"), BATCH)
def test_a_padded_batch_one_sequence_a_trace(minilm, row, text):
    read = batch_row(minilm, text)
    assert list(read.tokens) == B_TEXTS["batch"]["tokens"][row]
    assert list(read.ids) == B["batch/input_ids"][row].tolist()
    attended = B["batch/attention_mask"][row].astype(bool)
    assert [not padding for padding in read.padding] == attended.tolist()
    trace = minilm.run(read)
    assert (trace.weights[..., ~attended] == 0.0).all()
    reference = B["batch/attn"][row]
    assert difference(trace.weights[:, :, attended], reference[:, :, attended]) <= 1e-5
    assert difference(trace.output[attended], B["batch/last_hidden"][row][attended]) <= 1e-4
    # Rows of padding mean nothing; in float32 eager itself is as far from the reference there.
    assert difference(trace.weights, reference) <= 5e-5


@pytest.mark.parametrize(("row", "text"), BATCH)
def test_a_padded_run_equals_eager_in_its_padding_rows_too(minilm, eager_minilm, row, text):
    read = batch_row(minilm, text)
    trace = minilm.run(read)
    weights, output = eager_minilm.run(read)
    assert np.array_equal(trace.weights, weights)
    assert np.array_equal(trace.output, output)


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        (COREF, None),
        tuple(B_TEXTS["pair"]["text"]),
        ("hi", None),
        ("猫追老鼠 naïve ##ing <b>", None),
        ("word " * 400, None),
    ],
)
def test_controls_that_change_nothing_equal_eager(minilm, eager_minilm, text, pair):
    read = minilm.tokenize(text, pair)
    trace = minilm.run(read, Controls())
    weights, output = eager_minilm.run(read)
    assert difference(trace.weights, weights) <= 1e-6
    assert difference(trace.output, output) <= 1e-6


@pytest.mark.parametrize("case", sorted({name.split("/")[1] for name in C if not name.startswith("coref/display")}))
def test_temperature_inside_the_model_equals_the_reference(minilm, coref, case):
    where, temperature = case.split("_T")
    layers = None if where == "all" else frozenset({int(where.removeprefix("layer"))})
    trace = minilm.run(coref, Controls(temperature=float(temperature), layers=layers))
    # At a quarter of the temperature float32's own error grows fourfold, layer by layer.
    assert difference(trace.weights, C[f"coref/{case}/attn"]) <= (3e-5 if case == "all_T0.25" else 1e-5)
    assert difference(trace.output[0], C[f"coref/{case}/last_hidden_cls"]) <= 1e-4
    entropies = METRICS["entropy"].compute(trace).mean(axis=1)
    assert difference(entropies, C[f"coref/{case}/mean_entropy_per_layer"]) <= 1e-5


def test_the_reference_has_temperatures_in_all_layers_and_in_single_ones():
    cases = {name.split("/")[1] for name in C}
    assert {"all_T0.25", "all_T0.5", "all_T2", "all_T4", "layer2_T0.5", "layer2_T4", "layer0_T4"} <= cases


@pytest.mark.parametrize("temperature", ["0.5", "4"])
def test_temperature_in_one_layer_leaves_those_below_and_changes_those_above(minilm, coref, temperature):
    plain = minilm.run(coref).weights
    warm = minilm.run(coref, Controls(temperature=float(temperature), layers=frozenset({2}))).weights
    assert np.array_equal(warm[:2], plain[:2])
    assert difference(warm[2], C[f"coref/display_T{temperature}/attn"][2]) <= 1e-5
    for layer in (3, 4, 5):
        assert difference(warm[layer], C[f"coref/display_T{temperature}/attn"][layer]) > 1e-3
        assert difference(warm[layer], plain[layer]) > 1e-3


@pytest.mark.parametrize("temperature", ["0.25", "0.5", "2", "4"])
def test_the_recorded_scores_of_every_layer_repainted_equal_the_reference(minilm, coref, temperature):
    for layer in range(6):
        recorded = minilm.inspect_layer(coref, None, layer)
        shown = repainted(recorded, float(temperature))
        tolerance = 5e-5 if temperature == "0.25" else 1e-5  # a quarter of the temperature is four times the error
        assert difference(shown, C[f"coref/display_T{temperature}/attn"][layer]) <= tolerance


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("entropy", D["head_entropy_nats"]),
        ("entropy_share", D["head_entropy_normalised"]),
        ("self", D["avg_self"]),
        ("previous", D["avg_prev"]),
        ("next", D["avg_next"]),
        ("first", D["avg_to_cls"]),
        ("special", D["avg_to_cls"] + D["avg_to_sep"]),
    ],
)
def test_the_metrics_of_a_run_equal_the_reference(minilm, coref, name, reference):
    assert difference(METRICS[name].compute(minilm.run(coref)), reference) <= 1e-5


def test_the_scores_of_a_layer_equal_the_reference(minilm, coref):
    for layer in range(6):
        scores = minilm.inspect_layer(coref, Controls(), layer).scores / np.sqrt(32)
        assert difference(scores, D["scores"][layer]) <= 1e-4
