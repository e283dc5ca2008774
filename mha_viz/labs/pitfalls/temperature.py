"""Temperature on the picture or in the model; equal heatmaps; and what a colour tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from mha_viz.arrays import FloatArray
from mha_viz.controls import Controls
from mha_viz.labs.options import Options, number, one_of, whole
from mha_viz.labs.pitfalls import temperature_heads, temperature_scale
from mha_viz.labs.pitfalls.base import Answer, Told, Trial, claimed, right
from mha_viz.labs.pitfalls.minilm import minilm
from mha_viz.labs.pitfalls.three import three
from mha_viz.metrics import row_entropy
from mha_viz.models.base import AttentionModel
from mha_viz.tokens import TokenSequence
from mha_viz.trace import AttentionTrace
from mha_viz.words import say

#: The claims.
TRIED = ("one_layer", "all_layers", "equal_maps", "alike", "darker", "reversed")
#: Layers of MiniLM.
N_LAYERS = 6
#: Weights that differ by less are equal: they are float32.
ROUNDING = 1e-4


@dataclass(frozen=True)
class TemperatureOptions(Options):
    """Which claim; the temperature and its layer, the seed of two heads, the palette."""

    tried: str = one_of("one_layer", *TRIED)
    temperature: float = number(4.0, 0.25, 16.0)
    layer: int = whole(2, 0, N_LAYERS - 1)
    seed: int = whole(0, 0, 99)
    palette: str = one_of("viridis", *temperature_scale.NAMES)


CASES = tuple(TemperatureOptions(tried=tried) for tried in TRIED)


def repaint(scores: Tensor, temperature: float) -> Tensor:
    """As told: recorded scores, (layer, head, query, key), through the softmax again."""
    return (scores / temperature).softmax(-1)


def inside(model: AttentionModel, tokens: TokenSequence, controls: Controls) -> FloatArray:
    """The same temperature where the model computes its weights: (layer, head, query, key)."""
    return model.run(tokens, controls).weights


def try_it(options: TemperatureOptions) -> Trial:
    """The chosen claim."""
    if options.tried == "equal_maps":
        return temperature_heads.equal_maps(options.seed)
    if options.tried == "alike":
        return temperature_heads.alike()
    if options.tried in ("darker", "reversed"):
        return temperature_scale.try_it(options.palette, turned=options.tried == "reversed")
    layers = (options.layer,) if options.tried == "one_layer" else tuple(range(N_LAYERS))
    return _repainted(options.temperature, layers)


def _repainted(temperature: float, layers: Sequence[int]) -> Trial:
    model = minilm()
    tokens = model.tokenize(say("example.coreference"))
    plain = model.run(tokens)
    painted = plain.weights.astype(np.float64)
    for layer in layers:
        painted[layer] = repaint(_scores(plain, layer), temperature).numpy()
    there = inside(model, tokens, Controls(temperature, layers=frozenset(layers))).astype(np.float64)
    apart = np.abs(there - painted).max(axis=(1, 2, 3))  # (layer,)
    entropies = {
        name: [float(row_entropy(weights[layer]).mean()) for layer in range(len(weights))]
        for name, weights in (("plain", plain.weights.astype(np.float64)), ("painted", painted), ("inside", there))
    }
    first, worst = min(layers), int(apart.argmax())
    values = {
        "temperature": temperature,
        "layers": ", ".join(f"L{layer}" for layer in sorted(layers)),
        "first": first,
        "same": float(apart[: first + 1].max()),
        "layer": worst,
        "apart": float(apart[worst]),
        "painted": entropies["painted"][worst],
        "inside": entropies["inside"][worst],
        "plain": entropies["plain"][worst],
    }
    equal, begins = bool(apart.max() < ROUNDING), bool(apart[: first + 1].max() < ROUNDING)
    told = "pitfalls.temperature.above" if begins else "pitfalls.temperature.other"
    return Trial(
        claim=Told("pitfalls.temperature.claim"),
        outcome="holds" if equal else "partly" if begins else "false",
        verdict=Told("pitfalls.temperature.equal" if equal else told, values),
        instead=Told("pitfalls.temperature.instead"),
        code=(claimed(repaint), right(inside)),
        found={"entropies": entropies, "apart": apart.tolist(), "layers": list(layers), "keys": tokens.n_tokens},
        answers=_answers(plain, first, temperature),
    )


def _scores(plain: AttentionTrace, layer: int) -> Tensor:
    """float64 (head, query, key), scaled by 1 / sqrt(d_k)."""
    assert plain.vectors is not None  # of a run by a model
    query, key = (torch.from_numpy(array[layer].astype(np.float64)) for array in plain.vectors[:2])
    return query @ key.transpose(-2, -1) / plain.spec.d_k**0.5


def _answers(plain: AttentionTrace, layer: int, temperature: float) -> tuple[Answer, ...]:
    """The layer whose temperature is changed first, from what the model gave it to read."""
    assert plain.vectors is not None
    query, key, value = (array[layer].astype(np.float64) for array in plain.vectors[:3])
    return three(query, key, value, scale=1 / (plain.spec.d_k**0.5 * temperature))
