"""The options of the labs on deep stacks. Without torch, as ``plans``."""

from __future__ import annotations

from dataclasses import dataclass

from mha_viz.labs.options import Options, number, one_of, whole
from mha_viz.labs.plans import D_MODEL, SWITCH

#: What a stack's layers have beside attention, "stacks.kind.NAME"; the depths to choose from; the matrices of a layer,
#: "stacks.matrix.NAME".
STACK_KINDS = ("attention", "residual", "post", "pre")
DEPTHS = (1, 2, 4, 6, 8, 12, 16, 24, 32, 48)
MATRICES = ("query", "key", "value", "out", "ffn1", "ffn2")


@dataclass(frozen=True)
class StackOptions(Options):
    """Every kind with every depth, without and with FFN, once a seed: as they begin, and those in ``trained`` after steps."""

    kinds: tuple[str, ...] = one_of(STACK_KINDS, *STACK_KINDS)
    ffn: tuple[str, ...] = one_of(("on",), *SWITCH)
    depths: tuple[int, ...] = whole((2, 6, 12, 32), 1, 48)
    trained: tuple[int, ...] = whole((2,), 1, 48)
    steps: int = whole(10, 0, 200)
    seeds: int = whole(1, 1, 20)
    d_model: int = whole(128, 8, 512)
    heads: int = whole(8, 1, 64)
    tokens: int = whole(32, 2, 128)
    precision: str = one_of("float32", "float32", "float64")


#: How W_Q and W_K begin, "beginnings.scheme.NAME"; what scores are divided by: nothing, sqrt(d_k), and sqrt(d_k) once more.
SCHEMES = ("linear", "xavier", "packed", "unit", "tenth")
SCALINGS = ("off", "on", "twice")


@dataclass(frozen=True)
class BeginningOptions(Options):
    """Every scheme with every scaling, once a seed."""

    d_model: int = whole(512, 8, 1_024)
    heads: int = whole(8, 1, 64)
    tokens: int = whole(32, 2, 128)
    seeds: int = whole(1, 1, 50)


@dataclass(frozen=True)
class StableOptions(Options):
    """Blocks with every choice of their parts, at every rate of learning, once a seed.

    Attributes:
        pre: LayerNorm before the parts (on) or behind the residual connection (off).
        qk_norm, temperature: as ``nets.HeadsAttention``.
        warmup: steps in which the rate rises from 0.
    """

    pre: tuple[str, ...] = one_of(("on", "off"), *SWITCH)
    qk_norm: tuple[str, ...] = one_of(("on", "off"), *SWITCH)
    temperature: tuple[str, ...] = one_of(("on", "off"), *SWITCH)
    rates: tuple[float, ...] = number((0.003, 0.01), 0.000_01, 0.1)
    layers: int = whole(6, 1, 24)
    heads: int = whole(4, 1, D_MODEL)
    steps: int = whole(200, 20, 2_000)
    warmup: int = whole(0, 0, 2_000)
    seeds: int = whole(1, 1, 20)
