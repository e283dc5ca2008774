"""The options of every lab. Without torch: pages and commands ask for them before a lab is imported."""

from __future__ import annotations

from dataclasses import dataclass

from mha_viz.labs.options import Options, one_of, whole

#: What a look-up net can be trained on; "lookups.task.NAME" says what it is.
TASKS = ("values", "classes")
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
    steps: int = whole(400, 20, 5_000)
