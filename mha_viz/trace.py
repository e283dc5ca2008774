"""Records of what a model did. Frozen, self-validating, arrays read-only.

Glossary, one word a concept (every quantity with its shape):

==============  ==========================================================================================
d_model         width of one token's vector
n_heads, d_k    heads of a layer, width of one head; d_k = d_model / n_heads
n_tokens        tokens of a sequence
query, key      (head, token, d_k): what a token asks with, what it is found by
value           (head, token, d_k): what it hands over
scores          (head, query, key): raw Q K^T, before scale, temperature, mask and softmax
weights         (layer, head, query, key): after the softmax; a row (one query) sums to 1
no_key          (layer, head, query): True where every key is hidden; that row of weights is all 0
visible         (layer, head, query, key): True where the query may attend to the key
head_output     (head, token, d_k): weights times value, after the head's gate
output          (token, d_model): of the model (AttentionTrace) or of one attention layer after W_O (LayerTrace)
x               (token, d_model): what an attention layer's projections read
W_Q, W_K, W_V   (d_model, d_model): x @ W_Q + b_Q is every head's query, side by side; likewise key and value
W_O             (d_model, d_model): the heads' outputs side by side @ W_O + b_O are the layer's output
==============  ==========================================================================================
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from mha_viz.arrays import BoolArray, FloatArray, ReadOnlyArrays, compact, expect_product, expect_shape, freeze
from mha_viz.checks import Checks, Conditions
from mha_viz.controls import Controls
from mha_viz.errors import RecordError
from mha_viz.spec import ModelSpec
from mha_viz.tokens import TokenSequence

#: How far a row of weights may be from 1, by dtype (science: measured row sums; design, records).
ROW_SUM_TOLERANCE = {"float64": 1e-10, "float32": 1e-5, "bfloat16": 4e-3, "float16": 4e-3}
#: How far x @ W + b may be from what the model projected, by dtype, in units of the largest entry.
PROJECTION_TOLERANCE = {"float64": 1e-4, "float32": 1e-4, "bfloat16": 3e-2, "float16": 4e-3}


@dataclass(frozen=True, eq=False)
class Answer(ReadOnlyArrays):
    """What a model's output layer says of a sequence.

    Attributes:
        kind: "tokens" (which token belongs there) or "classes".
        positions: tokens asked about: masked ones, or the last one of a model that goes on writing; () for classes.
        logits: float32 (position, entry of the vocabulary), or (1, class).

    Raises:
        RecordError: shapes do not fit.
    """

    kind: str
    positions: tuple[int, ...]
    logits: FloatArray

    def __post_init__(self) -> None:
        expect_shape("logits", self.logits, (len(self.positions) or 1, *self.logits.shape[1:2]))
        self.freeze_arrays()


class HeadVectors(NamedTuple):
    """What the heads of a run computed their weights from and what came out of them, one array a layer.

    Attributes:
        query, key, value: float32 (head, token, d_k) of each layer.
        head_output: float32 (head, token, d_k) of each layer, after the gates.
    """

    query: tuple[FloatArray, ...]
    key: tuple[FloatArray, ...]
    value: tuple[FloatArray, ...]
    head_output: tuple[FloatArray, ...]


@dataclass(frozen=True, eq=False)
class Reading(ReadOnlyArrays):
    """Where every head of every layer reads: what all pictures of weights are drawn from.

    Attributes:
        spec: the model.
        query_tokens, key_tokens: what attends and what is attended to; the same object in self-attention.
        controls: what was changed inside the model for this run.
        weights: float32 (layer, head, query, key).
        visible: bool (layer, head, query, key); True where attending is allowed.
        no_key: bool (layer, head, query); True where no key is.
    """

    spec: ModelSpec
    query_tokens: TokenSequence
    key_tokens: TokenSequence
    controls: Controls
    weights: FloatArray
    visible: BoolArray
    no_key: BoolArray

    @property
    def n_tokens(self) -> int:
        """How many queries there are."""
        return self.query_tokens.n_tokens

    @cached_property
    def padding(self) -> BoolArray:
        """(query,) True for queries that are padding, by the model or by the mask: their rows mean nothing."""
        padded = np.array(self.query_tokens.padding)
        if self.controls.mask is not None:
            padded = padded | self.controls.mask.padded(self.query_tokens)
        return freeze(padded)


@dataclass(frozen=True, eq=False)
class AttentionTrace(Reading):
    """One run of a model on one sequence: the weights of every head of every layer.

    Attributes:
        output: float32 (token, d_model), the model's last hidden state; None in a trace that no model made.
        conditions: device, dtype, mode and time.
        answer: of the model's output layer; None if it has none, or was asked nothing.
        vectors: query, key, value and head_output of every layer; None in a trace that no model made.
        checks: measured when the record is made.

    Raises:
        RecordError: shapes do not fit, or a check fails.
    """

    output: FloatArray | None
    conditions: Conditions
    answer: Answer | None = None
    vectors: HeadVectors | None = None
    checks: Checks = field(init=False)

    def __post_init__(self) -> None:
        n_query, n_key = self.query_tokens.n_tokens, self.key_tokens.n_tokens
        layers = self.spec.n_layers
        expect_shape("weights", self.weights, (layers, self.spec.n_heads, n_query, n_key))
        expect_shape("visible", self.visible, self.weights.shape)
        expect_shape("no_key", self.no_key, self.weights.shape[:-1])
        if self.output is not None:
            expect_shape("output", self.output, (n_query, self.spec.d_model))
        object.__setattr__(self, "checks", _check(self))
        if not self.checks.passed:
            raise RecordError(
                "error.checks_failed",
                row_sum_error=self.checks.row_sum_error,
                tolerance=self.checks.tolerance,
                hidden_weight=self.checks.hidden_weight,
                not_numbers=self.checks.not_numbers,
                mode="train" if self.checks.training else "eval",
            )
        self.freeze_arrays()
        for arrays in self.vectors or ():
            for array in arrays:
                freeze(array)


@dataclass(frozen=True, eq=False)
class LayerTrace(ReadOnlyArrays):
    """One attention layer of one run, with everything needed to explain its weights.

    Attributes:
        spec, query_tokens, key_tokens, controls: as in AttentionTrace.
        layer: counted from 0.
        query, key, value: (head, token, d_k).
        scores: raw Q K^T, (head, query, key); scaled, tempered and masked scores follow from it.
        weights: (head, query, key).
        visible: bool (head, query, key).
        head_output: (head, token, d_k), after the gates.
        output: (token, d_model), after W_O.
        dtype: precision of the run, as in Conditions; the arrays are float32 whatever it is.
        scale: what the kernel multiplied the scores by; None stands for 1 / sqrt(d_k).
        x: (token, d_model), what the projections read; None where the model turns query and key after projecting them
            (rotary positions), or projects in another way. All of W and b are then None too.
        W_Q, W_K, W_V: (d_model, d_model); x @ W_Q + b_Q has every head's query side by side, d_k columns each.
        W_O: (d_model, d_model); the heads' outputs side by side @ W_O + b_O are the output.
        b_Q, b_K, b_V, b_O: (d_model,), or None where the model has no bias.

    Raises:
        RecordError: shapes do not fit, or x and the matrices do not give what the layer computed.
    """

    spec: ModelSpec
    query_tokens: TokenSequence
    key_tokens: TokenSequence
    controls: Controls
    layer: int
    query: FloatArray
    key: FloatArray
    value: FloatArray
    scores: FloatArray
    weights: FloatArray
    visible: BoolArray
    head_output: FloatArray
    output: FloatArray
    dtype: str = "float32"
    scale: float | None = None
    x: FloatArray | None = None
    W_Q: FloatArray | None = None
    W_K: FloatArray | None = None
    W_V: FloatArray | None = None
    W_O: FloatArray | None = None
    b_Q: FloatArray | None = None
    b_K: FloatArray | None = None
    b_V: FloatArray | None = None
    b_O: FloatArray | None = None

    def __post_init__(self) -> None:
        heads, n_query, n_key = self.spec.n_heads, self.query_tokens.n_tokens, self.key_tokens.n_tokens
        expect_shape("query", self.query, (heads, n_query, self.spec.d_k))
        expect_shape("key", self.key, (heads, n_key, self.spec.d_k))
        expect_shape("value", self.value, (heads, n_key, self.spec.d_k))
        expect_shape("scores", self.scores, (heads, n_query, n_key))
        expect_shape("weights", self.weights, (heads, n_query, n_key))
        expect_shape("visible", self.visible, self.weights.shape)
        expect_shape("head_output", self.head_output, (heads, n_query, self.spec.d_k))
        expect_shape("output", self.output, (n_query, self.spec.d_model))
        _check_projections(self)
        self.freeze_arrays()

    @property
    def scaling(self) -> float:
        """What the scores are multiplied by: 1 / sqrt(d_k) as a rule."""
        return self.spec.d_k**-0.5 if self.scale is None else self.scale

    @property
    def joined(self) -> FloatArray:
        """(token, d_model): the heads' outputs side by side, as W_O reads them."""
        return side_by_side(self.head_output)


