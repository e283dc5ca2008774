"""What a mask lets through, before any model has run. Formulas: density and reach of a window, Beltagy et al. 2020."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mha_viz.arrays import BoolArray


def density(visible: BoolArray) -> float:
    """Share of the cells of bool (query, key) that are visible.

    A window of radius w over n tokens has (n (2 w + 1) - w (w + 1)) / n^2.
    """
    return float(visible.mean())


def reach(visible: BoolArray, n_layers: int) -> BoolArray:
    """bool (query, token): what a token can have been told of after ``n_layers`` layers.

    A token keeps its own vector from layer to layer (the residual connection), so it always reaches itself. With a window of
    radius w a token in the middle reaches 2 n_layers w + 1 tokens.

    Args:
        visible: bool (query, key), the same in every layer, or (layer, query, key).
        n_layers: how many layers.
    """
    return layers_until(visible, n_layers) <= n_layers


def layers_until(visible: BoolArray, n_layers: int) -> npt.NDArray[np.int64]:
    """(query, token): after how many layers a token can first have been told of another; ``n_layers`` + 1 if later or never.

    Args:
        visible: as for ``reach``.
        n_layers: how many layers.
    """
    n_tokens = visible.shape[-1]
    reached = itself = np.eye(n_tokens, dtype=bool)
    later = n_layers + 1 - itself * (n_layers + 1)
    for layer in np.broadcast_to(visible, (n_layers, n_tokens, n_tokens)):
        step = layer | itself
        reached = (step.astype(np.float32) @ reached.astype(np.float32)) > 0
        later -= reached & ~itself
    return later
