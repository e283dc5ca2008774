"""A block that is stable beside the plain one: the same look-ups, read by several layers of self-attention and FFN.

The eight tokens and the query token are one sequence, and every layer lets all of them attend to all. The answer is read off the
query token. One layer would do for the task (see ``lookups``); several make training harder, which is what is shown.

plain   post-LN, and the full rate of learning from the first step on
stable  pre-LN (Xiong et al. 2020), QK-norm and a learnt temperature a head (Henry et al. 2020)

Each of the three can be had alone. They change the number of parameters by the last LayerNorm and the temperatures.
"""

from __future__ import annotations

import itertools
import time
from typing import NamedTuple

import torch
from torch import nn

from mha_viz.attention import Attended
from mha_viz.labs.lookups import N_SLOTS, Cases, LookupNet, Training, cases, loss_of, score_of
from mha_viz.labs.nets import n_parameters
from mha_viz.labs.plans import D_MODEL
from mha_viz.labs.plans_depth import StableOptions
from mha_viz.labs.results import Row, Step, Steps
from mha_viz.labs.stacks import significant
from mha_viz.labs.stacks_net import Block

#: Width of the FFN; cases of a step and held-out cases: many layers take many times as long as one.
HIDDEN, BATCH, HELD_OUT = 2 * D_MODEL, 64, 512


class Setting(NamedTuple):
    """What a block has: pre-LN (else post-LN), QK-norm, a learnt temperature."""

    pre: bool
    qk_norm: bool
    temperature: bool


class BlocksNet(LookupNet):
    """A look-up net that reads the tokens and the query token as one sequence.

    Args:
        blocks: one or more, of one kind.
    """

    def __init__(self, blocks: list[Block]) -> None:
        super().__init__("values", blocks[-1].attention)
        self.blocks = nn.ModuleList(blocks)
        self.last = nn.LayerNorm(D_MODEL) if blocks[0].norm == "pre" else nn.Identity()

    def forward(
        self, given: Cases, gates: torch.Tensor | None = None, uniform: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, Attended]:
        """The answers, and of the last layer what the query token reads from the tokens; gates are for each layer alike."""
        sequence = torch.cat(self.reads(given), dim=1)  # (case, 1 + token, d_model)
        for block in self.blocks:
            sequence, attended = block(sequence, gates=gates, uniform=uniform)
        answers = self.answer(self.last(sequence[:, 0])).unflatten(1, (N_SLOTS, -1))
        return answers, Attended(attended.head_output[:, :, :1], attended.weights[:, :, :1, 1:])


def make_net(setting: Setting, layers: int, heads: int, seed: int) -> BlocksNet:
    """An untrained net; equal seeds make equal ones, up to what their blocks do not share."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return BlocksNet(
            [
                Block(
                    D_MODEL,
                    heads,
                    norm="pre" if setting.pre else "post",
                    hidden=HIDDEN,
                    qk_norm=setting.qk_norm,
                    temperature=setting.temperature,
                )
                for _ in range(layers)
            ]
        )


class BlocksTraining(Training):
    """With a rate that stays, after as many steps of rising as are asked for; the loss on the held-out cases is kept too.

    Args:
        net, seed, steps: as ``Training``.
        rate: of learning.
        warmup: steps in which it rises from 0.

    Attributes:
        losses: at the points of the curve; None where it is none any more.
    """

    def __init__(self, net: BlocksNet, seed: int, steps: int, *, rate: float, warmup: int) -> None:
        super().__init__(net, seed, steps)
        self.rate, self.warmup = rate, warmup
        self.losses: list[float | None] = []
        self.held_out = cases(net.task, HELD_OUT, torch.Generator().manual_seed(7))

    def optimizer(self) -> torch.optim.Optimizer:
        """All parameters of the many layers in one go, which is faster."""
        return torch.optim.Adam(self.net.parameters(), lr=self.rate, fused=True)

    def schedule(self, optimizer: torch.optim.Optimizer) -> torch.optim.lr_scheduler.LRScheduler:
        """The whole rate, from the first step on if nothing else is asked for."""
        return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / (self.warmup + 1)))

    def batch(self) -> Cases:
        """The cases of the next step."""
        return cases(self.net.task, BATCH, self._generator)

    def score(self, gates: torch.Tensor | None = None, uniform: torch.Tensor | None = None) -> float:
        """On the held-out cases; the loss beside it is kept."""
        with torch.inference_mode():
            said = self.net(self.held_out, gates, uniform)[0]
            self.losses.append(significant(float(loss_of(said, self.held_out)), 4))
            return score_of(said, self.held_out)


def run(options: StableOptions) -> Steps:
    """Every block at every rate with every seed; a row each."""
    parts = itertools.product(options.pre, options.qk_norm, options.temperature)
    settings = [Setting(*(part == "on" for part in chosen)) for chosen in parts]
    jobs = [(setting, rate, seed) for seed in range(options.seeds) for rate in options.rates for setting in settings]
    for number, (setting, rate, seed) in enumerate(jobs):
        begun = time.process_time()
        net = make_net(setting, options.layers, options.heads, seed)
        training = BlocksTraining(net, seed, options.steps, rate=rate, warmup=options.warmup)
        row: Row = setting._asdict() | {"rate": rate, "layers": options.layers, "seed": seed}
        row |= {"parameters": n_parameters(net)}
        for share in training.run():
            live = row | {"at": list(training.at), "losses": list(training.losses)}
            yield Step((number + share) / len(jobs), live=live)
        row |= {"score": training.curve[-1], "seconds": round(time.process_time() - begun, 2)}
        yield Step((number + 1) / len(jobs), row | {"at": training.at, "losses": training.losses})