def side_by_side(by_head: FloatArray) -> FloatArray:
    """(head, token, d_k) to (token, d_model): head h has columns h * d_k to (h + 1) * d_k."""
    return by_head.transpose(1, 0, 2).reshape(by_head.shape[1], -1)


def _check_projections(trace: LayerTrace) -> None:
    """Raises RecordError unless x and the matrices, if they are there, give query, key, value and output."""
    matrices = {letter: getattr(trace, f"W_{letter}") for letter in "QKVO"}
    there = [trace.x is not None, *(matrix is not None for matrix in matrices.values())]
    if any(there) and not all(there):
        raise RecordError("error.projection_partial", got=sum(there), expected=len(there))
    if trace.x is None:
        return
    of = {"Q": trace.query, "K": trace.key, "V": trace.value}
    tolerance = PROJECTION_TOLERANCE[trace.dtype]
    for letter, by_head in of.items():
        bias = getattr(trace, f"b_{letter}")
        expect_product(f"W_{letter}", trace.x, matrices[letter], bias, side_by_side(by_head), tolerance)
    expect_product("W_O", trace.joined, matrices["O"], trace.b_O, trace.output, tolerance)


def _check(trace: AttentionTrace) -> Checks:
    """All checks in as few passes over the weights as they need."""
    sums = np.einsum("...k->...", trace.weights)  # (layer, head, query); sum(axis=-1) in a third of the time
    row_sum_error = float(np.abs(sums - np.logical_not(trace.no_key)).max())
    finite = math.isfinite(row_sum_error)  # NaN or infinity anywhere in a row shows in its sum
    hidden_weight, hidden_cells = 0.0, 0
    if finite and not compact(trace.visible).all():
        for weights, visible in zip(trace.weights, trace.visible, strict=True):
            hidden = np.logical_not(visible)
            hidden_cells += int(np.count_nonzero(hidden))
            hidden_weight = max(hidden_weight, float(np.abs(np.multiply(weights, hidden)).max()))
    return Checks(
        row_sum_error=row_sum_error if finite else math.nan,
        tolerance=ROW_SUM_TOLERANCE[trace.conditions.dtype],
        hidden_cells=hidden_cells,
        hidden_weight=hidden_weight,
        not_numbers=0 if finite else int(np.count_nonzero(~np.isfinite(trace.weights))),
        rows_without_key=int(trace.no_key.sum()),
        training=trace.conditions.training,
    )
