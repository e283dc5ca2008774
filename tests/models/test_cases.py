"""Inputs that people have tripped over in other viewers, on the real models."""

import numpy as np
import pytest

import mha_viz

FOX = "The quick brown fox jumps over the lazy"


def test_a_block_sparse_mask_with_padding_leaves_rows_without_a_key_and_no_number_in_them():
    """Blocks of two, the last three of eight tokens padded: the last block has no key left, token 5 still has token 4."""
    mask = mha_viz.BlockSparse(size=2, radius=0, global_blocks=0, random_blocks=0) & mha_viz.Padding(3)
    model = mha_viz.open_model("toy")
    trace = model.run(model.tokenize(FOX), mha_viz.Controls(mask=mask))
    for head in range(trace.spec.n_heads):
        assert np.flatnonzero(trace.no_key[0, head]).tolist() == [6, 7]
    assert (trace.weights[0, :, 6:] == 0).all()
    assert (trace.weights[0, :, 5, 4] == 1).all()
    figure = mha_viz.figures.head_heatmap(trace, 0, 0)
    assert [note.text for note in figure.layout.annotations] == ["no key allowed"]
    assert np.isnan(np.array(figure.data[0].z)[6:]).all()


@pytest.mark.parametrize("temperature", [0.0, 1e-6, 1.0, 1000.0, float("inf")])
def test_no_temperature_makes_a_hidden_cell_visible_or_a_row_no_row(temperature):
    model = mha_viz.open_model("toy", weights="random")
    trace = model.run(model.tokenize(FOX), mha_viz.Controls(temperature=temperature, mask=mha_viz.Causal()))
    rows = trace.weights[0]
    assert (rows[:, ~np.tri(8, dtype=bool)] == 0).all()
    np.testing.assert_allclose(rows.sum(axis=-1), 1, atol=1e-6)
    if temperature <= 1e-6:
        assert (rows.max(axis=-1) > 0.999).all()
    if temperature == float("inf"):
        np.testing.assert_allclose(rows[:, 7], 1 / 8)
