"""What one layer of attention costs with each number of heads, and what has been published on it. Without torch until it counts.

Work and parameters do not depend on the number of heads: h heads of width d_model / h read and write as much as one of width
d_model. Only the maps do: there is one of n_tokens x n_tokens for each head.
"""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import NamedTuple

from mha_viz.errors import InputError
from mha_viz.labs.options import Options, number, one_of, whole
from mha_viz.spec import divisors

#: Bytes of one number.
N_BYTES = {"float32": 4, "bfloat16": 2}
#: Width of a head that the tutorials' rule asks for at least.
LEAST_D_K = 64
#: Vectors of d_model that a layer keeps of each token until the backward pass: what it reads, Q, K, V, the heads' outputs.
VECTORS = 5


class Cost(NamedTuple):
    """One number of heads.

    Attributes:
        heads: how many.
        d_k: width of each.
        parameters: of the layer, counted in a real one.
        multiply_adds: of a forward pass of the batch.
        map_bytes: of all maps of the batch.
        largest_batch: sequences whose maps and vectors fit into the memory beside the parameters; 0 if not one does.
    """

    heads: int
    d_k: int
    parameters: int
    multiply_adds: int
    map_bytes: int
    largest_batch: int


@dataclass(frozen=True)
class Budget(Options):
    """What is given; the number of heads is not.

    Raises:
        InputError: a value that is not allowed.
    """

    d_model: int = whole(512, 1, 16_384)
    n_tokens: int = whole(512, 1, 131_072)
    batch: int = whole(32, 1, 65_536)
    dtype: str = one_of("float32", *N_BYTES)
    gigabytes: float = number(8.0, 0.001, 10_000.0)

    @property
    def multiply_adds(self) -> int:
        """Of a forward pass: 4 L d^2 for W_Q, W_K, W_V, W_O and 2 L^2 d for scores and weighing, each sequence."""
        length, width = self.n_tokens, self.d_model
        return self.batch * (4 * length * width**2 + 2 * length**2 * width)

    @property
    def parameters(self) -> int:
        """By formula, 4 d^2 + 4 d: four matrices and their biases."""
        return 4 * self.d_model**2 + 4 * self.d_model

    def checked(self, heads: int) -> int:
        """The number of heads.

        Raises:
            InputError: it does not divide d_model; the sentence names those that do.
        """
        if heads < 1 or self.d_model % heads:
            allowed = ", ".join(map(str, divisors(self.d_model)))
            raise InputError("error.lab_heads", n_heads=heads, d_model=self.d_model, allowed=allowed)
        return heads

    def map_bytes(self, heads: int) -> int:
        """Of the weights of every head and sequence: batch x heads x L^2 numbers."""
        return self.batch * heads * self.n_tokens**2 * N_BYTES[self.dtype]

    def largest_batch(self, heads: int) -> int:
        """How many sequences fit, kept for a backward pass: h L^2 + VECTORS L d numbers each, beside the parameters."""
        size = N_BYTES[self.dtype]
        room = round(self.gigabytes * 1e9) - self.parameters * size
        each = heads * self.n_tokens**2 + VECTORS * self.n_tokens * self.d_model
        return max(room // (each * size), 0)

    def costs(self) -> tuple[Cost, ...]:
        """For every number of heads that divides d_model, fewest first."""
        return tuple(
            Cost(
                heads,
                self.d_model // heads,
                counted,
                self.multiply_adds,
                self.map_bytes(heads),
                self.largest_batch(heads),
            )
            for heads, counted in counted_parameters(self.d_model).items()
        )


@functools.lru_cache(maxsize=64)
def counted_parameters(d_model: int) -> dict[int, int]:
    """Number of heads to parameters of one layer, counted in a module with so many; the module takes no memory."""
    import torch

    from mha_viz.labs.nets import HeadsAttention, n_parameters

    with torch.device("meta"):  # shapes without numbers
        return {heads: n_parameters(HeadsAttention(d_model, heads)) for heads in divisors(d_model)}


class Shape(NamedTuple):
    """A width and a number of heads that somebody recommends or uses.

    Attributes:
        d_model, heads: as published.
        name: of the model; "" for a recommendation.
        source: where it is written.
    """

    d_model: int
    heads: int
    name: str = ""
    source: str = ""

    @property
    def d_k(self) -> int:
        """Width of a head."""
        return self.d_model // self.heads

    @property
    def is_narrow(self) -> bool:
        """Whether it breaks the rule of LEAST_D_K."""
        return self.d_k < LEAST_D_K


class Scores(NamedTuple):
    """A translator trained with several numbers of heads.

    Attributes:
        heads, bleu, perplexity: (setting,).
        source: where they are published.
    """

    heads: tuple[int, ...]
    bleu: tuple[float, ...]
    perplexity: tuple[float, ...]
    source: str


class Published(NamedTuple):
    """What published.toml holds.

    Attributes:
        recommended: by tutorials, one entry each.
        tasks: number of heads, from and to, that they recommend for a task.
        models: what models use.
        scores: the one clean comparison.
    """

    recommended: tuple[Shape, ...]
    tasks: dict[str, tuple[int, int]]
    models: tuple[Shape, ...]
    scores: Scores


@functools.cache
def published() -> Published:
    """Recommendations, models and scores, with their sources."""
    book = tomllib.loads(files("mha_viz.labs").joinpath("published.toml").read_text(encoding="utf-8"))
    sources, scores = book["sources"], book["scores"]
    return Published(
        tuple(Shape(entry["d_model"], heads) for entry in book["recommended"] for heads in entry["heads"]),
        {name: (low, high) for name, (low, high) in book["tasks"].items()},
        tuple(Shape(one["d_model"], one["heads"], one["name"], sources[one["source"]]) for one in book["model"]),
        Scores(tuple(scores["heads"]), tuple(scores["bleu"]), tuple(scores["perplexity"]), sources[scores["source"]]),
    )
