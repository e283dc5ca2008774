"""The options of every lab. Without torch: pages and commands ask for them before a lab is imported."""

from __future__ import annotations

from dataclasses import dataclass

from mha_viz.errors import InputError
from mha_viz.labs.cost_formula import COST_KINDS, MOST_BYTES, Size, peak_bytes
from mha_viz.labs.options import Options, number, one_of, whole
from mha_viz.labs.examine.base import MODULES, OURS
from mha_viz.labs.options import Options, number, one_of, text, whole
from mha_viz.labs.pitfalls.registry import PITFALLS
from mha_viz.spec import divisors

#: What a look-up net can be trained on; "lookups.task.NAME" says what it is.
TASKS = ("values", "classes")
#: Labelled texts; "texts.data.NAME" says what they are.
TEXTS = ("movies", "sms", "imdb")
#: "texts.positions.NAME".
SWITCH = ("on", "off")
#: Width of the look-up nets' vectors.
D_MODEL = 32
#: Tokens of a case, keys that the query names, numbers of a value, kinds of a value.
N_TOKENS, N_SLOTS, WIDTH, KINDS = 8, 4, 2, 8
#: Cases that are held out for the score.
HELD_OUT = 4_096
#: Every number of heads that a look-up net can have.
LOOKUP_HEADS = (1, 2, 4, 8, 16, 32)


@dataclass(frozen=True)
class LookupOptions(Options):
    """Every task with every number of heads, once a seed."""

    tasks: tuple[str, ...] = one_of(("values",), *TASKS)
    heads: tuple[int, ...] = whole((1, 2, 4, 8, 16), 1, D_MODEL)
    seeds: int = whole(1, 1, 20)
    steps: int = whole(400, 20, 2_000)  # at its rate of learning one head goes astray in trainings of 5,000


#: What a net can be computed in; "sweep.precision.NAME" are their words.
PRECISIONS = ("float32", "bfloat16")


@dataclass(frozen=True)
class SweepOptions(Options):
    """Head counts from few to many, each with every seed, until more gain less than the noise; once a task and precision.

    Attributes:
        noise: how far told answers are off: the standard deviation of what is added to numbers, whose own is 1; the share of
            classes that are told at random.
        margin: what a gain must be larger than to be worth more heads.
        patience: so many counts in a row without a gain end it.

    Raises:
        InputError: also a head count that does not divide D_MODEL.
    """

    tasks: tuple[str, ...] = one_of(("values",), *TASKS)
    heads: tuple[int, ...] = whole((1, 2, 4, 8, 16), 1, D_MODEL)
    seeds: int = whole(3, 1, 20)
    steps: int = whole(300, 20, 5_000)
    noise: float = number(0.3, 0, 1)
    margin: float = number(0.0, 0, 1)
    patience: int = whole(1, 1, 8)
    precisions: tuple[str, ...] = one_of(("float32",), *PRECISIONS)

    def __post_init__(self) -> None:
        super().__post_init__()
        for n_heads in self.heads:
            _check_heads(n_heads, D_MODEL)


#: What heads can be measured in and removed from: look-up nets trained for it, and the packaged BERT; "matter.model.NAME".
SUBJECTS = (*TASKS, "minilm")


@dataclass(frozen=True)
class WorthOptions(Options):
    """The importance of every head in several ways; look-up nets once a seed, MiniLM once."""

    models: tuple[str, ...] = one_of(("values",), *SUBJECTS)
    heads: int = whole(8, 1, D_MODEL)
    seeds: int = whole(1, 1, 20)
    steps: int = whole(400, 20, 5_000)
    cases: int = whole(256, 8, 4_096)


@dataclass(frozen=True)
class PrunedOptions(WorthOptions):
    """Heads removed in several orders, random ones once a seed; the speed of full, silenced and pruned passes."""

    batches: tuple[int, ...] = whole((1, 16), 1, 64)
    rounds: int = whole(5, 1, 100)


#: What a diversity regulariser can punish; "alike.kind.NAME" says what it is.
REGULARISERS = ("positions", "maps", "outputs")
#: What heads can be compared in: trained look-up nets, or MiniLM.
COMPARED = ("lookups", "minilm")


