"""The options of every lab. Without torch: pages and commands ask for them before a lab is imported."""

from __future__ import annotations

from dataclasses import dataclass

from mha_viz.labs.options import Options, one_of, whole

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
