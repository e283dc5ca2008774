"""Whether heads with equal heatmaps do the same: two that are made so, and all pairs of MiniLM."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from mha_viz.analysis.agreement import pairs_agreement
from mha_viz.analysis.cka import likeness
from mha_viz.analysis.distances import distances_of_rows, matrix_of_distances
from mha_viz.arrays import FloatArray, IntArray
from mha_viz.controls import HeadId
from mha_viz.labs.pitfalls.base import Told, Trial, claimed, right
from mha_viz.labs.pitfalls.minilm import minilm
from mha_viz.labs.pitfalls.three import three
from mha_viz.labs.worth import PAIRS
from mha_viz.words import say

#: Tokens, width and d_k of the two heads that are made.
N_TOKENS, D_MODEL, D_K = 6, 16, 8
#: Below this the outputs of a layer with and without a head differ by rounding, in float64.
ROUNDING = 1e-9
#: Rank correlation from which on two ways to compare heads agree, as far as a picture could tell.
AGREES = 0.9


def same_by_map(first: FloatArray, second: FloatArray) -> float:
    """As told: JS distance of two heads' weights, (query, key) each; near 0 they count as one head."""
    return float(distances_of_rows(np.stack([first, second]))[0, 1])


def lost_without(outputs: Tensor, head: int) -> float:
    """How far a layer's output moves, in shares of its length, if the head goes and the other does its work too."""
    kept = outputs.clone()
    kept[head] = outputs[1 - head]
    return float((kept.sum(0) - outputs.sum(0)).norm() / outputs.sum(0).norm())


def two_heads(seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """Query, key and value, (2, token, d_k): W_Q and W_K are shared, W_V is not."""
    draw = torch.Generator().manual_seed(seed)
    x = torch.randn(N_TOKENS, D_MODEL, generator=draw, dtype=torch.float64)
    W_Q, W_K, W_V, other = torch.randn(4, D_MODEL, D_K, generator=draw, dtype=torch.float64) / math.sqrt(D_MODEL)
    query, key = 2 * x @ W_Q, x @ W_K
    return torch.stack([query, query]), torch.stack([key, key]), torch.stack([x @ W_V, x @ other])


def equal_maps(seed: int) -> Trial:
    """Two heads with one map, and what each writes."""
    query, key, value = two_heads(seed)
    weights = (query @ key.transpose(-2, -1) / math.sqrt(D_K)).softmax(-1)
    draw = torch.Generator().manual_seed(seed + 1_000)
    W_O = torch.randn(2, D_K, D_MODEL, generator=draw, dtype=torch.float64) / math.sqrt(2 * D_K)
    heads = weights @ value  # (head, token, d_k)
    distance = same_by_map(weights[0].numpy().astype(np.float32), weights[1].numpy().astype(np.float32))
    lost = lost_without(heads @ W_O, 1)
    same_value = bool((heads[0] - heads[1]).abs().max() < ROUNDING)
    values = {"distance": distance, "lost": lost, "apart": float((heads[0] - heads[1]).abs().max())}
    return Trial(
        claim=Told("pitfalls.temperature.equal_maps.claim"),
        outcome="holds" if same_value else "false",
        verdict=Told(f"pitfalls.temperature.equal_maps.{'same' if same_value else 'other'}", values),
        instead=Told("pitfalls.temperature.equal_maps.instead"),
        code=(claimed(same_by_map), right(lost_without)),
        found={"weights": weights.numpy(), "outputs": heads.numpy()},
        answers=three(query.numpy(), key.numpy(), value.numpy()),
    )


def map_distances() -> tuple[FloatArray, FloatArray]:
    """All heads of MiniLM on the built-in pairs of sentences: mean JS of their maps, and 1 - CKA of what they write."""
    model = minilm()
    runs = [model.run(model.tokenize(text)) for item in PAIRS for text in (item.text, item.pair or "")]
    maps = np.mean([matrix_of_distances(run, drop_specials=False) for run in runs], axis=0)
    outputs = np.concatenate([np.concatenate(run.vectors.head_output) for run in runs if run.vectors], axis=1)
    return maps, 1 - likeness(outputs)


def alike() -> Trial:
    """Whether pairs of heads with like maps write alike."""
    maps, outputs = map_distances()
    n_heads = minilm().spec.n_heads
    agreement = pairs_agreement(maps, outputs)
    upper = np.triu_indices(len(maps), k=1)
    nearest = int(maps[upper].argmin())
    pair = [HeadId(*divmod(int(place[nearest]), n_heads)) for place in upper]
    agrees = agreement > AGREES
    values = {
        "n": len(upper[0]),
        "agreement": agreement,
        "one": str(pair[0]),
        "other": str(pair[1]),
        "distance": float(maps[upper][nearest]),
        "likeness": 1 - float(outputs[upper][nearest]),
    }
    return Trial(
        claim=Told("pitfalls.temperature.alike.claim"),
        outcome="holds" if agrees else "partly" if agreement > AGREES / 2 else "false",
        verdict=Told(f"pitfalls.temperature.alike.{'agree' if agrees else 'differ'}", values),
        instead=Told("pitfalls.temperature.equal_maps.instead"),
        code=(claimed(same_by_map), right(lost_without)),
        found={"maps": maps[upper], "outputs": outputs[upper], "names": _names(upper, n_heads), "nearest": nearest},
    )


def _names(pairs: tuple[IntArray, ...], n_heads: int) -> list[str]:
    return [
        say("figure.pair", one=HeadId(*divmod(int(one), n_heads)), other=HeadId(*divmod(int(other), n_heads)))
        for one, other in zip(*pairs, strict=True)
    ]
