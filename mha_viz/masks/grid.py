"""Positions of queries and keys, which most masks are rules about."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mha_viz.tokens import TokenSequence

#: The largest number a mask's parameter takes: no model at hand reads more tokens.
LARGEST = 512


def queries(tokens: TokenSequence) -> npt.NDArray[Any]:
    """int (query, 1): position of each query."""
    return np.arange(tokens.n_tokens)[:, None]


def keys(tokens: TokenSequence) -> npt.NDArray[Any]:
    """int (1, key): position of each key."""
    return np.arange(tokens.n_tokens)[None, :]


def distance(tokens: TokenSequence) -> npt.NDArray[Any]:
    """int (query, key): key position less query position."""
    return keys(tokens) - queries(tokens)
