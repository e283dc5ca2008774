"""Devices: CUDA, then MPS, then the CPU; their memory, and giving it back."""

from __future__ import annotations

import ctypes
import gc
import platform
import re
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import torch

from mha_viz.errors import ModelError
from mha_viz.models.place import Place
from mha_viz.settings import settings

_RAN_OUT = re.compile(r"out\sof\smemory|DefaultCPUAllocator")
_CONTAINER_LIMIT, _CONTAINER_USE = Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")


def available() -> list[str]:
    """Every device of this computer, the fastest first."""
    cuda = [f"cuda:{number}" for number in range(torch.cuda.device_count())] if torch.cuda.is_available() else []
    return [*cuda, *(["mps"] if torch.backends.mps.is_available() else []), "cpu"]


def find_device(place: Place) -> torch.device:
    """The device that ``place`` names.

    Raises:
        ModelError: this computer has no such device.
    """
    wanted = place.device if place.device != "auto" else settings().device
    there = available()
    if wanted == "auto":
        return torch.device(there[0])
    if wanted == "cuda" and torch.cuda.is_available():
        return torch.device("cuda", torch.cuda.current_device())
    if wanted not in there:
        raise ModelError("error.no_such_device", got=wanted, allowed=", ".join(there))
    return torch.device(wanted)


def find_dtype(place: Place) -> torch.dtype:
    """torch's name of the precision."""
    dtype: torch.dtype = getattr(torch, place.dtype)
    return dtype


def device_name(device: torch.device) -> str:
    """What the maker calls it, as far as it is known."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return platform.processor() or platform.machine()


def described() -> list[tuple[str, str, int]]:
    """Every device of this computer: its name, what the maker calls it, and its free bytes."""
    there = [torch.device(name) for name in available()]
    return [(str(device), device_name(device), free_bytes(device)) for device in there]


def wait_for(device: torch.device) -> None:
    """Waits until the device has done what was asked of it, so that a clock tells the truth."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type == "mps":
        torch.mps.synchronize()


def free_bytes(device: torch.device) -> int:
    """Memory that the device can still give; in a container, within its limit."""
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    free = psutil.virtual_memory().available
    with suppress(OSError, ValueError):  # no container, or one without a limit ("max")
        free = min(free, int(_CONTAINER_LIMIT.read_text()) - int(_CONTAINER_USE.read_text()))
    return max(free, 0)


def ran_out(problem: BaseException) -> bool:
    """Whether the memory of a device was not enough: torch has an error of its own for GPUs, and none for the CPU."""
    if isinstance(problem, torch.OutOfMemoryError | MemoryError):
        return True
    return isinstance(problem, RuntimeError) and bool(_RAN_OUT.search(str(problem)))


def give_back() -> None:
    """Hands memory that no object holds any more back to the device and to the system."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    if torch.backends.mps.is_available():
        torch.mps.empty_cache()
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # the C library of some systems has no such call
            ctypes.CDLL("libc.so.6").malloc_trim(0)


def default_threads() -> int:
    """Threads of a forward pass: half the cores, at most 4.

    A second thread on two cores makes short texts slower, and every text as soon as anything else runs
    (tests/benchmarks/bench_threads.py); two passes can run side by side instead.
    """
    return max(1, min(4, (psutil.cpu_count() or 1) // 2))


def set_threads() -> int:
    """Sets and returns the number of threads of a forward pass: the setting, or the default."""
    threads = settings().threads or default_threads()
    torch.set_num_threads(threads)
    return threads
