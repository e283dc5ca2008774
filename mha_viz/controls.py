"""Records of what a person changes inside the model: temperature, mask, silenced and uniform heads."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mha_viz.arrays import BoolArray
from mha_viz.errors import InputError
from mha_viz.masks import Mask, visible_cells
from mha_viz.spec import ModelSpec
from mha_viz.tokens import TokenSequence


class HeadId(NamedTuple):
    """One head; both count from 0. Written "L3 H7"."""

    layer: int
    head: int

    def __str__(self) -> str:
        return f"L{self.layer} H{self.head}"


@dataclass(frozen=True)
class Controls:
    """What to change in one run. ``Controls()`` changes nothing: the run then equals the reference model.

    Attributes:
        temperature: the scaled scores are divided by it, 0 to infinity. 0 is the limit (all weight on the largest score,
            ties shared), infinity is even weight over the allowed keys.
        mask: which keys are visible; None for all.
        layers: the layers that temperature and mask act in; None for all.
        silenced: heads whose output is multiplied by 0.
        uniform: heads whose weights are even over the allowed keys.

    Raises:
        InputError: a temperature below 0 or not a number; a layer or head below 0.
    """

    temperature: float = 1.0
    mask: Mask | None = None
    layers: frozenset[int] | None = None
    silenced: frozenset[HeadId] = field(default_factory=frozenset)
    uniform: frozenset[HeadId] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        if not isinstance(self.temperature, int | float) or math.isnan(self.temperature) or self.temperature < 0:
            raise InputError("error.temperature", got=self.temperature)
        if self.mask is not None and not isinstance(self.mask, Mask):
            raise InputError("error.mask_kind", got=type(self.mask).__name__)
        if self.layers is not None:
            object.__setattr__(self, "layers", frozenset(self.layers))
        for name in ("silenced", "uniform"):
            object.__setattr__(self, name, frozenset(HeadId(*head) for head in getattr(self, name)))
        numbers = [*(self.layers or ()), *(number for head in self.silenced | self.uniform for number in head)]
        if min(numbers, default=0) < 0:
            raise InputError("error.below_0", got=min(numbers))

    def acts_in(self, layer: int) -> bool:
        """Whether temperature and mask act in ``layer``."""
        return self.layers is None or layer in self.layers

    def check_against(self, spec: ModelSpec) -> None:
        """Raises InputError if a layer or head is named that the model does not have."""
        heads = [head for head in self.silenced | self.uniform if not _exists(head, spec)]
        layers = [layer for layer in self.layers or () if not 0 <= layer < spec.n_layers]
        if heads or layers:
            got = ", ".join([str(head) for head in sorted(heads)] + [f"L{layer}" for layer in sorted(layers)])
            raise InputError(
                "error.no_such_head", got=got, name=spec.name, layers=spec.n_layers - 1, heads=spec.n_heads - 1
            )


def _exists(head: HeadId, spec: ModelSpec) -> bool:
    return 0 <= head.layer < spec.n_layers and 0 <= head.head < spec.n_heads


def visible_by_layer(spec: ModelSpec, tokens: TokenSequence, controls: Controls) -> BoolArray:
    """bool (layer, query, key): what each query may attend to, layer by layer; needs no run of the model."""
    masked = visible_cells(tokens, controls.mask)
    if controls.layers is None or controls.mask is None:
        return np.broadcast_to(masked, (spec.n_layers, *masked.shape))
    unmasked = visible_cells(tokens, None)
    return np.stack([masked if controls.acts_in(layer) else unmasked for layer in range(spec.n_layers)])


def heads_without(spec: ModelSpec, kept: Iterable[int]) -> frozenset[HeadId]:
    """Every head, in all layers, whose number is not in ``kept``: what "heads kept" silences.

    Raises:
        InputError: no head is kept, or one that the model does not have.
    """
    kept = set(kept)
    if not kept or not kept <= set(range(spec.n_heads)):
        got = ", ".join(map(str, sorted(kept))) or "-"
        raise InputError("error.heads_kept", got=got, last=spec.n_heads - 1)
    silent = [head for head in range(spec.n_heads) if head not in kept]
    return frozenset(HeadId(layer, head) for layer in range(spec.n_layers) for head in silent)


def heads_beyond(ranking: npt.NDArray[np.floating], count: int) -> frozenset[HeadId]:
    """All but the ``count`` heads of each layer that rank lowest in ``ranking``, (layer, head).

    With a head's entropy as ranking, the most focused heads are kept.
    """
    order = np.argsort(ranking, axis=1, kind="stable")[:, count:]
    return frozenset(HeadId(layer, int(head)) for layer, heads in enumerate(order) for head in heads)
