"""MiniLM for the pitfalls that try a claim on a trained model."""

from __future__ import annotations

import functools

from mha_viz.labs.worth import packaged_bert
from mha_viz.models.base import AttentionModel


@functools.lru_cache(maxsize=1)
def minilm() -> AttentionModel:
    """MiniLM on the CPU, loaded once: a control that is moved must not load it again.

    Raises:
        ModelError: it is not there.
    """
    return packaged_bert()
