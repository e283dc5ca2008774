"""How much each head matters: records, orders and what is kept. The runs behind them are made in ``labs``.

Gradient: I_h = mean over samples of |dL / d gate_h|, the absolute value inside the mean, so that samples cannot cancel one
another (Michel et al. 2019, equation 1). Ablation: the change of the loss when the head's output is 0 (Michel) or its weights
are even (Kovaleva et al. 2019). Mean weight: what people sometimes take for importance; rows sum to 1, so that it is 1 / n_tokens
for every head.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mha_viz.analysis.agreement import rank_agreement
from mha_viz.arrays import BoolArray, FloatArray, IntArray, ReadOnlyArrays, expect_shape
from mha_viz.controls import Controls, HeadId
from mha_viz.errors import InputError, RecordError
from mha_viz.trace import Reading
from mha_viz.words import say

#: How the importance of a head is measured; "importance.method.NAME" in the table of words.
METHODS = ("gradient", "zero", "uniform", "weight")
#: How a head is taken out: its output becomes 0, or its weights even over the allowed keys.
HOWS = ("zero", "uniform")
#: In which order heads are taken out.
ORDERS = ("most", "least", "random")


@dataclass(frozen=True, eq=False)
class HeadImportance(ReadOnlyArrays):
    """How much each head matters by one method, over a number of samples.

    Attributes:
        method: one of METHODS.
        loss: what was measured, one of ``labs.losses.LOSSES``; "" for "weight", which needs none.
        per_sample: float64 (sample, layer, head), with its sign: dL / d gate, loss without the head less loss with it, or the
            mean weight. NaN for heads that were not measured, since the work was stopped.
        base: float64 (sample,), the loss with all heads; 0 for "weight".

    Raises:
        RecordError: shapes do not fit.
    """

    method: str
    loss: str
    per_sample: FloatArray
    base: FloatArray

    def __post_init__(self) -> None:
        expect_shape("per_sample", self.per_sample, (len(self.base), *self.per_sample.shape[1:3]))
        self.freeze_arrays()

    @property
    def n_samples(self) -> int:
        """How many samples the means are over."""
        return len(self.base)

    @property
    def values(self) -> FloatArray:
        """float64 (layer, head), >= 0: the mean of the absolute values."""
        return np.abs(self.per_sample).mean(axis=0)

    @property
    def signed(self) -> FloatArray:
        """float64 (layer, head): the mean with signs. Of an ablation: above 0 where the loss grows without the head."""
        return self.per_sample.mean(axis=0)

    @property
    def normalised(self) -> FloatArray:
        """float64 (layer, head): each layer's values divided by their length (Michel et al. 2019); 0 where all are."""
        values = self.values
        length = np.sqrt(np.nansum(values**2, axis=1, keepdims=True))
        return np.divide(values, length, out=np.zeros_like(values) * values, where=length > 0)

    @property
    def measured(self) -> BoolArray:
        """bool (layer, head): False for heads that the work did not reach."""
        return np.logical_and.reduce(np.isfinite(self.per_sample), axis=0)

    @property
    def title(self) -> str:
        """The method in words."""
        return say(f"importance.method.{self.method}")

    @property
    def sentence(self) -> str:
        """What was measured, on how much."""
        how = say(f"importance.method.{self.method}.how")
        loss = say("importance.no_loss") if not self.loss else say(f"importance.loss.{self.loss}")
        return say("importance.what", how=how, loss=loss, n_samples=self.n_samples)


def mean_weights(readings: Sequence[Reading]) -> HeadImportance:
    """The mean weight of each head, a sample a run: 1 / number of tokens, whatever the head does.

    Args:
        readings: runs of one model. Rows and columns of padding are left out, rows without a key too.

    Raises:
        RecordError: there is none.
    """
    if not readings:
        raise RecordError("error.importance_empty")
    means = []
    for reading in readings:
        real = ~reading.padding
        counted = (real & ~reading.no_key)[..., None]  # (layer, head, query, 1)
        sums = (reading.weights.astype(np.float64) * counted)[..., real].sum(axis=(-2, -1))
        means.append(sums / (np.maximum(counted.sum(axis=(-2, -1)), 1) * max(int(real.sum()), 1)))
    return HeadImportance("weight", "", np.stack(means), np.zeros(len(means)))


