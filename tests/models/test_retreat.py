"""Memory that is not enough: said before loading, and during a run made good on the CPU."""

from __future__ import annotations

import weakref

import numpy as np
import pytest
import torch

import mha_viz
from mha_viz.models import devices, memory
from mha_viz.models.place import Place
from mha_viz.models.retreat import with_retreat

CPU = torch.device("cpu")


@pytest.fixture
def toy():
    return mha_viz.open_model("toy", device="cpu")


class Gpu:
    """A place called cuda:0 whose models are on the CPU, and whose memory is not enough for what a test says."""

    def __init__(self, monkeypatch) -> None:
        self.opened: list[Place] = []
        self.given_back = 0
        monkeypatch.setattr("mha_viz.models.retreat.find_device", lambda place: torch.device(place.device))
        monkeypatch.setattr("mha_viz.models.retreat.give_back", self._give_back)

    def _give_back(self) -> None:
        self.given_back += 1
        devices.give_back()

    def opening(self, model, *, fails: tuple[str, ...] = ()):
        def open_at(place: Place):
            self.opened.append(place)
            if place.device in fails:
                raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB.")
            return model

        return open_at


@pytest.fixture
def gpu(monkeypatch):
    return Gpu(monkeypatch)


def failing_at_first(problem: Exception):
    """A run that fails once with ``problem``, as a GPU without memory does, and succeeds after that."""
    calls = []

    def act(model):
        calls.append(model)
        if len(calls) == 1:
            raise problem
        return model.run(model.tokenize("the cat sat"))

    return act


def test_a_run_that_has_memory_enough_is_not_repeated(gpu, toy):
    trace, given_up = with_retreat(gpu.opening(toy), Place("cuda:0"), lambda model: model.run(model.tokenize("a b")))
    assert given_up is None
    assert trace.checks.passed
    assert gpu.opened == [Place("cuda:0")]
    assert gpu.given_back == 0


@pytest.mark.parametrize(
    "problem",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
        RuntimeError("MPS backend out of memory (MPS allocated: 9.00 GB)"),
    ],
    ids=["cuda", "mps"],
)
def test_the_same_run_is_made_on_the_cpu_and_what_was_taken_is_given_back(gpu, toy, problem):
    trace, given_up = with_retreat(gpu.opening(toy), Place("cuda:0", "float16"), failing_at_first(problem))
    assert given_up == "cuda:0"
    assert np.array_equal(trace.weights, toy.run(toy.tokenize("the cat sat")).weights)
    assert gpu.opened == [Place("cuda:0", "float16"), Place("cpu", "float32")]
    assert gpu.given_back == 1


def test_a_model_that_does_not_fit_the_gpu_is_opened_on_the_cpu(gpu, toy):
    name, given_up = with_retreat(gpu.opening(toy, fails=("cuda:0",)), Place("cuda:0"), lambda model: model.spec.name)
    assert (name, given_up) == ("Toy", "cuda:0")


def test_nothing_of_the_failed_run_is_held_when_memory_is_given_back(gpu, toy, monkeypatch):
    held: list[weakref.ref[torch.Tensor]] = []

    def act(model):
        if not held:
            large = torch.ones(1000)
            held.append(weakref.ref(large))
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return "done"

    seen = []
    monkeypatch.setattr("mha_viz.models.retreat.give_back", lambda: seen.append(held[0]()))
    with_retreat(gpu.opening(toy), Place("cuda:0"), act)
    assert seen == [None]


def test_where_the_cpu_has_not_enough_either_a_sentence_says_so(gpu, toy):
    for place, times in ((Place("cuda:0"), 2), (Place("cpu"), 1)):
        gpu.opened.clear()
        with pytest.raises(mha_viz.ModelError, match="not enough memory for this run, not even on the CPU"):
            with_retreat(gpu.opening(toy), place, lambda model: torch.empty(2**60, dtype=torch.int8))
        assert len(gpu.opened) == times


def test_other_failures_are_not_hidden(gpu, toy):
    def act(model):
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")

    with pytest.raises(RuntimeError, match="mat1"):
        with_retreat(gpu.opening(toy), Place("cuda:0"), act)
    assert len(gpu.opened) == 1


def test_a_model_too_big_for_the_memory_is_refused_before_its_weights_are_read(monkeypatch):
    monkeypatch.setattr(memory, "free_bytes", lambda device: 3_000_000_000)
    memory.require("small", 2_000_000_000, CPU)
    with pytest.raises(mha_viz.ModelError) as caught:
        memory.require("giant", 4_000_000_000, CPU)
    assert "giant needs about 4.0 GB" in str(caught.value)
    assert "cpu has 2.8 GB free" in str(caught.value)


def test_the_estimate_of_minilm_is_above_its_weights_and_halves_with_the_precision(minilm):
    parameters = sum(tensor.numel() for tensor in minilm._network.parameters())
    full = memory.needed_bytes(parameters, minilm.spec, torch.float32)
    assert parameters * 4 < full < parameters * 4 * 3.5
    assert memory.needed_bytes(parameters, minilm.spec, torch.bfloat16) == pytest.approx(full / 2, abs=2)


def test_before_files_are_here_their_size_stands_for_the_parameters(monkeypatch, minilm):
    monkeypatch.setattr(memory, "free_bytes", lambda device: 500_000_000)
    memory.require_for_files("fits", 100_000_000, minilm.spec, Place("cpu"))
    with pytest.raises(mha_viz.ModelError, match="large needs about 0"):
        memory.require_for_files("large", 300_000_000, minilm.spec, Place("cpu"))
    memory.require_for_files("large", 300_000_000, minilm.spec, Place("cpu", "bfloat16"))
