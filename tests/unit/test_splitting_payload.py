"""What is handed to a renderer: JSON without NaN, and the record's numbers bit by bit."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given

import mha_viz
from mha_viz.controls import Controls
from mha_viz.splitting import STEPS, payload, steps_of
from mha_viz.splitting.code import code_of
from mha_viz.trace import side_by_side
from tests.unit.layer_runs import layer_run
from tests.unit.test_splitting_steps import layers, some, toy


def read(told, numbers: bytes, name: str) -> np.ndarray:
    """An array as a renderer reads it."""
    entry = told["arrays"][name]
    all_numbers = np.frombuffer(numbers, dtype="<f4")
    return all_numbers[entry["offset"] : entry["offset"] + int(np.prod(entry["shape"]))].reshape(entry["shape"])


@some
@given(layers())
def test_the_payload_is_json_without_nan_and_comes_back_equal(trace):
    told, numbers = payload(steps_of(trace))
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    values = np.frombuffer(numbers, dtype="<f4")
    assert np.isfinite(values).all()
    ends = [entry["offset"] + int(np.prod(entry["shape"])) for entry in told["arrays"].values()]
    assert max(ends) == len(values)


@some
@given(layers())
def test_every_number_arrives_bit_by_bit(trace):
    splitting = steps_of(trace)
    told, numbers = payload(splitting)
    for name, shown in splitting.arrays.items():
        arrived = read(told, numbers, name)
        assert np.array_equal(arrived, shown.values)
        assert arrived.min() == told["arrays"][name]["low"]
        assert arrived.max() == told["arrays"][name]["high"]
        assert told["arrays"][name]["meaning"]


@pytest.mark.parametrize("controls", [Controls(), Controls(temperature=0.5, mask=mha_viz.Causal())], ids=repr)
def test_the_numbers_are_those_of_the_layer(controls):
    trace = toy(controls=controls)
    told, numbers = payload(steps_of(trace))
    for name in ("scores", "weights"):
        assert np.array_equal(read(told, numbers, name), getattr(trace, name))
    for name in ("query", "key", "value", "head_output"):
        assert np.array_equal(read(told, numbers, name), side_by_side(getattr(trace, name)))
    for name in ("x", "output"):
        assert np.array_equal(read(told, numbers, name), getattr(trace, name))


def test_joined_is_head_output_under_the_same_identity():
    told, _ = payload(steps_of(toy()))
    joined, head_output = told["arrays"]["joined"], told["arrays"]["head_output"]
    assert joined["same_as"] == "head_output"
    assert joined["offset"] == head_output["offset"]
    assert "same_as" not in head_output


def test_what_a_renderer_reads_is_there():
    told, _ = payload(steps_of(layer_run(20, 12, 64), labels=[f"t{at}" for at in range(20)], query_row=18, focus=3))
    assert told["version"] == 1
    assert (told["n_tokens"], told["d_model"], told["n_heads"], told["d_k"]) == (20, 768, 12, 64)
    assert told["tokens"][18] == "t18"
    assert told["shown"]["rows"] == list(range(4, 20))
    assert len(told["shown"]["columns"]) == 60
    assert told["query_row"] == {"position": 18, "row": 14, "head": 3}
    assert [step["name"] for step in told["steps"]] == list(STEPS)
    step = told["steps"][3]
    assert {"name", "title", "caption", "formula", "shape", "speech", "lit", "sheets"} == set(step)
    for text in ("code", "numpy"):
        assert {"number", "text"} == set(told["code"][text][0])
        lines = getattr(code_of("scores"), "kernel" if text == "code" else text)
        assert [line["text"] for line in told["code"][text]] == [line.text for line in lines]
        assert step["lit"][text] == [at for at, line in enumerate(lines) if line.on] != []
    sheet = step["sheets"][0]
    assert {"array", "label", "blocks", "cell", "colour", "rows", "reveal"} == set(sheet)
    assert sheet["blocks"][2] | {"x": 0, "y": 0} == {"head": 2, "columns": [10, 15], "x": 0, "y": 0}
    assert {sheet["array"] for step in told["steps"] for sheet in step["sheets"]} <= set(told["arrays"])
