"""What handing out the maps keeps in memory: attention plain, checkpointed and fused, with and without its maps."""

from __future__ import annotations

import functools
import statistics
from collections.abc import Sequence

import torch

from mha_viz.labs.allocated import kept_for_backward, peak_bytes
from mha_viz.labs.attending import Core, core_of, gradients, layers_of, through
from mha_viz.labs.cost_formula import kept_bytes, map_bytes, operations
from mha_viz.labs.nets import HeadsAttention
from mha_viz.labs.plans_cost import KeptMapsOptions
from mha_viz.labs.results import Row, Step, Steps
from mha_viz.labs.steps import part_of, told
from mha_viz.labs.timing import Taken, timed

#: How attention is computed, and whether its maps are handed out; "cost_maps.way.NAME". Fused attention has none to hand out.
WAYS = (("eager", False), ("eager", True), ("checkpoint", False), ("checkpoint", True), ("sdpa", False))
_CPU = torch.device("cpu")


def run(options: KeptMapsOptions) -> Steps:
    """A row for each size and way."""
    sizes = options.sizes()
    weights = [operations(size, "training") + 10 * map_bytes(size) for size in sizes]
    begun = 0.0
    for size, weight in zip(sizes, weights, strict=True):
        share = weight / sum(weights)
        layers, read = layers_of(size, _CPU)
        calls = [functools.partial(gradients, layers, core_of(way), read, returns_maps=maps) for way, maps in WAYS]
        work = timed(calls, options.rounds, gradients=True)
        found = yield from told(part_of(work, begun, share), size._asdict())
        begun = min(begun + share, 1.0)
        exact = calls[0]()
        for (way, maps), call, taken in zip(WAYS, calls, found, strict=True):
            row: Row = {"way": way, "returned": maps, **size._asdict()}
            row |= kept(layers, core_of(way), read, returns_maps=maps)
            row |= {"formula": kept_bytes(way, size), "map_bytes": map_bytes(size), "peak": peak_bytes(call, _CPU)}
            yield Step(begun, row | _apart(call(), exact) | _times(taken, found[0]))


def kept(layers: Sequence[HeadsAttention], core: Core, read: torch.Tensor, *, returns_maps: bool) -> dict[str, int]:
    """Bytes that autograd keeps after a forward pass ("kept"), and those with the maps that were handed out ("alive")."""
    with kept_for_backward() as found:
        _, maps = through(layers, core, read, returns_maps=returns_maps)
    saved = found.n_bytes
    for weights in maps:
        found.add(weights)
    return {"kept": saved, "alive": found.n_bytes}


def _apart(got: Sequence[torch.Tensor], wanted: Sequence[torch.Tensor]) -> Row:
    """How far the gradients are from those of plain attention, as a share of the largest, and whether no bit differs."""
    pairs = list(zip(got, wanted, strict=True))
    largest = max(float(other.abs().max()) for _, other in pairs)
    return {
        "apart": float(f"{max(float((one - other).abs().max()) for one, other in pairs) / largest:.2g}"),
        "equal": all(torch.equal(one, other) for one, other in pairs),
    }


def _times(taken: Sequence[Taken], plain: Sequence[Taken]) -> Row:
    """The median time of a forward and a backward pass, and the ratio to plain attention in the same round."""
    ratios = [one.work / other.work for one, other in zip(taken, plain, strict=True)]
    return {
        "ms": float(f"{1000 * statistics.median(one.work for one in taken):.4g}"),
        "ratio": round(statistics.median(ratios), 3),
        "low": round(statistics.quantiles(ratios, n=4)[0], 3) if len(ratios) > 1 else None,
        "high": round(statistics.quantiles(ratios, n=4)[2], 3) if len(ratios) > 1 else None,
    }
