"""The fastest device is chosen by itself, named, and overridden; memory is measured and given back."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import psutil
import pytest
import torch

import mha_viz
from mha_viz.controls import Controls
from mha_viz.masks import Causal
from mha_viz.models import devices
from mha_viz.models.devices import available, device_name, find_device, free_bytes, give_back, ran_out
from mha_viz.models.place import DTYPES, Place
from mha_viz.settings import settings

ROOT = Path(__file__).parents[2]
needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="runs where there is an NVIDIA GPU")


@pytest.fixture
def devices_there(monkeypatch):
    def pretend(*, cuda: int, mps: bool) -> None:
        monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda > 0)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: cuda)
        monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)

    return pretend


@pytest.fixture
def environment(monkeypatch):
    def put(**values: str) -> None:
        for name, value in values.items():
            monkeypatch.setenv(name, value)
        settings.cache_clear()

    yield put
    monkeypatch.undo()
    settings.cache_clear()


@pytest.mark.parametrize(
    ("cuda", "mps", "chosen"),
    [(2, True, "cuda:0"), (1, False, "cuda:0"), (0, True, "mps"), (0, False, "cpu")],
)
def test_cuda_comes_before_mps_and_mps_before_the_processor(devices_there, cuda, mps, chosen):
    devices_there(cuda=cuda, mps=mps)
    assert str(find_device(Place())) == chosen


def test_the_environment_and_above_it_the_page_choose_another(devices_there, environment):
    devices_there(cuda=2, mps=False)
    environment(MHA_VIZ_DEVICE="cuda:1")
    assert str(find_device(Place())) == "cuda:1"
    assert str(find_device(Place("cpu"))) == "cpu"
    assert str(find_device(Place("cuda"))) == "cuda:0"


def test_a_device_that_is_not_there_is_refused_with_those_that_are(devices_there):
    devices_there(cuda=1, mps=False)
    with pytest.raises(mha_viz.ModelError) as caught:
        find_device(Place("cuda:3"))
    assert "cuda:3" in str(caught.value)
    assert "cuda:0, cpu" in str(caught.value)
    with pytest.raises(mha_viz.InputError, match="float8"):
        Place(dtype="float8")
    with pytest.raises(mha_viz.InputError, match="gpu"):
        Place("gpu")


def test_the_device_at_hand_works_and_has_a_name():
    device = find_device(Place())
    assert (torch.ones(2, device=device) + 1).tolist() == [2.0, 2.0]
    assert device_name(device)
    assert str(device) in available()
    assert 0 < free_bytes(torch.device("cpu")) <= psutil.virtual_memory().total


def test_a_container_s_limit_bounds_what_is_free(monkeypatch, tmp_path):
    (tmp_path / "max").write_text("3000000\n")
    (tmp_path / "current").write_text("1000000\n")
    monkeypatch.setattr(devices, "_CONTAINER_LIMIT", tmp_path / "max")
    monkeypatch.setattr(devices, "_CONTAINER_USE", tmp_path / "current")
    assert free_bytes(torch.device("cpu")) == 2_000_000
    (tmp_path / "max").write_text("max\n")
    assert free_bytes(torch.device("cpu")) > 2_000_000


def test_running_out_is_told_from_other_failures():
    with pytest.raises(RuntimeError) as caught:
        torch.empty(2**60, dtype=torch.int8)
    assert ran_out(caught.value)
    assert ran_out(torch.OutOfMemoryError("CUDA out of memory."))
    assert not ran_out(RuntimeError("shapes cannot be multiplied"))
    assert not ran_out(ValueError("out of memory"))


_RELEASE = """
import gc, psutil, torch
from mha_viz.models.devices import give_back
def size(): return psutil.Process().memory_info().rss / 2**20
held = [torch.ones(300, 512) for _ in range(400)]  # 240 MB in pieces of 0.6 MB, as a BERT's matrices are
kept = [torch.ones(64) for _ in range(400)]
with_it = size()
del held
give_back()
print(with_it - size())
"""


def test_released_memory_goes_back_to_the_system():
    command = [sys.executable, "-c", _RELEASE]
    freed = float(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    assert freed > 200


def test_a_model_that_nobody_holds_is_gone(tiny_folder):
    from mha_viz.models.huggingface import HuggingFaceModel

    model = HuggingFaceModel(tiny_folder, "tiny")
    model.agreement(model.tokenize("the cat sat"))
    network = weakref.ref(model._network)
    gc.disable()  # what is left in a circle must be collected by give_back itself
    try:
        del model
        give_back()
        assert network() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("dtype", DTYPES)
def test_each_precision_is_named_and_judged_by_its_own_tolerance(tiny_folder, dtype):
    from mha_viz.models.huggingface import HuggingFaceModel

    model = HuggingFaceModel(tiny_folder, "tiny", Place("cpu", dtype))
    tokens = model.tokenize("the cat sat on the mat")
    trace = model.run(tokens, Controls(mask=Causal()))
    assert trace.conditions.dtype == dtype
    assert trace.weights.dtype == np.float32
    assert trace.checks.tolerance == (1e-5 if dtype == "float32" else 4e-3)
    assert (trace.checks.row_sum_error > 1e-5) == (dtype != "float32")
    assert model.agreement(tokens, Controls(mask=Causal())).passed


def test_the_toy_says_that_it_calculates_in_one_precision_only():
    with pytest.raises(mha_viz.InputError, match="float32 only, not in float16"):
        mha_viz.open_model("toy", dtype="float16")


@needs_cuda
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_gpu_gives_the_weights_of_the_processor(tiny_folder, dtype):
    from mha_viz.models.huggingface import HuggingFaceModel

    here, there = (HuggingFaceModel(tiny_folder, "tiny", Place(*place)) for place in (("cpu",), ("cuda", dtype)))
    tokens = here.tokenize("the cat sat on the mat")
    run, other = here.run(tokens), there.run(tokens)
    assert other.conditions.device.startswith("cuda")
    assert np.abs(run.weights - other.weights).max() <= (1e-5 if dtype == "float32" else 5e-2)
    assert there.agreement(tokens).passed
    assert 0 < free_bytes(there.device) <= torch.cuda.get_device_properties(0).total_memory


@needs_cuda
def test_a_gpu_s_memory_is_given_back(tiny_folder):
    give_back()
    before = torch.cuda.memory_reserved()
    held = torch.ones(2**26, device="cuda")
    assert torch.cuda.memory_reserved() > before
    del held
    give_back()
    assert torch.cuda.memory_reserved() == before
