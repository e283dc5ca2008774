"""Memory that a computation takes, counted and not estimated: its peak, and what is kept for its backward pass."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile

from mha_viz.models.devices import wait_for


def peak_bytes(call: Callable[[], object], device: torch.device) -> int:
    """The most that was allocated at one time, beyond what there was before.

    On the CPU the profiler lists every block that PyTorch's allocator gives out and takes back; a GPU counts for itself. What a
    library takes past the allocator is in neither.

    Args:
        call: its result is dropped.
        device: where it works.
    """
    if device.type == "cuda":
        wait_for(device)
        torch.cuda.reset_peak_memory_stats(device)
        before = torch.cuda.memory_allocated(device)
        call()
        return torch.cuda.max_memory_allocated(device) - before
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # or the profiler tells of itself, at every start
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as told:
        call()
    return _highest(_blocks(told))


def _blocks(told: profile) -> Iterator[tuple[int, int]]:
    """Address and bytes of each block in turn, fewer than 0 where it is given back."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trace.json"
        told.export_chrome_trace(str(file))
        events = json.loads(file.read_text(encoding="utf-8"))["traceEvents"]
    for event in sorted((one for one in events if one.get("name") == "[memory]"), key=lambda one: float(one["ts"])):
        yield int(event["args"]["Addr"]), int(event["args"]["Bytes"])


def _highest(blocks: Iterable[tuple[int, int]]) -> int:
    """The highest sum on the way; blocks that were there before are given back without having been counted."""
    held: dict[int, int] = {}
    total = highest = 0
    for address, size in blocks:
        if size > 0:
            held[address] = size
            total += size
        else:
            total -= held.pop(address, 0)
        highest = max(highest, total)
    return highest


class Kept:
    """Tensors' memory, each piece counted once, however many tensors look at it."""

    def __init__(self) -> None:
        self._storages: dict[int, torch.UntypedStorage] = {}

    def add(self, tensor: torch.Tensor) -> None:
        """Counts it, and keeps it alive, or another tensor could be put into its place."""
        storage = tensor.untyped_storage()
        self._storages[storage.data_ptr()] = storage

    @property
    def n_bytes(self) -> int:
        """Of all together."""
        return sum(storage.nbytes() for storage in self._storages.values())


@contextmanager
def kept_for_backward() -> Iterator[Kept]:
    """What autograd keeps of all that is computed within, matrices that are learnt among it."""
    kept = Kept()

    def note(tensor: torch.Tensor) -> torch.Tensor:
        kept.add(tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        yield kept
