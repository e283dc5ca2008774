"""Masks of every kind for property tests."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mha_viz.masks import MASKS, Mask, Painted
from mha_viz.tokens import TokenSequence
from tests.unit.build import sequence

#: Kinds whose every field is a number within bounds.
WITH_NUMBERS = [kind for kind in MASKS.values() if kind is not Painted]


def squares(most: int) -> st.SearchStrategy[np.ndarray]:
    """Any bool square of up to so many cells on a side."""
    return st.integers(1, most).flatmap(lambda side: arrays.arrays(bool, (side, side)))


def any_mask(high: int = 512) -> st.SearchStrategy[Mask]:
    """One of each kind, its fields anywhere within their bounds, and not above ``high`` where they may be chosen so."""
    with_numbers = st.sampled_from(WITH_NUMBERS).flatmap(
        lambda kind: st.builds(
            kind, **{f.name: st.integers(f.metadata["low"], min(f.metadata["high"], high)) for f in fields(kind)}
        )
    )
    return st.one_of(with_numbers, squares(10).map(Painted.of))


@st.composite
def pairs(draw: st.DrawFn, most: int = 24) -> TokenSequence:
    """Tokens of one or two sentences."""
    first, second = draw(st.integers(1, most)), draw(st.integers(0, most))
    return sequence(first + second, segment_ids=(0,) * first + (1,) * second)
