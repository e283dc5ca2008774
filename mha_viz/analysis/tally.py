"""Types of heads over a set of sentences: how often each head is of which type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha_viz.analysis.types import TYPES, HeadTypes, NameArray
from mha_viz.arrays import FloatArray, IntArray, ReadOnlyArrays, expect_shape
from mha_viz.errors import RecordError


@dataclass(frozen=True, eq=False)
class TypeTally(ReadOnlyArrays):
    """How often each head is of which type.

    Attributes:
        names: str (layer, head), the most frequent type of each head; of equally frequent ones the first of TYPES.
        agreement: float64 (layer, head), share of the sentences in which the head is of that type.
        counts: int (type, layer, head), sentences in which the head is of a type; types in the order of TYPES.
        n_sentences: how many sentences were counted.
    """

    names: NameArray
    agreement: FloatArray
    counts: IntArray
    n_sentences: int

    def __post_init__(self) -> None:
        self.freeze_arrays()


def tally(types: Sequence[HeadTypes]) -> TypeTally:
    """Counts the types of the same heads in several runs.

    Raises:
        RecordError: there is none, or they are not of the same layers and heads.
    """
    if not types:
        raise RecordError("error.tally_empty")
    for one in types:
        expect_shape("names", one.names, types[0].names.shape)
    names = np.stack([one.names for one in types])
    counts = np.stack([(names == name).sum(axis=0) for name in TYPES])
    most = counts.argmax(axis=0)
    return TypeTally(np.array(TYPES)[most], counts.max(axis=0) / len(types), counts, len(types))
