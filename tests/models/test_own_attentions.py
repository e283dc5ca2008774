"""What a Hugging Face model returns as attentions is shown as it is, by none of this project's own runs."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import mha_viz


def test_a_tuple_of_attentions_becomes_the_trace_that_the_run_gives(tiny_model, eager_tiny):
    tokens = tiny_model.tokenize("the cat sat on the mat")
    inputs = {"input_ids": torch.tensor([tokens.ids]), "token_type_ids": torch.tensor([tokens.segment_ids])}
    with torch.inference_mode():
        attentions = eager_tiny.model(**inputs, output_attentions=True).attentions
    assert isinstance(attentions, tuple)
    own = mha_viz.trace_from_arrays(attentions, tokens, name="tiny")
    ours = tiny_model.run(tokens)
    assert own.weights.shape == ours.weights.shape
    assert np.abs(own.weights - ours.weights).max() < 1e-6
    assert own.query_tokens is tokens
    two = tuple(layer.repeat(2, 1, 1, 1) for layer in attentions)
    with pytest.raises(mha_viz.InputError, match="batch of 2"):
        mha_viz.trace_from_arrays(two, tokens)
    taken = mha_viz.trace_from_arrays([layer[:1] for layer in two], tokens)
    assert np.array_equal(taken.weights, own.weights)
