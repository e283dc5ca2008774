"""Norm-based weights equal the reference, add up to the layer's output, and take a silenced head for what it is."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

import mha_viz
from mha_viz.analysis.cka import few_tokens, output_similarity
from mha_viz.analysis.distances import matrix_of_distances
from mha_viz.analysis.norms import contributions, head_norms, layer_norms, share_on, value_norms, written
from mha_viz.controls import Controls, HeadId
from mha_viz.errors import RecordError
from mha_viz.masks import Causal, LocalWindow
from tests.refs import arrays, tokens

REFERENCE = arrays("d")
SENTENCE = "The animal didn't cross the street because it was too tired."
LAYERS = range(6)
#: float32 of the model against the reference's float64.
TOLERANCE = 1e-4


@pytest.fixture(scope="module")
def matrices(minilm):
    return minilm.output_matrices()


@pytest.fixture(scope="module")
def run(minilm):
    sequence = minilm.tokenize(SENTENCE)
    assert list(sequence.tokens) == tokens("d")["tokens"]
    return minilm.run(sequence)


@pytest.mark.model
@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize(
    ("norms", "name"), [(value_norms, "fx_norm"), (head_norms, "afx_norm"), (layer_norms, "sum_heads_afx_norm")]
)
def test_norms_equal_the_reference(run, matrices, norms, name, layer):
    assert np.abs(norms(run, matrices[layer], layer) - REFERENCE[name][layer]).max() <= TOLERANCE


@pytest.mark.model
def test_special_tokens_get_weight_but_give_little(run, matrices):
    """Shares of [CLS] in the weights and in ||alpha f||, layer by layer (science, norm-based analysis)."""
    keys, counts = np.arange(16) == 0, np.ones((12, 16), dtype=bool)
    weights = [share_on(run.weights[layer], keys, counts) for layer in LAYERS]
    shares = [share_on(head_norms(run, matrices[layer], layer), keys, counts) for layer in LAYERS]
    assert weights == pytest.approx([0.21, 0.54, 0.58, 0.49, 0.60, 0.37], abs=6e-3)
    assert shares == pytest.approx([0.07, 0.13, 0.14, 0.08, 0.10, 0.07], abs=6e-3)


CONTROLS = [
    Controls(),
    Controls(mask=Causal()),
    Controls(mask=LocalWindow(0), heads=frozenset({1})),
    Controls(silenced=frozenset({HeadId(2, 3), HeadId(2, 5)})),
    Controls(temperature=3.0, uniform=frozenset({HeadId(2, 0)})),
]


@pytest.mark.model
@pytest.mark.parametrize("controls", CONTROLS, ids=lambda controls: repr(controls)[9:60])
def test_the_parts_add_up_to_the_layers_output(minilm, matrices, controls):
    sequence = minilm.tokenize(SENTENCE)
    run, layer = minilm.run(sequence, controls), minilm.inspect_layer(sequence, controls, 2)
    f = written(run, matrices[2], 2).astype(np.float64)
    parts = np.einsum("hqk,hkd->hqkd", run.weights[2].astype(np.float64), f)
    np.testing.assert_allclose(parts.sum(axis=(0, 2)) + layer.b_O, layer.output, atol=TOLERANCE)
    # Norms of sums, made the long way round.
    np.testing.assert_allclose(layer_norms(run, matrices[2], 2), np.linalg.norm(parts.sum(axis=0), axis=-1), atol=1e-5)
    np.testing.assert_allclose(head_norms(run, matrices[2], 2), np.linalg.norm(parts, axis=-1), atol=1e-5)
    whole = np.linalg.norm(parts.sum(axis=2), axis=-1)
    np.testing.assert_allclose(contributions(run, matrices[2], 2), whole, atol=TOLERANCE)


def test_a_share_is_of_each_row_and_averaged_over_rows_that_have_any():
    values = np.array([[1.0, 3.0], [20.0, 20.0], [0.0, 0.0], [9.0, 0.0]])
    counts = np.array([True, True, True, False])
    assert share_on(values, np.array([True, False]), counts) == pytest.approx((0.25 + 0.5) / 2)
    assert np.isnan(share_on(values[2:3], np.array([True, False]), counts[2:3]))


@pytest.mark.model
def test_a_silenced_head_takes_and_adds_nothing(minilm, matrices):
    run = minilm.run(minilm.tokenize(SENTENCE), Controls(silenced=frozenset({HeadId(1, 4)})))
    assert not head_norms(run, matrices[1], 1)[4].any()
    assert not contributions(run, matrices[1], 1)[4].any()
    assert head_norms(run, matrices[1], 1)[[3, 5]].all()


@pytest.mark.model
def test_a_matrix_of_another_model_is_refused(run):
    with pytest.raises(RecordError, match="W_O"):
        value_norms(run, np.zeros((8, 8), dtype=np.float32), 0)


def test_the_toy_too_adds_up():
    toy = mha_viz.open_model("toy", n_heads=4)
    sequence = toy.tokenize("the cat sat")
    run, matrices = toy.run(sequence), toy.output_matrices()
    assert matrices is not None
    layer = toy.inspect_layer(sequence, None, 0)
    output = np.einsum("hqk,hkd->qd", run.weights[0], written(run, matrices[0], 0))
    if layer.b_O is not None:
        output = output + layer.b_O
    np.testing.assert_allclose(output, layer.output, atol=1e-5)


@pytest.mark.model
def test_heads_that_read_alike_may_write_differently(run):
    """Rank correlation of JS and CKA over all pairs of heads: only -0.20 (science, head redundancy)."""
    pairs = np.triu_indices(72, 1)
    js, cka = matrix_of_distances(run, drop_specials=False)[pairs], output_similarity(run)[pairs]
    assert spearmanr(js, cka).statistic == pytest.approx(-0.20, abs=0.01)
    assert few_tokens(run.n_tokens, run.spec.d_k)
