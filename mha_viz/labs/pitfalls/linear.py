"""Cost that is said to grow with the number of heads."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import torch

from mha_viz.labs.budget import VECTORS
from mha_viz.labs.nets import HeadsAttention, head_width, n_parameters
from mha_viz.labs.options import Options, one_of, whole
from mha_viz.labs.pitfalls.base import Outcome, Told, Trial, claimed, right

HEADS = (1, 2, 4, 8, 16, 32)
#: The number of heads that the verdict speaks of, beside one.
MANY = 8
#: Times each number of heads is timed, all of them in each round, after one that does not count; and the seconds after which
#: no further round begins: on a busy computer one round must do.
ROUNDS, LONGEST = 5, 1.5
#: Shares of a growth in step with the heads: below the first none, above the second in step.
BELOW, IN_STEP = 0.5, 0.8
CLAIMS = ("time", "memory")
_BYTES = 4


@dataclass(frozen=True)
class LinearOptions(Options):
    """What is claimed, and of which layer: one sequence of so many tokens."""

    claim: str = one_of("time", *CLAIMS)
    tokens: int = whole(256, 8, 512)
    d_model: int = whole(256, max(HEADS), 512)


CASES = tuple(LinearOptions(claim) for claim in CLAIMS)


def time_as_told(one_head: float, heads: int) -> float:
    """As told."""
    return one_head * heads


def multiply_adds(tokens: int, d_model: int, heads: int) -> int:
    """Of a forward pass: W_Q, W_K, W_V, W_O, then scores and weighing."""
    d_k = d_model // heads
    matrices = 4 * tokens * d_model * d_model
    scores_and_weighing = heads * 2 * tokens * tokens * d_k
    return matrices + scores_and_weighing


def try_it(options: LinearOptions) -> Trial:
    """What one layer takes with each number of heads."""
    for heads in HEADS:
        head_width(options.d_model, heads)
    return _time(options) if options.claim == "time" else _memory(options)


def seconds(options: LinearOptions, heads: Sequence[int]) -> dict[int, list[float]]:
    """Of a forward and a backward pass, in each round every number of heads in turn."""
    found: dict[int, list[float]] = {n: [] for n in heads}
    with torch.random.fork_rng(devices=[]), torch.enable_grad():
        layers = {n: HeadsAttention(options.d_model, n) for n in heads}
        x = torch.randn(1, options.tokens, options.d_model)
        started = time.perf_counter()
        for number in range(ROUNDS + 1):
            if number > 1 and time.perf_counter() - started > LONGEST:
                break
            for n, layer in layers.items():
                begun = time.perf_counter()
                layer(x)[0].square().mean().backward()
                found[n].append(time.perf_counter() - begun)
                layer.zero_grad()
    return {n: taken[1:] for n, taken in found.items()}


def _time(options: LinearOptions) -> Trial:
    """Operations by formula, and seconds measured, against one head."""
    work = {n: multiply_adds(options.tokens, options.d_model, n) for n in HEADS}
    taken = seconds(options, HEADS)
    growth = [median(taken[n]) / median(taken[1]) for n in HEADS]
    times, operations = growth[HEADS.index(MANY)], work[MANY] / work[1]
    outcome: Outcome = "partly"
    if times > IN_STEP * MANY:
        outcome = "holds"
    elif operations == 1 and times < BELOW * MANY:
        outcome = "false"
    verdicts = {
        "holds": "pitfalls.linear.time.grows",
        "partly": "pitfalls.linear.time.some",
        "false": "pitfalls.linear.time.flat",
    }
    values = {"many": MANY, "times": times, "operations": operations, "most": HEADS[-1], "at_most": growth[-1]}
    values |= {"millions": work[1] / 1e6}
    return Trial(
        claim=Told("pitfalls.linear.time.claim"),
        outcome=outcome,
        verdict=Told(verdicts[outcome], values),
        instead=Told("pitfalls.linear.time.instead"),
        code=(claimed(time_as_told), right(multiply_adds)),
        found={
            "heads": list(HEADS),
            "d_model": options.d_model,
            "rounds": len(taken[1]),
            "milliseconds": [1e3 * median(taken[n]) for n in HEADS],
            "growth": growth,
            "operations": [work[n] / work[1] for n in HEADS],
            "told": [time_as_told(1.0, n) for n in HEADS],
        },
    )


def kept_bytes(tokens: int, d_model: int, heads: int) -> dict[str, int]:
    """What a layer holds for training, one sequence in float32: its parameters, vectors of tokens, and maps."""
    matrices_and_biases = 4 * d_model * d_model + 4 * d_model
    vectors = VECTORS * tokens * d_model
    maps = heads * tokens * tokens
    return {"parameters": 4 * matrices_and_biases, "vectors": 4 * vectors, "maps": 4 * maps}


def memory_as_told(one_head: int, heads: int) -> int:
    """As told."""
    return one_head * heads


def _memory(options: LinearOptions) -> Trial:
    """Bytes of a layer with each number of heads; parameters are counted in real ones."""
    parts: list[dict[str, int]] = [kept_bytes(options.tokens, options.d_model, n) for n in HEADS]
    with torch.device("meta"):
        real = [_BYTES * n_parameters(HeadsAttention(options.d_model, n)) for n in HEADS]
    place = HEADS.index(MANY)
    growth = {kind: parts[place][kind] / parts[0][kind] for kind in parts[0]} | {"parameters": real[place] / real[0]}
    sums = [sum(part.values()) for part in parts]
    values: dict[str, Any] = {"many": MANY, **growth, "all": sums[place] / sums[0]}
    in_step = [kind for kind, times in growth.items() if times > IN_STEP * MANY]
    outcome: Outcome = "holds" if len(in_step) == len(growth) else "partly" if in_step else "false"
    verdicts = {
        "holds": "pitfalls.linear.memory.all",
        "partly": "pitfalls.linear.memory.maps",
        "false": "pitfalls.linear.memory.none",
    }
    return Trial(
        claim=Told("pitfalls.linear.memory.claim"),
        outcome=outcome,
        verdict=Told(verdicts[outcome], values),
        instead=Told("pitfalls.linear.memory.instead"),
        code=(claimed(memory_as_told), right(kept_bytes)),
        found={
            "heads": list(HEADS),
            "d_model": options.d_model,
            "parts": [part | {"parameters": count} for part, count in zip(parts, real, strict=True)],
            "told": [memory_as_told(sums[0], n) for n in HEADS],
        },
    )
