"""Whether a model fits, before its weights are read."""

from __future__ import annotations

import torch

from mha_viz.errors import ModelError
from mha_viz.models.devices import find_device, find_dtype, free_bytes
from mha_viz.models.place import Place
from mha_viz.spec import ModelSpec

#: A run needs more than the weights: activations, the tokenizer, the copy made while loading one file.
OVERHEAD = 1.25
_RESERVE = 200 * 10**6  # for the rest of the app


def needed_bytes(parameters: int, spec: ModelSpec, dtype: torch.dtype) -> int:
    """Estimate: the weights, and the maps of all heads at the longest text with the scratch and the copy for the page.

    Args:
        parameters: of the model.
        spec: its sizes.
        dtype: of the weights.
    """
    maps = (spec.n_layers * 2 + 1) * spec.n_heads * spec.max_tokens**2
    return int((parameters * OVERHEAD + maps) * dtype.itemsize)


def require(name: str, needed: int, device: torch.device) -> None:
    """Raises ModelError if ``needed`` bytes are not free on the device; both numbers are said."""
    free = max(free_bytes(device) - _RESERVE, 0)
    if needed > free:
        raise ModelError("error.too_big", name=name, needed=needed / 1e9, device=device, free=free / 1e9)


def require_for_files(name: str, n_bytes: int, spec: ModelSpec, place: Place) -> None:
    """As ``require``, before the files are here: their numbers are taken to have four bytes each, as most have.

    Raises:
        ModelError: not enough memory is free, or there is no such device.
    """
    parameters = n_bytes // torch.float32.itemsize
    require(name, needed_bytes(parameters, spec, find_dtype(place)), find_device(place))
