"""Half precision and INT8: drifts, bytes and whole numbers against what can be worked out by hand."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from mha_viz.labs.int8 import names_of
from mha_viz.labs.plans_cost import GRAINS, HALVES, INT8_APIS
from mha_viz.labs.precision import halved
from mha_viz.labs.quantising import quantise, tried
from mha_viz.labs.rounding import GROUPS, Reading, bytes_of, drift, file_bytes, reading
from mha_viz.models.huggingface.changed import Changed, part_of

TEXTS = ("the cat sat.", "a rose is a rose is a rose")
#: Of MiniLM: words, positions, segments; width, layers, width within the FFN.
WORDS, POSITIONS, SEGMENTS, WIDTH, LAYERS, INNER = 30_522, 512, 2, 384, 6, 1_536


@pytest.fixture(scope="module")
def plain(minilm) -> Changed:
    return minilm.changed()


@pytest.fixture(scope="module")
def before(minilm, plain) -> list[Reading]:
    return [reading(plain, minilm.tokenize(text)) for text in TEXTS]


def after(minilm, changed: Changed) -> list[Reading]:
    return [reading(changed, minilm.tokenize(text)) for text in TEXTS]


def quantised(plain: Changed, part: str, api: str = "torchao", grain: str = "channel") -> Changed:
    changed = Changed(plain.network)
    changed.network = quantise(changed.network, api, grain, names_of(changed.network, part))
    return changed


def linear(weight: list[list[float]]) -> nn.Sequential:
    matrix = nn.Linear(len(weight[0]), len(weight), bias=False)
    matrix.weight = nn.Parameter(torch.tensor(weight), requires_grad=False)
    return nn.Sequential(matrix)


def whole_numbers(network: Any, api: str) -> tuple[torch.Tensor, torch.Tensor]:
    """The whole numbers of a quantised layer, and what they stand for."""
    if api == "torchao":
        weight = network[0].weight
        return weight.qdata, weight.dequantize()
    weight = network[0].weight()  # a method here, where a layer of floats has a tensor
    return weight.int_repr(), weight.dequantize()


@pytest.mark.model
def test_a_copy_reads_as_the_model_does_and_drifts_by_nothing(minilm, plain, before) -> None:
    trace = minilm.run(minilm.tokenize(TEXTS[0]))
    assert np.abs(before[0].weights - trace.weights).max() < 1e-6
    found = drift(before, after(minilm, Changed(plain.network)))
    assert found["apart"] == found["changed"] == [0.0] * LAYERS
    assert found["cosines"] == [1.0] * len(TEXTS)
    assert max(found["sums"]) < 1e-6


def test_drift_is_what_two_maps_by_hand_say() -> None:
    old, new = np.zeros((2, 1, 2, 2)), np.zeros((2, 1, 2, 2))
    old[:] = [[0.9, 0.1], [0.4, 0.6]]
    new[0], new[1] = old[0], [[0.8, 0.1], [0.7, 0.3]]
    found = drift([Reading(old, np.array([1.0, 0.0]))], [Reading(new, np.array([3.0, 4.0]))])
    assert found == {"apart": [0.0, 0.3], "sums": [0.0, 0.1], "changed": [0.0, 0.5], "cosines": [0.6]}


@pytest.mark.model
@pytest.mark.parametrize("kind", HALVES)
def test_half_precision_moves_the_maps_as_its_digits_say(minilm, plain, before, kind) -> None:
    changed, around = halved(plain, kind)
    with around():
        found = drift(before, after(minilm, changed))
    low, high = (1e-3, 0.05) if "bfloat16" in kind else (1e-4, 8e-3)
    assert low < max(found["apart"]) < high
    # Of two neighbouring numbers below 1 the rounded one is off by 2^-9 (bfloat16) or 2^-12 at most.
    assert 0 < max(found["sums"]) < (8 if "bfloat16" in kind else 1) * 1e-3
    assert min(found["cosines"]) > 0.9998
    assert sum(bytes_of(changed.network).values()) == sum(bytes_of(plain.network).values()) // (
        1 if kind.startswith("autocast") else 2
    )
    assert plain.network.get_input_embeddings().weight.dtype == torch.float32


@pytest.mark.model
def test_bytes_are_those_of_the_shapes(plain) -> None:
    found = bytes_of(plain.network)
    square = WIDTH * WIDTH + WIDTH
    assert found["embeddings"] == 4 * ((WORDS + POSITIONS + SEGMENTS) * WIDTH + 2 * WIDTH)
    assert found["qk"] == found["vo"] == 4 * LAYERS * 2 * square
    assert found["ffn"] == 4 * LAYERS * (2 * WIDTH * INNER + INNER + WIDTH)
    assert found["rest"] == 4 * (LAYERS * 4 * WIDTH + square)  # two LayerNorms a layer, the pooler
    assert tuple(found) == GROUPS
    assert sum(found.values()) == pytest.approx(90.85e6, rel=1e-3)
    assert 0 < file_bytes(plain.network) - sum(found.values()) < 100_000


@pytest.mark.model
@pytest.mark.parametrize("api", INT8_APIS)
def test_embeddings_stay_and_so_the_file_shrinks_by_half_of_what_one_hopes(minilm, plain, before, api) -> None:
    changed = quantised(plain, "all", api, "tensor")
    was, now = bytes_of(plain.network), bytes_of(changed.network)
    assert now["embeddings"] == was["embeddings"]
    kept, first = (copy.network.get_parameter("embeddings.word_embeddings.weight") for copy in (changed, plain))
    assert torch.equal(kept, first)
    matrices, biases = LAYERS * 2 * WIDTH * INNER, LAYERS * (WIDTH + INNER)
    assert now["ffn"] == pytest.approx(matrices + 4 * biases, abs=LAYERS * 2 * 32)  # a byte a number; a scale a matrix
    assert file_bytes(plain.network) / file_bytes(changed.network) == pytest.approx(1.55, abs=0.01)
    found = drift(before, after(minilm, changed))
    assert 0.05 < max(found["apart"]) < 1
    assert 0.85 < min(found["cosines"]) < 0.995


@pytest.mark.model
@pytest.mark.parametrize("api", INT8_APIS)
def test_the_feed_forward_part_costs_the_most(minilm, plain, before, api) -> None:
    cosines = {
        part: min(drift(before, after(minilm, quantised(plain, part, api, "tensor")))["cosines"])
        for part in ("qk", "vo", "ffn")
    }
    assert cosines["qk"] > 0.995
    assert cosines["vo"] > 0.98
    assert cosines["ffn"] < cosines["vo"] < cosines["qk"]


def test_parts_are_told_by_their_names() -> None:
    assert part_of("embeddings.word_embeddings.weight") == "embeddings"
    assert part_of("encoder.layer.3.attention.self.key.bias") == "qk"
    assert part_of("encoder.layer.3.attention.output.dense") == "vo"
    assert part_of("encoder.layer.3.output.dense.weight") == "ffn"
    assert part_of("encoder.layer.3.output.LayerNorm.weight") == "rest"
    assert part_of("pooler.dense.weight") == "rest"


@pytest.mark.parametrize("api", INT8_APIS)
def test_whole_numbers_and_their_scale_are_those_worked_out_by_hand(api) -> None:
    """Largest 1.275: torchao's scale is 1.275 / 127.5 = 0.01, the deprecated function's too."""
    numbers, values = whole_numbers(quantise(linear([[1.27, -1.275], [0.02, 0.514]]), api, "tensor"), api)
    assert numbers.tolist() == [[127, -128], [2, 51]]
    assert values.tolist() == [pytest.approx([1.27, -1.28], abs=1e-6), pytest.approx([0.02, 0.51], abs=1e-6)]


@pytest.mark.parametrize("api", INT8_APIS)
def test_a_scale_a_row_keeps_one_large_row_from_spoiling_the_others(api) -> None:
    torch.manual_seed(0)
    weight = torch.randn(8, 16)
    weight[3] *= 100
    off = {}
    for grain in GRAINS:
        _, values = whole_numbers(quantise(linear(weight.tolist()), api, grain), api)
        off[grain] = (values - weight).abs().amax(dim=1)
    assert (off["channel"] <= off["tensor"] + 1e-6).all()
    others = [row for row in range(8) if row != 3]
    assert off["channel"][others].max() < off["tensor"][others].max() / 10


def test_what_becomes_of_pytorchs_own_modules() -> None:
    new = {row["module"]: row for row in tried("torchao")}
    old = {row["module"]: row for row in tried("quantize_dynamic")}
    assert new["MultiheadAttention"]["apart"] == old["MultiheadAttention"]["apart"] == 0
    assert 0 < new["TransformerEncoderLayer"]["apart"] < 0.1
    assert old["TransformerEncoderLayer"]["apart"] is None
    assert "has no attribute 'device'" in old["TransformerEncoderLayer"]["error"]


def test_no_model_brings_torchao_along() -> None:
    """transformers would import it wherever it is installed; it was told that it is not, and Python still finds it."""
    from transformers.utils.import_utils import is_torchao_available

    from mha_viz.models.huggingface.lean import leave_torchao_out

    assert not leave_torchao_out()
    assert not is_torchao_available()
    assert importlib.util.find_spec("torchao") is not None