@dataclass(frozen=True)
class AlikeOptions(Options):
    """Every task with every number of heads, without a regulariser and with every kind at every strength, once a seed."""

    nets: tuple[str, ...] = one_of(("lookups",), *COMPARED)
    tasks: tuple[str, ...] = one_of(("values",), *TASKS)
    heads: tuple[int, ...] = whole((8,), 2, D_MODEL)
    kinds: tuple[str, ...] = one_of(REGULARISERS, *REGULARISERS)
    strengths: tuple[float, ...] = number((0.01, 0.1, 1.0), 0, 100)
    seeds: int = whole(1, 1, 20)
    steps: int = whole(400, 20, 5_000)


@dataclass(frozen=True)
class TextOptions(Options):
    """Every data set with every number of heads, once a seed; at most so many examples of each."""

    data: tuple[str, ...] = one_of(("movies",), *TEXTS)
    heads: tuple[int, ...] = whole((1, 8), 1, 64)
    layers: int = whole(1, 1, 4)
    seeds: int = whole(3, 1, 20)
    epochs: int = whole(8, 1, 50)
    positions: str = one_of("on", *SWITCH)
    examples: int = whole(25_000, 100, 25_000)


@dataclass(frozen=True)
class ShuffledOptions(Options):
    """A net with positions and one without, once a seed."""

    data: str = one_of("movies", *TEXTS)
    heads: int = whole(8, 1, 64)
    layers: int = whole(1, 1, 4)
    seeds: int = whole(1, 1, 20)
    epochs: int = whole(3, 1, 50)
    examples: int = whole(25_000, 100, 25_000)


#: How heads share their matrices, with "sharing.kind.NAME"; what a student learns, with "distil.aim.NAME".
SHARING_KINDS = ("full", "grouped", "multi", "query")
AIMS = ("truth", "answers", "maps")


@dataclass(frozen=True)
class SharingOptions(Options):
    """Every kind of sharing with every number of heads, once a seed."""

    tasks: tuple[str, ...] = one_of(("values",), *TASKS)
    heads: tuple[int, ...] = whole((8,), 1, D_MODEL)
    kinds: tuple[str, ...] = one_of(SHARING_KINDS, *SHARING_KINDS)
    seeds: int = whole(1, 1, 20)
    steps: int = whole(400, 20, 5_000)


@dataclass(frozen=True)
class DepthOptions(Options):
    """Heads in all, in every number of layers that divides them, once a seed."""

    tasks: tuple[str, ...] = one_of(("values",), *TASKS)
    heads: tuple[int, ...] = whole((4,), 1, D_MODEL)
    layers: tuple[int, ...] = whole((1, 2, 4, 8), 1, D_MODEL)
    faster: tuple[float, ...] = number((1.0,), 0.1, 20.0)
    seeds: int = whole(1, 1, 20)
    steps: int = whole(400, 20, 5_000)


@dataclass(frozen=True)
class DistilOptions(Options):
    """A teacher and its students of each number of heads, once a seed."""

    tasks: tuple[str, ...] = one_of(("classes",), *TASKS)
    teacher: int = whole(8, 1, D_MODEL)
    heads: tuple[int, ...] = whole((2,), 1, D_MODEL)
    aims: tuple[str, ...] = one_of(AIMS, *AIMS)
    temperature: float = number(2.0, 0.1, 100.0)
    seeds: int = whole(1, 1, 20)
    steps: int = whole(400, 20, 5_000)


@dataclass(frozen=True)
class PitfallOptions(Options):
    """Every claim of these pitfalls."""

    pitfalls: tuple[str, ...] = one_of(PITFALLS, *PITFALLS)


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
        _check_heads(self.heads, self.d_model)


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
        _check_heads(self.heads, self.d_model)
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


def _check_heads(n_heads: int, d_model: int) -> None:
    if n_heads not in divisors(d_model):
        allowed = ", ".join(map(str, divisors(d_model)))
        raise InputError("error.lab_heads", n_heads=n_heads, d_model=d_model, allowed=allowed)


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
@dataclass(frozen=True)
class ExamineOptions(Options):
    """Attention modules through the checks: those that came with the app, and one that a person names.

    Attributes:
        path: "package.module:Class" of the module "own".
        arguments: with which it is made, as in a call or as JSON; what usually fits if empty.
        folder: where imports are looked for first; the one the app was started in if empty.
        seconds: that the module "own" may take for all checks.
    """

    modules: tuple[str, ...] = one_of(OURS, *MODULES)
    path: str = text("", 200)
    arguments: str = text("", 400)
    folder: str = text("", 400)
    seconds: int = whole(60, 5, 600)

    @property
    def runs_code(self) -> bool:
        """True with the module "own"."""
        return "own" in self.modules
