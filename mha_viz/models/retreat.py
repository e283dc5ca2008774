"""What to do when a device's memory is not enough: free it, and do the same on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from mha_viz.errors import ModelError
from mha_viz.models.base import AttentionModel
from mha_viz.models.devices import find_device, give_back, ran_out
from mha_viz.models.place import Place

Result = TypeVar("Result")
_CPU = Place("cpu")


def with_retreat(
    open_at: Callable[[Place], AttentionModel], place: Place, act: Callable[[AttentionModel], Result]
) -> tuple[Result, str | None]:
    """Does something with a model; where the memory of its GPU is not enough for that, with the same model on the CPU.

    Args:
        open_at: opens the model at a place.
        place: where it should run.
        act: what to do; done again from the start on the CPU.

    Returns:
        what ``act`` returned, and the device that was given up; None if none was.

    Raises:
        ModelError: the CPU's memory is not enough either.
    """
    device = find_device(place)
    done, result = _tried(lambda: act(open_at(place)))
    if done:
        return result, None  # type: ignore[return-value]
    give_back()  # here, where no traceback holds the tensors any more
    if device.type != "cpu":
        done, result = _tried(lambda: act(open_at(_CPU)))
        if done:
            return result, str(device)  # type: ignore[return-value]
        give_back()
    raise ModelError("error.out_of_memory")


def _tried(action: Callable[[], Result]) -> tuple[bool, Result | None]:
    """Whether there was memory enough for the action, and its result."""
    try:
        return True, action()
    except (RuntimeError, MemoryError) as problem:
        if not ran_out(problem):
            raise
    return False, None
