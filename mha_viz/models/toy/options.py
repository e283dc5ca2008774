"""What a person may choose about the toy. No torch here: the page shows all this before torch is imported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from mha_viz.errors import InputError
from mha_viz.spec import ModelSpec

ToyWeights = Literal["designed", "random"]

SMALLEST_D_MODEL, LARGEST_D_MODEL = 16, 512
MAX_TOKENS = 512


@dataclass(frozen=True)
class ToyOptions:
    """Hashable; with the same options the toy has the same weights.

    Attributes:
        d_model: 16 to 512.
        n_heads: a divisor of d_model.
        seed: of the word vectors, and of the random weights.
        weights: "designed" or "random".

    Raises:
        InputError: one of them is not allowed.
    """

    d_model: int = 64
    n_heads: int = 8
    seed: int = 0
    weights: ToyWeights = "designed"

    def __post_init__(self) -> None:
        if not SMALLEST_D_MODEL <= self.d_model <= LARGEST_D_MODEL:
            raise InputError("error.d_model", got=self.d_model, low=SMALLEST_D_MODEL, high=LARGEST_D_MODEL)
        if self.seed < 0:
            raise InputError("error.seed", got=self.seed)
        if self.weights not in get_args(ToyWeights):
            raise InputError("error.toy_weights", got=self.weights, allowed=", ".join(get_args(ToyWeights)))
        self.spec  # noqa: B018 - refuses a number of heads that does not divide d_model

    @property
    def spec(self) -> ModelSpec:
        """One layer of attention."""
        return ModelSpec("Toy", 1, self.n_heads, self.d_model, MAX_TOKENS)

    @property
    def n_parameters(self) -> int:
        """Entries of W_Q, W_K, W_V and W_O; the number of heads does not change it."""
        return 4 * self.d_model**2