def agreement_sentence(one: HeadImportance, other: HeadImportance) -> str:
    """How far two methods rank the heads alike, in words.

    Raises:
        RecordError: they are of different models.
    """
    agreement = rank_agreement(one.values, other.values)
    if np.isnan(agreement):
        return say("importance.agreement.none", one=one.title, other=other.title)
    return say("importance.agreement", one=one.title, other=other.title, agreement=agreement)


def order_of(values: FloatArray, order: str = "most", seed: int = 0) -> tuple[HeadId, ...]:
    """All heads in the order in which to take them out.

    Args:
        values: (layer, head), the importance of each.
        order: "most" or "least" important first, equal ones by layer and head; or "random".
        seed: of the random order.

    Raises:
        InputError: no such order, or a head that was not measured.
    """
    if order not in ORDERS:
        raise InputError("error.order", got=order, allowed=", ".join(ORDERS))
    if np.isnan(values).any():
        raise InputError("error.importance_partly", count=int(np.isnan(values).sum()), total=values.size)
    flat = values.ravel()
    if order == "random":
        places = np.random.default_rng(seed).permutation(flat.size)
    else:
        places = np.argsort(-flat if order == "most" else flat, kind="stable")
    return tuple(HeadId(*divmod(int(place), values.shape[1])) for place in places)


def taken_out(heads: Sequence[HeadId], how: str = "zero", controls: Controls | None = None) -> Controls:
    """The controls with these heads taken out besides.

    Args:
        heads: which.
        how: one of HOWS.
        controls: what is changed already.

    Raises:
        InputError: no such way.
    """
    controls = controls or Controls()
    if how == "zero":
        return replace(controls, silenced=controls.silenced | frozenset(heads))
    if how == "uniform":
        return replace(controls, uniform=controls.uniform | frozenset(heads))
    raise InputError("error.how", got=how, allowed=", ".join(HOWS))


def keep_most(values: FloatArray, count: int, how: str = "zero", controls: Controls | None = None) -> Controls:
    """The controls with all but the ``count`` most important heads of the model taken out.

    Args:
        values: (layer, head), the importance of each.
        count: how many stay, 0 to all.
        how: one of HOWS.
        controls: what is changed already.

    Raises:
        InputError: a count that is not possible, a head that was not measured, no such way.
    """
    if not 0 <= count <= values.size:
        raise InputError("error.keep_count", got=count, most=values.size)
    return taken_out(order_of(values, "most")[count:], how, controls)


@dataclass(frozen=True, eq=False)
class RemovalCurve(ReadOnlyArrays):
    """What is lost as heads go one by one, and none comes back.

    Attributes:
        heads: the order in which they go.
        how: one of HOWS.
        loss_name: which loss, as in HeadImportance.
        removed: int (step,), how many are gone; begins with 0.
        loss: float64 (sample, step).
        cosine: float64 (sample, step), of the sentence's embedding to that with all heads; of a sample of two sentences the
            mean of both. 0 where nothing is left of the embedding.

    Raises:
        RecordError: shapes do not fit.
    """

    heads: tuple[HeadId, ...]
    how: str
    loss_name: str
    removed: IntArray
    loss: FloatArray
    cosine: FloatArray

    def __post_init__(self) -> None:
        expect_shape("loss", self.loss, (len(self.loss), len(self.removed)))
        expect_shape("cosine", self.cosine, self.loss.shape)
        self.freeze_arrays()

    @property
    def mean_loss(self) -> FloatArray:
        """float64 (step,)."""
        return self.loss.mean(axis=0)

    @property
    def mean_cosine(self) -> FloatArray:
        """float64 (step,)."""
        return self.cosine.mean(axis=0)

    def lost_at(self, cosine: float) -> int | None:
        """The first number of heads gone at which the mean cosine is below ``cosine``; None if it never is."""
        below = np.flatnonzero(self.mean_cosine < cosine)
        return int(self.removed[below[0]]) if len(below) else None

    def sentence(self, cosine: float = 0.9) -> str:
        """When the mean cosine falls below ``cosine``, in words."""
        count, total = self.lost_at(cosine), len(self.heads)
        if count is None:
            return say("curve.kept", cosine=cosine, count=int(self.removed[-1]), total=total)
        return say("curve.lost", cosine=cosine, count=count, total=total)
