"""What happens to a head's scores on their way to weights, stage by stage, and what temperature does to them.

softmax(Q K^T / sqrt(d_k) / temperature, hidden keys left out): Vaswani et al. 2017, equation 1. For fixed scores S and
weights A the entropy of a row grows with the temperature T: dH/dT = Var_A(S) / T^3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from mha_viz.arrays import FloatArray
from mha_viz.controls import Controls
from mha_viz.trace import LayerTrace

Limit = Literal["zero", "infinity"]

#: Beyond these the kernel takes a temperature for its limit, 0 or infinity.
SMALLEST_TEMPERATURE, LARGEST_TEMPERATURE = 1e-30, 1e30


class Stages(NamedTuple):
    """One head on its way from scores to weights; every array is (query, key).

    Attributes:
        raw: float32, Q K^T.
        scaled: float64, divided by sqrt(d_k), or multiplied by what the model has in its place.
        tempered: float64, divided by the temperature; as ``scaled`` where there is a ``limit``.
        masked: float64, -inf where the key is hidden.
        weights: float32, as the model computed them; a row without a key is 0.
        temperature: that acts in this head; 1 where the controls leave it alone.
        limit: "zero" or "infinity" if the temperature is that limit: nothing is divided, the softmax is replaced by what it
            tends to (all weight on the largest score, or even weight over the visible keys). None otherwise.
        uniform: whether the controls made the weights even, whatever the scores.
    """

    raw: FloatArray
    scaled: FloatArray
    tempered: FloatArray
    masked: FloatArray
    weights: FloatArray
    temperature: float
    limit: Limit | None
    uniform: bool


class Entropies(NamedTuple):
    """One row of weights over several temperatures; each array is float64 (temperature,).

    Attributes:
        entropies: in nats, from ln(number of largest scores) to ln(number of visible keys).
        slopes: dH/dT in nats per unit of temperature; 0 at both limits.
    """

    entropies: FloatArray
    slopes: FloatArray


class SoftmaxSteps(NamedTuple):
    """The softmax of one row, step by step, in one precision: as it should be computed, and as it should not.

    Attributes:
        top: the row's largest score, which is subtracted from all; 0 if no key is visible.
        differences: (key,) scores less ``top``, at most 0; -inf where hidden.
        exponentials: (key,) of the differences, at most 1.
        total: their sum.
        weights: (key,) exponentials over total; 0 if no key is visible.
        naive_exponentials: (key,) of the scores as they are; large ones are inf.
        naive_total: their sum.
        naive_weights: (key,) naive exponentials over their sum; inf / inf and 0 / 0 are NaN.
        overflows_above: the largest score whose exponential the precision can write: 11.09 in float16, 88.7 in float32.
    """

    top: float
    differences: FloatArray
    exponentials: FloatArray
    total: float
    weights: FloatArray
    naive_exponentials: FloatArray
    naive_total: float
    naive_weights: FloatArray
    overflows_above: float


def limit_of(temperature: float) -> Limit | None:
    """Which limit a temperature is taken for; None for one that is divided by."""
    if temperature < SMALLEST_TEMPERATURE:
        return "zero"
    return "infinity" if temperature > LARGEST_TEMPERATURE else None


def stages_of(layer: LayerTrace, head: int) -> Stages:
    """The five stages of one head of a run, under the controls of that run.

    Args:
        layer: one layer of a run.
        head: from 0, one that the layer has.
    """
    controls = layer.controls
    temperature = controls.temperature if controls.acts_in(layer.layer, head) else 1.0
    limit = limit_of(temperature)
    scaled = _scaled(layer.scores[head], layer)
    tempered = scaled if limit else scaled / temperature
    return Stages(
        raw=layer.scores[head],
        scaled=scaled,
        tempered=tempered,
        masked=np.where(layer.visible[head], tempered, -np.inf),
        weights=layer.weights[head],
        temperature=temperature,
        limit=limit,
        uniform=(layer.layer, head) in controls.uniform,
    )


def repainted(layer: LayerTrace, temperature: float) -> FloatArray:
    """What the recorded scores of a run would give at another temperature: nothing else changes, in no other layer.

    Args:
        layer: one layer of a run; its scores and what is visible in it are used, its temperature is not.
        temperature: 0 to infinity, both limits exact; at 0 equal largest scores share the weight.

    Returns:
        float32 (head, query, key). Rows sum to 1; a row without a key is 0. A head that the controls made uniform stays so.

    Raises:
        InputError: a temperature below 0 or not a number.
    """
    Controls(temperature=temperature)
    masked = np.where(layer.visible, _scaled(layer.scores, layer), -np.inf)
    weights = tempered_softmax(masked, temperature).astype(np.float32)
    for head in range(layer.spec.n_heads):
        if (layer.layer, head) in layer.controls.uniform:
            weights[head] = tempered_softmax(masked[head], math.inf)
    return weights


def entropy_by_temperature(scores: npt.ArrayLike, temperatures: Sequence[float] | FloatArray) -> Entropies:
    """How spread one row's weights are at each temperature.

    Args:
        scores: (key,) scaled scores of one query; -inf or NaN where the key is hidden.
        temperatures: each 0 to infinity.

    Returns:
        Entropies in nats and their slopes; all 0 if no key is visible.
    """
    masked = _hidden_as_infinity(scores)
    each = [_entropy_and_slope(masked, float(temperature)) for temperature in temperatures]
    entropies, slopes = np.array(each, dtype=np.float64).reshape(-1, 2).T
    return Entropies(entropies, slopes)


def softmax_steps(scores: npt.ArrayLike, dtype: npt.DTypeLike = np.float32) -> SoftmaxSteps:
    """The softmax of one row step by step, with and without subtracting its largest score.

    Args:
        scores: (key,) scaled and tempered scores of one query; -inf or NaN where the key is hidden.
        dtype: float16, float32 or float64, in which exponentials, sums and weights are computed. The differences are taken
            before rounding to it, so that a score too large for it does no harm; the naive way rounds the scores.
    """
    masked = _hidden_as_infinity(scores)
    highest = float(masked.max(initial=-np.inf))
    top = highest if highest > -np.inf else 0.0
    with np.errstate(all="ignore"):
        differences = (masked - top).astype(dtype)
        exponentials = np.exp(differences)
        total = exponentials.sum(dtype=dtype)
        weights = exponentials / total if total > 0 else np.zeros_like(exponentials)
        naive = np.exp(masked.astype(dtype))
        naive_total = naive.sum(dtype=dtype)
        naive_weights = naive / naive_total
    overflows_above = math.log(np.finfo(differences.dtype).max)
    return SoftmaxSteps(
        top, differences, exponentials, float(total), weights, naive, float(naive_total), naive_weights, overflows_above
    )


def _scaled(scores: FloatArray, layer: LayerTrace) -> FloatArray:
    if layer.scale is None:
        return scores.astype(np.float64) / math.sqrt(layer.spec.d_k)
    return scores.astype(np.float64) * layer.scale


def _hidden_as_infinity(scores: npt.ArrayLike) -> FloatArray:
    given = np.asarray(scores, dtype=np.float64)
    return np.where(np.isnan(given), -np.inf, given)


def _exponents(masked: FloatArray, temperature: float) -> FloatArray:
    """float64 (..., key): what the softmax takes exponentials of, at most 0; -inf where a key gets nothing.

    The row's largest score is subtracted before dividing, so that no temperature overflows into NaN.
    """
    highest = masked.max(axis=-1, keepdims=True, initial=-np.inf)
    below = masked - np.where(highest > -np.inf, highest, 0.0)  # exactly 0 at the top
    if temperature == math.inf:
        return np.where(masked > -np.inf, 0.0, -np.inf)
    if temperature == 0:
        return np.where(below == 0, 0.0, -np.inf)
    with np.errstate(over="ignore"):
        return below / temperature


def tempered_softmax(masked: FloatArray, temperature: float) -> FloatArray:
    """float64 (..., key) of scaled scores, -inf where hidden; a row without a visible key is 0. Both limits are exact."""
    odds = np.exp(_exponents(masked, temperature))
    total = odds.sum(axis=-1, keepdims=True)
    return np.divide(odds, total, out=np.zeros_like(odds), where=total > 0)


def _entropy_and_slope(masked: FloatArray, temperature: float) -> tuple[float, float]:
    exponents = _exponents(masked, temperature)
    odds = np.exp(exponents)
    has_weight = odds > 0
    if not has_weight.any():
        return 0.0, 0.0
    total = odds.sum()
    weights, exponents = odds[has_weight] / total, exponents[has_weight]
    mean = float(weights @ exponents)
    entropy = max(math.log(total) - mean, 0.0)
    if temperature in (0.0, math.inf):
        return entropy, 0.0
    variance = float(weights @ (exponents - mean) ** 2)  # of the scores over T: Var(S) / T^2
    return entropy, variance / temperature
