"""The options of every lab. Without torch: pages and commands ask for them before a lab is imported."""

from __future__ import annotations

from dataclasses import dataclass

from mha_viz.labs.options import Options, one_of, whole

#: What a look-up net can be trained on; "lookups.task.NAME" says what it is.
TASKS = ("values", "classes")
#: Labelled texts; "texts.data.NAME" says what they are.
TEXTS = ("movies", "sms", "imdb")
#: "texts.positions.NAME".
SWITCH = ("on", "off")
#: Width of the look-up nets' vectors.
D_MODEL = 32


@dataclass(frozen=True)
class LookupOptions(Options):
    """Every task with every number of heads, once a seed."""

    tasks: tuple[str, ...] = one_of(("values",), *TASKS)
    heads: tuple[int, ...] = whole((1, 2, 4, 8, 16), 1, D_MODEL)
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
