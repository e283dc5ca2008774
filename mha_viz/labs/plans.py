"""The options of every lab. Without torch: pages and commands ask for them before a lab is imported."""

from __future__ import annotations

from dataclasses import dataclass

from mha_viz.labs.options import Options, number, one_of, whole

#: What a look-up net can be trained on; "lookups.task.NAME" says what it is.
TASKS = ("values", "classes")
#: Width of the look-up nets' vectors.
D_MODEL = 32


@dataclass(frozen=True)
class LookupOptions(Options):
    """Every task with every number of heads, once a seed."""

    tasks: tuple[str, ...] = one_of(("values",), *TASKS)
    heads: tuple[int, ...] = whole((1, 2, 4, 8, 16), 1, D_MODEL)
    seeds: int = whole(1, 1, 20)
    steps: int = whole(400, 20, 5_000)


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
