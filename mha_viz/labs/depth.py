"""Heads side by side or one after another: the same look-ups, n heads in all, arranged in layers.

The query token attends in every layer, to the same tokens; its vector is the sum of what it was and what it fetched:
x + attention(LayerNorm(x)). Nothing else has parameters in a layer: no biases, no scale in LayerNorm, no network after it. A head
is d_model / n wide wherever it stands, so n heads have the same matrices in every arrangement, and all arrangements of all n the
same number of parameters, to the last one.

What is fetched are n weighted sums of the values, so R^2 = min(n, m) / m is the best for "values" in every arrangement, as long
as the weights do not depend on the values that are not fetched yet.
"""

from __future__ import annotations

import time

import torch
from torch import nn
from torch.nn import functional

from mha_viz.attention import Attended
from mha_viz.errors import InputError
from mha_viz.labs.lookups import N_SLOTS, Cases, LookupNet, Training, best_possible
from mha_viz.labs.nets import HeadsAttention, head_width, n_parameters
from mha_viz.labs.plans import D_MODEL, DepthOptions
from mha_viz.labs.results import Row, Step, Steps


class StackNet(LookupNet):
    """A look-up net with several layers, whose answer is read off what the query token has fetched in all of them.

    Args:
        task: what it is trained on.
        layers: one or more.
    """

    def __init__(self, task: str, layers: list[HeadsAttention]) -> None:
        super().__init__(task, layers[0])
        self.layers = nn.ModuleList(layers)

    def through(self, given: Cases, **controls: torch.Tensor | None) -> tuple[torch.Tensor, list[Attended]]:
        """The answers, and what the kernel computed in each layer."""
        vector, tokens = self.reads(given)
        found = []
        for layer in self.layers:
            output, attended = layer(functional.layer_norm(vector, (D_MODEL,)), tokens, **controls)
            vector = vector + output
            found.append(attended)
        return self.answer(vector[:, 0]).unflatten(1, (N_SLOTS, -1)), found

    def forward(
        self, given: Cases, gates: torch.Tensor | None = None, uniform: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, Attended]:
        """The answers, and what the kernel computed in the last layer; gates as for one layer, for each alike."""
        answers, found = self.through(given, gates=gates, uniform=uniform)
        return answers, found[-1]


def make_stack(task: str, n_heads: int, n_layers: int, seed: int) -> StackNet:
    """An untrained net with ``n_heads`` in all, evenly in ``n_layers``; equal seeds make equal ones."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        each, d_k = n_heads // n_layers, head_width(D_MODEL, n_heads)
        return StackNet(task, [HeadsAttention(D_MODEL, each, d_k=d_k, bias=False) for _ in range(n_layers)])


def slot_weights(net: StackNet, given: Cases) -> list[list[float]]:
    """(head, slot): the mean weight of each head, layer by layer, on the token that each slot asks for."""
    with torch.inference_mode():
        found = net.through(given)[1]
    weights = torch.cat([attended.weights[:, :, 0] for attended in found], dim=1)  # (case, head, token)
    asked = given.asked[:, None].expand(-1, weights.shape[1], -1)
    return [[round(weight, 3) for weight in head] for head in weights.gather(2, asked).mean(dim=0).tolist()]


def run(options: DepthOptions) -> Steps:
    """Every number of heads in every even arrangement, at every rate, with every seed; a row each.

    Raises:
        InputError: no number of layers divides any number of heads.
    """
    jobs = [
        (task, faster, n_heads, n_layers, seed)
        for seed in range(options.seeds)
        for task in options.tasks
        for faster in options.faster
        for n_heads in options.heads
        for n_layers in options.layers
        if n_heads % n_layers == 0
    ]
    if not jobs:
        raise InputError("error.lab_layers", heads=options.heads, layers=options.layers)
    for number, (task, faster, n_heads, n_layers, seed) in enumerate(jobs):
        begun = time.monotonic()
        net = make_stack(task, n_heads, n_layers, seed)
        training = Training(net, seed, options.steps, faster=faster)
        row: Row = {"task": task, "faster": faster, "heads": n_heads, "layers": n_layers, "seed": seed}
        row |= {"d_k": D_MODEL // n_heads, "parameters": n_parameters(net)}
        for share in training.run():
            live = row | {"at": list(training.at), "curve": list(training.curve)}
            yield Step((number + share) / len(jobs), live=live)
        row |= {"score": training.curve[-1], "best": best_possible(n_heads) if task == "values" else None}
        row |= {"seconds": round(time.monotonic() - begun, 2)}
        row |= {"at": training.at, "curve": [round(score, 3) for score in training.curve]}
        row["slots"] = slot_weights(net, training.held_out)
        yield Step((number + 1) / len(jobs), row)
