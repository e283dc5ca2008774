"""Calls timed side by side, fairly."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple

import torch

from mha_viz.models.devices import wait_for

#: Rounds of quick calls: so many that this time is spent, but no more than this.
_LEAST_SECONDS, _MOST_ROUNDS = 0.2, 400
_CPU = torch.device("cpu")
#: The work of this process's core, which whoever else is at work on the computer does not lengthen; time, where it is coarse.
_clock = time.process_time if time.get_clock_info("process_time").resolution < 1e-5 else time.perf_counter


class Taken(NamedTuple):
    """Seconds of one call.

    Attributes:
        work: that this process's core worked; on a GPU as ``passed``.
        passed: on the clock at the wall, with whatever else the computer did.
    """

    work: float
    passed: float


def timed(
    calls: Sequence[Callable[[], object]], rounds: int, *, gradients: bool = False, device: torch.device = _CPU
) -> Generator[float, None, list[list[Taken]]]:
    """The seconds of each call, (call, round): all calls in every round, so that a busy moment meets them alike.

    Every other round goes backwards. One round before them does not count. Quick calls have more rounds than were asked for, a
    multiple of that number.

    Args:
        calls: what is timed, in turn.
        rounds: at least.
        gradients: whether calls may want gradients; they run in inference mode otherwise.
        device: where they work; it is waited for before each look at the clock.
    """
    once = functools.partial(_round, gradients=gradients, device=device)
    first = sum(taken.passed for taken in once(calls))
    rounds *= max(1, min(_MOST_ROUNDS, int(_LEAST_SECONDS / max(first, 1e-9))) // rounds)
    turns: list[list[Taken]] = []
    for turn in range(rounds):
        turns.append(once(calls) if turn % 2 else once(calls[::-1])[::-1])
        yield (turn + 1) / rounds
    return [list(own) for own in zip(*turns, strict=True)]


def _round(calls: Sequence[Callable[[], object]], *, gradients: bool, device: torch.device) -> list[Taken]:
    found = []
    with torch.inference_mode(not gradients):
        for call in calls:
            wait_for(device)
            worked, passed = _clock(), time.perf_counter()
            call()
            wait_for(device)
            worked, passed = _clock() - worked, time.perf_counter() - passed
            found.append(Taken(worked if device.type == "cpu" else passed, passed))
    return found
