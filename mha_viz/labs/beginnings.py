"""How attention begins: what a scheme for W_Q and W_K, and dividing scores by sqrt(d_k), make of the first weights.

x is N(0, 1). With matrices whose numbers have the variance v, a score has the variance d_k (d_model v)^2, before it is divided.

linear  nn.Linear: uniform, v = 1 / (3 d_model), and biases alike
xavier  N(0, 1 / d_model), which is Xavier's for a square matrix
packed  nn.MultiheadAttention: Xavier's uniform for W_Q, W_K, W_V as one matrix of (3 d_model, d_model), v = 1 / (2 d_model)
unit    N(0, 1)
tenth   N(0, 0.1^2)

W_V, W_O and what reads the classes off begin as "xavier" in every case; the loss is cross entropy of random classes.
"""

from __future__ import annotations

import math
from typing import cast

import torch
from torch import nn
from torch.nn import functional

from mha_viz.attention import raw_scores
from mha_viz.labs.nets import HeadsAttention, head_width
from mha_viz.labs.plans_depth import SCALINGS, SCHEMES, BeginningOptions
from mha_viz.labs.results import Row, Step, Steps
from mha_viz.labs.stacks import BATCH, CLASSES, significant
from mha_viz.labs.stacks_net import gradient_over_weight

#: Tokens of the map that is told.
MOST_SHOWN = 12


def begin(attention: HeadsAttention, scheme: str) -> None:
    """Draws W_Q and W_K anew from PyTorch's generator; their biases are 0 but in "linear"."""
    d_model = attention.query.in_features
    for linear in (attention.query, attention.key):
        if scheme == "linear":
            linear.reset_parameters()
            continue
        nn.init.zeros_(linear.bias)
        if scheme == "packed":
            edge = math.sqrt(6 / (4 * d_model))
            nn.init.uniform_(linear.weight, -edge, edge)
        else:
            nn.init.normal_(linear.weight, std={"xavier": d_model**-0.5, "unit": 1.0, "tenth": 0.1}[scheme])


def variance(scheme: str, d_model: int) -> float:
    """Of the numbers of W_Q and W_K."""
    return {
        "linear": 1 / (3 * d_model),
        "xavier": 1 / d_model,
        "packed": 1 / (2 * d_model),
        "unit": 1.0,
        "tenth": 0.01,
    }[scheme]


def divisor(scaling: str, d_k: int) -> float:
    """What scores are divided by."""
    return math.sqrt(d_k) ** SCALINGS.index(scaling)


def measure(options: BeginningOptions, scheme: str, scaling: str, seed: int) -> Row:
    """One attention at its beginning; equal seeds have equal tokens.

    Returns:
        "std" of the scores and "formula", what theory gives for it; "entropy" of the rows of weights in shares of ln(tokens);
        "largest", the mean of their largest weights; "gradient" of W_Q, its norm, and "relative", that over the norm of W_Q;
        "map", weights of the first head between the first tokens.

    Raises:
        InputError: a number of heads that does not divide d_model.
    """
    d_k = head_width(options.d_model, options.heads)
    scale = 1 / divisor(scaling, d_k)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        tokens = torch.randn(BATCH, options.tokens, options.d_model)
        classes = torch.randint(CLASSES, (BATCH, options.tokens))
        answer = nn.Linear(options.d_model, CLASSES)
        attention = HeadsAttention(options.d_model, options.heads, scale=scale)
        for linear in (attention.value, attention.out):
            nn.init.normal_(linear.weight, std=options.d_model**-0.5)
        begin(attention, scheme)
    output, attended = attention(tokens)
    torch.autograd.backward(functional.cross_entropy(answer(output).flatten(0, 1), classes.flatten()))
    weights, matrix = attended.weights.detach(), attention.query.weight
    entropy = torch.special.entr(weights).sum(dim=-1).mean() / math.log(options.tokens)
    shown = weights[0, 0, :MOST_SHOWN, :MOST_SHOWN].tolist()
    return {
        "std": significant(float(scores_of(attention, tokens).std()), 4),
        "formula": significant(math.sqrt(d_k) * options.d_model * variance(scheme, options.d_model) * scale, 4),
        "entropy": significant(float(entropy), 5),
        "largest": significant(float(weights.amax(dim=-1).mean()), 4),
        "gradient": significant(float(cast(torch.Tensor, matrix.grad).norm())),
        "relative": significant(gradient_over_weight(matrix)),
        "map": [[round(weight, 3) for weight in row] for row in shown] if seed == 0 else None,
    }


def scores_of(attention: HeadsAttention, tokens: torch.Tensor) -> torch.Tensor:
    """(batch, head, query, key), scaled."""
    with torch.no_grad():
        query, key = (
            linear(tokens).unflatten(2, (attention.n_heads, attention.d_k)).transpose(1, 2)
            for linear in (attention.query, attention.key)
        )
        return raw_scores(query, key) * attention.scale


def run(options: BeginningOptions) -> Steps:
    """Every scheme with every scaling and every seed; a row each."""
    jobs = [(scheme, scaling, seed) for seed in range(options.seeds) for scheme in SCHEMES for scaling in SCALINGS]
    for number, (scheme, scaling, seed) in enumerate(jobs, start=1):
        row: Row = {"scheme": scheme, "scaling": scaling, "seed": seed, "d_k": options.d_model // options.heads}
        yield Step(number / len(jobs), row | measure(options, scheme, scaling, seed))
