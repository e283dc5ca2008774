"""Records of what a person changes inside the model: temperature, mask, silenced and uniform heads."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mha_viz.arrays import BoolArray, compact
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
        heads: the heads, of each such layer, that they act in; None for all.
        silenced: heads whose output is multiplied by 0.
        uniform: heads whose weights are even over the allowed keys.

    Raises:
        InputError: a temperature below 0 or not a number; a layer or head below 0.
    """

    temperature: float = 1.0
    mask: Mask | None = None
    layers: frozenset[int] | None = None
    heads: frozenset[int] | None = None
    silenced: frozenset[HeadId] = field(default_factory=frozenset)
    uniform: frozenset[HeadId] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        if not isinstance(self.temperature, int | float) or math.isnan(self.temperature) or self.temperature < 0:
            raise InputError("error.temperature", got=self.temperature)
        if self.mask is not None and not isinstance(self.mask, Mask):
            raise InputError("error.mask_kind", got=type(self.mask).__name__)
        for name in ("layers", "heads"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, frozenset(getattr(self, name)))
        for name in ("silenced", "uniform"):
            object.__setattr__(self, name, frozenset(HeadId(*head) for head in getattr(self, name)))
        numbers = [
            *(self.layers or ()),
            *(self.heads or ()),
            *(number for head in self.silenced | self.uniform for number in head),
        ]
        if min(numbers, default=0) < 0:
            raise InputError("error.below_0", got=min(numbers))

    def acts_in(self, layer: int, head: int | None = None) -> bool:
        """Whether temperature and mask act in ``layer``; in this head of it, if one is given."""
        in_layer = self.layers is None or layer in self.layers
        return in_layer and (head is None or self.heads is None or head in self.heads)

    def check_against(self, spec: ModelSpec) -> None:
        """Raises InputError if a layer or head is named that the model does not have."""
        named = self.silenced | self.uniform | {HeadId(0, head) for head in self.heads or ()}
        heads = [head for head in named if not _exists(head, spec)]
        layers = [layer for layer in self.layers or () if not 0 <= layer < spec.n_layers]
        if heads or layers:
            got = ", ".join([str(head) for head in sorted(heads)] + [f"L{layer}" for layer in sorted(layers)])
            raise InputError(
                "error.no_such_head", got=got, name=spec.name, layers=spec.n_layers - 1, heads=spec.n_heads - 1
            )


def _exists(head: HeadId, spec: ModelSpec) -> bool:
    return 0 <= head.layer < spec.n_layers and 0 <= head.head < spec.n_heads


def visible_in(spec: ModelSpec, tokens: TokenSequence, controls: Controls) -> BoolArray:
    """bool (layer, head, query, key): what each query may attend to; needs no run of the model.

    Axes along which it only repeats take no memory.
    """
    shape = (spec.n_layers, spec.n_heads, tokens.n_tokens, tokens.n_tokens)
    if controls.mask is None and not any(tokens.padding) and not spec.causal:
        return np.broadcast_to(np.True_, shape)
    masked = visible_cells(tokens, controls.mask, causal=spec.causal)
    if controls.mask is None or (controls.layers is None and controls.heads is None):
        return np.broadcast_to(masked, shape)
    heads = [None] if controls.heads is None else range(spec.n_heads)
    acts = np.array([[controls.acts_in(layer, head) for head in heads] for layer in range(spec.n_layers)])
    unmasked = visible_cells(tokens, None, causal=spec.causal)
    return np.broadcast_to(np.where(acts[:, :, None, None], masked, unmasked), shape)


def has_key(visible: BoolArray) -> BoolArray:
    """bool (..., query): whether a query sees any key."""
    return np.broadcast_to(compact(visible).any(axis=-1), visible.shape[:-1])


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
