"""What a model is, known before it is loaded."""

from __future__ import annotations

from dataclasses import dataclass

from mha_viz.errors import InputError


def divisors(number: int) -> tuple[int, ...]:
    """The head counts that divide ``number``, smallest first."""
    return tuple(n for n in range(1, number + 1) if number % n == 0)


@dataclass(frozen=True)
class ModelSpec:
    """What a model is, known before its weights are loaded.

    Attributes:
        name: what people call it.
        n_layers: attention layers.
        n_heads: heads of each layer.
        d_model: width of a token's vector.
        max_tokens: the longest sequence it reads.
        causal: whether the model itself hides what comes after a token, whatever the controls say.

    Raises:
        InputError: a number below 1, or n_heads does not divide d_model; the sentence names the head counts that do.
    """

    name: str
    n_layers: int
    n_heads: int
    d_model: int
    max_tokens: int
    causal: bool = False

    def __post_init__(self) -> None:
        for what in ("n_layers", "n_heads", "d_model", "max_tokens"):
            if getattr(self, what) < 1:
                raise InputError("error.spec_positive", what=what, got=getattr(self, what))
        if self.d_model % self.n_heads:
            allowed = ", ".join(map(str, divisors(self.d_model)))
            raise InputError("error.heads_divide", d_model=self.d_model, n_heads=self.n_heads, allowed=allowed)

    @property
    def shape(self) -> tuple[int, int]:
        """(layer, head): how many there are of each."""
        return self.n_layers, self.n_heads

    @property
    def d_k(self) -> int:
        """Width of one head."""
        return self.d_model // self.n_heads
