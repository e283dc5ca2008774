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
