"""A toy whose numbers are drawn small: its heads look alike because nothing was learnt."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean

import numpy as np
import torch
from torch import Tensor

from mha_viz.analysis.distances import distances_of_rows
from mha_viz.arrays import FloatArray
from mha_viz.labs.nets import head_width
from mha_viz.labs.options import Options, number, whole
from mha_viz.labs.pitfalls.base import Told, Trial, claimed, right
from mha_viz.labs.pitfalls.three import three
from mha_viz.labs.results import where
from mha_viz.labs.stored import stored
from mha_viz.metrics import row_entropy
from mha_viz.models import open_model

#: The toy of the claim, and the words that the hand-set toy reads.
N_TOKENS, D_MODEL = 4, 8
WORDS = " ".join(("one", "two", "three", "four"))
#: Scales that the curve is made of, and seeds that each is a mean of.
SCALES, N_SEEDS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0), 10
#: Heads are alike below this share of the distance of random rows.
ALIKE = 0.1


@dataclass(frozen=True)
class FlatOptions(Options):
    """Heads of the toy, what its random numbers are multiplied by, and their seed."""

    scale: float = number(0.1, 0.05, 3.0)
    heads: int = whole(4, 2, 4)
    seed: int = whole(0, 0, 99)


CASES = (FlatOptions(), FlatOptions(scale=3.0))


def small_numbers(d_model: int, scale: float, seed: int) -> tuple[Tensor, Tensor]:
    """As told: W_Q and W_K of a toy that nothing was learnt by."""
    draw = torch.Generator().manual_seed(seed)
    W_Q, W_K = scale * torch.randn(2, d_model, d_model, generator=draw, dtype=torch.float64)
    return W_Q, W_K


def hand_set_heads(text: str) -> Tensor:
    """The app's toy, whose heads have jobs: (head, query, key)."""
    toy = open_model("toy", device="cpu")
    return torch.tensor(toy.run(toy.tokenize(text)).weights[0])


def weights_of(scale: float, heads: int, seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """Query and key, (head, token, d_k), of the toy and its weights, (head, query, key); the tokens are the same for all seeds.

    Raises:
        InputError: heads that do not divide d_model.
    """
    d_k = head_width(D_MODEL, heads)
    x = torch.randn(N_TOKENS, D_MODEL, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    query, key = (
        (x @ W).view(N_TOKENS, heads, d_k).transpose(0, 1).contiguous() for W in small_numbers(D_MODEL, scale, seed)
    )
    return query, key, (query @ key.transpose(-2, -1) / math.sqrt(d_k)).softmax(-1)


def try_it(options: FlatOptions) -> Trial:
    """How far apart heads are, how far a head is from itself at another seed, and how far random rows are."""
    query, key, weights = weights_of(options.scale, options.heads, options.seed)
    other = weights_of(options.scale, options.heads, options.seed + 1)[2]
    between, again = _between(weights), _same_head(weights, other)
    chance = _between(_random_rows(options.heads))
    share = float(row_entropy(weights.numpy()).mean()) / math.log(N_TOKENS)
    flat, by_chance = between < ALIKE * chance, again > between / 2
    told = "pitfalls.flat.flat" if flat else "pitfalls.flat.chance" if by_chance else "pitfalls.flat.kept"
    designed = hand_set_heads(WORDS)[: options.heads]
    values = {
        "scale": options.scale,
        "least": float(weights.min()),
        "most": float(weights.max()),
        "share": share,
        "between": between,
        "chance": chance,
        "again": again,
        "trained": trained_weight(),
    }
    return Trial(
        claim=Told("pitfalls.flat.claim"),
        outcome="false" if flat else "partly" if by_chance else "holds",
        verdict=Told(told, values),
        instead=Told("pitfalls.flat.instead"),
        code=(claimed(small_numbers), right(hand_set_heads)),
        found={
            "weights": weights.numpy(),
            "designed": designed.double().numpy(),
            "designed_between": _between(designed),
            "scale": options.scale,
            "curve": _curve(options.heads),
            "chance": chance,
        },
        answers=three(query.numpy(), key.numpy(), query.numpy()),
    )


def trained_weight() -> float:
    """The mean over heads of the weight on the slot that a head took, in the stored look-up nets of 4 heads, all seeds."""
    rows = where(stored("lookups").rows, task="values", heads=4)
    return fmean(max(head) for row in rows for head in row["slots"])


def _between(weights: Tensor) -> float:
    """Mean JS of all pairs of heads, in nats."""
    distances = distances_of_rows(weights.numpy().astype(np.float32))
    return float(distances[np.triu_indices(len(distances), k=1)].mean())


def _same_head(one: Tensor, other: Tensor) -> float:
    """Mean JS of each head and the head of its number at another seed."""
    n_heads = len(one)
    distances = distances_of_rows(torch.cat([one, other]).numpy().astype(np.float32))
    return float(np.mean([distances[head, head + n_heads] for head in range(n_heads)]))


def _random_rows(heads: int) -> Tensor:
    """Rows drawn evenly from all that sum to 1, as many heads as there are, many queries."""
    rows: FloatArray = np.random.default_rng(0).dirichlet(np.ones(N_TOKENS), size=(heads, 500))
    return torch.from_numpy(rows)


def _curve(heads: int) -> list[list[float]]:
    """[scale, share of the largest entropy, distance of heads], means over seeds."""
    found = []
    for scale in SCALES:
        drawn = [weights_of(scale, heads, seed)[2] for seed in range(N_SEEDS)]
        entropy = fmean(float(row_entropy(weights.numpy()).mean()) for weights in drawn) / math.log(N_TOKENS)
        found.append([scale, entropy, fmean(map(_between, drawn))])
    return found
