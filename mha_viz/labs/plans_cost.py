"""The options of the labs that measure costs. Without torch, as ``plans``."""

from __future__ import annotations

from dataclasses import dataclass

from mha_viz.errors import InputError
from mha_viz.labs.cost_formula import COST_KINDS, MOST_BYTES, Size, peak_bytes
from mha_viz.labs.options import Options, check_heads, one_of, whole

#: What grows in a measurement of costs, with the values that it takes; "cost.axis.NAME".
COST_AXES = {
    "length": (64, 128, 256, 512, 1_024, 2_048, 4_096),
    "heads": (1, 2, 4, 8, 16, 32),
    "d_model": (64, 128, 256, 512, 1_024),
    "layers": (1, 2, 4, 8, 16),
}


@dataclass(frozen=True)
class GrowthOptions(Options):
    """Along every axis the other three stay; in every way to compute attention, with so many repeats.

    Raises:
        InputError: also heads that do not divide d_model.
    """

    axes: tuple[str, ...] = one_of(tuple(COST_AXES), *COST_AXES)
    kinds: tuple[str, ...] = one_of(("eager", "sdpa", "flex"), *COST_KINDS)
    length: int = whole(512, 16, 2_048)
    heads: int = whole(4, 1, 64)
    d_model: int = whole(256, 16, 2_048)
    layers: int = whole(1, 1, 16)
    longest: int = whole(2_048, 64, 4_096)
    rounds: int = whole(5, 1, 50)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_heads(self.heads, self.d_model)


@dataclass(frozen=True)
class KeptMapsOptions(Options):
    """Attention with and without its maps handed out, plain, checkpointed and fused, at every length and number of layers.

    Raises:
        InputError: also heads that do not divide d_model, or a length whose maps need more than MOST_BYTES.
    """

    lengths: tuple[int, ...] = whole((64, 128, 256, 512), 16, 4_096)
    batch: int = whole(2, 1, 64)
    heads: int = whole(8, 1, 64)
    d_model: int = whole(64, 16, 2_048)
    layers: tuple[int, ...] = whole((1,), 1, 16)
    rounds: int = whole(7, 1, 50)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_heads(self.heads, self.d_model)
        for size in self.sizes():
            needs = peak_bytes("eager", "training", size)
            if needs > MOST_BYTES:
                told = {"length": size.length, "layers": size.layers, "needs": f"{needs / 1e6:,.0f}"}
                raise InputError("error.lab_memory", **told, most=f"{MOST_BYTES / 1e6:,.0f}")

    def sizes(self) -> list[Size]:
        """What is measured, from few layers and tokens to many."""
        return [
            Size(length, self.heads, self.d_model, layers, self.batch)
            for layers in sorted(set(self.layers))
            for length in sorted(set(self.lengths))
        ]


#: How a model can be computed in half of the bytes; "rounding.kind.NAME".
HALVES = ("bfloat16", "float16", "autocast_bfloat16", "autocast_float16")


@dataclass(frozen=True)
class PrecisionOptions(Options):
    """The packaged BERT in every kind of half precision, over so many built-in sentences."""

    kinds: tuple[str, ...] = one_of(HALVES, *HALVES)
    sentences: int = whole(16, 1, 16)
    rounds: int = whole(10, 1, 200)


#: What is quantised to INT8, with "rounding.part.NAME"; what has a scale of its own, "rounding.grain.NAME"; "rounding.api.NAME".
INT8_PARTS = ("all", "qk", "vo", "ffn")
GRAINS = ("tensor", "channel")
INT8_APIS = ("torchao", "quantize_dynamic")


@dataclass(frozen=True)
class Int8Options(Options):
    """The packaged BERT with every part quantised in every way, over so many built-in sentences."""

    parts: tuple[str, ...] = one_of(INT8_PARTS, *INT8_PARTS)
    grains: tuple[str, ...] = one_of(GRAINS, *GRAINS)
    apis: tuple[str, ...] = one_of(INT8_APIS, *INT8_APIS)
    sentences: int = whole(16, 1, 16)
    rounds: int = whole(10, 1, 200)


#: Ways to attend whose cost is measured; "sparse_speed.kind.NAME" says what each is.
SPARSE_KINDS = ("eager", "masked", "sdpa", "sdpa_masked", "window", "blocks", "buckets")
#: Tokens of a block, of a hashed chunk, and of a window's radius there.
SPARSE_BLOCK = 16
#: Lengths that they can be measured at.
SPARSE_LENGTHS = (64, 128, 256, 512, 1_024, 2_048, 4_096)


@dataclass(frozen=True)
class SparseCostOptions(Options):
    """Every kind at every length.

    Raises:
        InputError: also a length that there is none of in SPARSE_LENGTHS.
    """

    kinds: tuple[str, ...] = one_of(SPARSE_KINDS, *SPARSE_KINDS)
    tokens: tuple[int, ...] = whole((64, 128, 256, 512, 1_024), 64, 4_096)
    rounds: int = whole(5, 1, 50)

    def __post_init__(self) -> None:
        super().__post_init__()
        for length in self.tokens:
            if length not in SPARSE_LENGTHS:
                allowed = ", ".join(map(str, SPARSE_LENGTHS))
                raise InputError("error.lab_option", name="tokens", got=length, allowed=allowed)


#: What is read with, "sparse_models.NAME": BigBird as it answers and as it is trained, and Longformer.
SPARSE_MODELS = ("bigbird", "bigbird_train", "longformer")


@dataclass(frozen=True)
class SparseModelsOptions(Options):
    """BigBird and Longformer at every length.

    Attributes:
        block, random: tokens of a block of BigBird, and random blocks that each sees.
        radius: of Longformer's window.
    """

    tokens: tuple[int, ...] = whole((16, 28, 32, 48, 64), 8, 512)
    block: int = whole(4, 2, 16)
    random: int = whole(1, 1, 3)
    radius: int = whole(4, 1, 32)


def full_until(block: int, random: int) -> int:
    """The longest text that BigBird of transformers reads with full attention: its global, neighbouring and random blocks, and
    as many random ones again."""
    return (5 + 2 * random) * block
