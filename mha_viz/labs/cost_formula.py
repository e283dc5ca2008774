"""What attention should cost: multiply-adds and bytes by formula. Without torch.

L tokens, h heads, width d, N layers, numbers of 4 bytes. A map is h L^2 numbers, a vector of every token L d.
"""

from __future__ import annotations

from typing import NamedTuple

from mha_viz.labs.budget import N_BYTES, VECTORS, Budget

#: How attention is computed; "cost.kind.NAME" says what each is.
COST_KINDS = ("eager", "sdpa", "flex", "compiled")
#: "cost.pass.NAME".
PASSES = ("forward", "training")
#: No measurement needs more memory than this by its formula.
MOST_BYTES = 1_000_000_000
#: A backward pass multiplies twice where the forward pass does once: for the gradient of each factor.
_TRAINING = 3
#: Maps that a forward pass holds at one time: scores and weights; flex without a compiler one more, and one of yes and no.
_MAPS = {"eager": 2.0, "flex": 3.25}
_SIZE = N_BYTES["float32"]


class Size(NamedTuple):
    """Attention layers one after another, and what they read."""

    length: int
    heads: int
    d_model: int
    layers: int
    batch: int = 1

    @property
    def vector(self) -> int:
        """Numbers of one vector a token."""
        return self.batch * self.length * self.d_model

    @property
    def map(self) -> int:
        """Numbers of the maps of one layer."""
        return self.batch * self.heads * self.length**2

    @property
    def matrices(self) -> int:
        """Numbers in W_Q, W_K, W_V and W_O of one layer."""
        return 4 * self.d_model**2


def operations(size: Size, passed: str) -> int:
    """Multiply-adds: those of ``Budget`` in every layer, three times in training."""
    once = size.layers * Budget(size.d_model, size.length, size.batch).multiply_adds
    return _TRAINING * once if passed == "training" else once


def map_bytes(size: Size) -> int:
    """Of the maps of all layers."""
    return size.layers * size.map * _SIZE


def peak_bytes(kind: str, passed: str, size: Size) -> int:
    """The most memory at one time, beside the parameters and what is read.

    Forward, the larger of two moments: scores and weights of one layer with Q, K, V and the heads' outputs; or the weights,
    these, the outputs side by side and what the layer writes. There are no maps where they are worked on in pieces. What a layer
    reads counts from the second one on.

    Compiled flex attention, as it was counted with PyTorch 2.13: six vectors, Q, K and V of one head once more, and 8 bytes for
    each pair of tokens, however many heads there are.

    Training, the larger of two moments. In the backward pass through the last layer's maps: all that the layers keep, and the
    gradients of weights and scores, or of the four vectors where there are no maps. At its end: the gradients of all matrices,
    and three vectors.
    """
    maps = _MAPS.get(kind, 0.0) * size.map
    if passed == "forward" and kind == "compiled":
        numbers = (6 + 3 / size.heads) * size.vector + 2 * size.batch * size.length**2
        return round(_SIZE * (numbers + (size.layers > 1) * size.vector))
    if passed == "forward":
        later = (size.map if kind == "eager" else 0) + (6 if maps else 5) * size.vector
        return round(_SIZE * (max(maps + 4 * size.vector, later) + (size.layers > 1) * size.vector))
    kept = size.layers * (VECTORS * size.vector + (size.map if kind == "eager" else 0))
    work = maps if kind == "eager" else 4 * size.vector
    return round(_SIZE * max(kept + work, size.layers * size.matrices + 3 * size.vector))


def kept_bytes(way: str, size: Size) -> int:
    """What is kept for the backward pass: of each layer the matrices, VECTORS vectors, and the maps if nothing avoids that.

    Fused attention ("sdpa") keeps one number a row instead of the row, the logarithm of its softmax's sum.
    """
    rows = {"eager": size.map, "sdpa": size.batch * size.heads * size.length}.get(way, 0)
    return _SIZE * size.layers * (size.matrices + VECTORS * size.vector + rows)
