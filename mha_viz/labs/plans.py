"""The options of the labs that train. Without torch: pages and commands ask for them before a lab is imported."""

from __future__ import annotations

from dataclasses import dataclass

from mha_viz.labs.options import Options, check_heads, number, one_of, whole

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
            check_heads(n_heads, D_MODEL)


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
