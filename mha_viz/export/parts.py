"""Which of the weights are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mha_viz.errors import InputError
from mha_viz.trace import Reading


@dataclass(frozen=True)
class Part:
    """A choice of the weights; None for all of them.

    Attributes:
        layers, heads: from 0; heads of each of the layers.
        queries: rows, as places in what is read; of a run these are positions.
    """

    layers: tuple[int, ...] | None = None
    heads: tuple[int, ...] | None = None
    queries: tuple[int, ...] | None = None

    def within(self, reading: Reading) -> Chosen:
        """The numbers that are meant.

        Raises:
            InputError: one that ``reading`` has not.
        """
        n_layers, n_heads, n_query, n_key = reading.weights.shape
        layers, heads = _numbers(self.layers, n_layers), _numbers(self.heads, n_heads)
        queries = _numbers(self.queries, n_query)
        for names, letter, count in ((layers, "L", n_layers), (heads, "H", n_heads)):
            if not names or not all(0 <= number < count for number in names):
                got = ", ".join(f"{letter}{number}" for number in names) or "-"
                last = {"layers": n_layers - 1, "heads": n_heads - 1}
                raise InputError("error.no_such_head", got=got, name=reading.spec.name, **last)
        for number in queries or (-1,):
            if not 0 <= number < n_query:
                raise InputError("error.no_such_token", got=number, last=n_query - 1)
        return Chosen(layers, heads, queries, n_key)


@dataclass(frozen=True)
class Chosen:
    """A part of a reading, with its numbers.

    Attributes:
        layers, heads, queries: what is written, in this order.
        n_key: keys of each query; all are written.
    """

    layers: tuple[int, ...]
    heads: tuple[int, ...]
    queries: tuple[int, ...]
    n_key: int

    @property
    def n_rows(self) -> int:
        """Rows of a table with a row for each weight."""
        return len(self.layers) * len(self.heads) * len(self.queries) * self.n_key


#: Everything.
ALL = Part()


def _numbers(chosen: Sequence[int] | None, count: int) -> tuple[int, ...]:
    return tuple(range(count)) if chosen is None else tuple(chosen)
